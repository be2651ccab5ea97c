package scenarios

import (
	"strings"

	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = overlay.Spec{
	Open: pane.Action{Name: "scenarios", Keys: []string{"O"}, Doc: "choose a scenario to run: what it shows, what to watch, which paper"},
	Mode: "in the scenarios",
	New:  func(h *overlay.Host) overlay.Overlay { return &picker{h: h} },
}

type picker struct {
	overlay.Plain
	h    *overlay.Host
	line grid.Line
	list overlay.List
	all  []presets.Scenario // as they were when the list was opened
	top  int                // rows that the words are scrolled
	at   grid.Rect          // where these were drawn, on the screen
}

// Open reads the scenarios.
func (o *picker) Open() bool {
	var skipped []error
	o.all, skipped = o.h.Scenarios()
	if len(skipped) > 0 {
		o.h.Say("skipped: " + skipped[0].Error())
	}
	o.line.Clear()
	o.Retyped()
	return true
}

func (o *picker) Line() *grid.Line { return &o.line }

func (o *picker) Retyped() { o.list.At, o.top = 0, 0 }

func (o *picker) Actions() []pane.Action {
	return []pane.Action{
		{Name: "take", Keys: []string{"enter"}, Doc: "run the selected scenario", Hint: "run", Do: func(*pane.Host) { o.take() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the scenario above", Do: func(*pane.Host) { o.move(-1) }},
		{Name: "down", Keys: []string{"down", "tab"}, Doc: "select the scenario below", Hint: "select", Both: "↑↓", Other: "up", Do: func(*pane.Host) { o.move(+1) }},
		{Name: "words-up", Keys: []string{"pgup"}, Doc: "scroll the words up", Do: func(*pane.Host) { o.scroll(-4) }},
		{Name: "words-down", Keys: []string{"pgdown"}, Doc: "scroll the words down", Hint: "scroll", Both: "pgup/dn", Do: func(*pane.Host) { o.scroll(+4) }},
		{Name: "close", Keys: []string{"esc"}, Doc: "close the scenarios", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
	}
}

// offers are the scenarios that have every word that is typed.
func (o *picker) offers() []presets.Scenario {
	words := strings.Fields(strings.ToLower(o.line.String()))
	var fit []presets.Scenario
	for _, s := range o.all {
		text := strings.ToLower(strings.Join([]string{s.Name, s.Title, s.Workload, s.Paper, s.Watch}, " "))
		if overlay.Fits(text, words) {
			fit = append(fit, s)
		}
	}
	return fit
}

func (o *picker) move(by int) {
	o.list.Move(by, len(o.offers()))
	o.top = 0
}

// scroll moves the words; Draw stops at their end.
func (o *picker) scroll(by int) { o.top = max(o.top+by, 0) }

func (o *picker) take() {
	if name := o.Offer(); name != "" {
		o.h.Close()
		if err := o.h.Load(name); err != nil {
			o.h.Say(err.Error())
		}
	}
}

// Offer is the selected scenario.
func (o *picker) Offer() string {
	if all := o.offers(); o.list.At < len(all) {
		return all[o.list.At].Name
	}
	return ""
}

// Click selects a scenario; a second click takes it.
func (o *picker) Click(x, y int) {
	i, ok := o.list.Row(x, y)
	switch {
	case !ok:
	case o.list.At == i:
		o.take()
	default:
		o.list.At, o.top = i, 0
	}
}

func (o *picker) Wheel(x, y, by int) {
	if _, ok := o.list.Row(x, y); ok {
		o.move(-by)
	} else if o.at.Contains(x, y) {
		o.scroll(-by)
	}
}

func (o *picker) Draw(body grid.View) {
	th := o.h.Theme
	v := overlay.Box(body, overlay.Middle(body, 110, 36), "Scenarios", "type to search, enter runs", th)
	v.Text(0, 0, "/", th.Accent)
	o.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	all := o.offers()
	if len(all) == 0 {
		v.TextIn(0, 2, v.W(), "no scenario fits", grid.Center, th.Dim)
		return
	}
	_, rest := v.Local().CutTop(1)
	list, words := rest, rest
	if v.W() >= 60 {
		wide := 0
		for i := range all {
			wide = max(wide, grid.Width(all[i].Name))
		}
		list, words = rest.CutLeft(min(wide+3, v.W()/3))
	} else {
		list, words = rest.CutTop(min(len(all), max(rest.H/3, 2)))
	}
	list.W--
	o.list.Draw(v.Sub(list), len(all), th, func(i int, row grid.View, selected bool) {
		st := th.Text
		if selected {
			row.Rune(0, 0, '▸', th.Selected)
			st = th.Selected
		}
		row.TextIn(1, 0, row.W()-1, all[i].Name, grid.Left, st)
	})
	o.words(v.Sub(words), &all[min(o.list.At, len(all)-1)])
}

// words tells what a scenario's file says.
func (o *picker) words(v grid.View, s *presets.Scenario) {
	th := o.h.Theme
	o.at = v.Rect()
	write := func(f *grid.Flow) {
		f.Text(s.Title, th.Title)
		f.Text(s.Workload+orNothing("; ", s.Paper), th.Dim)
		if s.Watch != "" {
			f.Y++
			f.Text(s.Watch, th.Text)
		}
		f.Y++
		for _, k := range s.Knobs {
			f.Pair(k.Name, k.Value, th.Dim, th.Text)
		}
		if s.Pane != "" {
			f.Text("opens the pane "+s.Pane, th.Dim)
		}
	}
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1})}
	write(&measure)
	most := max(0, measure.Y-v.H())
	o.top = min(o.top, most)
	write(&grid.Flow{V: v.Sub(grid.Rect{W: v.W() - 1, H: v.H()}), Y: -o.top})
	if o.top > 0 {
		v.Rune(v.W()-1, 0, '▴', th.Accent)
	}
	if o.top < most {
		v.Rune(v.W()-1, v.H()-1, '▾', th.Accent)
	}
}

func orNothing(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
