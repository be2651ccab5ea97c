package tui

import (
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/tui/overlay"
)

// group is a heading of the help, and the names of its actions in their order.
type group struct{ title, actions string }

// groups holds the groups of actions on the screen. Actions of single panes are in panesGroup.
var groups = []group{
	{"Change knobs", "next-knob previous-knob turn-up turn-down type-value fold-knobs undo redo default reset"},
	{"Run", "pause step workload scenarios guide lessons answer lesson-back lesson-run machines simulate forget capture quit suspend"},
	{"Find your way", "help command next-pane previous-pane zoom zoom-digit back theme units mouse"},
	{"Read charts", "shorter longer log clock markers crosshair crosshair-left crosshair-right earlier later follow " +
		"row-down row-up fold unfold scroll-down scroll-up"},
	{"Go back in time", "freeze seek-back seek-forward previous-mark next-mark slower faster"},
	{"Compare and look up", "baseline ratios explain decide pairs advise shapes regret constant-up constant-down constant-reset path-by " +
		"path next-piece previous-piece find ids launch-line"},
	{panesGroup, ""},
	{"Show a single pane", ""},
	{typingGroup, ""},
}

const (
	panesGroup  = "Panes of single workloads"
	typingGroup = "While you type"
)

// groupOf returns the number of an action's group in groups and its place in the group. Keys of an overlay's
// mode are after all groups.
func groupOf(b *binding) (n, place int) {
	of := func(title string) int {
		return slices.IndexFunc(groups, func(g group) bool { return g.title == title })
	}
	switch {
	case b.typing:
		return of(typingGroup), 0
	case b.mode != overlay.OnScreen && b.mode != overlay.Everywhere:
		return len(groups), 0
	}
	for n, g := range groups {
		if at := slices.Index(strings.Fields(g.actions), b.Name); at >= 0 {
			return n, at
		}
	}
	if strings.HasPrefix(b.Name, "zoom-") {
		return of("Show a single pane"), 0
	}
	return of(panesGroup), 0
}

// lines returns the key table for overlays that list it, by groups. The keys of an input line are listed once.
func (a *app) lines() []overlay.Line {
	type placed struct {
		overlay.Line
		group, place int
	}
	var all []placed
	edits := map[string]bool{}
	for i := range keyTable {
		b := &keyTable[i]
		l := overlay.Line{Name: b.Name, Keys: a.keysOf(b), Doc: b.Doc, Mode: b.mode, Group: upper(b.mode), Run: func() { b.do(a) }}
		if b.typing {
			if edits[b.Name] {
				continue
			}
			edits[b.Name] = true
			l.Mode = strings.ToLower(typingGroup)
		}
		n, place := groupOf(b)
		if n < len(groups) {
			l.Group = groups[n].title
		}
		all = append(all, placed{l, n, place})
	}
	slices.SortStableFunc(all, func(x, y placed) int {
		if x.group != y.group {
			return x.group - y.group
		}
		return x.place - y.place
	})
	lines := make([]overlay.Line, 0, len(all)+len(mouse))
	for i := range all {
		lines = append(lines, all[i].Line)
	}
	for _, m := range mouse {
		lines = append(lines, overlay.Line{Name: m.name, Keys: m.what, Doc: m.doc, Mode: onMouse, Group: upper(onMouse),
			Run: func() {}})
	}
	return lines
}

// upper returns a text with an upper-case first letter.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
