package tui

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/tui/overlay"
)

// The keys that the README names do something on the screen.
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
