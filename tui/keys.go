package tui

import (
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	overlayreg "github.com/hybridtop/hybridtop/tui/overlay/all"
	"github.com/hybridtop/hybridtop/tui/pane"
	panereg "github.com/hybridtop/hybridtop/tui/pane/all"
)

// binding is one line of the key table.
type binding struct {
	pane.Action        // its Do belongs to a pane or an overlay; the table calls do
	mode        string // where the keys are active
	do          func(*app)
	word        func(*app) string // the current hint; nil: Hint
	bothNow     func(*app) string // the current Both; nil: Both
	keysNow     func(*app) string // the current keys, if they depend on the screen; nil: Keys
	other       *binding          // the binding named by Other; nil: none
	typing      bool              // edits an input line
	offered     func(*app) bool   // whether the footer shows the hint now; nil: always
}

// keyTable is the only table of keys. It joins the actions of the screen, the generic actions, and
// the actions of panes and overlays. A key has one meaning per mode. The footer shows hints in this
// order, as many as fit.
var keyTable []binding

// hints holds the bindings that the footer shows, by mode. tail holds the last three of the mode
// "on the screen".
var (
	hints map[string][]*binding
	tail  [3]*binding
)

func init() {
	keyTable = makeTable()
	hints = map[string][]*binding{}
	for i := range keyTable {
		b := &keyTable[i]
		b.other = named(b.mode, b.Other)
		if b.Hint != "" {
			hints[b.mode] = append(hints[b.mode], b)
		}
	}
	tail = [...]*binding{named(overlay.OnScreen, "mouse"), named(overlay.OnScreen, "help"),
		named(overlay.OnScreen, "quit")}
}

func makeTable() []binding {
	actions := screenActions()
	all := slices.Concat(actions.knobs, openers(true), actions.run, zooms(), actions.view, paneActions(),
		actions.workload, openers(false), actions.rest)
	all = append(all, teachingKeys()...)
	for _, s := range overlayreg.Overlays {
		for _, b := range overlayKeys(&s) {
			if !slices.ContainsFunc(all, func(o binding) bool { return o.mode == b.mode && o.Name == b.Name }) {
				all = append(all, b) // pages share one mode
			}
		}
	}
	return all
}

// openers returns the actions that open overlays.
func openers(first bool) (all []binding) {
	for i, s := range overlayreg.Overlays {
		if s.First == first {
			b := binding{Action: s.Open, mode: overlay.OnScreen, do: func(a *app) { a.toggle(i) }}
			if s.Changes {
				b.offered = func(a *app) bool { return a.replay == nil }
			}
			all = append(all, b)
		}
	}
	return all
}

// paneActions returns the generic actions of panes and the actions of single panes.
func paneActions() (all []binding) {
	add := func(x pane.Action) {
		all = append(all, binding{Action: x, mode: overlay.OnScreen, do: func(a *app) { a.runAction(x.Name) }})
	}
	for _, x := range pane.Generic {
		add(x)
	}
	for _, s := range panereg.Panes {
		for _, x := range s.New().Actions() {
			if len(x.Keys) > 0 {
				add(x)
			}
		}
	}
	return all
}

// overlayKeys returns the keys of an overlay's mode. Every other key types text.
func overlayKeys(s *overlay.Spec) (all []binding) {
	o := s.New(&overlay.Host{})
	if o.Line() != nil {
		all = lineKeys(s.Mode)
	}
	for _, x := range o.Actions() {
		all = append(all, binding{Action: x, mode: s.Mode, do: func(a *app) { a.actOver(x.Name) }})
	}
	return all
}

// lineKeys returns the keys of an input line.
func lineKeys(mode string) (all []binding) {
	for _, e := range grid.Edits() {
		all = append(all, binding{Action: pane.Action{Name: e.Name, Keys: e.Keys, Doc: e.Doc}, mode: mode, typing: true, do: func(a *app) {
			a.edit(func(l *grid.Line) { l.Press(e.Keys[0]) })
		}})
	}
	return all
}

// find returns the binding of a key in the first of the modes that has one, or nil.
func find(modes []string, key string) *binding {
	for _, m := range modes {
		for i := range keyTable {
			if b := &keyTable[i]; b.mode == m && slices.Contains(b.Keys, key) {
				return b
			}
		}
	}
	return nil
}

// named returns the binding of an action in a mode, or nil.
func named(mode, action string) *binding {
	for i := range keyTable {
		if b := &keyTable[i]; b.mode == mode && b.Name == action {
			return b
		}
	}
	return nil
}

var keyLabels = map[string]string{
	"left": "←", "right": "→", "up": "↑", "down": "↓", "pgdown": "pgdn",
}

// label returns the text for a key on the screen.
func label(key string) string {
	if l, ok := keyLabels[key]; ok {
		return l
	}
	return key
}

// keysOf returns the current keys of a binding.
func (a *app) keysOf(b *binding) string {
	if b.keysNow != nil {
		return b.keysNow(a)
	}
	return b.labels()
}

// labels returns the text for all keys of a binding.
func (b *binding) labels() string {
	if n := len(b.Keys); n > 3 {
		return label(b.Keys[0]) + "-" + label(b.Keys[n-1])
	}
	all := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		all[i] = label(k)
	}
	return strings.Join(all, " ")
}

// onMouse is the mode of mouse actions, for overlays that list them.
const onMouse = "with the mouse"

// mouse lists the mouse actions. They are not in the key table, because buttons are not keys.
var mouse = []struct{ what, name, doc string }{
	{"click", "mouse-focus", "focus a pane, or select the item under the mouse; again: show the pane alone, or all panes"},
	{"click", "mouse-knob", "select a knob; on its arrows ◂ ▸: change it"},
	{"click", "mouse-hint", "run an action of the last line; in a pair of keys, the first character is the " +
		"opposite action"},
	{"click", "mouse-list", "select a row of a list; again: choose it"},
	{"wheel", "mouse-scroll", "scroll, or select in a list; on a chart over time, show a longer or shorter time; " +
		"never changes a knob"},
	{"ctrl+wheel", "mouse-turn", "change the knob under the mouse; alt or shift work too, if the terminal passes them"},
}
