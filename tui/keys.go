package tui

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// mode is where a key means something. A key has one meaning in a mode,
// and keeps it in every other one where it means anything at all.
type mode uint8

const (
	everywhere mode = iota
	onScreen
	editing
	inHelp
	inPalette
	inPicker
	onPage
	modes
)

var modeNames = [modes]string{"everywhere", "on the screen", "typing a value", "in the help", "in the command line", "in the machines", "on a page"}

// falls tells where a mode looks for keys that it does not have itself.
var falls = [modes][]mode{
	everywhere: nil,
	onScreen:   {everywhere},
	editing:    {everywhere},
	inHelp:     {everywhere},
	inPalette:  {everywhere},
	inPicker:   {everywhere},
	onPage:     {onScreen, everywhere},
}

// binding is one line of the key table.
type binding struct {
	in   mode
	name string   // of the action, as the command line knows it
	keys []string // as Bubble Tea spells them
	doc  string   // what it does, without a full stop
	hint string   // in the footer; "": not there
	do   func(*app)
}

// keyTable is the one table of keys. The footer shows hints in this order, as
// many as fit. It is filled at the start because help and palette, which are
// actions of the table, read it.
var keyTable []binding

func init() { keyTable = slices.Concat(screenKeys(), lineKeys(), pageKeys()) }

func screenKeys() []binding {
	return []binding{
		{onScreen, "pause", []string{"space"}, "pause before the next iteration, or go on", "pause", (*app).togglePause},
		{onScreen, "turn-down", []string{"left"}, "turn the selected knob down", "", func(a *app) { a.Panel.Turn(-1) }},
		{onScreen, "turn-up", []string{"right"}, "turn the selected knob up", "change", func(a *app) { a.Panel.Turn(+1) }},
		{onScreen, "previous-knob", []string{"up", "shift+tab"}, "select the knob above", "", func(a *app) { a.Panel.Move(-1) }},
		{onScreen, "next-knob", []string{"down", "tab"}, "select the knob below", "knob", func(a *app) { a.Panel.Move(+1) }},
		{everywhere, "quit", []string{"ctrl+c"}, "quit", "", func(a *app) { a.quit = true }},
		{everywhere, "suspend", []string{"ctrl+z"}, "suspend the program, as the shell's job; fg goes on", "", func(a *app) { a.suspend = true }},
		{onScreen, "command", []string{":"}, "open the command line", "command", (*app).openPalette},
		{onScreen, "type-value", []string{"enter", "="}, "type a value for the selected knob; of the machine, choose from the list", "type", (*app).startEdit},
		{onScreen, "help", []string{"?"}, "search all keys and actions, and run one", "help", (*app).openHelp},
		{onScreen, "quit", []string{"q"}, "quit", "quit", func(a *app) { a.quit = true }},
		{onScreen, "zoom", []string{"z"}, "show the focused pane alone, or all panes", "zoom", func(a *app) { a.zoomed = !a.zoomed }},
		{onScreen, "step", []string{"n"}, "run one iteration, then pause", "step", func(a *app) { a.do(stepCommand) }},
		{onScreen, "freeze", []string{"f"}, "freeze the screen; the run and its measurements go on", "freeze", (*app).toggleFreeze},
		{onScreen, "zoom-cluster", []string{"1"}, "show the cluster alone, or all panes", "", zoomTo(topologyPane)},
		{onScreen, "zoom-bandwidth", []string{"2"}, "show the bandwidth alone, or all panes", "", zoomTo(bandwidthPane)},
		{onScreen, "zoom-latency", []string{"3"}, "show the latency alone, or all panes", "", zoomTo(latencyPane)},
		{onScreen, "zoom-locality", []string{"4"}, "show the locality alone, or all panes", "", zoomTo(localityPane)},
		{onScreen, "zoom-knobs", []string{"5"}, "show the knobs alone, or all panes", "", zoomTo(knobsPane)},
		{onScreen, "zoom-why", []string{"6"}, "show the reasons and metrics alone, or all panes", "", zoomTo(whyPane)},
		{onScreen, "zoom-overlap", []string{"7"}, "show what overlapping communication gains (ε) alone, or all panes", "", zoomTo(epsilonPane)},
		{onScreen, "zoom-timeline", []string{"8"}, "show what every thread does over time alone, or all panes", "", zoomTo(timelinePane)},
		{onScreen, "next-pane", []string{"p"}, "focus the next pane", "pane", func(a *app) { a.focusPane(+1) }},
		{onScreen, "previous-pane", []string{"P"}, "focus the pane before", "", func(a *app) { a.focusPane(-1) }},
		{onScreen, "mouse", []string{"M"}, "let the mouse work here, or leave it to the terminal", "mouse", func(a *app) { a.mouse = !a.mouse }},
		{onScreen, "theme", []string{"t"}, "use the next theme", "theme", (*app).nextTheme},
		{onScreen, "longer", []string{"-"}, "show a longer time", "", on("longer")},
		{onScreen, "shorter", []string{"+"}, "show a shorter time", "time", on("shorter")},
		{onScreen, "log", []string{"l"}, "logarithmic or linear bandwidth", "log", on("log")},
		{onScreen, "markers", []string{"m"}, "draw curves with dots, blocks or lines; fonts differ", "markers", (*app).nextMarkers},
		{onScreen, "crosshair", []string{"c"}, "show or hide the crosshair that reads values", "crosshair", on("crosshair")},
		{onScreen, "crosshair-left", []string{","}, "move the crosshair to earlier values", "", on("crosshair-left")},
		{onScreen, "crosshair-right", []string{"."}, "move the crosshair to later values", "", on("crosshair-right")},
		{onScreen, "record", []string{"e"}, "write down what every thread does, for the timeline, or end it; the cluster starts anew", "", on("record")},
		{onScreen, "arrows", []string{"a"}, "show or hide messages on the timeline; they are written down if they are not", "", on("arrows")},
		{onScreen, "earlier", []string{"<"}, "hold the timeline, and show what was before", "", on("earlier")},
		{onScreen, "later", []string{">"}, "show what came later on the timeline", "", on("later")},
		{onScreen, "follow", []string{"g"}, "let the timeline follow the run again; once more: show the latest iterations", "", on("follow")},
		{onScreen, "row-down", []string{"j"}, "move the timeline's cursor a row down, or scroll it", "", on("row-down")},
		{onScreen, "row-up", []string{"k"}, "move the timeline's cursor a row up, or scroll it", "", on("row-up")},
		{onScreen, "fold", []string{"["}, "fold the timeline: a row a rank, a row a node", "", on("fold")},
		{onScreen, "unfold", []string{"]"}, "unfold the timeline: a row a rank, a row a thread", "", on("unfold")},
		{onScreen, "workload", []string{"w"}, "run the next workload", "workload", (*app).nextWorkload},
		{onScreen, "machines", []string{"o"}, "choose the machine to run on, with its facts and their sources", "machines", (*app).openPicker},
		{onScreen, "launch-line", []string{"L"}, "show the launch line of this layout", "launch line", func(a *app) { a.togglePage(launchPage) }},
		{onScreen, "ids", []string{"i"}, "show the ID triple of every rank, and N", "ids", func(a *app) { a.togglePage(idsPage) }},
		{onScreen, "reset", []string{"r"}, "forget series, points and marks", "reset", func(a *app) { a.do(resetCommand) }},
		{onScreen, "scroll-up", []string{"pgup"}, "scroll the reasons and metrics up, on the timeline its rows", "", on("scroll-up")},
		{onScreen, "scroll-down", []string{"pgdown"}, "scroll the reasons and metrics down, on the timeline its rows", "", on("scroll-down")},
		{onScreen, "back", []string{"esc"}, "leave zoom, crosshair and freeze", "", (*app).back},
	}
}

// on gives the action that a pane answers.
func on(action string) func(*app) { return func(a *app) { a.act(action) } }

// lineKeys are the keys of the lines that are typed. Every other key types.
func lineKeys() []binding {
	var all []binding
	for _, in := range []mode{editing, inHelp, inPalette, inPicker} {
		all = append(all,
			binding{in, "erase", []string{"backspace"}, "erase the character before the cursor", "", func(a *app) { a.retype(func(l *grid.Line) { l.Erase(-1) }) }},
			binding{in, "erase-next", []string{"delete"}, "erase the character behind the cursor", "", func(a *app) { a.retype(func(l *grid.Line) { l.Erase(+1) }) }},
			binding{in, "erase-all", []string{"ctrl+u"}, "erase the line", "", func(a *app) { a.retype((*grid.Line).Clear) }},
			binding{in, "cursor-left", []string{"left"}, "move the cursor left", "", func(a *app) { a.typing().Move(-1) }},
			binding{in, "cursor-right", []string{"right"}, "move the cursor right", "", func(a *app) { a.typing().Move(+1) }},
			binding{in, "cursor-home", []string{"home", "ctrl+a"}, "move the cursor to the beginning", "", func(a *app) { a.typing().Move(-grid.LongestLine) }},
			binding{in, "cursor-end", []string{"end", "ctrl+e"}, "move the cursor to the end", "", func(a *app) { a.typing().Move(grid.LongestLine) }},
		)
	}
	return append(all,
		binding{editing, "take", []string{"enter"}, "take the value", "take", (*app).takeEdit},
		binding{editing, "leave", []string{"esc"}, "leave the value as it was", "leave", (*app).closeOverlay},
		binding{inHelp, "run", []string{"enter"}, "run the selected action", "run", (*app).runHelp},
		binding{inHelp, "up", []string{"up"}, "select the action above", "", func(a *app) { a.moveHelp(-1) }},
		binding{inHelp, "down", []string{"down", "tab"}, "select the action below", "select", func(a *app) { a.moveHelp(+1) }},
		binding{inHelp, "close", []string{"esc", "?"}, "close the help", "close", (*app).closeOverlay},
		binding{inPalette, "run", []string{"enter"}, "run the command", "run", (*app).runPalette},
		binding{inPalette, "complete", []string{"tab"}, "complete to the selected command", "complete", func(a *app) { a.palette.complete(a) }},
		binding{inPalette, "up", []string{"up"}, "select the command above", "", func(a *app) { a.palette.move(a, -1) }},
		binding{inPalette, "down", []string{"down"}, "select the command below", "select", func(a *app) { a.palette.move(a, +1) }},
		binding{inPalette, "older", []string{"ctrl+p"}, "fetch an older command", "older", func(a *app) { a.palette.recall(-1) }},
		binding{inPalette, "newer", []string{"ctrl+n"}, "fetch a newer command", "", func(a *app) { a.palette.recall(+1) }},
		binding{inPalette, "close", []string{"esc"}, "close the command line", "close", (*app).closeOverlay},
		binding{inPicker, "take", []string{"enter"}, "take the selected machine", "take", (*app).takeMachine},
		binding{inPicker, "up", []string{"up"}, "select the machine above", "", func(a *app) { a.movePicker(-1) }},
		binding{inPicker, "down", []string{"down", "tab"}, "select the machine below", "select", func(a *app) { a.movePicker(+1) }},
		binding{inPicker, "facts-up", []string{"pgup"}, "scroll the facts up", "", func(a *app) { a.picker.scroll(-8) }},
		binding{inPicker, "facts-down", []string{"pgdown"}, "scroll the facts down", "facts", func(a *app) { a.picker.scroll(+8) }},
		binding{inPicker, "close", []string{"esc"}, "close the machines", "close", (*app).closeOverlay},
	)
}

func pageKeys() []binding {
	return []binding{
		{onPage, "close", []string{"esc"}, "close the page", "close", (*app).closeOverlay},
		{onPage, "line-up", []string{"up"}, "scroll up a line", "", func(a *app) { a.page.scroll(-1) }},
		{onPage, "line-down", []string{"down"}, "scroll down a line", "scroll", func(a *app) { a.page.scroll(+1) }},
		{onPage, "page-up", []string{"pgup"}, "scroll up a screenful", "", func(a *app) { a.page.scroll(-a.page.rows) }},
		{onPage, "page-down", []string{"pgdown"}, "scroll down a screenful", "", func(a *app) { a.page.scroll(+a.page.rows) }},
		{onPage, "top", []string{"home"}, "scroll to the beginning", "", func(a *app) { a.page.top = 0 }},
		{onPage, "bottom", []string{"end"}, "scroll to the end", "", func(a *app) { a.page.scroll(a.page.lines) }},
	}
}

// find gives the binding of a key in a mode, or nil.
func find(in mode, key string) *binding {
	for i := range keyTable {
		if b := &keyTable[i]; b.in == in && slices.Contains(b.keys, key) {
			return b
		}
	}
	for _, other := range falls[in] {
		if b := find(other, key); b != nil {
			return b
		}
	}
	return nil
}

// named gives the binding of an action's name on the screen.
func named(action string) *binding {
	for i := range keyTable {
		if b := &keyTable[i]; b.in <= onScreen && b.name == action && b.keys[0] != "ctrl+c" {
			return b
		}
	}
	panic("tui: no action " + action)
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

// labels are the keys of a binding as they are written on the screen.
func (b *binding) labels() string {
	all := make([]string, len(b.keys))
	for i, k := range b.keys {
		all[i] = label(k)
	}
	return strings.Join(all, " ")
}

// WriteKeys writes the key table as Markdown, a table a mode.
func WriteKeys(w io.Writer) error {
	var b strings.Builder
	for in := range modes {
		fmt.Fprintf(&b, "### %s%s\n\n| key | action | what it does |\n|---|---|---|\n", strings.ToUpper(modeNames[in][:1]), modeNames[in][1:])
		for i := range keyTable {
			if k := &keyTable[i]; k.in == in {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(k.labels(), " ", "` `"), k.name, k.doc)
			}
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
