package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// picker lists the machines beside the facts of the selected one, each with where
// it is from:
//
//	/
//	  demo          Cray XC30 "Edison": 5,576 nodes of 2 × 12 cores
//	▸ xc30-edison   emulated on live, progress by offload
//	  this-host
//	                nodes                                       5576
//	                  NERSC, Edison configuration
type picker struct {
	line grid.Line
	at   int
	top  int // rows that the facts are scrolled
	own  []cluster.Machine
	read map[string]*described // the machines, as they were when the picker was opened
}

// described is a machine as its file tells it, or what was wrong with the file.
type described struct {
	machine cluster.Machine
	err     error
}

// describe reads a machine.
func (p *picker) describe(name string) *described {
	for i := range p.own {
		if p.own[i].Name == name {
			return &described{machine: p.own[i]}
		}
	}
	m, err := presets.Machine(name)
	return &described{m, err}
}

// machineKnob is the knob that the picker turns.
const machineKnob = "machine"

// openPicker shows the machines, with the present one selected.
func (a *app) openPicker() {
	k, err := a.latest.Scenario.Knob(machineKnob)
	if err != nil {
		return
	}
	a.over = pickerOverlay
	p := &a.picker
	p.line.Clear()
	p.retyped()
	p.read = make(map[string]*described, len(k.Choices))
	for i, name := range k.Choices {
		p.read[name] = p.describe(name)
		if name == a.Asked(machineKnob) {
			p.at = i
		}
	}
}

func (p *picker) retyped() { p.at, p.top = 0, 0 }

// offers are the machines that have every word that is typed in name or title.
func (p *picker) offers(a *app) []string {
	k, err := a.latest.Scenario.Knob(machineKnob)
	if err != nil {
		return nil
	}
	words := strings.Fields(strings.ToLower(p.line.String()))
	var fit []string
	for _, name := range k.Choices {
		if p.read[name] == nil { // the list has grown since
			p.read[name] = p.describe(name)
		}
		text := strings.ToLower(name + " " + p.read[name].machine.Title)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			fit = append(fit, name)
		}
	}
	return fit
}

func (p *picker) move(a *app, by int) {
	p.at = min(max(p.at+by, 0), max(0, len(p.offers(a))-1))
	p.top = 0
}

func (p *picker) scroll(by int) { p.top = max(p.top+by, 0) }

// takeMachine asks for the selected machine.
func (a *app) takeMachine() {
	if all := a.picker.offers(a); a.picker.at < len(all) {
		a.closeOverlay()
		a.Set(machineKnob, all[a.picker.at])
	}
}

func (s *screen) pickerBox(a *app) {
	th, p := a.Theme, &a.picker
	v := s.box(s.middle(110, 44), "Machines", "type to search, enter takes", th)
	v.Text(0, 0, "/", th.Accent)
	p.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	all := p.offers(a)
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no machine fits", grid.Center, th.Dim)
		return
	}
	_, rest := v.Local().CutTop(1)
	list, facts := rest, rest
	if v.W() >= 60 {
		wide := 0
		for _, name := range all {
			wide = max(wide, grid.Width(name))
		}
		list, facts = rest.CutLeft(min(wide+3, v.W()/3))
	} else {
		list, facts = rest.CutTop(min(len(all), max(rest.H/3, 2)))
	}
	s.machineList(v.Sub(list), a, all)
	s.facts(v.Sub(facts), a, all[p.at])
}

func (s *screen) machineList(v grid.View, a *app, all []string) {
	th, p := a.Theme, &a.picker
	top := min(max(p.at-v.H()/2, 0), max(0, len(all)-v.H()))
	for y := 0; y < v.H() && top+y < len(all); y++ {
		row := v.Sub(grid.Rect{Y: y, W: v.W() - 1, H: 1})
		name, st := all[top+y], th.Text
		if name == a.Asked(machineKnob) {
			st = th.Accent
		}
		if top+y == p.at {
			row.Tint(row.Local(), th.Selected.Bg, th.Selected.Attr)
			row.Rune(0, 0, '▸', th.Selected)
			st = th.Selected
		}
		row.TextIn(1, 0, row.W()-1, name, grid.Left, st)
		s.listHit(row, func(a *app) { // a second click takes it
			if a.picker.at == top+y {
				a.takeMachine()
			}
			a.picker.at, a.picker.top = top+y, 0
		}, (*app).movePicker)
	}
}

func (a *app) movePicker(by int) { a.picker.move(a, by) }

// facts tells what a machine's file says.
func (s *screen) facts(v grid.View, a *app, name string) {
	d := a.picker.read[name]
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1})}
	factsText(&measure, d, a.Theme)
	most := max(0, measure.Y-v.H())
	s.factsTop = min(a.picker.top, most)
	factsText(&grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1, H: v.H()}), Y: -s.factsTop}, d, a.Theme)
	if s.factsTop > 0 {
		v.Rune(v.W()-1, 0, '▴', a.Theme.Accent)
	}
	if s.factsTop < most {
		v.Rune(v.W()-1, v.H()-1, '▾', a.Theme.Accent)
	}
	s.listHit(v, func(*app) {}, func(a *app, by int) { a.picker.scroll(3 * by) })
}

func factsText(f *grid.Flow, d *described, th *grid.Theme) {
	if d.err != nil {
		f.Text(d.err.Error(), th.Error)
		return
	}
	m := &d.machine
	f.Text(m.Title, th.Title)
	live := "this host's own time on live"
	if m.Emulated {
		live = "emulated on live"
	}
	f.Text(live+", progress by "+string(m.Progress), th.Dim)
	f.Y++
	for _, fact := range presets.Facts(m) {
		st := th.Text
		if fact.Value == nil {
			st = th.Dim
		}
		f.Pair(fact.Key, factText(&fact), th.Dim, st)
		source := th.Dim
		if fact.Kind() == "fitted" {
			source = th.Warning
		}
		f.Text("  "+strings.TrimPrefix(fact.Source, "unknown: "), source)
	}
}

// factText is a fact's value with its unit.
func factText(f *presets.Fact) string {
	switch v := f.Value.(type) {
	case nil:
		return "unknown"
	case float64:
		return factUnit(f.Unit).String(v)
	case []float64:
		return strings.Trim(fmt.Sprint(v), "[]")
	}
	return fmt.Sprint(f.Value)
}

func factUnit(symbol string) grid.Unit {
	switch symbol {
	case "B":
		return grid.Bytes
	case "":
		return pane.Integer
	}
	return grid.Unit{Symbol: symbol}
}
