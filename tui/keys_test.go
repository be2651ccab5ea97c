package tui

import (
	"slices"
	"strings"
	"testing"
)

// A key means one thing in a mode: its own lines of the table and those of the
// modes that it falls back to do not name a key twice, unless the mode's own
// line replaces the other's while it lasts.
func TestNoKeyTwiceInAMode(t *testing.T) {
	for in := range modes {
		seen := map[string]string{}
		for i := range keyTable {
			b := &keyTable[i]
			if b.in != in {
				continue
			}
			for _, k := range b.keys {
				if other, twice := seen[k]; twice {
					t.Errorf("%s: %q is both %s and %s", modeNames[in], k, other, b.name)
				}
				seen[k] = b.name
			}
		}
	}
}

func TestEveryKeyReachesItsAction(t *testing.T) {
	for i := range keyTable {
		b := &keyTable[i]
		for _, k := range b.keys {
			if got := find(b.in, k); got != b {
				t.Errorf("%s: %q reaches %v, want %s", modeNames[b.in], k, got, b.name)
			}
		}
		if b.do == nil || b.doc == "" || b.name == "" || strings.HasSuffix(b.doc, ".") {
			t.Errorf("%s in %s: needs an action, a name, and a line of help without a full stop", b.name, modeNames[b.in])
		}
	}
}

// Letters keep their meaning wherever they are not typed.
func TestLettersAreNeverRepurposed(t *testing.T) {
	for i := range keyTable {
		b := &keyTable[i]
		for _, k := range b.keys {
			if len(k) == 1 && b.in != onScreen && k != "?" {
				t.Errorf("%q means %s in %s: letters belong to the screen", k, b.name, modeNames[b.in])
			}
		}
	}
	if find(onPage, "q") != find(onScreen, "q") || find(onPage, "space") != find(onScreen, "space") {
		t.Error("a page takes keys of the screen away")
	}
}

func TestCtrlCQuitsInEveryMode(t *testing.T) {
	for in := range modes {
		b := find(in, "ctrl+c")
		if b == nil || b.name != "quit" {
			t.Errorf("%s: ctrl+c does not quit", modeNames[in])
		}
	}
}

func TestHelpListsEveryAction(t *testing.T) {
	all := helpEntries("")
	if len(all) != len(keyTable) {
		t.Errorf("help has %d lines, the key table %d", len(all), len(keyTable))
	}
	for i := range keyTable {
		b := &keyTable[i]
		found := helpEntries(b.name + " " + b.doc)
		if !slices.Contains(found, b) {
			t.Errorf("help does not find %s by its name and words", b.name)
		}
	}
}

// Actions that are one in the palette have one name.
func TestNamesOnTheScreenAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for i := range keyTable {
		if b := &keyTable[i]; b.in == onScreen {
			if seen[b.name] {
				t.Errorf("%s stands twice", b.name)
			}
			seen[b.name] = true
		}
	}
}

func TestWriteKeys(t *testing.T) {
	var b strings.Builder
	if err := WriteKeys(&b); err != nil {
		t.Fatal(err)
	}
	for i := range keyTable {
		k := &keyTable[i]
		if !strings.Contains(b.String(), "| "+k.name+" | "+k.doc+" |") {
			t.Errorf("the document lacks %s", k.name)
		}
	}
}
