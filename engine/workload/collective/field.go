package collective

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// teams returns the numbers of ranks for the model's lines and the decision map.
func teams(ranks int) []int64 {
	var all []int64
	for p := int64(2); p <= 128; p *= 2 {
		all = append(all, p)
	}
	for p := int64(512); p <= int64(ranks); p *= 4 {
		all = append(all, p)
	}
	return insert(all, int64(ranks))
}

// decisionMap returns the decision map of the cost model over size and ranks. Without prices, its winners are awaited.
func (w teamSite) decisionMap(s *engine.Scenario, c *coll.Cost, modelled, priced bool) *Map {
	what := of(s)
	l := s.Layout()
	ranks := l.N().MPI
	n := length(s)
	f := &Map{Of: fmt.Sprintf("algorithm of %s", what), XTitle: "size", YTitle: "ranks", XUnit: "B", NowX: -1, NowY: -1}
	for _, a := range coll.Of(what) {
		f.Names = append(f.Names, a.Name)
	}
	for _, x := range sizes(n) {
		if what == coll.OpBarrier || x%unit != 0 && what.Combines() {
			continue
		}
		f.X = append(f.X, float64(x))
	}
	if what == coll.OpBarrier {
		f.X = []float64{0}
	}
	for _, y := range teams(ranks) {
		f.Y = append(f.Y, float64(y))
	}
	for y := range f.Y {
		for x := range f.X {
			one := Winner{Best: -1, Model: -1}
			switch {
			case modelled && priced:
				one = w.winner(s, int(f.Y[y]), int64(f.X[x]), f.Names)
			case modelled:
				one.Kind = engine.Modelled
			}
			f.Cells = append(f.Cells, one)
		}
	}
	if modelled && priced {
		for _, a := range coll.Of(what) {
			formula := ""
			if k, err := w.Key(s, a, ranks); err == nil {
				formula = w.formula(s, &k, c, n)
			}
			f.Terms = append(f.Terms, formula)
		}
	}
	w.addTableWinners(f, s, l.RanksPerNode)
	setPresent(f, n, ranks)
	return f
}

// formula returns the time of a call by the cost model, with its terms if they explain it.
func (w teamSite) formula(s algorithm.Reader, k *coll.Key, c *coll.Cost, n int64) string {
	t, _ := w.Estimate(s, k, n)
	text := t.String()
	if alone := k.Predict(c, n); math.Abs(float64(alone)/float64(t)-1) < logGP {
		if of := sumOf(terms(k, c, n)); of != "" {
			text += " = " + of
		}
	}
	return text
}

// winner returns the cost model's fastest algorithm of a cell.
func (at teamSite) winner(s algorithm.Reader, ranks int, n int64, names []string) Winner {
	w := Winner{Best: -1, Model: -1}
	least, second := cluster.Time(math.MaxInt64), cluster.Time(math.MaxInt64)
	for _, a := range coll.Of(of(s)) {
		k, err := at.Key(s, a, ranks)
		if err != nil || algorithm.IsDuplicate(a, &k) {
			continue
		}
		switch t, _ := at.Estimate(s, &k, n); {
		case t < least:
			w.Best = slices.Index(names, a.Name)
			second = least
			least = t
		case t < second:
			second = t
		}
	}
	if w.Best >= 0 {
		w.Time, w.Kind = least.Seconds(), engine.Modelled
	}
	if second < math.MaxInt64 && least > 0 {
		w.Lead = second.Seconds() / w.Time
	}
	return w
}

// setPresent sets the cell of the present knobs.
func setPresent(f *Map, n int64, ranks int) {
	f.NowX, f.NowY = slices.Index(f.X, float64(n)), slices.Index(f.Y, float64(ranks))
}

// withRuns returns the decision map with the results of runs. A cell with at least two algorithms
// of a kind has their winner.
func withRuns(v *engine.StudyView, before *Map) *Map {
	f := *before
	f.Cells = slices.Clone(f.Cells)
	type cell struct {
		x, y int
		kind engine.Kind
	}
	best := map[cell]*engine.Row{}
	second := map[cell]*engine.Row{}
	for i := range v.Rows {
		r := &v.Rows[i]
		t := r.Cells[columnTime]
		at := cell{x: slices.Index(f.X, r.Cells[columnSize]), y: slices.Index(f.Y, r.Cells[columnRanks]), kind: r.Kind}
		if !slices.Contains(f.Names, algorithmIn(r)) || at.x < 0 || at.y < 0 || !(t > 0) {
			continue
		}
		switch b := best[at]; {
		case b == nil:
			best[at] = r
		case algorithmIn(b) == algorithmIn(r):
			if t < b.Cells[columnTime] {
				best[at] = r
			}
		case t < b.Cells[columnTime]:
			best[at], second[at] = r, b
		case second[at] == nil || t < second[at].Cells[columnTime]:
			second[at] = r
		}
	}
	now := engine.Kind("")
	if r := v.Present(); r != nil {
		now = r.Kind
	}
	for y := range f.Y {
		for x := range f.X {
			// the present kind overrides the others
			for _, kind := range []engine.Kind{engine.Simulated, engine.Emulated, engine.Measured, now} {
				at := cell{x: x, y: y, kind: kind}
				if second[at] == nil {
					continue
				}
				w := f.At(x, y)
				model := modelWinner(w)
				r := best[at]
				*w = Winner{
					Best: slices.Index(f.Names, algorithmIn(r)), Time: r.Cells[columnTime],
					Lead: second[at].Cells[columnTime] / r.Cells[columnTime], Kind: kind, Model: model,
				}
			}
		}
	}
	return &f
}
