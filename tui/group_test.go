package tui

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/tui/overlay"
)

// TestHelpHasGroups checks that each action of the groups exists, and that each action of the screen itself is in
// a named group.
func TestHelpHasGroups(t *testing.T) {
	for _, g := range groups {
		for _, name := range strings.Fields(g.actions) {
			if named(overlay.OnScreen, name) == nil && named(overlay.Everywhere, name) == nil {
				t.Errorf("%s: no action %s", g.title, name)
			}
		}
	}
	actions := screenActions()
	for _, all := range [][]binding{actions.knobs, actions.run, actions.view, actions.workload, actions.rest, openers(true),
		openers(false)} {
		for i := range all {
			if n, _ := groupOf(&all[i]); groups[n].actions == "" {
				t.Errorf("%s is in the group %q: add it to another one", all[i].Name, groups[n].title)
			}
		}
	}
}
