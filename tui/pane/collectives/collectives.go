package collectives

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/collective"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "collectives", Title: "Collectives", Doc: "the messages of a collective", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return flowOf(s) != nil },
	New:     func() pane.Pane { return &Pane{} },
}

// flowOf returns the flow of a run, or nil if it has none.
func flowOf(s *engine.Snapshot) *collective.Flow {
	return engine.DrawingOf[*collective.Flow](s)
}

// Pane is the moment at which the animation is held, and the data of the last frame.
type Pane struct {
	isHeld bool
	heldAt float64 // the held moment, in s

	flow   *collective.Flow // the flow of the fields below
	spots  []spot           // positions of the ranks
	canvas grid.Canvas
	heat   grid.Heatmap
	text   []byte

	labelled [2]int // numbers of blocks and ranks for which the rows of heat are labelled
}

// Inputs returns the snapshot and the style of lines.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Markers: h.Markers}
}

// Actions returns the actions that hold the animation and move it.
func (p *Pane) Actions() []pane.Action {
	hasFlow := func(h *pane.Host) bool { return flowOf(h.Snap) != nil }
	return []pane.Action{
		{Name: "crosshair-left", Do: func(h *pane.Host) { p.move(h, -1) }, Ready: hasFlow},
		{Name: "crosshair-right", Do: func(h *pane.Host) { p.move(h, +1) }, Ready: hasFlow},
		{Name: "follow", Do: func(*pane.Host) { p.isHeld = false }, Ready: func(*pane.Host) bool { return p.isHeld }},
	}
}

// move holds the animation and moves it to the next or previous arrival of a message.
func (p *Pane) move(h *pane.Host, by int) {
	f := flowOf(h.Snap)
	if f == nil {
		return
	}
	at := p.clock(h, f)
	p.isHeld, p.heldAt = true, at
	const tolerance = 1e-9 // fraction of the span that counts as the same moment
	next := at
	for i := range f.Hops {
		switch t := f.Hops[i].Arrived; {
		case by > 0 && t > at+tolerance*f.Span && (next == at || t < next):
			next = t
		case by < 0 && t < at-tolerance*f.Span && (next == at || t > next):
			next = t
		}
	}
	if next == at && by < 0 {
		next = 0
	}
	p.heldAt = next
}

// playTime is the duration of one animation of the call, restTime the time for which its end is
// shown.
const (
	playTime = 4 * time.Second
	restTime = 2 * time.Second
)

// clock returns the moment that is shown, in the flow's time.
func (p *Pane) clock(h *pane.Host, f *collective.Flow) float64 {
	switch {
	case p.isHeld:
		return min(p.heldAt, f.Span)
	case h.Picture || h.Snap.Phase != engine.Running:
		return f.Span
	}
	elapsed := h.Snap.Elapsed % (playTime + restTime)
	return min(float64(elapsed)/float64(playTime), 1) * f.Span
}

// sideBySideW is the minimum width for the course over time next to the scene. stackedH is the
// minimum height for the course below the scene. minTermsH and minHeadH are the minimum heights for
// the terms and for the head.
const (
	sideBySideW = 84
	stackedH    = 22
	minTermsH   = 9
	minHeadH    = 6
)

// Draw divides the pane into the scene, the course and the terms.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	f := flowOf(h.Snap)
	if f == nil {
		if h.Snap.Layout.Nodes == 0 {
			h.Empty(v)
		} else {
			h.WriteMessage(v, "This workload has no collective to draw.", "Try a broadcast: type "+h.Typed("workload bcast")+".")
		}
		return pane.Border{Right: h.KindWords()}
	}
	if p.flow == nil || p.flow.Name != f.Name || p.flow.Ranks != f.Ranks || p.flow.Root != f.Root {
		p.isHeld = false
	}
	p.flow = f
	b := pane.Border{Title: f.Name, Right: p.kind(f, h)}
	at := p.clock(h, f)
	rest := v.Local()
	if v.H() >= minHeadH {
		var head grid.Rect
		head, rest = rest.CutTop(1)
		p.drawHead(v.Sub(head), f, at, h.Units, h.Theme)
	}
	if v.H() >= minTermsH && len(f.Terms) > 0 {
		var low grid.Rect
		low, rest = rest.CutBottom(2)
		p.drawTerms(v.Sub(low), f, h.Units, h.Theme)
	}
	if len(f.Hops) == 0 {
		p.drawFolded(v.Sub(rest), f, at, h)
		return b
	}
	switch {
	case rest.W >= sideBySideW:
		left, right := rest.CutLeft(rest.W * 11 / 20)
		_, right = right.CutLeft(2)
		p.drawScene(v.Sub(left), f, at, h)
		p.drawCourse(v.Sub(right), f, at, h)
	case rest.H >= stackedH:
		top, low := rest.CutTop(rest.H * 11 / 20)
		p.drawScene(v.Sub(top), f, at, h)
		p.drawCourse(v.Sub(low), f, at, h)
	default:
		p.drawScene(v.Sub(rest), f, at, h)
	}
	return b
}

// kind returns the provenance of the times.
func (p *Pane) kind(f *collective.Flow, h *pane.Host) string {
	if f.Kind == "" {
		return "one step per message"
	}
	return string(h.Theme.Kind(pane.KindOf(f.Kind)).Symbol) + " " + string(f.Kind)
}

// formatSpan formats a time of the flow. Without costs it is a number of steps.
func formatSpan(f *collective.Flow, t float64) string {
	if f.Kind == "" {
		return fmt.Sprintf("step %.0f", t)
	}
	return grid.Seconds.String(t)
}

// drawHead writes the progress of the call.
func (p *Pane) drawHead(v grid.View, f *collective.Flow, at float64, u grid.Units, th *grid.Theme) {
	if f.Messages == 0 {
		v.TextIn(0, 0, v.W(), "no messages", grid.Left, th.Dim)
		return
	}
	inFlight := 0
	arrived := 0
	step := 0
	for i := range f.Hops {
		m := &f.Hops[i]
		switch {
		case m.Arrived <= at:
			arrived++
		case m.Sent <= at:
			inFlight++
			step = max(step, m.Step)
		}
	}
	what := "message"
	if f.Loads {
		what = "load"
	}
	whole := fmt.Sprintf("%s, %s, %d ranks", plural(int(f.Messages), what), u.Text(cluster.SizeText(float64(f.Bytes))),
		f.Ranks)
	if f.Steps > 0 {
		whole = plural(f.Steps, "step") + ", " + whole
	}
	if f.Bytes == 0 && f.Steps == 0 {
		whole = fmt.Sprintf("%s, %d ranks", plural(int(f.Messages), what), f.Ranks)
	}
	now := ""
	switch {
	case len(f.Hops) == 0:
	case at >= f.Span:
		now = "all done after " + formatSpan(f, f.Span)
	default:
		now = formatSpan(f, at)
		if step > 0 {
			now += fmt.Sprintf(", step %d", step)
		}
		now += fmt.Sprintf(": %d in flight, %d arrived", inFlight, arrived)
	}
	n := 0
	if now != "" {
		n = v.TextIn(0, 0, v.W(), now, grid.Left, th.Focus) + 3
	}
	if v.W()-n >= grid.Width(whole) {
		v.TextIn(n, 0, v.W()-n, whole, grid.Right, th.Dim)
	} else if now == "" {
		v.TextIn(0, 0, v.W(), whole, grid.Left, th.Dim)
	}
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return grid.Count.String(float64(n)) + " " + what
}

// drawTerms draws the terms of the predicted time as a divided bar, with a legend.
func (p *Pane) drawTerms(v grid.View, f *collective.Flow, u grid.Units, th *grid.Theme) {
	total := 0.0
	for _, t := range f.Terms {
		total += t.Time
	}
	if total <= 0 || v.W() < 8 {
		return
	}
	fills := []rune{'█', '▒', '░', '▓', '▚', '▞'}
	at, sum := 0, 0.0
	for i, t := range f.Terms {
		sum += t.Time
		end := int(sum/total*float64(v.W()) + 0.5)
		for ; at < end; at++ {
			v.Rune(at, 0, fills[i%len(fills)], th.Text)
		}
	}
	x := 0
	for i, t := range f.Terms {
		count := fmt.Sprintf("%.0f %s", t.Count, t.Name)
		if t.Name == "G" || t.Name == "Gn" || t.Name == "copy" || t.Name == "add" {
			count = u.Text(cluster.SizeText(t.Count)) + "·" + t.Name
		}
		text := fmt.Sprintf("%s %s %s", t.Doc, count, grid.Seconds.String(t.Time))
		if v.W() < 70 {
			text = fmt.Sprintf("%s %s", count, grid.Seconds.String(t.Time))
		}
		if x+2+grid.Width(text) > v.W() {
			return
		}
		v.Rune(x, 1, fills[i%len(fills)], th.Text)
		x += 2 + v.Text(x+2, 1, text, th.Dim) + 2
	}
}

// drawFolded draws a large team as a heat map of the number of messages in flight: blocks of ranks
// down, time across.
func (p *Pane) drawFolded(v grid.View, f *collective.Flow, at float64, h *pane.Host) {
	if f.Blocks == 0 {
		what := "too many messages to draw: " + grid.Count.String(float64(f.Messages))
		if f.Messages == 0 {
			what = "no messages"
		}
		h.WriteMessage(v, what)
		return
	}
	m := &p.heat
	m.Cols = len(f.Folds) / f.Blocks
	m.Values = slices.Grow(m.Values[:0], len(f.Folds))[:len(f.Folds)]
	now := m.Cols
	if at < f.Span {
		now = int(at / f.Span * float64(m.Cols))
	}
	for i, n := range f.Folds {
		m.Values[i] = float64(n)
		if i%m.Cols > now || n == 0 {
			m.Values[i] = 0
		}
	}
	if p.labelled != [2]int{f.Blocks, f.Ranks} {
		p.labelled = [2]int{f.Blocks, f.Ranks}
		m.RowLabels = m.RowLabels[:0]
		for b := range f.Blocks {
			first, end := b*f.Ranks/f.Blocks, (b+1)*f.Ranks/f.Blocks
			m.RowLabels = append(m.RowLabels, grid.Range(strconv.Itoa(first), strconv.Itoa(max(end-1, first))))
		}
	}
	m.Axis = grid.Axis{Unit: grid.Count, FromZero: true}
	m.Bar = true
	top := v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	v.TextIn(0, 0, v.W(), "messages in flight, by sender (down) and time (across, "+formatSpan(f, f.Span)+")", grid.Left,
		h.Theme.Title)
	m.Draw(top, h.Theme)
}
