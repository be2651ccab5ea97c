package tui

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/overlay"
)

// docs/keys.md is the key table.
func TestKeysDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Keys\n\nThe key table of the screen (`tui/keys.go`), written by `go test ./tui -update`. A key keeps its meaning wherever it has one. Every action has a name, which the command line behind `:` takes as well.\n\n")
	if err := WriteKeys(&b); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSpace(strings.ReplaceAll(b.String(), "\n### ", "\n## ")) + "\n"
	golden.File(t, "../docs/keys.md", want)
}

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
