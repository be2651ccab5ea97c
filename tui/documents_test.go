package tui

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/overlay"
	overlayreg "github.com/hybridtop/hybridtop/tui/overlay/all"
)

// docs/keys.md contains the key table.
func TestKeysDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Keys\n\nThe key table of the screen (`tui/keys.go`), written by `go test ./tui -update`. A key has the same meaning in every mode that uses it. The command line (`:`) runs every action by its name.\n\n")
	writeKeys(&b)
	for i := range keyTable {
		k := &keyTable[i]
		row := "| " + k.Name + " | " + k.Doc + " |"
		if len(k.Keys) == 0 && strings.HasPrefix(k.Name, "zoom-") {
			row = "| zoom-NAME | show the pane of this name alone, or all panes |"
		}
		if !strings.Contains(b.String(), row) {
			t.Errorf("the document lacks %s", k.Name)
		}
	}
	want := strings.TrimSpace(b.String()) + "\n"
	golden.File(t, "../docs/keys.md", want)
}

// modes returns the modes of the key table, in its order.
func modes() (all []string) {
	all = []string{overlay.Everywhere, overlay.OnScreen}
	for i := range overlayreg.Overlays {
		if m := overlayreg.Overlays[i].Mode; !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// writeKeys writes the key table as Markdown, with one table per mode. All panes have one row:
// their keys depend on the run.
func writeKeys(b *strings.Builder) {
	for _, mode := range modes() {
		fmt.Fprintf(b, "## %s%s\n\n| key | action | what it does |\n|---|---|---|\n", strings.ToUpper(mode[:1]), mode[1:])
		panes := false
		for i := range keyTable {
			if k := &keyTable[i]; k.mode == mode && len(k.Keys) == 0 && strings.HasPrefix(k.Name, "zoom-") {
				if !panes {
					b.WriteString("|  | zoom-NAME | show the pane of this name alone, or all panes |\n")
				}
				panes = true
			} else if k.mode == mode {
				keys := ""
				if len(k.Keys) > 0 {
					keys = "`" + strings.ReplaceAll(k.labels(), " ", "` `") + "`"
				}
				fmt.Fprintf(b, "| %s | %s | %s |\n", keys, k.Name, k.Doc)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "## %s%s\n\n| mouse | action | what it does |\n|---|---|---|\n", strings.ToUpper(onMouse[:1]), onMouse[1:])
	for _, m := range mouse {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", m.what, m.name, m.doc)
	}
	b.WriteString("\n")
}

// The keys in the README have actions on the screen.
func TestKeysOfTheREADME(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "## On the screen\n")
	table, _, ends := strings.Cut(table, "\n## ")
	if !found || !ends {
		t.Fatal("the README has no section of keys")
	}
	named := map[string]string{"←": "left", "→": "right", "↑": "up", "↓": "down"}
	quoted := regexp.MustCompile("`([^`]+)`")
	keys := 0
	for line := range strings.Lines(table) {
		cell, _, row := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		if !row {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
			key := m[1]
			if name, ok := named[key]; ok {
				key = name
			}
			if find([]string{overlay.OnScreen}, key) == nil {
				t.Errorf("the README names %q, which does nothing", m[1])
			}
			keys++
		}
	}
	hints := 0
	for i := range keyTable {
		if keyTable[i].mode == overlay.OnScreen && keyTable[i].Hint != "" {
			hints++
		}
	}
	if keys < hints/2 {
		t.Errorf("the README names %d keys, the footer %d", keys, hints)
	}
}
