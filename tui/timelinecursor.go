package tui

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// detail is the last row: what is under the cursor, or how to get one.
func (t *timeline) detail(v grid.View, a *app, tl *cluster.Timeline) {
	s := &t.shown
	st, text := a.Theme.Dim, ""
	switch {
	case a.timeline.cursor:
		st, text = a.Theme.Text, t.under(tl)
	default:
		text = fmt.Sprintf("%s cursor  %s zoom  %s scroll  %s lanes  %s fold  %s messages",
			keysOf("c"), keysOf("+", "-"), keysOf("<", ">"), keysOf("j", "k"), keysOf("[", "]"), keysOf("a"))
		if a.timeline.arrows && tl.Arrows == nil {
			text = "messages are not written down: the cluster starts anew to do so"
		}
	}
	if s.late {
		text = "… " + text
	}
	v.TextIn(0, 0, v.W(), text, grid.Left, st)
}

func keysOf(all ...string) string {
	var b strings.Builder
	for _, k := range all {
		b.WriteString(label(find(onScreen, k).keys[0]))
	}
	return b.String()
}

// under tells of the cell under the cursor: of a lane its longest stretch there, of a
// row of several lanes how they spend the time.
func (t *timeline) under(tl *cluster.Timeline) string {
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
	}
	if row.hi-row.lo > 1 {
		return where + " at " + exactTime(begin, s.column) + ": " + t.shareWords(tl, begin)
	}
	x, ok := longest(&tl.Lanes[t.rows.order[row.lo]], begin, begin+s.column)
	if !ok {
		return where + " at " + exactTime(begin, s.column) + ": not kept, or not yet known"
	}
	return where + ": " + stretchWords(&x) + ", at " + exactTime(x.Begin, min(s.column, x.End-x.Begin)) + " for " + (x.End - x.Begin).String()
}

// longestOf bounds how many stretches are looked at for the longest one in a cell.
const longestOf = 4096

// longest is the stretch that fills most of a span of a lane.
func longest(l *cluster.LaneView, begin, end cluster.Time) (best cluster.Stretch, ok bool) {
	most, n := cluster.Time(0), 0
	for x := range l.Stretches(begin, end) {
		if in := min(x.End, end) - max(x.Begin, begin); in > most {
			best, most, ok = x, in, true
		}
		if n++; n == longestOf {
			break
		}
	}
	return best, ok
}

func (t *timeline) shareWords(tl *cluster.Timeline, begin cluster.Time) string {
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
		return "not kept, or not yet known"
	}
	return strings.Join(words, ", ")
}

// stretchWords names an activity with its call and peer.
func stretchWords(x *cluster.Stretch) string {
	text := x.Activity.String()
	if x.Call == cluster.KindNone {
		if x.Activity == cluster.ActivityWait {
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

// mostArrows bounds how many messages are drawn.
const mostArrows = 300

// arrows draws messages over the cells, from the lane and time of sending to those of
// receipt; with a cursor, those of its row.
func (t *timeline) arrows(v grid.View, a *app, tl *cluster.Timeline) {
	s := &t.shown
	rowOf := t.rows.index(tl)
	drawn := 0
	for i := len(tl.Arrows) - 1; i >= 0 && drawn < mostArrows; i-- {
		m := &tl.Arrows[i]
		if m.Received < s.begin || m.Sent >= s.end {
			continue
		}
		from, ok := rowOf(m.From, m.FromThread)
		to, ok2 := rowOf(m.To, m.ToThread)
		if !ok || !ok2 || from == to || max(from, to) < s.top || min(from, to) >= s.top+s.rows ||
			a.timeline.cursor && from != s.row && to != s.row {
			continue
		}
		drawn++
		x0, x1 := float64(m.Sent-s.begin)/float64(s.column), float64(m.Received-s.begin)/float64(s.column)
		drawArrow(v, x0, from-s.top, x1, to-s.top, a.Theme.Focus)
	}
}

// drawArrow draws a line from row y0 to y1, with its ends marked.
func drawArrow(v grid.View, x0 float64, y0 int, x1 float64, y1 int, st grid.Style) {
	step, head := 1, '▼'
	if y1 < y0 {
		step, head = -1, '▲'
	}
	n := (y1 - y0) * step
	slope := (x1 - x0) / float64(n)
	glyph := '│'
	switch lean := slope * float64(step); {
	case lean > 0.35:
		glyph = '╲'
	case lean < -0.35:
		glyph = '╱'
	}
	v.Rune(int(x0), y0, '○', st)
	for k := 1; k < n; k++ {
		left, right := int(x0+slope*(float64(k)-0.5)), int(x0+slope*(float64(k)+0.5))
		v.Rune((left+right)/2, y0+k*step, glyph, st)
	}
	v.Rune(int(x1), y1, head, st)
}

// index gives the row of a rank's thread.
func (r *laneRows) index(tl *cluster.Timeline) func(rank, thread int32) (int, bool) {
	rows := make(map[int64]int, len(r.all))
	for i := range r.all {
		for _, k := range r.order[r.all[i].lo:r.all[i].hi] {
			l := &tl.Lanes[k]
			rows[int64(l.Rank)<<32|int64(l.Thread)] = i
		}
	}
	return func(rank, thread int32) (int, bool) {
		i, ok := rows[int64(rank)<<32|int64(thread)]
		return i, ok
	}
}

// The keys of the timeline.

func (a *app) onTimeline() bool { return a.focus == timelinePane }

// lanesShown is what the timeline showed last, or what a screen would show.
func (a *app) lanesShown() shownLanes {
	if a.lanes.column == 0 {
		return shownLanes{column: cluster.Microsecond, columns: 100, rows: 10, all: 10, fold: foldThreads}
	}
	return a.lanes
}

// zoomTime makes a cell stand for less time (by > 0) or more, in steps of 1, 2, 5,
// about the cursor.
func (a *app) zoomTime(by int) {
	s, t := a.lanesShown(), &a.timeline
	next := roundTime(s.column + 1)
	if by > 0 {
		next = shorterTime(s.column)
	}
	if t.cursor { // it keeps its place on the screen
		left := cluster.Time(float64(s.at-s.begin) / float64(s.column) * float64(next))
		t.end = s.at - left + next*cluster.Time(s.columns)
	}
	t.column = next
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

// scrollTime holds the timeline, a share of its width earlier or later.
func (a *app) scrollTime(by float64) {
	s := a.lanesShown()
	width := s.column * cluster.Time(s.columns)
	a.timeline.end = max(s.end+cluster.Time(by*float64(width)), width)
	a.timeline.column = s.column
	a.timeline.at += cluster.Time(by * float64(width))
	if tl := a.Snap.Timeline; tl != nil && a.timeline.end >= tl.To && !a.timeline.cursor {
		a.timeline.end = 0
	}
}

// followTime shows the present again, and if it did so already the latest iterations.
func (a *app) followTime() {
	if a.timeline.end == 0 {
		a.timeline.column = 0
	}
	a.timeline.end, a.timeline.cursor = 0, false
}

// toggleTimeCursor shows the cursor in the middle, and holds the timeline.
func (a *app) toggleTimeCursor() {
	t, s := &a.timeline, a.lanesShown()
	if t.cursor = !t.cursor; t.cursor {
		t.end, t.column = s.end, s.column
		t.at, t.row = s.begin+(s.end-s.begin)/2, s.top
	}
}

// moveTimeCursor moves the cursor by cells, and the timeline where it ends.
func (a *app) moveTimeCursor(by int) {
	if !a.timeline.cursor {
		a.toggleTimeCursor()
		return
	}
	s, t := a.lanesShown(), &a.timeline
	t.at = max(t.at+cluster.Time(by)*s.column, 0)
	if t.at < s.begin || t.at >= s.end {
		t.end = max(s.end+cluster.Time(by)*s.column, s.column*cluster.Time(s.columns))
	}
}

// moveLane moves the cursor by rows, or scrolls where there is none.
func (a *app) moveLane(by int) {
	s, t := a.lanesShown(), &a.timeline
	if t.cursor {
		t.row = min(max(t.row+by, 0), s.all-1)
		return
	}
	t.top = min(max(t.top+by, 0), max(s.all-s.rows, 0))
}

// scrollRows scrolls the reasons a little, or the timeline by a screenful.
func (a *app) scrollRows(by int) {
	if a.onTimeline() {
		a.moveLane(by * max(a.lanesShown().rows-1, 1))
		return
	}
	a.act(map[int]string{-1: "scroll-up", +1: "scroll-down"}[by])
}

// foldLanes makes a row stand for more lanes (by > 0) or fewer.
func (a *app) foldLanes(by int) {
	now := a.timeline.fold
	if now == foldAuto {
		now = a.lanesShown().fold
	}
	f := min(max(int(now)+by, int(foldThreads)), int(foldNodes))
	a.timeline.fold = fold(f)
	a.timeline.top, a.timeline.row = 0, 0
	a.notice = foldNames[f]
}

// toggleArrows shows messages, and has them written down if they are not.
func (a *app) toggleArrows() {
	a.timeline.arrows = !a.timeline.arrows
	if a.timeline.arrows && a.Asked("timeline") != "arrows" {
		a.Set("timeline", "arrows")
	}
}

// toggleTimeline begins to write down what threads do, or ends it.
func (a *app) toggleTimeline() {
	next := "on"
	if a.Asked("timeline") != "off" {
		next = "off"
	}
	if a.Set("timeline", next) {
		a.notice = "timeline " + next
	}
}
