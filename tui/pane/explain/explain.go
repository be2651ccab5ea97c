package explain

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "explain", Title: "Critical path", Doc: "the time of a simulation by constant of the machine, and what a change would change",
	Place:   pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return isSimulated(s) },
	Now:     func(*engine.Snapshot) bool { return false },
	New:     func() pane.Pane { return &Pane{} },
}

// isSimulated reports whether a run has a path.
func isSimulated(s *engine.Snapshot) bool { return s.Scenario.Values["fabric"] == engine.Sim }

// maxStep is the largest position of the slider. A position is a quarter of a doubling.
const maxStep = 16

// Pane is the slider and the list that is shown.
type Pane struct {
	key  string // number of the machine on the slider; "": the first one
	step int    // position of the slider
	by   int    // list, in the order of groupings
	top  int

	factor float64 // of the number

	run  *explain.Run // of keys
	keys []explain.Sensitivity
}

// groupings are the lists of a path.
var groupings = [...]string{"constant", "reason", "part of the program", "activity of the last rank"}

// Inputs returns the snapshot and the explanation.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Explained: h.Explained, Inquiry: h.Inquiry, Moment: h.Moment}
}

// Actions returns the actions of the slider and the lists.
func (p *Pane) Actions() []pane.Action {
	isKnown := func(h *pane.Host) bool { return h.Explained != nil && h.Explained.Run != nil }
	isLong := func(h *pane.Host) bool { return isKnown(h) || h.InquiryOf(Spec.Name) != nil }
	return []pane.Action{
		{Name: "row-down", Do: func(h *pane.Host) { p.choose(h, +1) }, Ready: isKnown},
		{Name: "row-up", Do: func(h *pane.Host) { p.choose(h, -1) }, Ready: isKnown},
		{Name: "scroll-down", Do: func(*pane.Host) { p.top += 4 }, Ready: isLong},
		{Name: "scroll-up", Do: func(*pane.Host) { p.top = max(0, p.top-4) }, Ready: isLong},
		{Name: "constant-down", Keys: []string{"D"}, Doc: "decrease the chosen constant of the machine, and explain the change",
			Do: func(h *pane.Host) { p.slide(h, -1) }},
		{Name: "constant-up", Keys: []string{"d"}, Doc: "increase the chosen constant of the machine, and explain the change",
			Do: func(h *pane.Host) { p.slide(h, +1) }},
		{Name: "constant-reset", Keys: []string{"\""}, Doc: "restore the chosen constant of the machine",
			Do: func(h *pane.Host) { h.WhatIf(nil) }},
		{Name: "path-by", Keys: []string{"y"}, Doc: "list the critical path by constant, reason, part or activity",
			Do: func(*pane.Host) { p.by, p.top = (p.by+1)%len(groupings), 0 }},
	}
}

// Wheel moves the slider.
func (p *Pane) Wheel(h *pane.Host, _, _, by int) bool {
	if h.Explained == nil {
		return false
	}
	p.slide(h, by)
	return true
}

// load reads the numbers of the explained run, and the position of the slider.
func (p *Pane) load(h *pane.Host) {
	a := h.Explained
	if a == nil {
		p.step = 0
		return
	}
	if a.Run != nil && a.Run != p.run {
		p.run, p.keys = a.Run, a.Run.Sensitivities()
	}
	p.factor, p.step = 1, 0
	if len(a.Changes) > 0 {
		p.key, p.factor = a.Changes[0].Key, a.Changes[0].Factor
		p.step = min(max(int(math.Round(4*math.Log2(p.factor))), -maxStep), maxStep)
	}
}

// at returns the position of the chosen number, or −1 if there are none.
func (p *Pane) at() int {
	for i := range p.keys {
		if p.keys[i].Key == p.key {
			return i
		}
	}
	return min(0, len(p.keys)-1)
}

// choose moves to another number, and restores the former one.
func (p *Pane) choose(h *pane.Host, by int) {
	p.load(h)
	if i := p.at(); i >= 0 {
		p.key = p.keys[min(max(i+by, 0), len(p.keys)-1)].Key
		p.top = max(0, p.at()-2)
		h.WhatIf(nil)
	}
}

// slide moves the slider and asks for the change.
func (p *Pane) slide(h *pane.Host, by int) {
	p.load(h)
	if p.key == "" && len(p.keys) > 0 {
		p.key = p.keys[0].Key
	}
	step := min(max(p.step+by, -maxStep), maxStep)
	if p.key == "" || step == 0 {
		h.WhatIf(nil)
		return
	}
	h.WhatIf([]presets.Change{{Key: p.key, Factor: math.Exp2(float64(step) / 4)}})
}

// Draw draws the time, the slider and a list.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	a := h.Explained
	b := pane.Border{Right: h.KindWords()}
	if h.InquiryOf(Spec.Name) != nil {
		return p.drawInquiry(v, h)
	}
	switch {
	case !isSimulated(h.Snap):
		h.WriteMessage(v, "A live run has waits, but no critical path.", "Press "+h.Keys("simulate")+" to simulate it.")
		return b
	case a == nil:
		h.WriteMessage(v, "What does this simulation spend its time on?", "Press "+h.Keys("explain")+" to explain it.")
		return b
	case a.Run == nil:
		text := "simulating…"
		if a.Failure != "" {
			text = a.Failure
		}
		h.WriteMessage(v, h.Units.Text(text))
		return b
	}
	p.load(h)
	th := h.Theme
	w, from, to := a.Waterfall()
	p.drawTime(v, a, w, from, to, th)
	y := 1
	if v.H() >= 4 {
		y += p.drawSlider(v, a, th)
	}
	rest := grid.Rect{Y: y, W: v.W(), H: v.H() - y}
	if w != nil && rest.H >= 6 {
		words := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})}
		words.Text(w.Sentence(seconds), th.Text)
		low := grid.Rect{}
		low, rest = rest.CutBottom(min(words.Y, rest.H/2))
		(&grid.Flow{V: v.Sub(low)}).Text(w.Sentence(seconds), th.Text)
	}
	all := p.rows(a, w)
	p.top = min(p.top, max(0, len(all)-rest.H+1))
	p.drawList(v.Sub(rest), all, w != nil, th)
	if w == nil {
		p.drawMoment(v.Sub(rest), all, h)
	}
	b.Above, b.Below = p.top > 0, len(all)-p.top > max(rest.H-1, 0)
	return b
}

// seconds formats a time.
func seconds(t cluster.Time) string { return grid.Seconds.String(t.Seconds()) }

// signed formats a difference of times.
func signed(t cluster.Time) string {
	if t < 0 {
		return "−" + seconds(-t)
	}
	return "+" + seconds(t)
}

// drawTime writes the time, or both times of a difference.
func (p *Pane) drawTime(v grid.View, a *explain.Answer, w *explain.Waterfall, from, to string, th *grid.Theme) {
	text := seconds(a.Run.Total) + " on " + a.Run.Machine.Name
	if w != nil {
		text = seconds(w.A) + " (" + from + ") → " + seconds(w.B) + " (" + to + "): " + signed(w.B-w.A)
		if grid.Width(text) > v.W() {
			text = seconds(w.A) + " → " + seconds(w.B) + ": " + signed(w.B-w.A)
		}
	}
	v.TextIn(0, 0, v.W(), text, grid.Left, th.Title)
}

// drawSlider draws the chosen number with its factor, and the forecast. It returns its rows.
func (p *Pane) drawSlider(v grid.View, a *explain.Answer, th *grid.Theme) (rows int) {
	k := explain.Sensitivity{Key: p.key}
	if i := p.at(); i >= 0 && (p.key == "" || p.keys[i].Key == p.key) {
		k = p.keys[i]
	}
	if k.Key == "" {
		return 0
	}
	name := k.Key + " ×" + strconv.FormatFloat(p.factor, 'g', 3, 64)
	if n := len(a.Changes); n > 1 {
		name += " and " + strconv.Itoa(n-1) + " more"
	}
	x := v.TextIn(0, 1, v.W(), name, grid.Left, th.Accent) + 1
	if n := min(v.W()-x, 2*maxStep+1); n >= 9 {
		for c := range n {
			v.Rune(x+c, 1, '─', th.Dim)
		}
		v.Rune(x+n/2, 1, '┼', th.Dim)
		v.Rune(x+(p.step+maxStep)*(n-1)/(2*maxStep), 1, '●', th.Focus)
	}
	text, st := p.forecast(a, &k)
	style := th.Text
	if st {
		style = th.Warning
	}
	words := grid.Flow{V: v.Sub(grid.Rect{Y: 2, W: v.W(), H: max(0, min(2, v.H()-4))})}
	words.Text(text, style)
	return 1 + min(words.Y, words.V.H())
}

// forecast describes the changed time. warn is true if the forecast is not a bound.
func (p *Pane) forecast(a *explain.Answer, k *explain.Sensitivity) (text string, warn bool) {
	f := &a.Forecast
	switch {
	case len(a.Changes) == 0:
		sign := "+"
		if k.Share < 0 {
			sign = "−"
		}
		return fmt.Sprintf("1 %% more changes the time by %s%.2f %%.", sign, math.Abs(k.Share)), false
	case a.Changed != nil && a.Same:
		return seconds(a.Changed.Total) + " simulated; from the line at least " + seconds(f.Line) + ".", false
	case a.Changed != nil:
		return seconds(a.Changed.Total) + " simulated. The order of events changes: no bound.", true
	case a.Failure != "":
		return a.Failure, true
	case f.Ended:
		return "The order of events changes before: no bound. Simulating…", true
	case f.Known:
		return "At least " + seconds(f.Line) + ", between " + seconds(f.Low) + " and " + seconds(f.High) + ". Simulating…", false
	}
	return "Simulating…", false
}

// row is a row of a list.
type row struct {
	name  string
	span  cluster.Time // of the path, or of the difference
	of    cluster.Time // what all rows add up to
	where string
	key   bool // the number on the slider

	constant string // name without a note
}

// rows returns the rows of the list.
func (p *Pane) rows(a *explain.Answer, w *explain.Waterfall) (all []row) {
	noted := func(name, note string) string {
		if note != "" {
			return name + " (" + note + ")"
		}
		return name
	}
	where := func(where, why string) string {
		if why != "" {
			return where + ", " + why
		}
		return where
	}
	isKey := func(name string) bool { i := p.at(); return i >= 0 && p.keys[i].Key == name }
	if w != nil {
		bars := [...][]explain.Bar{w.Constants, w.Reasons, w.Phases, w.Spent}[p.by]
		for i := range bars {
			x := &bars[i]
			if x.Span() == 0 {
				continue
			}
			all = append(all, row{noted(x.Name, x.Note), x.Span(), w.B - w.A, where(x.Where, x.Why), p.by == 0 && isKey(x.Name), x.Name})
		}
		return all
	}
	terms := [...][]explain.Term{a.Run.Terms, a.Run.Reasons, a.Run.Phases, a.Run.Spent}[p.by]
	for i := range terms {
		x := &terms[i]
		all = append(all, row{noted(x.Name, x.Note), x.Span, a.Run.Total, where(x.Where, x.Why), p.by == 0 && isKey(x.Name), x.Name})
	}
	return all
}

// Widths of the columns of a list, and the least width of a bar.
const (
	timeCols  = 9
	shareCols = 6
	barCols   = 10
	whereCols = 40
)

// drawMoment describes the piece of the path at the moment of the timeline's cursor, and marks its constant in the list.
func (p *Pane) drawMoment(v grid.View, all []row, h *pane.Host) {
	r := h.Explained.Run
	if !h.Moment.Marked || !h.Moment.Path {
		return
	}
	r.Pieces(h.Moment.At, h.Moment.At+1, func(x *sim.Segment) {
		begin := grid.Width("by "+groupings[p.by]) + 2
		v.TextIn(begin, 0, v.W()-begin, "┊ at "+seconds(h.Moment.At)+": "+r.Describe(x), grid.Left, h.Theme.Focus)
		for y := range max(0, min(v.H()-1, len(all)-p.top)) {
			if name := &all[p.top+y]; p.by == 0 && name.constant == x.Constant.Name(&r.Machine) {
				v.Rune(1, y+1, '┊', h.Theme.Focus)
			}
		}
	})
}

// drawList draws rows with bars.
func (p *Pane) drawList(v grid.View, all []row, difference bool, th *grid.Theme) {
	names, longest := 0, cluster.Time(1)
	for i := range all {
		names = max(names, grid.Width(all[i].name)+2)
		longest = max(longest, all[i].span, -all[i].span)
	}
	names = min(names, max(v.W()-timeCols-shareCols, 8))
	bars := v.W() - names - timeCols - shareCols - 2
	places := 0
	if bars >= barCols+whereCols {
		places, bars = whereCols, bars-whereCols
	}
	heading := "by " + groupings[p.by]
	if difference {
		heading += ", difference"
	}
	v.TextIn(0, 0, v.W(), heading, grid.Left, th.Dim)
	for y := range max(0, min(v.H()-1, len(all)-p.top)) {
		r := &all[p.top+y]
		st := th.Text
		if r.key {
			v.Rune(0, y+1, '▸', th.Accent)
			st = th.Accent
		}
		v.TextIn(2, y+1, names-2, r.name, grid.Left, st)
		text, bar := seconds(r.span), th.Text
		if difference {
			text, bar = signed(r.span), th.Warning
			if r.span < 0 {
				bar = th.OK
			}
		}
		v.TextIn(names, y+1, timeCols, text, grid.Right, st)
		if r.of != 0 && !difference {
			v.TextIn(names+timeCols, y+1, shareCols, fmt.Sprintf("%.1f%%", 100*float64(r.span)/float64(r.of)), grid.Right, th.Dim)
		}
		x := names + timeCols + shareCols + 2
		for c := range max(0, bars*int(max(r.span, -r.span)*1000/longest)/1000) {
			v.Rune(x+c, y+1, '█', bar)
		}
		if places > 0 {
			v.TextIn(x+bars+1, y+1, places-1, r.where, grid.Left, th.Dim)
		}
	}
}
