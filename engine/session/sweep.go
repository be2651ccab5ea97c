package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// Axis is a knob and the values that a sweep gives it.
type Axis struct {
	Knob   string
	Values []string
}

// Setting is a knob at one value.
type Setting struct{ Knob, Value string }

// Row is one point of a sweep: where its knobs stood, and how its session ended.
type Row struct {
	Knobs    []Setting
	Snapshot *engine.Snapshot
}

// Name says which point it is: "group 4, nodes 2".
func (r *Row) Name() string {
	parts := make([]string, len(r.Knobs))
	for i, k := range r.Knobs {
		parts[i] = k.Knob + " " + k.Value
	}
	return strings.Join(parts, ", ")
}

// maxPoints bounds a sweep.
const maxPoints = 10000

// Sweep runs the scenario at every combination of the axes' values, the last axis
// turning fastest, each point in a session of its own. Simulations run side by
// side on all cores; points on other fabrics one after another, because they would
// disturb each other. All points are planned and checked before the first one
// runs. The rows are in the order of the points; one that fails is a row with
// Snapshot.Failure. When ctx ends, the rows that began and its error are returned.
// progress (may be nil) is told now and then how far the sweep is.
func Sweep(ctx context.Context, base engine.Scenario, axes []Axis, o Options, progress func(*Progress)) ([]Row, error) {
	rows, scenarios, err := points(base, axes)
	if err != nil {
		return nil, err
	}
	return RunRows(ctx, rows, scenarios, o, progress)
}

// RunRows runs a scenario for each row, as Sweep does, and fills in what it came to.
func RunRows(ctx context.Context, rows []Row, scenarios []engine.Scenario, o Options, progress func(*Progress)) ([]Row, error) {
	o.Linger = false
	f := &field{options: o, rows: rows, setups: make([]setup, len(rows)), began: time.Now()}
	for i := range rows {
		var err error
		if f.setups[i], err = o.resolve(scenarios[i]); err != nil {
			return nil, at(&rows[i], err)
		}
	}
	if err := f.run(ctx, progress); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return slices.DeleteFunc(rows, func(r Row) bool { return r.Snapshot == nil }), context.Cause(ctx)
	}
	return rows, nil
}

func at(r *Row, err error) error {
	if len(r.Knobs) == 0 {
		return err
	}
	return fmt.Errorf("%s: %w", r.Name(), err)
}

// points are the combinations, with values in their canonical spelling.
func points(base engine.Scenario, axes []Axis) ([]Row, []engine.Scenario, error) {
	rows, scenarios := []Row{{}}, []engine.Scenario{base.Clone()}
	seen := make(map[string]bool)
	for _, axis := range axes {
		if seen[axis.Knob] {
			return nil, nil, fmt.Errorf("%s is swept twice", axis.Knob)
		}
		seen[axis.Knob] = true
		if len(axis.Values)*len(rows) > maxPoints {
			return nil, nil, fmt.Errorf("more than %d points: sweep fewer values", maxPoints)
		}
		var nextRows []Row
		var next []engine.Scenario
		for i := range rows {
			for _, v := range axis.Values {
				sc := scenarios[i].Clone()
				if err := sc.Set(axis.Knob, v); err != nil {
					return nil, nil, err
				}
				knobs := append(rows[i].Knobs[:len(rows[i].Knobs):len(rows[i].Knobs)], Setting{axis.Knob, sc.Text(axis.Knob)})
				nextRows, next = append(nextRows, Row{Knobs: knobs}), append(next, sc)
			}
		}
		rows, scenarios = nextRows, next
	}
	return rows, scenarios, nil
}

// Fit is the law l_avg = (l_l − l_r)·P + l_r, fitted to the two rows of a sweep
// whose shares P of local accesses are the extremes.
type Fit struct {
	Within        string  // what local means: "node", or "rank" where there is one node
	Local, Remote float64 // l_l and l_r, s
	Predictions   []Prediction
}

// Prediction is the law at one row of a sweep.
type Prediction struct {
	Row       int
	Share     float64 // the law's P
	Predicted float64 // s
	Measured  float64 // s
	Error     float64 // relative: (predicted − measured) / measured
	Fitted    bool    // the fit rests on this row
}

// FitRows fits the law; the error says what is missing: rows that compare, with
// recorded accesses at two different shares.
func FitRows(rows []Row) (*Fit, error) {
	type spot struct {
		row   int
		point *engine.LocalityPoint
	}
	var spots []spot
	nodes := 1
	for i := range rows {
		s := rows[i].Snapshot
		if s == nil {
			continue
		}
		if len(spots) > 0 && !comparable(&rows[spots[0].row].Snapshot.Scenario, &s.Scenario) {
			return nil, fmt.Errorf("the rows differ in more than group and model, so one law does not hold for all")
		}
		if p := here(s); p != nil && p.Accesses > 0 {
			spots = append(spots, spot{i, p})
			nodes = s.Layout.Nodes
		}
	}
	if len(spots) == 0 {
		return nil, fmt.Errorf("no accesses were recorded: %w", models.ErrUndetermined)
	}
	f := &Fit{Within: "node"}
	law := func(p *engine.LocalityPoint) float64 { return p.LawNode }
	measured := func(p *engine.LocalityPoint) float64 { return p.NodeLocal }
	if nodes == 1 {
		f.Within = "rank"
		law = func(p *engine.LocalityPoint) float64 { return p.LawRank }
		measured = func(p *engine.LocalityPoint) float64 { return p.RankLocal }
	}
	// Of rows with the same share the outermost are taken: at G = 1 nothing leaves
	// the rank, which is as near as it gets.
	low, high := spots[0], spots[0]
	for _, s := range spots[1:] {
		if law(s.point) < law(low.point) || law(s.point) == law(low.point) && s.point.Group > low.point.Group {
			low = s
		}
		if law(s.point) > law(high.point) || law(s.point) == law(high.point) && s.point.Group < high.point.Group {
			high = s
		}
	}
	var ends []models.Point
	for _, s := range []spot{low, high} {
		ends = append(ends, models.Point{Share: measured(s.point), Latency: s.point.Access, Weight: float64(s.point.Accesses)})
	}
	fit, err := models.FitLatencies(ends)
	if err != nil {
		return nil, err
	}
	f.Local, f.Remote = fit.Local, fit.Remote
	for _, s := range spots {
		p := Prediction{Row: s.row, Share: law(s.point), Measured: s.point.Access, Fitted: s.row == low.row || s.row == high.row}
		p.Predicted = fit.At(p.Share)
		p.Error = models.RelativeError(p.Predicted, p.Measured)
		f.Predictions = append(f.Predictions, p)
	}
	return f, nil
}

// here is the point of the snapshot's own group size, nil: it has none.
func here(s *engine.Snapshot) *engine.LocalityPoint {
	for i := range s.Locality {
		if p := &s.Locality[i]; p.Group == s.Layout.GroupSize() {
			return p
		}
	}
	return nil
}
