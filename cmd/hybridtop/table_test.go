package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"
)

// sampleTable writes a table with all kinds of content.
func sampleTable(t *table) error {
	t.title("two machines")
	t.row()
	t.head("name", "sourced", "kind", "title")
	t.row("demo", "4", "simulated", "A cluster of four nodes of sixteen cores each, made up for the first minute")
	t.row("this-host", "", "measured", "this host")
	t.row("a line of text stands between blocks and is as long as it is")
	t.list("an item", "another item that is as long as it is and longer")
	t.row("why", "it is")
	t.command("launch", "mpiexec -n 4 \\\n    myapp --with-an-option that-is-long")
	return t.close()
}

// In a pipe each row is one line, nothing wraps, and there are no escapes and no trailing blanks.
func TestTablePiped(t *testing.T) {
	var b bytes.Buffer
	if err := sampleTable(newTable(&b)); err != nil {
		t.Fatal(err)
	}
	want := `two machines

name       sourced  kind       title
demo       4        simulated  A cluster of four nodes of sixteen cores each, made up for the first minute
this-host           measured   this host
a line of text stands between blocks and is as long as it is
- an item
- another item that is as long as it is and longer
why  it is
launch  mpiexec -n 4 \
            myapp --with-an-option that-is-long
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// On a terminal the widest column shrinks and wraps, command lines do not wrap, and kinds of number
// have their colours.
func TestTableOnATerminal(t *testing.T) {
	var b bytes.Buffer
	if err := sampleTable(&table{w: &b, styles: looks, width: 48}); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, escaped := range []string{looks.Title.Render("name"), looks.Kinds[2].Render("simulated"),
		looks.Kinds[0].Render("measured")} {
		if start, _, _ := strings.Cut(escaped, "m"); !strings.Contains(got, start+"m") {
			t.Errorf("no %q in %q", escaped, got)
		}
	}
	plain := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(got, "")
	plain = regexp.MustCompile(` +\n`).ReplaceAllString(plain, "\n")
	want := `two machines

name       sourced  kind       title
demo       4        simulated  A cluster of four
                               nodes of sixteen
                               cores each, made
                               up for the first
                               minute
this-host           measured   this host
a line of text stands between blocks and is as
long as it is
- an item
- another item that is as long as it is and
  longer
why  it is
launch  mpiexec -n 4 \
            myapp --with-an-option that-is-long
`
	if d := cmp.Diff(want, plain); d != "" {
		t.Error(d)
	}
	for line := range strings.Lines(got) {
		if !strings.Contains(line, "myapp") && lipgloss.Width(line) > 48 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
}

// Help in a pipe has no trailing blanks.
func TestTrimmed(t *testing.T) {
	var b bytes.Buffer
	w := &trimmed{w: &b}
	for _, s := range []string{"one  \n  tw", "o \n", "   \n", "three  "} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatalf("wrote %d of %q: %v", n, s, err)
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "one\n  two\n\nthree  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
