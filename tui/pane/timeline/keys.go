package timeline

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Actions returns the actions that move, zoom and fold. The action record changes the knob that
// starts the recording.
func (t *Pane) Actions() []pane.Action {
	return []pane.Action{
		{Name: "longer", Do: func(h *pane.Host) { t.zoom(h, -1) }},
		{Name: "shorter", Do: func(h *pane.Host) { t.zoom(h, +1) }},
		{Name: "crosshair", Do: t.sharing(t.toggleCursor)},
		{Name: "crosshair-left", Do: t.sharing(func(h *pane.Host) { t.moveCursor(h, -1) })},
		{Name: "crosshair-right", Do: t.sharing(func(h *pane.Host) { t.moveCursor(h, +1) })},
		{Name: "earlier", Do: t.sharing(func(h *pane.Host) { t.scroll(h, -0.25) })},
		{Name: "later", Do: t.sharing(func(h *pane.Host) { t.scroll(h, +0.25) })},
		{Name: "follow", Do: t.sharing(t.follow)},
		{Name: "row-down", Do: func(*pane.Host) { t.moveRow(+1) }},
		{Name: "row-up", Do: func(*pane.Host) { t.moveRow(-1) }},
		{Name: "scroll-down", Do: func(*pane.Host) { t.moveRow(+t.screenful()) }},
		{Name: "scroll-up", Do: func(*pane.Host) { t.moveRow(-t.screenful()) }},
		{Name: "fold", Do: func(h *pane.Host) { t.foldBy(h, +1) }},
		{Name: "unfold", Do: func(h *pane.Host) { t.foldBy(h, -1) }},
		{Name: "back", Do: t.sharing(t.back), Ready: func(h *pane.Host) bool {
			return t.Want.Cursor || t.window(h).End > 0
		}},
		{Name: "record", Keys: []string{"e"}, Doc: "record the activity of every thread for the timeline, or stop " +
			"recording; restarts the cluster", Run: true, Do: toggleRecording},
		{Name: "pair", Keys: []string{"v"}, Doc: "show the parts of an iteration on the timeline one above the other, " +
			"or one after the other", Do: t.sharing(t.togglePair)},
		{Name: "arrows", Keys: []string{"a"}, Doc: "show or hide messages on the timeline; starts recording them if needed",
			Do: t.toggleArrows},
		{Name: "path", Keys: []string{"h"}, Doc: "show the critical path of a simulation on the timeline, or the run again",
			Do: t.sharing(t.togglePath)},
		{Name: "next-piece", Keys: []string{"s"}, Doc: "go to the next of the longest pieces of the critical path",
			Do: t.sharing(func(h *pane.Host) { t.jump(h, +1) })},
		{Name: "previous-piece", Keys: []string{"A"}, Doc: "go back to a longer piece of the critical path",
			Do: t.sharing(func(h *pane.Host) { t.jump(h, -1) })},
	}
}

// Wheel zooms in or out.
func (t *Pane) Wheel(h *pane.Host, _, _, by int) bool {
	t.zoom(h, by)
	return true
}

// lastFrame returns the last drawn frame, or a typical one before the first.
func (t *Pane) lastFrame() frame {
	if t.shown.column == 0 {
		return frame{column: cluster.Microsecond, columns: 100, rows: 10, all: 10, fold: foldThreads}
	}
	return t.shown
}

// zoom makes a cell stand for less time (by > 0) or more, in steps of 1, 2, 5. The cursor keeps its
// position.
func (t *Pane) zoom(h *pane.Host, by int) {
	s, w := t.lastFrame(), t.window(h)
	next := pane.Longer(s.column)
	if by > 0 {
		next = pane.Shorter(s.column)
	}
	if t.Want.Cursor { // the cursor keeps its position on the screen
		left := cluster.Time(float64(s.at-s.begin) / float64(s.column) * float64(next))
		w.End = s.at - left + next*cluster.Time(s.columns)
	}
	w.Span = next * cluster.Time(s.columns)
}

// scroll holds the timeline and moves it by a fraction of its width.
func (t *Pane) scroll(h *pane.Host, by float64) {
	s := t.lastFrame()
	span, present := s.column*cluster.Time(s.columns), cluster.Time(math.MaxInt64)
	t.Want.At += cluster.Time(by * float64(span))
	if tl := t.view(h); tl != nil && !t.Want.Cursor {
		present = tl.Edge
	}
	w := t.window(h)
	w.Scroll(span, s.end, present, by)
	if w.End > 0 {
		w.End = max(w.End, span)
	}
}

// follow shows the present again. If it is shown already, it resets the zoom to the latest
// iterations.
func (t *Pane) follow(h *pane.Host) {
	t.window(h).Follow()
	t.Want.Cursor = false
}

// toggleCursor shows the cursor at the marked moment or in the middle, and holds the timeline, or hides the cursor.
func (t *Pane) toggleCursor(h *pane.Host) {
	w, s, marked := &t.Want, t.lastFrame(), h.Moment
	w.Cursor = !w.Cursor
	if w.Cursor {
		*t.window(h) = pane.Window{Span: s.column * cluster.Time(s.columns), End: s.end}
		w.At, w.Row = s.begin+(s.end-s.begin)/2, s.top
		if marked.Marked && marked.Path == t.Want.Path && marked.At >= s.begin && marked.At < s.end {
			w.At = marked.At
		}
	}
}

// moveCursor moves the cursor by cells. At an edge it scrolls the timeline.
func (t *Pane) moveCursor(h *pane.Host, by int) {
	if !t.Want.Cursor {
		t.toggleCursor(h)
		return
	}
	s, w := t.lastFrame(), &t.Want
	w.At = max(w.At+cluster.Time(by)*s.column, 0)
	if w.At < s.begin || w.At >= s.end {
		t.window(h).End = max(s.end+cluster.Time(by)*s.column, s.column*cluster.Time(s.columns))
	}
}

// sharing returns an action that does the same, and then marks the cursor's time in the other panes.
func (t *Pane) sharing(do func(*pane.Host)) func(*pane.Host) {
	return func(h *pane.Host) {
		had := t.Want.Cursor
		if do(h); had || t.Want.Cursor {
			h.Moment = pane.Moment{Marked: t.Want.Cursor, At: t.Want.At, Path: t.Want.Path}
			t.moment = h.Moment
		}
	}
}

// followMoment moves the cursor to the moment that another pane has marked since the last call.
func (t *Pane) followMoment(h *pane.Host) {
	if h.Moment != t.moment && t.Want.Cursor && h.Moment.Path == t.Want.Path {
		t.Want.Cursor = h.Moment.Marked
		t.Want.At = h.Moment.At
	}
	t.moment = h.Moment
}

// moveRow moves the cursor by rows, or scrolls if there is no cursor.
func (t *Pane) moveRow(by int) {
	s, w := t.lastFrame(), &t.Want
	if w.Cursor {
		w.Row = min(max(w.Row+by, 0), s.all-1)
		return
	}
	w.Top = min(max(w.Top+by, 0), max(s.all-s.rows, 0))
}

// screenful returns the number of rows by which the page keys move.
func (t *Pane) screenful() int { return max(t.lastFrame().rows-1, 1) }

// back hides the cursor; without one, it follows the run again.
func (t *Pane) back(h *pane.Host) {
	if t.Want.Cursor {
		t.Want.Cursor = false
		return
	}
	t.follow(h)
}

// foldBy makes a row combine more lanes (by > 0) or fewer.
func (t *Pane) foldBy(h *pane.Host, by int) {
	now := t.Want.Fold
	if now == foldAuto {
		now = t.lastFrame().fold
	}
	f := min(max(int(now)+by, int(foldThreads)), int(foldNodes))
	t.Want.Fold = fold(f)
	t.Want.Top, t.Want.Row = 0, 0
	h.Say(foldNames[f])
}

// togglePair shows the parts of an iteration one above the other, or one after the other. For the
// former it leaves the cursor, the messages and a held time.
func (t *Pane) togglePair(h *pane.Host) {
	if tl := h.Snap.Timeline; tl == nil || len(tl.Parts) == 0 {
		h.Say("this timeline has no parts to compare")
		return
	}
	w := &t.Want
	w.Sequential = t.isPaired()
	if !w.Sequential {
		w.Cursor = false
		w.Arrows = false
		h.Window.End = 0
	}
	h.Window.Span = 0
}

// toggleArrows shows or hides messages. It starts recording them if needed.
func (t *Pane) toggleArrows(h *pane.Host) {
	t.Want.Arrows = !t.Want.Arrows
	if t.Want.Arrows && h.Requested("timeline") != "arrows" {
		h.Set("timeline", "arrows")
	}
}

// toggleRecording starts or stops the recording.
func toggleRecording(h *pane.Host) {
	next := "on"
	if h.Requested("timeline") != "off" {
		next = "off"
	}
	if h.Set("timeline", next) {
		h.Say("timeline " + next)
	}
}
