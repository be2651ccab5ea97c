package timeline

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Actions move, zoom and fold; record turns the knob that has threads written
// down.
func (t *Pane) Actions() []pane.Action {
	return []pane.Action{
		{Name: "longer", Do: func(*pane.Host) { t.zoom(-1) }},
		{Name: "shorter", Do: func(*pane.Host) { t.zoom(+1) }},
		{Name: "crosshair", Do: func(*pane.Host) { t.toggleCursor() }},
		{Name: "crosshair-left", Do: func(*pane.Host) { t.moveCursor(-1) }},
		{Name: "crosshair-right", Do: func(*pane.Host) { t.moveCursor(+1) }},
		{Name: "earlier", Do: func(h *pane.Host) { t.scroll(h, -0.25) }},
		{Name: "later", Do: func(h *pane.Host) { t.scroll(h, +0.25) }},
		{Name: "follow", Do: func(*pane.Host) { t.follow() }},
		{Name: "row-down", Do: func(*pane.Host) { t.moveRow(+1) }},
		{Name: "row-up", Do: func(*pane.Host) { t.moveRow(-1) }},
		{Name: "scroll-down", Do: func(*pane.Host) { t.moveRow(+t.screenful()) }},
		{Name: "scroll-up", Do: func(*pane.Host) { t.moveRow(-t.screenful()) }},
		{Name: "fold", Do: func(h *pane.Host) { t.foldBy(h, +1) }},
		{Name: "unfold", Do: func(h *pane.Host) { t.foldBy(h, -1) }},
		{Name: "back", Do: func(*pane.Host) { t.back() }, Ready: func(*pane.Host) bool { return t.Want.Cursor || t.Want.End > 0 }},
		{Name: "record", Keys: []string{"e"}, Doc: "write down what every thread does, for the timeline, or end it; the cluster starts anew", Run: true, Do: record},
		{Name: "pair", Keys: []string{"v"}, Doc: "stand the parts of an iteration one above the other on the timeline, or show them one after the other", Do: t.togglePair},
		{Name: "arrows", Keys: []string{"a"}, Doc: "show or hide messages on the timeline; they are written down if they are not", Do: t.toggleArrows},
	}
}

// Wheel shows a shorter time, or a longer one.
func (t *Pane) Wheel(_ *pane.Host, _, _, by int) bool {
	t.zoom(by)
	return true
}

// last is what was drawn last, or what a screen would show.
func (t *Pane) last() shownLanes {
	if t.shown.column == 0 {
		return shownLanes{column: cluster.Microsecond, columns: 100, rows: 10, all: 10, fold: foldThreads}
	}
	return t.shown
}

// zoom makes a cell stand for less time (by > 0) or more, in steps of 1, 2, 5,
// about the cursor.
func (t *Pane) zoom(by int) {
	s, w := t.last(), &t.Want
	next := roundTime(s.column + 1)
	if by > 0 {
		next = shorterTime(s.column)
	}
	if w.Cursor { // it keeps its place on the screen
		left := cluster.Time(float64(s.at-s.begin) / float64(s.column) * float64(next))
		w.End = s.at - left + next*cluster.Time(s.columns)
	}
	w.Column = next
}

// shorterTime is the step before t among 1, 2, 5, 10, … ps.
func shorterTime(t cluster.Time) cluster.Time {
	best := cluster.Time(1)
	for step := cluster.Time(1); step < t; step *= 10 {
		for _, f := range [...]cluster.Time{1, 2, 5} {
			if f*step < t {
				best = f * step
			}
		}
	}
	return best
}

// scroll holds the timeline, a share of its width earlier or later.
func (t *Pane) scroll(h *pane.Host, by float64) {
	s := t.last()
	width := s.column * cluster.Time(s.columns)
	t.Want.End = max(s.end+cluster.Time(by*float64(width)), width)
	t.Want.Column = s.column
	t.Want.At += cluster.Time(by * float64(width))
	if tl := h.Snap.Timeline; tl != nil && t.Want.End >= tl.Edge && !t.Want.Cursor {
		t.Want.End = 0
	}
}

// follow shows the present again, and if it did so already the latest iterations.
func (t *Pane) follow() {
	if t.Want.End == 0 {
		t.Want.Column = 0
	}
	t.Want.End, t.Want.Cursor = 0, false
}

// toggleCursor shows the cursor in the middle, and holds the timeline.
func (t *Pane) toggleCursor() {
	w, s := &t.Want, t.last()
	if w.Cursor = !w.Cursor; w.Cursor {
		w.End, w.Column = s.end, s.column
		w.At, w.Row = s.begin+(s.end-s.begin)/2, s.top
	}
}

// moveCursor moves the cursor by cells, and the timeline where it ends.
func (t *Pane) moveCursor(by int) {
	if !t.Want.Cursor {
		t.toggleCursor()
		return
	}
	s, w := t.last(), &t.Want
	w.At = max(w.At+cluster.Time(by)*s.column, 0)
	if w.At < s.begin || w.At >= s.end {
		w.End = max(s.end+cluster.Time(by)*s.column, s.column*cluster.Time(s.columns))
	}
}

// moveRow moves the cursor by rows, or scrolls where there is none.
func (t *Pane) moveRow(by int) {
	s, w := t.last(), &t.Want
	if w.Cursor {
		w.Row = min(max(w.Row+by, 0), s.all-1)
		return
	}
	w.Top = min(max(w.Top+by, 0), max(s.all-s.rows, 0))
}

// screenful is how many rows the keys for pages move by.
func (t *Pane) screenful() int { return max(t.last().rows-1, 1) }

// back leaves the cursor, or lets the timeline follow the run.
func (t *Pane) back() {
	if t.Want.Cursor {
		t.Want.Cursor = false
		return
	}
	t.follow()
}

// foldBy makes a row stand for more lanes (by > 0) or fewer.
func (t *Pane) foldBy(h *pane.Host, by int) {
	now := t.Want.Fold
	if now == foldAuto {
		now = t.last().fold
	}
	f := min(max(int(now)+by, int(foldThreads)), int(foldNodes))
	t.Want.Fold = fold(f)
	t.Want.Top, t.Want.Row = 0, 0
	h.Say(foldNames[f])
}

// togglePair lets parts of an iteration stand one above the other, and leaves for that
// what shows one moment.
func (t *Pane) togglePair(h *pane.Host) {
	if tl := h.Snap.Timeline; tl == nil || len(tl.Parts) == 0 {
		h.Say("this timeline has no parts to stand one above the other")
		return
	}
	w := &t.Want
	if w.Apart = t.paired(); !w.Apart {
		w.Cursor, w.Arrows, w.End = false, false, 0
	}
	w.Column = 0
}

// toggleArrows shows messages, and has them written down if they are not.
func (t *Pane) toggleArrows(h *pane.Host) {
	t.Want.Arrows = !t.Want.Arrows
	if t.Want.Arrows && h.Asked("timeline") != "arrows" {
		h.Set("timeline", "arrows")
	}
}

// record begins to write down what threads do, or ends it.
func record(h *pane.Host) {
	next := "on"
	if h.Asked("timeline") != "off" {
		next = "off"
	}
	if h.Set("timeline", next) {
		h.Say("timeline " + next)
	}
}
