package timeline

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "timeline", Title: "Timeline", Doc: "the activity of every thread over time", Place: pane.Workload,
	Now: func(s *engine.Snapshot) bool { return s.Timeline != nil },
	New: func() pane.Pane { return &Pane{piece: -1} },
}

// Pane holds the rows and the view settings.
type Pane struct {
	Want   Want
	rows   laneRows
	pairs  [2]laneRows // of two parts that are shown one above the other
	shown  frame
	text   []byte
	items  []grid.LegendItem
	help   string      // the key hints
	pick   pane.Pick   // the selection to which the pane has scrolled
	moment pane.Moment // shared moment that the cursor shows
	held   bool        // the shared window does not end at the present
	path   pane.Window // of the critical path, whose run has its own clock
	piece  int         // number of the piece of the path at the cursor, by length; −1: none
}

// Want holds the view settings that the user chose.
type Want struct {
	Fold       fold
	Top        int // first row shown
	Cursor     bool
	Row        int          // row of the cursor
	At         cluster.Time // time of the cursor
	Arrows     bool
	Path       bool // the critical path of an explained run is shown on its timeline
	Sequential bool // parts of an iteration are only shown one after the other
}

// fold selects the lanes that a row of the timeline combines.
type fold uint8

const (
	foldAuto fold = iota // threads; if each rank has one lane, the finest level that fits
	foldThreads
	foldRanks
	foldNodes
)

var foldNames = [...]string{"", "row = thread", "row = rank", "row = node"}

// rowMeaning describes what a row stands for.
func (r *laneRows) rowMeaning() string {
	switch {
	case r.hasStreams && r.fold == foldThreads:
		return foldNames[r.fold] + " or stream"
	case r.hasStreams:
		return foldNames[r.fold] + ", without streams"
	}
	return foldNames[r.fold]
}

// frame describes the last drawn frame, for the keys that move in it.
type frame struct {
	column, begin, end cluster.Time
	columns            int
	fold               fold
	top, rows, all     int // first row, rows on the screen, and in all
	row                int // row of the cursor
	at                 cluster.Time
	incomplete         bool // rows are left for the next frame
}

// activityLook is the appearance of an activity. Its symbol identifies it without colours.
type activityLook struct {
	activity timeline.Activity
	symbol   rune
	short    string
	role     grid.Role
}

var activityLooks = [timeline.Activities]activityLook{
	{timeline.ActivityCompute, '█', "comp", grid.RoleCompute},
	{timeline.ActivityCommunicate, '▓', "comm", grid.RoleCommunicate},
	{timeline.ActivityCopy, '▚', "copy", grid.RoleCopy},
	{timeline.ActivityWait, '░', "wait", grid.RoleWait},
	{timeline.ActivityLock, '╳', "lock", grid.RoleLock},
	{timeline.ActivitySleep, '·', "sleep", grid.RoleSleep},
}

// lookOf returns the appearance of an activity.
func lookOf(a timeline.Activity) *activityLook {
	for i := range activityLooks {
		if activityLooks[i].activity == a {
			return &activityLooks[i]
		}
	}
	return &activityLooks[len(activityLooks)-1]
}

func (l *activityLook) style(th *grid.Theme) grid.Style { return th.Role(l.role) }

const (
	sharesCol    = 6 // width of a share
	sharesWide   = 110
	sharesNarrow = 64
	tickCols     = 14 // minimum columns between two ticks
	autoIterates = 4  // number of iterations that are shown until the user zooms
)

// Inputs returns the snapshot, the changes of the knobs (one of them starts the recording) and the
// selected part of the cluster.
func (t *Pane) Inputs(h *pane.Host) pane.Inputs {
	in := pane.Inputs{Snap: h.Snap, Edits: h.Panel.Edits, Pick: h.Pick, Moment: h.Moment, Window: h.Window}
	if t.Want.Path {
		in.Explained = h.Explained
	}
	return in
}

// Draw draws the rows that are computed. If there are many, some of them follow at the next tick.
func (t *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	t.draw(v, h)
	return pane.Border{Right: t.caption(h), Incomplete: t.shown.incomplete}
}

func (t *Pane) draw(v grid.View, h *pane.Host) {
	tl, path := t.view(h), t.explained(h)
	t.shown = frame{}
	t.followMoment(h)
	t.held = h.Window.End > 0
	if tl == nil || tl.Edge <= 0 || len(tl.Lanes) == 0 {
		t.writeEmpty(v, h, tl)
		return
	}
	body := v.Local()
	var legend, detail, axis grid.Rect
	if body.H >= 6 {
		legend, body = body.CutTop(1)
	}
	if body.H >= 5 {
		detail, body = body.CutBottom(1)
	}
	if body.H >= 2 {
		axis, body = body.CutBottom(1)
	}
	if both, ok := pairOf(tl); ok && t.isPaired() && body.H >= pairRows {
		t.drawPair(v, h, body, axis, both)
		_, shares := t.columns(body.W)
		t.drawLegend(v.Sub(grid.Rect{Y: legend.Y, W: legend.W - shares*sharesCol, H: legend.H}), h)
		t.drawDetail(v.Sub(detail), h, tl)
		return
	}
	var parts grid.Rect
	if len(tl.Parts) > 0 && body.H >= 4 {
		parts, body = body.CutTop(1)
	}
	t.rows.arrange(tl, t.Want.Fold, body.H)
	label, shares := t.columns(body.W)
	cells := grid.Rect{X: label, Y: body.Y, W: body.W - label - shares*sharesCol, H: body.H}
	if cells.W < 1 || cells.H < 1 {
		return
	}
	t.scrollToPick(h, cells.H)
	t.chooseWindow(h, tl, path, cells.W, cells.H)
	binsPerCell := 2
	if v.Mono() || v.ASCII() || t.rows.fold != foldThreads {
		binsPerCell = 1
	}
	t.shown.incomplete = !t.rows.compute(tl, &t.shown, binsPerCell)
	t.drawCells(v.Sub(cells), h.Theme, binsPerCell)
	if path != nil {
		t.drawPath(v.Sub(cells), path, h.Theme)
	}
	t.drawLabels(v.Sub(grid.Rect{X: 0, Y: body.Y, W: label, H: body.H}), h, t.Want.Cursor)
	if t.Want.Arrows {
		t.drawArrows(v.Sub(cells), h, tl)
	}
	if !parts.Empty() {
		t.drawParts(v.Sub(grid.Rect{X: label, Y: parts.Y, W: cells.W, H: 1}), h.Theme, tl)
	}
	if shares > 0 {
		t.drawShares(v.Sub(grid.Rect{X: body.W - shares*sharesCol, Y: 0, W: shares * sharesCol, H: body.Y + body.H}),
			body.Y, h.Theme, tl, shares)
	}
	axis.Y = min(axis.Y, body.Y+t.shown.rows) // below the last row
	t.drawAxis(v.Sub(grid.Rect{X: label, Y: axis.Y, W: cells.W, H: axis.H}), h.Theme)
	t.drawLegend(v.Sub(grid.Rect{Y: legend.Y, W: legend.W - shares*sharesCol, H: legend.H}), h)
	switch {
	case t.Want.Cursor:
		t.drawCursor(v, cells, h)
	case h.Moment.Marked && h.Moment.Path == (path != nil):
		t.drawMoment(v, cells, h)
	}
	t.drawDetail(v.Sub(detail), h, tl)
}

// columns returns the width of the labels, and the number of shares that have room.
func (t *Pane) columns(w int) (label, shares int) {
	label = min(t.rows.labelWidth()+1, w/2)
	switch {
	case w >= sharesWide:
		return label, timeline.Activities
	case w >= sharesNarrow:
		return label, 1
	}
	return label, 0
}

// window returns the window that the panes share, or the one of the critical path.
func (t *Pane) window(h *pane.Host) *pane.Window {
	if t.Want.Path {
		return &t.path
	}
	return &h.Window
}

// chooseWindow chooses the part of the timeline that is shown.
func (t *Pane) chooseWindow(host *pane.Host, tl *timeline.View, path *explain.Run, w, h int) {
	s, want, window := &t.shown, &t.Want, t.window(host)
	s.columns, s.fold = w, t.rows.fold
	s.column = columnOf(window.Span, w)
	s.end = tl.Edge
	switch {
	case s.column == 0 && path != nil:
		begin, end := pathBounds(path)
		s.column = fitTime((end - begin + cluster.Time(w) - 1) / cluster.Time(w))
		s.end = min(end, tl.Edge)
	case s.column == 0:
		s.column = autoColumn(host.Snap, tl, w)
	}
	if window.End > 0 {
		s.end = min(window.End, tl.Edge)
	}
	// Columns have fixed positions in time, so that drawn cells do not change.
	s.end = (s.end + s.column - 1) / s.column * s.column
	s.end = max(s.end, s.column*cluster.Time(w))
	s.begin = s.end - s.column*cluster.Time(w)
	s.all, s.rows = len(t.rows.all), min(len(t.rows.all), h)
	s.top = min(max(want.Top, 0), s.all-s.rows)
	s.at = min(max(want.At, s.begin), s.end-1)
	s.row = min(max(want.Row, 0), s.all-1)
	if want.Cursor && s.row < s.top {
		s.top = s.row
	}
	if want.Cursor && s.row >= s.top+s.rows {
		s.top = s.row - s.rows + 1
	}
}

// writeEmpty writes why nothing is shown, and what to do about it.
func (t *Pane) writeEmpty(v grid.View, h *pane.Host, tl *timeline.View) {
	switch {
	case t.Want.Path && h.Explained != nil && h.Explained.Run == nil && h.Explained.Failure == "":
		h.WriteMessage(v, "simulating…")
	case t.Want.Path && h.Explained != nil:
		h.WriteMessage(v, "No timeline of the explained run was recorded.", h.Explained.Failure)
	case tl == nil && h.Snap.Layout.Nodes == 0:
		h.Empty(v)
	case tl == nil && h.Requested("timeline") == "off":
		h.WriteMessage(v, "The timeline is not recorded.",
			"Press "+h.Keys("record")+" to record it (the cluster restarts), or type "+h.Typed("timeline on"))
	case h.Snap.Phase == engine.Failed:
		h.WriteMessage(v, "No timeline: the run failed before anything was recorded.")
	default:
		h.WriteMessage(v, "Nothing recorded yet.")
	}
}

// caption returns the title on the right side: the time of a cell, the meaning of a row, and the
// kind of number.
func (t *Pane) caption(h *pane.Host) string {
	tl := t.view(h)
	if tl == nil {
		return h.KindWords()
	}
	text := h.KindWords()
	if t.explained(h) != nil {
		text = "━ critical path  " + text
	}
	if s := &t.shown; s.columns > 0 {
		text = s.column.String() + " per cell, " + t.rows.rowMeaning() + "  " + text
		if s.rows < s.all {
			text = fmt.Sprintf("rows %d–%d of %d, ", s.top+1, s.top+s.rows, s.all) + text
		}
	}
	if t.window(h).End > 0 {
		text = "held: g follow  " + text
	}
	return text
}

func (t *Pane) drawLegend(v grid.View, h *pane.Host) {
	t.items = t.items[:0]
	for i := range activityLooks {
		l := &activityLooks[i]
		t.items = append(t.items, grid.LegendItem{Symbol: l.symbol, Name: l.activity.String(), Style: l.style(h.Theme)})
	}
	n := grid.DrawLegendRow(v, 0, 0, h.Theme, t.items)
	if tl := t.view(h); tl.Ranks < tl.Layout.Ranks() {
		v.TextIn(n+2, 0, v.W()-n-2, fmt.Sprintf("only ranks 0–%d of %d are recorded", tl.Ranks-1, tl.Layout.Ranks()),
			grid.Left, h.Theme.Warning)
	}
}

// drawCells draws the rows. A cell of two bins with different activities shows one on each side.
func (t *Pane) drawCells(v grid.View, th *grid.Theme, binsPerCell int) {
	var styles [timeline.Activities + 1]grid.Style
	var glyphs [timeline.Activities + 1]rune
	glyphs[0] = ' '
	for a := range timeline.Activities {
		l := lookOf(timeline.Activity(a))
		styles[a+1], glyphs[a+1] = l.style(th), l.symbol
	}
	const asleep = 1 + uint8(timeline.ActivitySleep)
	first, last := int64((t.shown.begin-t.rows.origin)/t.shown.column)*int64(binsPerCell), t.rows.endBin(&t.shown)
	for y := range t.shown.rows {
		for x := range t.shown.columns {
			n := first + int64(x*binsPerCell)
			if n >= last {
				break
			}
			l := t.rows.bin(t.shown.top+y, n)
			r := t.rows.bin(t.shown.top+y, n+int64(binsPerCell)-1)
			switch {
			case l == r:
				v.Rune(x, y, glyphs[l], styles[l])
			case l <= asleep:
				v.Rune(x, y, '▐', styles[r])
			case r <= asleep:
				v.Rune(x, y, '▌', styles[l])
			default:
				v.Rune(x, y, '▌', styles[l].On(styles[r].Fg))
			}
		}
	}
}

// drawLabels writes node, rank and thread of a row where they change.
func (t *Pane) drawLabels(v grid.View, h *pane.Host, cursor bool) {
	snap := h.Snap
	th := h.Theme
	pick := h.Pick.Within(&h.Snap.Layout)
	for y := range t.shown.rows {
		i := t.shown.top + y
		st := th.Text
		isFocused := cursor && i == t.shown.row || t.rows.includes(i, snap, pick)
		if isFocused {
			st = th.Focus
		}
		t.text = t.rows.appendLabel(t.text[:0], i, y == 0 || isFocused)
		v.Bytes(0, y, t.text, st)
	}
}

// scrollToPick scrolls to the selection if it has changed since the last frame.
func (t *Pane) scrollToPick(h *pane.Host, rows int) {
	pick := h.Pick.Within(&t.rows.layout)
	if pick == t.pick {
		return
	}
	for i := range t.rows.all {
		if t.rows.includes(i, h.Snap, pick) {
			if i < t.Want.Top || i >= t.Want.Top+rows {
				t.Want.Top = max(i-rows/2, 0)
			}
			t.Want.Row = i
			break
		}
	}
	t.pick = pick
}

// includes reports whether row i includes the selection or a part of it.
func (r *laneRows) includes(i int, snap *engine.Snapshot, pick pane.Pick) bool {
	if pick.Level == pane.Nothing {
		return false
	}
	for _, k := range r.order[r.all[i].lo:r.all[i].hi] {
		if thread := r.threads[k]; pick.Has(snap, int(thread[0]), int(thread[1])) {
			return true
		}
	}
	return false
}

// drawShares writes how the rows spend the time that is shown.
func (t *Pane) drawShares(v grid.View, top int, th *grid.Theme, tl *timeline.View, n int) {
	for i := range n {
		if l := &activityLooks[i]; top > 0 {
			v.TextIn(i*sharesCol, top-1, sharesCol, l.short, grid.Right, l.style(th))
		}
	}
	for y := range t.shown.rows {
		s := t.rows.sums(tl, t.shown.top+y, t.shown.begin, t.shown.end)
		total := cluster.Time(0)
		for _, x := range s {
			total += x
		}
		for i := range n {
			l := &activityLooks[i]
			if x := s[l.activity]; x > 0 {
				t.text = grid.Share.Append(t.text[:0], percent(x, total), sharesCol-1)
				v.Bytes((i+1)*sharesCol-grid.Width(string(t.text)), top+y, t.text, l.style(th))
			}
		}
	}
}

// percent returns a share rounded to whole percents, but at least 1%.
func percent(part, whole cluster.Time) float64 {
	p := (float64(part)/float64(whole))*100 + 0.5
	return float64(max(int(p), 1)) / 100
}

// drawCursor marks the cell that drawDetail describes.
func (t *Pane) drawCursor(v grid.View, cells grid.Rect, h *pane.Host) {
	x := t.drawMark(v, cells, h.Theme, t.shown.at)
	y := cells.Y + t.shown.row - t.shown.top
	v.Tint(grid.Rect{X: x, Y: y, W: 1, H: 1}, grid.None, grid.Reverse|grid.Bold)
}

// drawMoment marks the moment of another pane's crosshair. If it is not visible, an arrow at the edge points to it.
func (t *Pane) drawMoment(v grid.View, cells grid.Rect, h *pane.Host) {
	s, at := &t.shown, h.Moment.At
	switch {
	case at < s.begin:
		v.Rune(cells.X, cells.Y+s.rows, '◀', h.Theme.Focus)
	case at >= s.end:
		v.Rune(cells.X+cells.W-1, cells.Y+s.rows, '▶', h.Theme.Focus)
	default:
		t.drawMark(v, cells, h.Theme, at)
	}
}

// drawMark draws a vertical line at a time where the cells are empty, and returns its column.
func (t *Pane) drawMark(v grid.View, cells grid.Rect, th *grid.Theme, at cluster.Time) int {
	x := cells.X + int((at-t.shown.begin)/t.shown.column)
	for row := range t.shown.rows {
		if c := v.At(x, cells.Y+row); c.Rune == ' ' || c.Rune == '·' {
			v.Rune(x, cells.Y+row, '┊', th.Focus)
		}
	}
	v.Rune(x, cells.Y+t.shown.rows, '▲', th.Focus)
	return x
}
