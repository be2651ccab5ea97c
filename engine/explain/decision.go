package explain

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// maxCells is the largest number of cells of a decision map.
const maxCells = 1089

// A MapAxis is an axis of a decision map: a knob with its values, or a number of the machine with
// its factors.
type MapAxis struct {
	Name   string
	Values []string
	knob   bool
}

// mapFactors is the number of factors of an axis with a range.
const mapFactors = 9

// ParseMapAxis reads KNOB=VALUE,..., KEY=FACTOR,... or KEY=FROM..TO for a scenario.
func ParseMapAxis(sc *engine.Scenario, text string) (MapAxis, error) {
	name, list, ok := strings.Cut(text, "=")
	if !ok || name == "" || list == "" {
		return MapAxis{}, fmt.Errorf("axis %.80q: want KNOB=VALUE,..., KEY=FACTOR,... or KEY=FROM..TO", text)
	}
	a := MapAxis{Name: name, Values: strings.Split(list, ",")}
	if _, err := sc.Knob(name); err == nil {
		a.knob = true
		return a, nil
	}
	if from, to, isRange := strings.Cut(list, ".."); isRange {
		x, errX := strconv.ParseFloat(from, 64)
		y, errY := strconv.ParseFloat(to, 64)
		if errX != nil || errY != nil || !(x > 0 && y > x) || math.IsInf(y, 0) {
			return MapAxis{}, fmt.Errorf("axis %.80q: want KEY=FROM..TO with factors above 0, such as remote.latency_s=0.5..8", text)
		}
		a.Values = nil
		for i := range mapFactors {
			f := x * math.Pow(y/x, float64(i)/(mapFactors-1))
			a.Values = append(a.Values, strconv.FormatFloat(f, 'g', 4, 64))
		}
	}
	for _, v := range a.Values {
		if _, err := presets.ParseChange(name + "=" + v); err != nil {
			return MapAxis{}, err
		}
	}
	return a, nil
}

// A Decision is a cell of a map.
type Decision struct {
	Winner    int            // the fastest variant; −1: none can run
	Times     []cluster.Time // of the variants; 0: cannot run. nil: not simulated
	Simulated bool           // false: all simulated neighbours have this winner
	Refusal   string         // why a variant cannot run
}

// A DecisionMap has the fastest variant over two axes.
type DecisionMap struct {
	X, Y        MapAxis
	Variants    MapAxis
	Cells       [][]Decision // by row, then by column
	Simulations int
}

// Decide finds the fastest variant over two axes. It simulates a coarse grid, and refines it where
// the winners of neighbours differ.
func Decide(ctx context.Context, sc engine.Scenario, x, y, variants MapAxis, o session.Options) (*DecisionMap, error) {
	if n := len(x.Values) * len(y.Values); n > maxCells {
		return nil, fmt.Errorf("map of %d cells: want at most %d (use fewer values)", n, maxCells)
	}
	if err := checkAxes(&sc, o.Machines, &x, &y, &variants); err != nil {
		return nil, err
	}
	m := &DecisionMap{X: x, Y: y, Variants: variants, Cells: make([][]Decision, len(y.Values))}
	for i := range m.Cells {
		m.Cells[i] = make([]Decision, len(x.Values))
	}
	stepX, stepY := coarse(len(x.Values)), coarse(len(y.Values))
	for first := true; ; first = false {
		for j := range positions(len(y.Values), stepY) {
			for i := range positions(len(x.Values), stepX) {
				c := &m.Cells[j][i]
				if c.Simulated {
					continue
				}
				if winner, ok := m.between(i, j, 2*stepX, 2*stepY); ok && !first {
					c.Winner = winner
					continue
				}
				if err := m.simulate(ctx, &sc, i, j, o); err != nil {
					return nil, err
				}
			}
		}
		if stepX == 1 && stepY == 1 {
			return m, nil
		}
		stepX, stepY = max(stepX/2, 1), max(stepY/2, 1)
	}
}

// checkAxes returns an error if the machine does not have the number of an axis.
func checkAxes(sc *engine.Scenario, own []cluster.Machine, axes ...*MapAxis) error {
	m, err := MachineOf(sc, own)
	if err != nil {
		return err
	}
	for _, a := range axes {
		if a.knob && a.Name == "machine" {
			return nil // the number may belong to another machine
		}
	}
	for _, a := range axes {
		if a.knob {
			continue
		}
		if c, err := presets.ParseChange(a.Name + "=" + a.Values[0]); err != nil {
			return err
		} else if _, err = presets.Changed(&m, []presets.Change{c}); err != nil {
			return err
		}
	}
	return nil
}

// coarse returns the step of the coarse grid of an axis.
func coarse(n int) int {
	switch {
	case n >= 17:
		return 4
	case n >= 5:
		return 2
	}
	return 1
}

// positions yields every step-th position, and the last one.
func positions(n, step int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i += step {
			if !yield(i) {
				return
			}
		}
		if (n-1)%step != 0 {
			yield(n - 1)
		}
	}
}

// around calls visit for the simulated cells at most a step away from a cell.
func (m *DecisionMap) around(i, j, stepX, stepY int, visit func(*Decision)) {
	for v := max(j-stepY, 0); v <= min(j+stepY, len(m.Y.Values)-1); v++ {
		for u := max(i-stepX, 0); u <= min(i+stepX, len(m.X.Values)-1); u++ {
			if c := &m.Cells[v][u]; c.Simulated && (u != i || v != j) {
				visit(c)
			}
		}
	}
}

// between returns the winner of the simulated neighbours, if all have the same one.
func (m *DecisionMap) between(i, j, stepX, stepY int) (winner int, ok bool) {
	n := 0
	ok = true
	m.around(i, j, stepX, stepY, func(c *Decision) {
		if n > 0 && c.Winner != winner {
			ok = false
		}
		winner = c.Winner
		n++
	})
	return winner, ok && n > 0
}

// simulate runs all variants of a cell.
func (m *DecisionMap) simulate(ctx context.Context, sc *engine.Scenario, i, j int, o session.Options) error {
	c := &m.Cells[j][i]
	*c = Decision{Winner: -1, Simulated: true, Times: make([]cluster.Time, len(m.Variants.Values))}
	for k := range m.Variants.Values {
		next, changes := sc.Clone(), []presets.Change(nil)
		err := error(nil)
		for _, at := range []struct {
			axis  *MapAxis
			index int
		}{{&m.X, i}, {&m.Y, j}, {&m.Variants, k}} {
			value := at.axis.Values[at.index]
			if at.axis.knob {
				if err == nil {
					err = next.Set(at.axis.Name, value)
				}
				continue
			}
			change, parseErr := presets.ParseChange(at.axis.Name + "=" + value)
			if parseErr != nil {
				return parseErr
			}
			changes = append(changes, change)
		}
		var run *Run
		if err == nil {
			run, err = After(ctx, next, changes, o)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			c.Refusal = err.Error()
			continue
		}
		m.Simulations++
		c.Times[k] = run.Total
		if c.Winner < 0 || run.Total < c.Times[c.Winner] {
			c.Winner = k
		}
	}
	return nil
}

// Ratio returns the time of a variant relative to another one in a simulated cell, or 0.
func (c *Decision) Ratio(of, to int) float64 {
	if c.Times == nil || c.Times[of] == 0 || c.Times[to] == 0 {
		return 0
	}
	return float64(c.Times[of]) / float64(c.Times[to])
}
