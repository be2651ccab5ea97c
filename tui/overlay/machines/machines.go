package machines

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "machines", Keys: []string{"o"}, Doc: "choose the machine to run on, with its facts and their sources", Hint: "machines"},
	Mode: "in the machines", Knob: knob,
	New: func(h *overlay.Host) overlay.Overlay { return &picker{h: h} },
}

const knob = "machine"

type picker struct {
	overlay.Plain
	h     *overlay.Host
	line  grid.Line
	list  overlay.List
	top   int                   // rows that the facts are scrolled
	facts grid.Rect             // where they were drawn, on the screen
	read  map[string]*described // the machines, as they were when the list was opened
}

// described is a machine as its file tells it, or what was wrong with the file.
type described struct {
	machine cluster.Machine
	tally   presets.Tally
	err     error
}

// sketchMark stands behind the name of a machine of which too much is assumed.
const sketchMark = " sketch"

// describe reads a machine.
func (o *picker) describe(name string) *described {
	for i := range o.h.Machines {
		if o.h.Machines[i].Name == name {
			return &described{machine: o.h.Machines[i], tally: presets.Count(&o.h.Machines[i])}
		}
	}
	m, err := presets.Machine(name)
	return &described{m, presets.Count(&m), err}
}

// Open selects the present machine.
func (o *picker) Open() bool {
	k, err := o.h.Panel.Scenario.Knob(knob)
	if err != nil {
		return false
	}
	o.line.Clear()
	o.Retyped()
	if skipped := presets.SkippedMachines(); len(skipped) > 0 {
		o.h.Say("skipped: " + skipped[0].Err.Error())
	}
	o.read = make(map[string]*described, len(k.Choices))
	for i, name := range k.Choices {
		o.read[name] = o.describe(name)
		if name == o.h.Asked(knob) {
			o.list.At = i
		}
	}
	return true
}

func (o *picker) Line() *grid.Line { return &o.line }

func (o *picker) Retyped() { o.list.At, o.top = 0, 0 }

func (o *picker) Actions() []pane.Action {
	return []pane.Action{
		{Name: "take", Keys: []string{"enter"}, Doc: "take the selected machine", Hint: "take", Do: func(*pane.Host) { o.take() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the machine above", Do: func(*pane.Host) { o.move(-1) }},
		{Name: "down", Keys: []string{"down", "tab"}, Doc: "select the machine below", Hint: "select", Both: "↑↓", Other: "up", Do: func(*pane.Host) { o.move(+1) }},
		{Name: "facts-up", Keys: []string{"pgup"}, Doc: "scroll the facts up", Do: func(*pane.Host) { o.scroll(-8) }},
		{Name: "facts-down", Keys: []string{"pgdown"}, Doc: "scroll the facts down", Hint: "facts", Both: "pgup/dn", Do: func(*pane.Host) { o.scroll(+8) }},
		{Name: "close", Keys: []string{"esc"}, Doc: "close the machines", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
	}
}

// offers are the machines that have every word that is typed in name or title.
func (o *picker) offers() []string {
	k, err := o.h.Panel.Scenario.Knob(knob)
	if err != nil {
		return nil
	}
	words := strings.Fields(strings.ToLower(o.line.String()))
	var fit []string
	for _, name := range k.Choices {
		if o.read[name] == nil { // the list has grown since
			o.read[name] = o.describe(name)
		}
		text := strings.ToLower(name + " " + o.read[name].machine.Title)
		if overlay.Fits(text, words) {
			fit = append(fit, name)
		}
	}
	return fit
}

func (o *picker) move(by int) {
	o.list.Move(by, len(o.offers()))
	o.top = 0
}

// scroll moves the facts; Draw stops at their end.
func (o *picker) scroll(by int) { o.top = max(o.top+by, 0) }

// take asks for the selected machine.
func (o *picker) take() {
	if name := o.Offer(); name != "" {
		o.h.Close()
		o.h.Set(knob, name)
	}
}

// Offer is the selected machine.
func (o *picker) Offer() string {
	if all := o.offers(); o.list.At < len(all) {
		return all[o.list.At]
	}
	return ""
}

// Click selects a machine; a second click takes it.
func (o *picker) Click(x, y int) {
	i, ok := o.list.Row(x, y)
	switch {
	case ok && o.list.At == i:
		o.take()
	case ok:
		o.list.At, o.top = i, 0
	}
}

func (o *picker) Wheel(x, y, by int) {
	if _, ok := o.list.Row(x, y); ok {
		o.move(-by)
	} else if o.facts.Contains(x, y) {
		o.scroll(-3 * by)
	}
}

func (o *picker) Draw(body grid.View) {
	th := o.h.Theme
	v := overlay.Box(body, overlay.Middle(body, 110, 44), "Machines", "type to search, enter takes", th)
	v.Text(0, 0, "/", th.Accent)
	o.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	all := o.offers()
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no machine fits", grid.Center, th.Dim)
		return
	}
	_, rest := v.Local().CutTop(1)
	list, facts := rest, rest
	if v.W() >= 60 {
		wide := 0
		for _, name := range all {
			n := grid.Width(name)
			if o.read[name].tally.Sketch() {
				n += grid.Width(sketchMark)
			}
			wide = max(wide, n)
		}
		list, facts = rest.CutLeft(min(wide+3, v.W()/3))
	} else {
		list, facts = rest.CutTop(min(len(all), max(rest.H/3, 2)))
	}
	list.W--
	o.list.Draw(v.Sub(list), len(all), th, func(i int, row grid.View, selected bool) {
		name, st := all[i], th.Text
		w := row.W() - 1
		if o.read[name].tally.Sketch() {
			w -= grid.Width(sketchMark)
			row.Text(1+w, 0, sketchMark, th.Warning)
		}
		if name == o.h.Asked(knob) {
			st = th.Accent
		}
		if selected {
			row.Rune(0, 0, '▸', th.Selected)
			st = th.Selected
		}
		row.TextIn(1, 0, w, name, grid.Left, st)
	})
	o.drawFacts(v.Sub(facts), o.read[all[min(o.list.At, len(all)-1)]])
}

// drawFacts tells what a machine's file says.
func (o *picker) drawFacts(v grid.View, d *described) {
	th := o.h.Theme
	o.facts = v.Rect()
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1})}
	factsText(&measure, d, th)
	most := max(0, measure.Y-v.H())
	o.top = min(o.top, most)
	factsText(&grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1, H: v.H()}), Y: -o.top}, d, th)
	if o.top > 0 {
		v.Rune(v.W()-1, 0, '▴', th.Accent)
	}
	if o.top < most {
		v.Rune(v.W()-1, v.H()-1, '▾', th.Accent)
	}
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
	t, known := &d.tally, th.Dim
	text := fmt.Sprintf("%d sourced, %d derived, %d fitted, %d assumed", t.Sourced, t.Derived, t.Fitted, t.Assumed)
	if t.Sketch() {
		text, known = text+": a sketch", th.Warning
	}
	f.Text(text, known)
	f.Y++
	for _, fact := range presets.Facts(m) {
		st := th.Text
		if fact.Value == nil {
			st = th.Dim
		}
		f.Pair(fact.Key, factText(&fact), th.Dim, st)
		source := th.Dim
		text := fact.Source
		switch fact.Kind() {
		case presets.Assumed:
			source = th.Warning
		case presets.Unknown:
			text = fact.Words()
		}
		f.Text("  "+text, source)
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
