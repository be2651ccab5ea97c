package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// The size of a live check: it should run in seconds on a small host.
const (
	checkThreads = 4        // maximum number of threads per core of this host, unless two nodes have more
	checkMemory  = 64 << 20 // bytes of host memory
	checkTime    = 5e-4     // s of the machine's time for an iteration, a thousandth of the emulated time
)

// Bounds of the expected ratio of a check, relative to the simulated one.
const (
	checkSlack = 1.5 // emulated times vary
	checkClear = 1.1 // the check expects the order, too, if the ratio is at least this
)

// A Check is a scenario that runs the winner and the runner-up live.
type Check struct {
	Scenario presets.Scenario
	Ranks    int
	Ratio    float64 // time of the runner-up relative to the winner, simulated at the size of the check
	Changed  []session.Setting
}

// Check returns a scenario that runs the winner and the runner-up live, with fewer nodes and a smaller
// problem if this host needs them. Its expectation comes from a simulation of the same size.
func (a *Advice) Check(ctx context.Context, o session.Options) (*Check, error) {
	w, r := a.Winner(), a.RunnerUp()
	if w == nil || r == nil {
		return nil, errors.New("no runner-up: all candidates share a place or could not run")
	}
	o.Fabrics = session.Fabrics()
	p := &pair{sides: [2]engine.Scenario{w.Scenario.Clone(), r.Scenario.Clone()}, o: o}
	if err := p.set("fabric", engine.Live); err != nil {
		return nil, err
	}
	before := p.sides[0].Clone()
	if err := p.fewerNodes(); err != nil {
		return nil, err
	}
	p.smallerProblem()
	if err := p.shorterProblem(ctx); err != nil {
		return nil, err
	}
	if p.memory() > checkMemory {
		return nil, fmt.Errorf("winner and runner-up need %.3g MiB of this host: no size fits (name fewer knobs with --vary)",
			p.memory()/(1<<20))
	}
	layout := p.sides[0].Layout()
	c := &Check{Ranks: layout.Ranks()}
	for _, k := range before.Table {
		if v := p.sides[0].Text(k.Name); v != before.Text(k.Name) {
			c.Changed = append(c.Changed, session.Setting{Knob: k.Name, Value: v})
		}
	}
	times, err := p.times(ctx, p.sides[:])
	if err != nil {
		return nil, err
	}
	if times[0] == 0 || times[1] == 0 {
		return nil, errors.New("winner or runner-up does not run at the size of the check")
	}
	c.Ratio = times[1] / times[0]
	c.Scenario, err = p.preset(w, r, c.Ratio)
	return c, err
}

// times simulates scenarios. It returns the time of an iteration of each in s, or 0 if it does not run.
func (p *pair) times(ctx context.Context, all []engine.Scenario) ([]float64, error) {
	rows, scenarios, times := make([]session.Row, len(all)), make([]engine.Scenario, len(all)), make([]float64, len(all))
	for i := range all {
		scenarios[i] = all[i].Clone()
		if err := scenarios[i].Set("fabric", engine.Sim); err != nil {
			return nil, err
		}
	}
	err := explain.RunAll(ctx, rows, scenarios, p.o, nil, func(i int, snap *engine.Snapshot, _ *explain.Run, err error) {
		if err != nil {
			return
		}
		if m, why := session.Result(snap, iterationTime); why == "" {
			times[i] = m.Value
		}
	})
	return times, err
}

// iterationTime is the metric of the expectation.
const iterationTime = "iteration_time"

// pair has the scenarios of the winner and of the runner-up.
type pair struct {
	sides [2]engine.Scenario
	o     session.Options
}

// set sets a knob on both sides.
func (p *pair) set(knob, value string) error {
	for i := range p.sides {
		if err := p.sides[i].Set(knob, value); err != nil {
			return err
		}
	}
	return nil
}

// memory returns the bytes of host memory of the larger side, or infinity if one cannot run.
func (p *pair) memory() float64 {
	most := 0.0
	for i := range p.sides {
		need, err := session.HostMemory(p.sides[i], p.o)
		if err != nil {
			return math.Inf(1)
		}
		most = max(most, need)
	}
	return most
}

// try sets a knob on both sides, and returns the memory that they need then. undo reverts the change.
func (p *pair) try(knob, value string) (need float64, undo func()) {
	before := [2]engine.Scenario{p.sides[0].Clone(), p.sides[1].Clone()}
	undo = func() { p.sides = before }
	if err := p.set(knob, value); err != nil {
		return math.Inf(1), undo
	}
	return p.memory(), undo
}

// fewerNodes sets the largest of nodes, nodes/2, … that needs at most checkThreads threads per core, or the
// smallest of them. It skips numbers with which a side cannot run, and keeps two nodes if there are two.
func (p *pair) fewerNodes() error {
	nodes := int(p.sides[0].Int("nodes"))
	perNode := 1
	for i := range p.sides {
		l := p.sides[i].Layout()
		perNode = max(perNode, l.RanksPerNode*l.ThreadsPerRank)
	}
	var all []int
	for n := nodes; n >= min(nodes, 2); n /= 2 {
		all = append(all, n)
	}
	fits := func(n int) bool { return n*perNode <= checkThreads*runtime.GOMAXPROCS(0) }
	slices.SortStableFunc(all, func(a, b int) int { // numbers that fit come first, in falling order; then the others, in rising order
		switch {
		case fits(a) && fits(b):
			return cmp.Compare(b, a)
		case fits(a):
			return -1
		case fits(b):
			return 1
		}
		return cmp.Compare(a, b)
	})
	for _, n := range all {
		need, undo := p.try("nodes", strconv.Itoa(n))
		if !math.IsInf(need, 1) {
			return nil
		}
		undo()
	}
	_, err := session.HostMemory(p.sides[0], p.o)
	return err
}

// lower returns the numbers of the problem that have a smaller choice, with that choice.
func (p *pair) lower() (all []session.Setting) {
	for _, k := range p.sides[0].Table {
		if k.Role != engine.Problem || !k.IsNumber() {
			continue
		}
		now, err := strconv.ParseFloat(p.sides[0].Text(k.Name), 64)
		next := k.Next(p.sides[0].Text(k.Name), -1)
		if x, errNext := strconv.ParseFloat(next, 64); err == nil && errNext == nil && x < now && x > 0 {
			all = append(all, session.Setting{Knob: k.Name, Value: next})
		}
	}
	return all
}

// smallerProblem lowers numbers of the problem until both sides fit into checkMemory. Each step lowers the
// number that saves the most memory.
func (p *pair) smallerProblem() {
	for need := p.memory(); need > checkMemory; {
		best := need
		var change session.Setting
		for _, s := range p.lower() {
			with, undo := p.try(s.Knob, s.Value)
			undo()
			if with < best {
				best, change = with, s
			}
		}
		if change.Knob == "" {
			return
		}
		need, _ = p.try(change.Knob, change.Value)
	}
}

// shorterProblem lowers numbers of the problem until an iteration of the winner takes at most checkTime.
// Each step lowers the number that saves the most time.
func (p *pair) shorterProblem(ctx context.Context) error {
	now, err := p.times(ctx, p.sides[:1])
	if err != nil {
		return err
	}
	for best := now[0]; best > checkTime; {
		var changes []session.Setting
		var scenarios []engine.Scenario
		for _, s := range p.lower() {
			with, undo := p.try(s.Knob, s.Value)
			if !math.IsInf(with, 1) {
				changes, scenarios = append(changes, s), append(scenarios, p.sides[0])
			}
			undo()
		}
		if len(changes) == 0 {
			return nil
		}
		times, err := p.times(ctx, scenarios)
		if err != nil {
			return err
		}
		at := -1
		for i, t := range times {
			if t > 0 && t < best {
				best, at = t, i
			}
		}
		if at < 0 {
			return nil
		}
		p.try(changes[at].Knob, changes[at].Value)
	}
	return nil
}

// preset returns the scenario of the winner. It expects that the runner-up takes about ratio times as long.
func (p *pair) preset(w, r *Candidate, ratio float64) (presets.Scenario, error) {
	s, err := session.AsPreset("", &p.sides[0])
	if err != nil {
		return s, err
	}
	s.Title = "Live check of advice on " + p.sides[0].Workload
	s.Watch = fmt.Sprintf("Winner: %s. Runner-up: %s. A simulation of this size expects %.3g times the winner's time.", w.Name(),
		r.Name(), ratio)
	e := presets.Expectation{Metric: iterationTime, Relation: presets.Times, Low: digits(ratio / checkSlack),
		High: digits(ratio * checkSlack)}
	switch {
	case ratio >= checkClear:
		e.Low = max(e.Low, 1)
	case ratio <= 1/checkClear:
		e.High = min(e.High, 1)
	}
	for _, k := range p.sides[0].Table {
		if v := p.sides[1].Text(k.Name); v != p.sides[0].Text(k.Name) {
			e.Knobs = append(e.Knobs, presets.Knob{Name: k.Name, Value: v})
		}
	}
	s.Expect = []presets.Expectation{e}
	return s, nil
}

// digits rounds to three significant digits.
func digits(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return y
}
