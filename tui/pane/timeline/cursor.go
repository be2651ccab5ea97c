package timeline

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// drawDetail writes the last row: the description of the cell under the cursor, or the key hints.
func (t *Pane) drawDetail(v grid.View, h *pane.Host, tl *timeline.View) {
	s := &t.shown
	st, text := h.Theme.Dim, ""
	switch {
	case t.Want.Cursor:
		st, text = h.Theme.Text, t.describeCell(tl)
		if r := t.explained(h); r != nil {
			begin := s.begin + (s.at-s.begin)/s.column*s.column
			if x := t.pieceAt(r, &t.rows.all[s.row], begin, begin+s.column); x != nil {
				text = "path: " + r.Describe(x)
			}
		}
	default:
		text = t.keyHints(h)
		if t.Want.Path {
			text = h.Keys("next-piece") + h.Keys("previous-piece") + " longest pieces  " + h.Keys("path") + " run  " + text
		}
		if len(tl.Parts) > 0 {
			text = h.Keys("pair") + " parts  " + text
		}
		if t.Want.Arrows && tl.Arrows == nil {
			text = "messages are not recorded: the cluster restarts to record them"
		}
	}
	if s.incomplete {
		text = "… " + text
	}
	v.TextIn(0, 0, v.W(), text, grid.Left, st)
}

// keyHints returns the key hints of the timeline. They never change.
func (t *Pane) keyHints(h *pane.Host) string {
	if t.help == "" {
		t.help = fmt.Sprintf("%s cursor  %s%s zoom  %s%s scroll  %s%s lanes  %s%s fold  %s messages",
			h.Keys("crosshair"), h.Keys("shorter"), h.Keys("longer"), h.Keys("earlier"), h.Keys("later"),
			h.Keys("row-down"), h.Keys("row-up"), h.Keys("fold"), h.Keys("unfold"), h.Keys("arrows"))
	}
	return t.help
}

// describeCell describes the cell under the cursor: for a single lane its longest interval in the
// cell, for several lanes their shares of time.
func (t *Pane) describeCell(tl *timeline.View) string {
	s := &t.shown
	row := &t.rows.all[s.row]
	begin := s.begin + (s.at-s.begin)/s.column*s.column
	var where string
	switch s.fold {
	case foldNodes:
		where = fmt.Sprintf("node %d (%d lanes)", row.node, row.hi-row.lo)
	case foldRanks:
		where = fmt.Sprintf("rank %d (node %d)", row.rank, row.node)
		if n := row.hi - row.lo; n > 1 {
			where = fmt.Sprintf("rank %d (node %d, %d threads)", row.rank, row.node, n)
		}
	default:
		where = fmt.Sprintf("rank %d thread %d (node %d)", row.rank, row.thread, row.node)
		if row.thread < 0 {
			_, number := row.letterAndNumber()
			where = fmt.Sprintf("rank %d stream %d (node %d)", row.rank, number, row.node)
		}
	}
	if row.hi-row.lo > 1 {
		return where + " at " + exactTime(begin, s.column) + ": " + t.describeShares(tl, begin)
	}
	x, ok := longest(&tl.Lanes[t.rows.order[row.lo]], begin, begin+s.column)
	if !ok {
		return where + " at " + exactTime(begin, s.column) + ": no data (dropped, or not yet complete)"
	}
	return where + ": " + describeInterval(&x, row.thread < 0) + ", at " + exactTime(x.Begin,
		min(s.column, x.End-x.Begin)) + " for " + (x.End - x.Begin).String()
}

// maxSearched is the maximum number of intervals that are searched for the longest one in a cell.
const maxSearched = 4096

// longest returns the interval that covers most of a time span of a lane.
func longest(l *timeline.LaneView, begin, end cluster.Time) (best timeline.Interval, ok bool) {
	covered, n := cluster.Time(0), 0
	for x := range l.Intervals(begin, end) {
		if in := min(x.End, end) - max(x.Begin, begin); in > covered {
			best = x
			covered = in
			ok = true
		}
		if n++; n == maxSearched {
			break
		}
	}
	return best, ok
}

func (t *Pane) describeShares(tl *timeline.View, begin cluster.Time) string {
	sums := t.rows.sums(tl, t.shown.row, begin, begin+t.shown.column)
	total := cluster.Time(0)
	for _, x := range sums {
		total += x
	}
	var words []string
	for i := range activityLooks {
		if x := sums[activityLooks[i].activity]; x > 0 {
			words = append(words, activityLooks[i].activity.String()+" "+grid.Share.String(percent(x, total)))
		}
	}
	if len(words) == 0 {
		return "no data (dropped, or not yet complete)"
	}
	return strings.Join(words, ", ")
}

// describeInterval describes an interval of a thread or a stream, with its call and peer.
func describeInterval(x *timeline.Interval, stream bool) string {
	text := x.Activity.String()
	switch {
	case x.Call != cluster.KindLaunch:
	case stream && x.Activity == timeline.ActivityWait:
		return text + " for the device"
	case x.Activity == timeline.ActivityWait:
		return text + " for a kernel"
	case !stream:
		return text + ": starts a kernel, or sees its end"
	}
	if x.Activity == timeline.ActivityWait && x.Call == cluster.KindLaunch {
		return text + " for the device"
	}
	if x.Call == cluster.KindNone {
		if x.Activity == timeline.ActivityWait {
			text += " for the node's memory"
		}
		return text
	}
	text += " in " + x.Call.String()
	if x.Peer >= 0 {
		way := " with rank %d"
		switch x.Call {
		case cluster.KindSend, cluster.KindSsend, cluster.KindPut, cluster.KindRPC:
			way = " to rank %d"
		case cluster.KindRecv, cluster.KindMrecv, cluster.KindGet:
			way = " from rank %d"
		}
		text += fmt.Sprintf(way, x.Peer)
	}
	return text
}

// maxArrows is the maximum number of messages that are drawn.
const maxArrows = 300

// drawArrows draws messages over the cells, from the lane and time of sending to the lane and time
// of receipt. With a cursor it draws only the messages of its row.
func (t *Pane) drawArrows(v grid.View, h *pane.Host, tl *timeline.View) {
	s := &t.shown
	rowOf := t.rows.rowIndex(tl)
	drawn := 0
	for i := len(tl.Arrows) - 1; i >= 0 && drawn < maxArrows; i-- {
		m := &tl.Arrows[i]
		if m.Received < s.begin || m.Sent >= s.end {
			continue
		}
		from, ok := rowOf(m.From, m.FromThread)
		to, ok2 := rowOf(m.To, m.ToThread)
		if !ok || !ok2 || from == to || max(from, to) < s.top || min(from, to) >= s.top+s.rows ||
			t.Want.Cursor && from != s.row && to != s.row {
			continue
		}
		drawn++
		sent := arrowEnd{x: float64(m.Sent-s.begin) / float64(s.column), y: from - s.top}
		received := arrowEnd{x: float64(m.Received-s.begin) / float64(s.column), y: to - s.top}
		drawArrow(v, sent, received, h.Theme.Focus)
	}
}

// arrowEnd is a position in the cells of the timeline.
type arrowEnd struct {
	x float64 // in columns
	y int     // row
}

// drawArrow draws a line between two different rows, with symbols at both ends.
func drawArrow(v grid.View, from, to arrowEnd, st grid.Style) {
	step, head := 1, '▼'
	if to.y < from.y {
		step, head = -1, '▲'
	}
	n := (to.y - from.y) * step
	slope := (to.x - from.x) / float64(n)
	glyph := '│'
	switch lean := slope * float64(step); {
	case lean > 0.35:
		glyph = '╲'
	case lean < -0.35:
		glyph = '╱'
	}
	v.Rune(int(from.x), from.y, '○', st)
	for k := 1; k < n; k++ {
		left := int(from.x + slope*(float64(k)-0.5))
		right := int(from.x + slope*(float64(k)+0.5))
		v.Rune((left+right)/2, from.y+k*step, glyph, st)
	}
	v.Rune(int(to.x), to.y, head, st)
}

// rowIndex returns a function that finds the row of a thread of a rank.
func (r *laneRows) rowIndex(tl *timeline.View) func(rank, thread int32) (int, bool) {
	rows := make(map[int64]int, len(r.all))
	for i := range r.all {
		for _, k := range r.order[r.all[i].lo:r.all[i].hi] {
			l := &tl.Lanes[k]
			if _, stream := l.Stream(); stream {
				continue
			}
			rows[int64(l.Rank)<<32|int64(l.Thread)] = i
		}
	}
	return func(rank, thread int32) (int, bool) {
		i, ok := rows[int64(rank)<<32|int64(thread)]
		return i, ok
	}
}
