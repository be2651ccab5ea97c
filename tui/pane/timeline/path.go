package timeline

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// maxPieces is the number of longest pieces of a path that the keys reach.
const maxPieces = 100

// explained returns the explained run whose path is shown, or nil. It has its own timeline.
func (t *Pane) explained(h *pane.Host) *explain.Run {
	if a := h.Explained; t.Want.Path && a != nil && a.Run != nil && a.Run.Timeline != nil {
		return a.Run
	}
	return nil
}

// view returns the timeline that is shown: of the explained run with its path, or of the snapshot.
func (t *Pane) view(h *pane.Host) *timeline.View {
	if r := t.explained(h); r != nil {
		return r.Timeline
	}
	return h.Snap.Timeline
}

// togglePath shows the critical path, or the timeline of the run again.
func (t *Pane) togglePath(h *pane.Host) {
	if h.Snap.Scenario.Values["fabric"] != engine.Sim {
		h.Say("only simulations have a critical path")
		return
	}
	w := &t.Want
	w.Path = !w.Path
	w.Cursor, w.Top, t.path, t.piece = false, 0, pane.Window{}, -1
	if w.Path && h.Explained == nil {
		h.WhatIf(nil)
	}
}

// pathBounds returns the begin and the end of a path.
func pathBounds(r *explain.Run) (begin, end cluster.Time) {
	all := r.Path.Segments
	if len(all) == 0 {
		return 0, 0
	}
	last := &all[len(all)-1]
	return all[0].Start, last.Start + last.Span
}

// jump moves the cursor to another one of the longest pieces, and shows it in a third of the width.
func (t *Pane) jump(h *pane.Host, by int) {
	r := t.explained(h)
	if r == nil {
		h.Say("no critical path is shown: " + h.Keys("path") + " show")
		return
	}
	longest := r.Longest(maxPieces)
	if len(longest) == 0 {
		return
	}
	t.piece = min(max(t.piece+by, 0), len(longest)-1)
	x := &longest[t.piece]
	w, s := &t.Want, t.lastFrame()
	w.Cursor, w.At = true, x.Start+x.Span/2
	columns := cluster.Time(max(s.columns, 1))
	t.path.Span = fitTime(max(3*x.Span/columns, 1)) * columns
	t.path.End = w.At + t.path.Span/2
	if row, ok := t.rows.rowIndex(r.Timeline)(int32(x.Rank), 0); ok {
		w.Row = row
	}
	h.Say(fmt.Sprintf("piece %d of the %d longest: %s", t.piece+1, len(longest), r.Describe(x)))
}

// drawPath draws the critical path over the cells.
func (t *Pane) drawPath(v grid.View, r *explain.Run, th *grid.Theme) {
	s := &t.shown
	rowOf := t.rows.rowIndex(r.Timeline)
	r.Pieces(s.begin, s.end, func(x *sim.Segment) {
		row, ok := rowOf(int32(x.Rank), 0)
		if !ok || row < s.top || row >= s.top+s.rows {
			return
		}
		from, to := int((x.Start-s.begin)/s.column), int((x.Start+x.Span-1-s.begin)/s.column)
		for c := max(from, 0); c <= min(to, s.columns-1); c++ {
			v.Rune(c, row-s.top, '━', th.Focus)
		}
	})
}

// pieceAt returns the longest piece of a path in a cell of a row, or nil.
func (t *Pane) pieceAt(r *explain.Run, row *laneRow, begin, end cluster.Time) (best *sim.Segment) {
	covered := cluster.Time(0)
	r.Pieces(begin, end, func(x *sim.Segment) {
		in := min(x.Start+x.Span, end) - max(x.Start, begin)
		for _, k := range t.rows.order[row.lo:row.hi] {
			if int(t.rows.threads[k][0]) == x.Rank && in > covered {
				best, covered = x, in
				return
			}
		}
	})
	return best
}
