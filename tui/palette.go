package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// palette is the command line: every action by its name, knobs as "set group
// 8", workloads, themes, pictures.
type palette struct {
	line    grid.Line
	at      int
	fault   string // what was wrong with the command
	history []string
	recent  int // place in the history that recall has fetched
}

// entry is one command that the palette offers.
type entry struct {
	text string // what is typed
	doc  string
	keys string
	more bool // a value has to follow
	run  func(*app) error
}

func (p *palette) open() {
	p.line.Clear()
	p.recent = len(p.history)
	p.retyped()
}

// retyped begins anew at the best fit.
func (p *palette) retyped() { p.at, p.fault = 0, "" }

// entries are all commands that there are while query is typed: the values of
// a knob are offered once it is named.
func (a *app) entries(query string) []entry {
	var all []entry
	for i := range keyTable {
		if b := &keyTable[i]; b.in == onScreen {
			all = append(all, entry{text: b.name, doc: b.doc, keys: b.labels(), run: func(a *app) error { b.do(a); return nil }})
		}
	}
	for i := range a.Panel.Scenario.Table {
		k := &a.Panel.Scenario.Table[i]
		head := "set " + k.Name
		all = append(all, entry{text: head, doc: k.Doc + ", now " + a.Asked(k.Name), more: true})
		if strings.HasPrefix(query, head) {
			for _, c := range k.Choices {
				all = append(all, setEntry(k.Name, c, k.Unit))
			}
		}
	}
	for _, w := range workload.All() {
		all = append(all, entry{text: "workload " + w.Name, doc: w.Title, run: func(a *app) error { a.setWorkload(w.Name); return nil }})
	}
	all = append(all, entry{text: "picture", doc: "write the screen to a file, as .svg or .png", more: true})
	for _, th := range grid.Themes() {
		all = append(all, entry{text: "theme " + th.Name, doc: "use this theme", run: func(a *app) error { a.chooseTheme(th.Name); return nil }})
	}
	return all
}

func setEntry(knob, value, unit string) entry {
	return entry{text: "set " + knob + " " + value, doc: strings.TrimSpace(value + " " + unit), run: func(a *app) error {
		a.Panel.Fault = pane.Fault{}
		if !a.Set(knob, value) {
			return fmt.Errorf("%s", a.Panel.Fault.Text)
		}
		return nil
	}}
}

func pictureEntry(text, file string) entry {
	return entry{text: text, run: func(a *app) error {
		if err := PictureName(file); err != nil {
			return err
		}
		a.picture = file
		return nil
	}}
}

// offers are the commands that fit what is typed, the best first.
func (p *palette) offers(a *app) []entry {
	q := p.line.String()
	return rank(a.entries(q), q, func(e entry) string { return e.text })
}

func (p *palette) move(a *app, by int) {
	p.at = min(max(p.at+by, 0), max(0, len(p.offers(a))-1))
}

// complete types the selected offer out.
func (p *palette) complete(a *app) {
	if all := p.offers(a); p.at < len(all) {
		e := all[p.at]
		if e.more {
			e.text += " "
		}
		p.line.Put(e.text)
		p.retyped()
	}
}

// recall fetches an earlier command.
func (p *palette) recall(by int) {
	if len(p.history) == 0 {
		return
	}
	p.recent = min(max(p.recent+by, 0), len(p.history))
	if p.recent == len(p.history) {
		p.line.Clear()
	} else {
		p.line.Put(p.history[p.recent])
	}
	p.retyped()
}

// runPalette runs what is typed: a whole command, or else the selected offer.
func (a *app) runPalette() {
	p := &a.palette
	e, err := a.command(strings.Join(strings.Fields(p.line.String()), " "))
	if err == nil && e.more {
		p.complete(a)
		return
	}
	if err == nil {
		a.closeOverlay()
		if err = e.run(a); err != nil {
			a.over = paletteOverlay
		}
	}
	if err != nil {
		p.fault = err.Error()
		return
	}
	p.history = slices.DeleteFunc(p.history, func(s string) bool { return s == e.text })
	p.history = append(p.history, e.text)
}

// command finds what a text asks for, or the offer that was chosen. "group 8" and "set group=8" are read as
// "set group 8".
func (a *app) command(text string) (entry, error) {
	if all := a.palette.offers(a); a.palette.at > 0 && a.palette.at < len(all) {
		return all[a.palette.at], nil // chosen by hand
	}
	if file, ok := strings.CutPrefix(text, "picture "); ok {
		return pictureEntry(text, file), nil
	}
	words := strings.Fields(strings.Replace(text, "=", " ", 1))
	if len(words) > 0 && words[0] == "set" {
		words = words[1:]
	}
	if len(words) == 2 {
		if k, err := a.latest.Scenario.Knob(words[0]); err == nil && k.Name != "" {
			return setEntry(words[0], words[1], k.Unit), nil
		} else if strings.HasPrefix(text, "set ") && words[0] != "workload" {
			return entry{}, err
		}
	}
	all, plain := a.palette.offers(a), strings.TrimPrefix(text, "set ")
	for _, e := range a.entries(text) {
		if e.text == text || e.text == plain {
			return e, nil
		}
	}
	if a.palette.at < len(all) {
		return all[a.palette.at], nil
	}
	return entry{}, fmt.Errorf("no command fits %q: tab completes, ↑↓ selects", text)
}
