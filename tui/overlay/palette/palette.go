package palette

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = overlay.Spec{
	Open:  pane.Action{Name: "command", Keys: []string{":"}, Doc: "open the command line", Hint: "command"},
	First: true,
	Mode:  "in the command line",
	New:   func(h *overlay.Host) overlay.Overlay { return &palette{h: h} },
}

type palette struct {
	overlay.Plain
	h       *overlay.Host
	line    grid.Line
	list    overlay.List
	chosen  bool               // the selected offer was chosen by hand
	fault   string             // what was wrong with the command
	files   []presets.Scenario // that can be loaded, as they were when it was opened
	history []string
	recent  int // place in the history that recall has fetched
}

func (o *palette) Open() bool {
	o.line.Clear()
	o.recent = len(o.history)
	o.Retyped()
	o.files, _ = o.h.Scenarios()
	return true
}

func (o *palette) Line() *grid.Line { return &o.line }

// Retyped begins anew at the best fit.
func (o *palette) Retyped() { o.list.At, o.chosen, o.fault = 0, false, "" }

func (o *palette) Actions() []pane.Action {
	return []pane.Action{
		{Name: "run", Keys: []string{"enter"}, Doc: "run the command", Hint: "run", Do: func(*pane.Host) { o.run() }},
		{Name: "complete", Keys: []string{"tab"}, Doc: "complete to the selected command", Hint: "complete", Do: func(*pane.Host) { o.complete() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the command above", Do: func(*pane.Host) { o.move(-1) }},
		{Name: "down", Keys: []string{"down"}, Doc: "select the command below", Hint: "select", Both: "↑↓", Other: "up", Do: func(*pane.Host) { o.move(+1) }},
		{Name: "older", Keys: []string{"ctrl+p"}, Doc: "fetch an older command", Hint: "older", Do: func(*pane.Host) { o.recall(-1) }},
		{Name: "newer", Keys: []string{"ctrl+n"}, Doc: "fetch a newer command", Do: func(*pane.Host) { o.recall(+1) }},
		{Name: "close", Keys: []string{"esc"}, Doc: "close the command line", Hint: "close", Do: func(*pane.Host) { o.h.Close() }},
	}
}

// offers are the commands that fit what is typed, the best first.
func (o *palette) offers() []entry {
	q := o.line.String()
	return overlay.Rank(o.entries(q), q, func(e entry) string { return e.text })
}

// move selects another offer; the first step down takes the first one, which enter
// would not have run unless it is what is typed.
func (o *palette) move(by int) {
	all := len(o.offers())
	if o.chosen || o.runs(0) {
		o.list.Move(by, all)
	}
	o.chosen = all > 0
}

// runs says that enter runs an offer.
func (o *palette) runs(i int) bool {
	if o.chosen {
		return i == o.list.At
	}
	e, err := o.command(o.typed())
	all := o.offers()
	return err == nil && i < len(all) && e.text == all[i].text
}

// typed is the line in single blanks.
func (o *palette) typed() string { return strings.Join(strings.Fields(o.line.String()), " ") }

// complete types the selected offer out.
func (o *palette) complete() {
	if all := o.offers(); o.list.At < len(all) {
		e := all[o.list.At]
		if e.more {
			e.text += " "
		}
		o.line.Put(e.text)
		o.Retyped()
	}
}

// recall fetches an earlier command.
func (o *palette) recall(by int) {
	if len(o.history) == 0 {
		return
	}
	o.recent = min(max(o.recent+by, 0), len(o.history))
	if o.recent == len(o.history) {
		o.line.Clear()
	} else {
		o.line.Put(o.history[o.recent])
	}
	o.Retyped()
}

// run runs what is typed: a whole command, or else the selected offer. A
// command that cannot be run stays on the line, with the reason.
func (o *palette) run() {
	e, err := o.command(o.typed())
	if err == nil && e.more {
		o.line.Put(e.text + " ")
		o.Retyped()
		return
	}
	if err == nil && e.try != nil {
		err = e.try()
	}
	if err != nil {
		o.fault = err.Error()
		return
	}
	o.h.Close()
	if e.run != nil {
		e.run()
	}
	o.history = slices.DeleteFunc(o.history, func(s string) bool { return s == e.text })
	o.history = append(o.history, e.text)
}

// command finds what a text asks for, or the offer that was chosen: a command as it
// is written, or the only one that begins so. "group 8" and "set group=8" are read as
// "set group 8".
func (o *palette) command(text string) (entry, error) {
	all := o.offers()
	if o.chosen && o.list.At < len(all) {
		return all[o.list.At], nil
	}
	for _, c := range []struct {
		head string
		take func(text, rest string) entry
	}{
		{"picture ", o.picture}, {"capture ", o.capture}, {"seek ", o.seek}, {"save ", o.save},
		{"load ", func(_, name string) entry {
			var names []string
			for _, p := range o.files {
				names = append(names, p.Name)
			}
			return o.load(begun(name, names), "")
		}},
	} {
		if rest, ok := strings.CutPrefix(text, c.head); ok {
			return c.take(text, rest), nil
		}
	}
	words := strings.Fields(strings.Replace(text, "=", " ", 1))
	if len(words) > 0 && words[0] == "set" {
		words = words[1:]
	}
	if len(words) == 2 {
		if k, err := o.h.Panel.Scenario.Knob(words[0]); err == nil && k.Name != "" {
			return o.set(k.Name, begun(words[1], k.Choices), k.Unit), nil
		} else if strings.HasPrefix(text, "set ") && words[0] != "workload" {
			return entry{}, err
		}
	}
	var fit []entry
	for _, e := range o.entries(text) {
		for _, form := range []string{e.text, strings.TrimPrefix(e.text, "set ")} {
			if form == text {
				return e, nil
			}
			if text != "" && strings.HasPrefix(form, text) && !slices.ContainsFunc(fit, func(o entry) bool { return o.text == e.text }) {
				fit = append(fit, e)
			}
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return entry{}, fmt.Errorf("%q begins %s and %s%s: type more, or choose with ↑↓", text, fit[0].text, fit[1].text, others(len(fit)-2))
	case text == "":
		return entry{}, errors.New("type a command, or choose with ↑↓")
	case len(all) > 0:
		return entry{}, fmt.Errorf("no command begins with %q; tab takes %s, ↑↓ chooses", text, all[0].text)
	}
	return entry{}, fmt.Errorf("no command fits %q", text)
}

func others(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// begun is the only choice that begins so, or else the text.
func begun(text string, choices []string) string {
	found := text
	for _, c := range choices {
		switch {
		case c == text:
			return text
		case !strings.HasPrefix(c, text):
		case found != text:
			return text
		default:
			found = c
		}
	}
	return found
}

func (o *palette) Offer() string {
	if o.fault != "" {
		return o.fault
	}
	if all := o.offers(); o.list.At < len(all) {
		return all[o.list.At].text
	}
	return ""
}

func (o *palette) Click(x, y int) {
	if i, ok := o.list.Row(x, y); ok {
		o.list.At, o.chosen = i, true
		o.run()
	}
}

func (o *palette) Wheel(x, y, by int) {
	if _, ok := o.list.Row(x, y); ok {
		o.move(-by)
	}
}

// Draw shows the command line and what it offers.
func (o *palette) Draw(body grid.View) {
	th, all := o.h.Theme, o.offers()
	rows := min(len(all), 12) + 3
	if o.fault != "" {
		rows += 2
	}
	r := overlay.Middle(body, 76, max(rows, 6))
	r.Y = min(r.Y, 2)
	v := overlay.Box(body, r, "Command", "tab completes, enter runs", th)
	v.Text(0, 0, ":", th.Accent)
	o.line.Draw(v.Sub(grid.Rect{X: 2, W: v.W() - 2, H: 1}), th)
	y := 1
	if o.fault != "" {
		f := grid.Flow{V: v.Sub(grid.Rect{X: 2, Y: 1, W: v.W() - 2, H: 2})}
		f.Text("✗ "+o.fault, th.Error)
		y += min(f.Y, 2)
	}
	o.list.None = !o.runs(o.list.At)
	o.list.Draw(v.Sub(grid.Rect{Y: y, W: v.W(), H: v.H() - y}), len(all), th, func(i int, row grid.View, selected bool) {
		e := &all[i]
		name, doc, key := th.Text, th.Dim, th.Accent
		if selected {
			name, doc, key = th.Selected, th.Selected, th.Selected
		}
		n := row.TextIn(2, 0, row.W()/2, e.text, grid.Left, name)
		row.TextIn(max(26, n+4), 0, row.W()-max(26, n+4)-13, e.doc, grid.Left, doc)
		row.TextIn(row.W()-12, 0, 12, e.keys, grid.Right, key)
	})
}
