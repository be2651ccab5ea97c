package palette

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry of the overlay.
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
	chosen  bool               // the user selected an entry
	fault   string             // error of the last command
	files   []presets.Scenario // scenarios that could be loaded when it was opened
	history []string           // recent commands, the newest first
	at      int                // position in the history, + 1; 0: the typed text
	recent  []entry            // commands of the history that can run now
}

func (o *palette) Open() bool {
	o.line.Clear()
	o.Retyped()
	o.files, _ = o.h.Scenarios()
	o.history, o.at, o.recent = o.h.Recent(), 0, nil
	for _, text := range o.history {
		if e, err := o.resolve(text); err == nil && e.text == text && !e.needsValue {
			if e.keys == "" {
				e.keys = "recent"
			}
			o.recent = append(o.recent, e)
		}
	}
	return true
}

func (o *palette) Line() *grid.Line { return &o.line }

// Retyped selects the best match again.
func (o *palette) Retyped() {
	o.list.At = 0
	o.chosen = false
	o.fault = ""
}

func (o *palette) Actions() []pane.Action {
	return []pane.Action{
		{Name: "run", Keys: []string{"enter"}, Doc: "run the command", Hint: "run", Do: func(*pane.Host) { o.run() }},
		{Name: "complete", Keys: []string{"tab"}, Doc: "complete to the selected command", Hint: "complete",
			Do: func(*pane.Host) { o.complete() }},
		{Name: "up", Keys: []string{"up"}, Doc: "select the command above", Do: func(*pane.Host) { o.move(-1) }},
		{Name: "down", Keys: []string{"down"}, Doc: "select the command below", Hint: "select", Both: "↑↓", Other: "up",
			Do: func(*pane.Host) { o.move(+1) }},
		{Name: "older", Keys: []string{"ctrl+p"}, Doc: "recall an older command", Hint: "older", Do: func(*pane.Host) {
			o.recall(-1)
		}},
		{Name: "newer", Keys: []string{"ctrl+n"}, Doc: "recall a newer command", Do: func(*pane.Host) { o.recall(+1) }},
		{Name: "close", Keys: []string{"esc"}, Doc: "close the command line", Hint: "close", Do: func(*pane.Host) {
			o.h.Close()
		}},
	}
}

// shownRecent is the maximum number of recent commands above the others.
const shownRecent = 5

// offers returns the commands that match the typed text: recent ones that contain all typed words, the newest
// first, then all others, best first.
func (o *palette) offers() []entry {
	q := o.line.String()
	words := strings.Fields(strings.ToLower(q))
	var all []entry
	for _, e := range o.recent {
		if len(all) < shownRecent && overlay.Fits(strings.ToLower(e.text), words) {
			all = append(all, e)
		}
	}
	recent := all
	for _, e := range overlay.Rank(o.entries(q), q, func(e entry) string { return e.text }) {
		if !slices.ContainsFunc(recent, func(r entry) bool { return r.text == e.text }) {
			all = append(all, e)
		}
	}
	return all
}

// move selects another command. The first step down selects the first one, unless enter would run
// it already.
func (o *palette) move(by int) {
	all := len(o.offers())
	if o.chosen || o.runs(0) {
		o.list.Move(by, all)
	}
	o.chosen = all > 0
}

// runs reports whether enter runs the command with number i.
func (o *palette) runs(i int) bool {
	if o.chosen {
		return i == o.list.At
	}
	e, err := o.command(o.typed())
	all := o.offers()
	return err == nil && i < len(all) && e.text == all[i].text
}

// typed returns the typed text with single blanks.
func (o *palette) typed() string { return strings.Join(strings.Fields(o.line.String()), " ") }

// complete replaces the typed text with the selected command.
func (o *palette) complete() {
	if all := o.offers(); o.list.At < len(all) {
		e := all[o.list.At]
		if e.needsValue {
			e.text += " "
		}
		o.line.Put(e.text)
		o.Retyped()
	}
}

// recall moves in the history by the given number of commands; −1 is an older one.
func (o *palette) recall(by int) {
	o.at = min(max(o.at-by, 0), len(o.history))
	if o.at == 0 {
		o.line.Clear()
	} else {
		o.line.Put(o.history[o.at-1])
	}
	o.Retyped()
}

// run runs the typed command or the selected one. A command that fails stays on the line, with the
// error.
func (o *palette) run() {
	e, err := o.command(o.typed())
	if err == nil && e.needsValue {
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
	o.h.Used(e.text)
}

// errUnknown is the error of a text that is not a command.
var errUnknown = errors.New("unknown command")

// command returns the selected command if the user selected one, otherwise the typed one.
func (o *palette) command(text string) (entry, error) {
	all := o.offers()
	if o.chosen && o.list.At < len(all) {
		return all[o.list.At], nil
	}
	e, err := o.resolve(text)
	if errors.Is(err, errUnknown) && len(all) > 0 {
		err = fmt.Errorf("%w: press tab for %s, or choose with ↑↓", err, all[0].text)
	}
	return e, err
}

// resolve returns the command that equals a text or is the only one that starts with it. "group 8" and
// "set group=8" mean "set group 8".
func (o *palette) resolve(text string) (entry, error) {
	for _, c := range []struct {
		head string
		take func(text, rest string) entry
	}{
		{"picture ", o.picture}, {"capture ", o.capture}, {"seek ", o.seek}, {"save ", o.save},
		{"what-if ", func(text, changes string) entry {
			return entry{text: text, try: func() error { return o.h.Explain(changes) }}
		}},
		{"decide ", o.ask("decide")}, {"pairs ", o.ask("pairs")}, {"advise ", o.ask("advise")},
		{"regret ", o.ask("regret")},
		{"load ", func(_, name string) entry {
			var names []string
			for _, p := range o.files {
				names = append(names, p.Name)
			}
			return o.load(completeChoice(name, names), "")
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
			value := words[1]
			if k.Type == engine.Choice || k.Type == engine.Places { // the choices of other types are only suggestions
				value = completeChoice(value, k.Choices)
			}
			return o.set(k.Name, value, k.Unit), nil
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
			if text != "" && strings.HasPrefix(form, text) && !slices.ContainsFunc(fit, func(o entry) bool {
				return o.text == e.text
			}) {
				fit = append(fit, e)
			}
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return entry{},
			fmt.Errorf("%q is ambiguous: %s, %s%s (type more, or choose with ↑↓)", text, fit[0].text, fit[1].text,
				moreWords(len(fit)-2))
	case text == "":
		return entry{}, errors.New("no command: type one, or choose with ↑↓")
	}
	if what, value, ok := strings.Cut(text, " "); ok && what != "set" {
		var values []string
		for _, e := range o.entries("") {
			if v, ok := strings.CutPrefix(e.text, what+" "); ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			return entry{}, unknownValue(what, value, values)
		}
	}
	return entry{}, fmt.Errorf("%w %q", errUnknown, text)
}

// faultW is the maximum width of an error with a list, which has two rows.
const faultW = 120

// unknownValue returns the error of a value that a command does not have. It lists as many values as fit.
func unknownValue(what, value string, values []string) error {
	text, near, n := fmt.Sprintf("unknown %s %.20q: want one of %s", what, value, values[0]), engine.DidYouMean(value, values), 1
	for n < len(values) && grid.Width(text+values[n]+near) < faultW {
		text += ", " + values[n]
		n++
	}
	return errors.New(text + moreWords(len(values)-n) + near)
}

func moreWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d more", n)
}

// completeChoice returns the only choice that starts with the text, or else the text.
func completeChoice(text string, choices []string) string {
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

// Draw draws the command line and the list of commands.
func (o *palette) Draw(body grid.View) {
	th, all := o.h.Theme, o.offers()
	rows := min(len(all), 12) + 3
	if o.fault != "" {
		rows += 2
	}
	r := overlay.Middle(body, 76, max(rows, 6))
	r.Y = min(r.Y, 2)
	v := overlay.Box(body, r, "Command", "tab complete, enter run", th)
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
		textStyle, docStyle, keyStyle := th.Text, th.Dim, th.Accent
		if selected {
			textStyle = th.Selected
			docStyle = th.Selected
			keyStyle = th.Selected
		}
		n := row.TextIn(2, 0, row.W()/2, e.text, grid.Left, textStyle)
		row.TextIn(max(26, n+4), 0, row.W()-max(26, n+4)-13, e.doc, grid.Left, docStyle)
		row.TextIn(row.W()-12, 0, 12, e.keys, grid.Right, keyStyle)
	})
}
