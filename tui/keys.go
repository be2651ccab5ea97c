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
	pane.Action        // its Do is that of pane or overlay; the table's is do
	mode        string // where the keys are in force
	do          func(*app)
	word        func(*app) string // the hint as it stands; nil: Hint
	bothNow     func(*app) string // Both as it stands; nil: Both
	keysNow     func(*app) string // keys that depend on what is shown; nil: Keys
	other       *binding          // of the name Other; nil: none
}

// keyTable is the one table of keys, made once of the screen's own actions, the
// generic ones, those of panes, and those of overlays. A key has one meaning in
// a mode. The footer shows hints in this order, as many as fit.
var keyTable []binding

// hints are the lines of the table that the footer shows, by mode, and tail
// those that stand at the end on the screen.
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
	tail = [...]*binding{named(overlay.OnScreen, "mouse"), named(overlay.OnScreen, "help"), named(overlay.OnScreen, "quit")}
}

func makeTable() []binding {
	own := screenActions()
	all := slices.Concat(own.turning, openers(true), own.running, zooms(), own.looking, paneActions(), own.choosing, openers(false), own.leaving)
	for _, s := range overlayreg.Overlays {
		for _, b := range overlayKeys(&s) {
			if !slices.ContainsFunc(all, func(o binding) bool { return o.mode == b.mode && o.Name == b.Name }) {
				all = append(all, b) // pages share a mode
			}
		}
	}
	return all
}

// openers are the actions that open overlays.
func openers(first bool) (all []binding) {
	for i, s := range overlayreg.Overlays {
		if s.First == first {
			all = append(all, binding{Action: s.Open, mode: overlay.OnScreen, do: func(a *app) { a.toggle(i) }})
		}
	}
	return all
}

// paneActions are the generic ones, and those that panes have for themselves.
func paneActions() (all []binding) {
	add := func(x pane.Action) {
		all = append(all, binding{Action: x, mode: overlay.OnScreen, do: func(a *app) { a.ask(x.Name) }})
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

// overlayKeys are the keys of an overlay's mode: every other one types.
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

// lineKeys are the keys of a line that is typed.
func lineKeys(mode string) (all []binding) {
	change := func(f func(*grid.Line)) func(*app) { return func(a *app) { a.edit(f) } }
	move := func(n int) func(*app) { return func(a *app) { a.over.Line().Move(n) } }
	for _, x := range []struct {
		name, doc string
		do        func(*app)
		keys      []string
	}{
		{"erase", "erase the character before the cursor", change(func(l *grid.Line) { l.Erase(-1) }), []string{"backspace"}},
		{"erase-next", "erase the character behind the cursor", change(func(l *grid.Line) { l.Erase(+1) }), []string{"delete"}},
		{"erase-all", "erase the line", change((*grid.Line).Clear), []string{"ctrl+u"}},
		{"cursor-left", "move the cursor left", move(-1), []string{"left"}},
		{"cursor-right", "move the cursor right", move(+1), []string{"right"}},
		{"cursor-home", "move the cursor to the beginning", move(-grid.LongestLine), []string{"home", "ctrl+a"}},
		{"cursor-end", "move the cursor to the end", move(+grid.LongestLine), []string{"end", "ctrl+e"}},
	} {
		all = append(all, binding{Action: pane.Action{Name: x.name, Keys: x.keys, Doc: x.doc}, mode: mode, do: x.do})
	}
	return all
}

// find gives the binding of a key in a mode and in those that it falls back to,
// or nil.
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

// named gives the binding of an action's name in a mode, or nil.
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

// label is how a key is written on the screen.
func label(key string) string {
	if l, ok := keyLabels[key]; ok {
		return l
	}
	return key
}

// keysOf are the keys of a binding as they are at present.
func (a *app) keysOf(b *binding) string {
	if b.keysNow != nil {
		return b.keysNow(a)
	}
	return b.labels()
}

// labels are the keys of a binding as they are written on the screen.
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

// onMouse is the mode of what the mouse does, for those that list it.
const onMouse = "with the mouse"

// mouse is what the mouse does: its buttons are no keys.
var mouse = []struct{ what, name, doc string }{
	{"click", "mouse-focus", "focus a pane, or what is under the mouse in it; once more: show the pane alone, or all panes"},
	{"click", "mouse-knob", "select a knob; on its arrows ◂ ▸, turn it"},
	{"click", "mouse-hint", "do what a word in the last line says; of a pair of keys, the first sign is the other direction"},
	{"click", "mouse-list", "select a row of a list; once more: take it"},
	{"wheel", "mouse-scroll", "scroll what is under the mouse, or select in a list; on a chart over time, a longer or shorter time; it never changes a knob"},
	{"ctrl+wheel", "mouse-turn", "turn the knob under the mouse; with alt or shift too, as the terminal lets them pass"},
}
