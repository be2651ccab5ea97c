package study

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// maxKept is the maximum number of rows kept per session.
const maxKept = 1024

// Table collects the rows of a study over runs. It is not safe for concurrent use.
type Table struct {
	study   *engine.Study
	frame   engine.StudyView      // of this launch
	slow    chan engine.StudyView // receives the slow frame of this launch; nil: it has been received, or there is none
	begun   atomic.Int64          // number of launches
	one     sync.Mutex            // allows one slow frame at a time
	rest    string                // of its scenario: the knobs that must be equal
	kept    []keptRow             // in the order of their runs
	index   map[string]int        // of the kept rows with this rest, by key
	seen    []engine.Row          // rows of this launch at the last look
	base    []engine.Row          // sums in seen that are already kept or forgotten
	keeping engine.Keeping        // of this launch at the last look
}

// keptRow is a row and the rest of its scenario.
type keptRow struct {
	engine.Row
	rest string
}

// NewTable returns an empty table.
func NewTable(st *engine.Study) *Table { return &Table{study: st} }

// Begin prepares the table for a launch with numbers of a kind.
func (t *Table) Begin(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) {
	frame := t.study.Slow
	if frame == nil {
		frame = t.study.Frame
	}
	t.begin(frame, s, m, kind)
}

// Start is Begin that computes a slow frame in the background, and then calls ready from another goroutine. Until then,
// the table has the fast frame. If ready is nil, it keeps the fast one.
func (t *Table) Start(s *engine.Scenario, m *cluster.Machine, kind engine.Kind, ready func()) {
	t.begin(t.study.Frame, s, m, kind)
	compute, launch := t.study.Slow, t.begun.Load()
	if compute == nil || ready == nil {
		return
	}
	slow, of := make(chan engine.StudyView, 1), s.Clone()
	t.slow = slow
	go func() {
		t.one.Lock()
		defer t.one.Unlock()
		if t.begun.Load() == launch {
			slow <- compute(&of, m, kind)
			ready()
		}
	}()
}

// begin prepares the table for a launch with a frame, which may be nil.
func (t *Table) begin(frame func(*engine.Scenario, *cluster.Machine, engine.Kind) engine.StudyView, s *engine.Scenario,
	m *cluster.Machine, kind engine.Kind) {
	t.begun.Add(1)
	t.slow = nil
	t.frame = engine.StudyView{Now: -1}
	if frame != nil {
		t.frame = frame(s, m, kind)
	}
	t.frame.Form = t.study.Form
	t.seen = nil
	t.base = nil
	t.keeping = engine.Kept
	t.rest = t.study.Rest(s)
	t.buildIndex()
}

// buildIndex indexes the kept rows with the current rest.
func (t *Table) buildIndex() {
	t.index = make(map[string]int)
	for i := range t.kept {
		if t.kept[i].rest == t.rest {
			t.index[t.kept[i].Key] = i
		}
	}
}

// IsComplete reports whether the table has its slow frame, or needs none.
func (t *Table) IsComplete() bool {
	select {
	case v := <-t.slow: // never, if nil
		v.Form = t.study.Form
		t.frame, t.slow = v, nil
	default:
	}
	return t.slow == nil
}

// Frame returns the view before the run has results.
func (t *Table) Frame() engine.StudyView {
	t.IsComplete()
	return t.frame
}

// Look evaluates a snapshot and returns the rows of all comparable runs. Rows with inaccurate
// timings are shown next to the others, but Complete does not see them.
func (t *Table) Look(s *engine.Snapshot) engine.StudyView {
	t.seen, t.keeping = t.study.Observe(s), s.Keeping
	switch {
	case t.study.Adds:
	case t.keeping == engine.Unproven:
		t.seen = nil
	default:
		for i := range t.seen {
			r := &t.seen[i]
			if t.isInaccurate() && r.Flag == "" {
				r.Flag = engine.Late
			}
			if r.Flag != engine.Passing {
				t.keep(*r)
			}
		}
	}
	v := t.Frame()
	v.Rows = make([]engine.Row, len(t.frame.Rows), len(t.frame.Rows)+len(t.index)+1)
	for i := range v.Rows {
		v.Rows[i] = t.frame.Rows[i]
		v.Rows[i].Cells = slices.Clone(v.Rows[i].Cells)
	}
	for i := range t.kept {
		if t.kept[i].rest == t.rest && t.kept[i].Flag != engine.Late {
			t.merge(&v, t.kept[i].Row)
		}
	}
	for i := range t.seen {
		switch {
		case t.study.Adds:
			if r, ok := t.newSums(i); ok {
				t.merge(&v, r)
			}
		case t.seen[i].Flag == engine.Passing && !t.isInaccurate():
			t.merge(&v, t.seen[i])
		}
	}
	t.selectCurrent(&v)
	if t.study.Complete != nil {
		t.study.Complete(&v, s)
	}
	if t.keeping != engine.Kept {
		v.Time = 0
		v.Reference = 0
		v.Gain = ""
		if t.study.ClockFree == nil {
			v.Why, v.Glance = "", ""
		}
		if t.study.Timeless != nil {
			v.Why = t.study.Timeless(s)
		}
	}
	t.addInaccurate(&v)
	return v
}

// isInaccurate reports whether the timings of this launch are inaccurate.
func (t *Table) isInaccurate() bool { return t.keeping == engine.Behind || t.keeping == engine.Beyond }

// selectCurrent selects the row of the current knobs.
func (t *Table) selectCurrent(v *engine.StudyView) {
	if len(t.seen) > 0 {
		v.Now = indexOfKey(v.Rows, t.seen[0].Key)
	}
}

// newSums returns the new sums of row i of this launch. It reports false if they must not be used.
func (t *Table) newSums(i int) (engine.Row, bool) {
	r := subtractBase(t.seen[i], t.base)
	if t.keeping == engine.Kept {
		return r, true
	}
	if t.study.ClockFree == nil {
		return r, false
	}
	r.Raw = t.study.ClockFree(r.Raw)
	return r, true
}

// addInaccurate adds inaccurate rows to a complete view, and selects the row of the current knobs.
func (t *Table) addInaccurate(v *engine.StudyView) {
	if t.study.Adds {
		if i := v.Now; t.isInaccurate() && i >= 0 && i < len(v.Rows) && v.Rows[i].Flag == "" {
			v.Rows[i].Flag = engine.Late
		}
		return
	}
	n := len(v.Rows)
	for i := range t.kept {
		if t.kept[i].rest == t.rest && t.kept[i].Flag == engine.Late {
			t.merge(v, t.kept[i].Row)
		}
	}
	if t.isInaccurate() {
		for i := range t.seen {
			if t.seen[i].Flag == engine.Passing {
				t.merge(v, t.seen[i])
			}
		}
		t.selectCurrent(v)
	}
	if len(v.Rows) > n && len(t.study.Charts) > 0 {
		Sort(v, t.study.Charts[0].X)
	}
}

// Fold ends a launch and keeps its sums.
func (t *Table) Fold() {
	if !t.study.Adds {
		return // Look has kept its rows
	}
	for i := range t.seen {
		if r, ok := t.newSums(i); ok {
			t.keep(r)
		}
	}
	t.base = t.seen
}

// Forget drops every row, including the results of the current launch so far.
func (t *Table) Forget() {
	t.kept, t.base = nil, t.seen
	t.buildIndex()
}

// keep adds to the row with the same key, or replaces it. An inaccurate row does not replace an
// accurate one.
func (t *Table) keep(r engine.Row) {
	if i, ok := t.index[r.Key]; ok {
		if r.Flag == engine.Late && t.kept[i].Flag != engine.Late {
			return
		}
		if t.study.Adds {
			r.Raw = addScaled(t.kept[i].Raw, r.Raw, +1)
		}
		t.kept[i].Row = r
		return
	}
	t.kept = append(t.kept, keptRow{Row: r, rest: t.rest})
	t.index[r.Key] = len(t.kept) - 1
	if len(t.kept) > maxKept {
		t.kept = slices.Delete(t.kept, 0, len(t.kept)-maxKept)
		t.buildIndex()
	}
}

// merge adds a row to a view: it adds to the row with the same key, or replaces it.
func (t *Table) merge(v *engine.StudyView, r engine.Row) {
	i := indexOfKey(v.Rows, r.Key)
	switch {
	case i < 0:
		r.Cells = slices.Clone(r.Cells)
		v.Rows = append(v.Rows, r)
	case t.study.Adds:
		row := &v.Rows[i]
		row.Raw, row.Kind = addScaled(row.Raw, r.Raw, +1), r.Kind
		if row.Flag == "" {
			row.Flag = r.Flag
		}
	default: // cells unknown to the run remain unchanged
		cells := slices.Clone(r.Cells)
		for k, x := range v.Rows[i].Cells {
			if k < len(cells) && math.IsNaN(cells[k]) {
				cells[k] = x
			}
		}
		r.Cells = cells
		v.Rows[i] = r
	}
}

// indexOfKey returns the index of the row with a key, or −1.
func indexOfKey(rows []engine.Row, key string) int {
	return slices.IndexFunc(rows, func(r engine.Row) bool { return r.Key == key })
}

// subtractBase returns a row minus the sums of the same key in base.
func subtractBase(r engine.Row, base []engine.Row) engine.Row {
	if i := indexOfKey(base, r.Key); i >= 0 {
		r.Raw = addScaled(r.Raw, base[i].Raw, -1)
	}
	return r
}

// addScaled returns a + sign·b in a new slice. The shorter one is padded with zeros.
func addScaled(a, b []float64, sign float64) []float64 {
	all := make([]float64, max(len(a), len(b)))
	copy(all, a)
	for i, x := range b {
		all[i] += sign * x
	}
	return all
}

// Sort sorts a view's rows by a column in ascending order. It is stable, and unknown numbers come
// last.
func Sort(v *engine.StudyView, column int) {
	key := ""
	if p := v.Present(); p != nil {
		key = p.Key
	}
	slices.SortStableFunc(v.Rows, func(a, b engine.Row) int {
		switch x, y := a.Cells[column], b.Cells[column]; {
		case x < y || y != y && x == x:
			return -1
		case x > y || x != x && y == y:
			return +1
		}
		return 0
	})
	if key != "" {
		v.Now = indexOfKey(v.Rows, key)
	}
}
