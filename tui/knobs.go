package tui

import (
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// knobPanel lists the knobs with their values. The selected one shows where it
// can be turned, a typed value stands in its place, and what was wrong with a
// value is told below it.
//
//	nodes                4
//	model  ◂ nested-multiple ▸
//	group                3
//	  ✗ group = 3 does not divide 16 ranks: use 2 or 4
type knobPanel struct {
	top          int  // first knob shown
	above, below bool // there are more
	text         []byte
}

// draw shows the knobs and appends the places where the mouse can act.
func (p *knobPanel) draw(v grid.View, a *app, hits []hit) []hit {
	knobs, th := a.knobs(), a.Theme
	if len(knobs) == 0 {
		v.TextIn(0, v.H()/2, v.W(), "starting…", grid.Center, th.Dim)
		return hits
	}
	sel := a.selected()
	list, foot := v.Local(), grid.Rect{}
	if v.H() >= 7 {
		foot, list = list.CutBottom(2)
	}
	room := list.H
	fault := 0 // rows that the error takes below its knob
	if a.wrong.knob == knobs[sel].Name {
		f := grid.Flow{V: v.Sub(grid.Rect{W: max(v.W()-4, 0)})}
		f.Text(a.wrong.text, th.Error)
		fault = min(f.Y, max(room-1, 0))
	}
	p.top = max(min(p.top, sel, len(knobs)-room+fault), sel+1-(room-fault), 0)
	y := 0
	for i := p.top; i < len(knobs) && y < room; i++ {
		row := v.Sub(grid.Rect{Y: y, W: v.W(), H: 1})
		hits = p.row(row, a, &knobs[i], i == sel, hits)
		y++
		if i == sel && fault > 0 {
			v.Rune(1, y, '✗', th.Error)
			f := grid.Flow{V: v.Sub(grid.Rect{X: 3, Y: y, W: v.W() - 4, H: fault})}
			f.Text(a.wrong.text, th.Error)
			y += fault
		}
	}
	p.above, p.below = p.top > 0, y < len(knobs)-p.top && y == room
	p.foot(v.Sub(foot), a, &knobs[sel])
	return hits
}

// row draws one knob.
func (p *knobPanel) row(v grid.View, a *app, k *engine.Knob, selected bool, hits []hit) []hit {
	th := a.Theme
	st, name := th.Text, th.Dim
	if selected {
		v.Tint(v.Local(), th.Selected.Bg, th.Selected.Attr)
		st, name = th.Selected, th.Selected
		v.Rune(0, 0, '▸', st)
	}
	half := v.W() - 2
	n := v.TextIn(1, 0, half-7, k.Label, grid.Left, name)
	value := a.value(k.Name)
	_, asked := a.asked[k.Name]
	if asked && !selected {
		st = th.Warning
	}
	hits = append(hits, knobHit(v.Rect(), k.Name))
	if selected && a.over == editOverlay {
		a.edit.Draw(v.Sub(grid.Rect{X: n + 2, W: v.W() - n - 3, H: 1}), th)
		return hits
	}
	p.text = appendValue(p.text[:0], k, value)
	if asked {
		p.text = append(p.text, "…"...)
	}
	w := grid.Width(string(p.text))
	x := v.W() - 2 - w
	if selected && len(k.Choices) > 0 {
		left, right := max(x-2, n+2), v.W()-1
		v.Rune(left, 0, '◂', st)
		v.Rune(right, 0, '▸', st)
		hits = append(hits,
			hit{at: near(v, left), press: func(a *app) { a.turn(-1) }, wheel: wheelKnob(k.Name)},
			hit{at: near(v, right), press: func(a *app) { a.turn(+1) }, wheel: wheelKnob(k.Name)})
	}
	v.Sub(grid.Rect{X: max(x, n+2), W: v.W() - 2 - max(x, n+2), H: 1}).Bytes(0, 0, p.text, st)
	return hits
}

// appendValue writes a knob's value with its unit. Whole multiples of 1,024
// bytes are written in KiB, MiB and so on, if that is exact.
func appendValue(dst []byte, k *engine.Knob, value string) []byte {
	n, err := strconv.ParseInt(value, 10, 64)
	if k.Type == engine.Size && err == nil {
		units := [...]string{"B", "KiB", "MiB", "GiB", "TiB"}
		i := 0
		for n != 0 && n%1024 == 0 && i < len(units)-1 {
			n, i = n/1024, i+1
		}
		return append(append(strconv.AppendInt(dst, n, 10), ' '), units[i]...)
	}
	dst = append(dst, value...)
	if k.Unit != "" && err == nil {
		dst = append(append(dst, ' '), k.Unit...)
	}
	return dst
}

// near is where a click counts for a cell: a column to both sides of it.
func near(v grid.View, x int) grid.Rect {
	r := v.Rect()
	return grid.Rect{X: r.X + x - 1, Y: r.Y, W: 3, H: 1}
}

// knobHit selects a knob, and turns it with the wheel.
func knobHit(at grid.Rect, name string) hit {
	return hit{at: at, press: func(a *app) { a.focus, a.knob = knobsPane, name }, wheel: wheelKnob(name)}
}

func wheelKnob(name string) func(*app, int) {
	return func(a *app, by int) {
		a.knob = name
		a.turn(by)
	}
}

// foot tells what the selected knob is, and its values.
func (p *knobPanel) foot(v grid.View, a *app, k *engine.Knob) {
	f := grid.Flow{V: v}
	f.Text(k.Doc, a.Theme.Dim)
	if f.Y >= v.H() {
		return
	}
	x := 0
	for _, c := range k.Choices {
		st := a.Theme.Dim
		if c == a.value(k.Name) {
			st = a.Theme.Accent
		}
		text := string(appendValue(nil, k, c))
		n := grid.Width(text)
		if x+n > v.W() {
			v.Rune(min(x, v.W()-1), f.Y, '…', a.Theme.Dim)
			return
		}
		v.Text(x, f.Y, text, st)
		x += n + 1
	}
	if len(k.Choices) == 0 {
		v.Text(0, f.Y, strconv.FormatFloat(k.Min, 'g', 6, 64)+" to "+strconv.FormatFloat(k.Max, 'g', 6, 64), a.Theme.Dim)
	}
}
