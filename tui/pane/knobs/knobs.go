package knobs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "knobs", Title: "Knobs", Doc: "the knobs", Place: pane.Knobs,
	New: func() pane.Pane { return &Pane{} },
}

// Pane is the list of knobs, and the positions at which it was drawn.
type Pane struct {
	top          int // first knob shown
	above, below bool
	spots        []spot
	text         []byte
}

// spot is an area of the list that responds to the mouse: a click selects the knob, or changes it
// if change is not 0.
type spot struct {
	at     grid.Rect // in the view
	knob   string    // "": the head of a group
	group  string
	change int
}

// Inputs returns the number of changes of the panel.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Edits: h.Panel.Edits} }

// Actions returns nil: the keys of knobs work in every pane.
func (p *Pane) Actions() []pane.Action { return nil }

// Click selects a knob, or changes it if the click is on one of its arrows.
func (p *Pane) Click(h *pane.Host, x, y int) bool {
	s := p.spotAt(x, y)
	if s == nil {
		return false
	}
	if s.knob == "" {
		h.Panel.Fold(s.group)
		return true
	}
	h.Panel.Select(s.knob)
	if s.change != 0 {
		h.Panel.Change(s.change)
	}
	return true
}

// Wheel selects the knob above or below. With ctrl, alt or shift held, it changes the knob under
// the mouse.
func (p *Pane) Wheel(h *pane.Host, x, y, by int) bool {
	if h.Held {
		s := p.spotAt(x, y)
		if s == nil || s.knob == "" {
			return false
		}
		h.Panel.Select(s.knob)
		h.Panel.Change(by)
		return true
	}
	rows := slices.DeleteFunc(slices.Clone(h.Panel.Rows()), func(r pane.Row) bool { return r.Knob < 0 })
	at := slices.IndexFunc(rows, func(r pane.Row) bool { return r.Knob == h.Panel.At() }) - by
	if at < 0 || at >= len(rows) {
		return false
	}
	h.Panel.Select(h.Panel.Scenario.Table[rows[at].Knob].Name)
	return true
}

// spotAt returns the uppermost area under a cell, or nil.
func (p *Pane) spotAt(x, y int) *spot {
	for i := range slices.Backward(p.spots) {
		if p.spots[i].at.Contains(x, y) {
			return &p.spots[i]
		}
	}
	return nil
}

// Draw lists the knobs around the selected one.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	p.spots = p.spots[:0]
	p.above, p.below = false, false
	p.drawList(v, h)
	return pane.Border{Above: p.above, Below: p.below}
}

func (p *Pane) drawList(v grid.View, h *pane.Host) {
	a, th := &h.Panel, h.Theme
	knobs, whole, all := a.Scenario.Table, v, a.Rows()
	if len(knobs) == 0 {
		v.TextIn(0, v.H()/2, v.W(), "starting…", grid.Center, th.Dim)
		return
	}
	sel := a.At()
	list, foot := v.Local(), grid.Rect{}
	switch {
	case h.Alone && v.W() >= 70: // the description is next to the list
		words := grid.Rect{}
		list, words = list.CutLeft(min(v.W()*2/5, 48))
		words.X, words.W = words.X+3, words.W-3
		p.drawWords(v.Sub(words), h, &knobs[sel])
	case h.Alone && v.H() >= 14:
		words := grid.Rect{}
		words, list = list.CutBottom(v.H() / 2)
		p.drawWords(v.Sub(words), h, &knobs[sel])
	case v.H() >= 7:
		foot, list = list.CutBottom(2)
	}
	v = v.Sub(list)
	rows := list.H
	fault := 0 // rows of the error below its knob
	if a.Fault.Knob == knobs[sel].Name {
		f := grid.Flow{V: v.Sub(grid.Rect{W: max(v.W()-4, 0)})}
		f.Text(a.Fault.Text, th.Error)
		fault = min(f.Y, max(rows-1, 0))
	}
	at := slices.IndexFunc(all, func(r pane.Row) bool { return r.Knob == sel })
	p.top = max(min(p.top, at, len(all)-rows+fault), at+1-(rows-fault), 0)
	y := 0
	for i := p.top; i < len(all) && y < rows; i++ {
		row := v.Sub(grid.Rect{Y: y, W: v.W(), H: 1})
		if all[i].Knob < 0 {
			row.TextIn(0, 0, v.W(), all[i].HeadText(), grid.Left, th.Focus)
			p.spots = append(p.spots, spot{at: grid.Rect{Y: y, W: v.W(), H: 1}, group: all[i].Group})
		} else {
			p.drawRow(row, y, h, &knobs[all[i].Knob], i == at)
		}
		y++
		if i == at && fault > 0 {
			v.Rune(1, y, '✗', th.Error)
			f := grid.Flow{V: v.Sub(grid.Rect{X: 3, Y: y, W: v.W() - 4, H: fault})}
			f.Text(a.Fault.Text, th.Error)
			y += fault
		}
	}
	p.above, p.below = p.top > 0, y < len(all)-p.top && y == rows
	if !foot.Empty() {
		p.drawFoot(whole.Sub(foot), h, &knobs[sel])
	}
}

// drawWords writes the full description of a knob: its meaning, its values, the effects to watch
// for, and the paper that it comes from.
func (p *Pane) drawWords(v grid.View, h *pane.Host, k *engine.Knob) {
	th := h.Theme
	f := grid.Flow{V: v}
	f.Text(k.Label+" ("+k.Name+")", th.Title)
	f.Text(k.Doc, th.Text)
	f.Y++
	var values, barred []string
	for _, c := range k.Choices {
		text := string(appendValue(nil, k, c, h.Units))
		if why := k.Blocked[c]; why != "" {
			barred = append(barred, text+": "+why)
			continue
		}
		values = append(values, text)
	}
	if len(values) > 0 {
		f.Text("values: "+strings.Join(values, ", "), th.Dim)
	}
	for _, text := range barred {
		f.Text("✗ "+text, th.Dim.With(grid.Faint))
	}
	if k.IsNumber() {
		f.Text("values "+k.Range(), th.Dim)
	}
	f.Text("part of the "+string(k.Role)+"; "+scopes[k.Scope], th.Dim)
	if k.Watch != "" {
		f.Y++
		f.Text("Watch: "+k.Watch, th.Text)
	}
	if k.Paper != "" {
		f.Y++
		f.Text(k.Paper, th.Accent)
	}
}

// scopes describe the effect of changing a knob.
var scopes = map[engine.Scope]string{
	engine.ScopeCluster: "a change rebuilds the cluster between two iterations",
	engine.ScopeBody:    "a change restarts the program between two iterations",
	engine.ScopeNow:     "the run continues after a change",
}

// drawRow draws one knob.
func (p *Pane) drawRow(v grid.View, y int, h *pane.Host, k *engine.Knob, selected bool) {
	a, th := &h.Panel, h.Theme
	st, name := th.Text, th.Dim
	if selected {
		v.Tint(v.Local(), th.Selected.Bg, th.Selected.Attr)
		st, name = th.Selected, th.Selected
		v.Rune(0, 0, '▸', st)
	}
	value := a.Value(k.Name)
	pending := a.Pending(k.Name)
	if pending && !selected {
		st = th.Warning
	} else if !selected && h.Idle(k.Name) != "" {
		st = th.Dim
	}
	p.text = appendValue(p.text[:0], k, value, h.Units)
	if pending {
		p.text = append(p.text, "…"...)
	}
	w := grid.Width(string(p.text))
	x := v.W() - 2 - w
	gap := 2
	if selected && len(k.Choices) > 0 {
		gap = 4 // for the arrow
	}
	// A long label must leave room for the value.
	n := v.TextIn(1, 0, min(v.W()-9, max(x-gap, v.W()/3)), k.Label, grid.Left, name)
	p.spots = append(p.spots, spot{at: grid.Rect{Y: y, W: v.W(), H: 1}, knob: k.Name})
	if selected && a.Typed != nil {
		a.Typed.Draw(v.Sub(grid.Rect{X: n + 2, W: v.W() - n - 3, H: 1}), th)
		return
	}
	x = max(x, n+gap)
	if selected && len(k.Choices) > 0 {
		left, right := x-2, v.W()-1
		v.Rune(left, 0, '◂', st)
		v.Rune(right, 0, '▸', st)
		p.spots = append(p.spots,
			spot{at: clickArea(left, y), knob: k.Name, change: -1},
			spot{at: clickArea(right, y), knob: k.Name, change: +1})
	}
	if width := v.W() - 2 - x; w > width {
		v.TextIn(x, 0, width, string(p.text), grid.Left, st)
		return
	}
	v.Bytes(x, 0, p.text, st)
}

// timeCols is more than the width of a formatted time.
const timeCols = 20

// appendValue appends a knob's value with its unit. Bytes get the largest prefix of the chosen
// units with which the value is an integer.
func appendValue(dst []byte, k *engine.Knob, value string, u grid.Units) []byte {
	n, err := strconv.ParseInt(value, 10, 64)
	if k.Type == engine.Size && err == nil {
		units, step := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}, int64(1024)
		if u.Bytes().Kind != grid.Binary {
			units, step = [...]string{"B", "kB", "MB", "GB", "TB"}, 1000
		}
		i := 0
		for n != 0 && n%step == 0 && i < len(units)-1 {
			n, i = n/step, i+1
		}
		return append(append(strconv.AppendInt(dst, n, 10), ' '), units[i]...)
	}
	x, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || k.Unit == "":
		return append(dst, value...)
	case k.Unit == grid.Seconds.Symbol:
		return grid.Seconds.Append(dst, x, timeCols)
	}
	return append(append(append(dst, value...), ' '), k.Unit...)
}

// clickArea returns the area in which a click counts for a cell: one column more on both sides.
func clickArea(x, y int) grid.Rect { return grid.Rect{X: x - 1, Y: y, W: 3, H: 1} }

// drawFoot writes the meaning and the values of the selected knob.
func (p *Pane) drawFoot(v grid.View, h *pane.Host, k *engine.Knob) {
	a, th := &h.Panel, h.Theme
	text, st := k.Doc, th.Dim
	if why := h.Idle(k.Name); why != "" {
		text, st = "no effect: "+why, th.Warning
	}
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})} // the same width, but no rows: only measures
	if measure.Text(text, st); measure.Y >= v.H() {
		v.TextRows(0, 0, v.W(), v.H(), text, st)
		return
	}
	f := grid.Flow{V: v}
	f.Text(text, st)
	x := 0
	for i, c := range k.Choices {
		st := th.Dim
		text := string(appendValue(nil, k, c, h.Units))
		switch {
		case k.Blocked[c] != "":
			st, text = st.With(grid.Faint), "✗"+text
		case c == a.Value(k.Name):
			st = th.Accent
		}
		n := grid.Width(text)
		if i < len(k.Choices)-1 {
			n += 2 // leave room for an ellipsis
		}
		if x+n > v.W() {
			v.Rune(x, f.Y, '…', th.Dim)
			return
		}
		n = grid.Width(text)
		v.Text(x, f.Y, text, st)
		x += n + 1
	}
	if len(k.Choices) == 0 {
		v.Text(0, f.Y, strconv.FormatFloat(k.Min, 'g', 6, 64)+" to "+strconv.FormatFloat(k.Max, 'g', 6, 64), th.Dim)
	}
}
