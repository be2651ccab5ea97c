package main

import (
	"bytes"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"github.com/hybridtop/hybridtop/internal/race"
)

// Help and lists of knobs fit on a screen of 50 lines and 100 columns, for every workload.
func TestHelpFitsOnAScreen(t *testing.T) {
	if race.Enabled {
		t.Skip("lists of knobs need no race detector")
	}
	lines := [][]string{{"--help"}, {"run", "--help"}, {"sweep", "--help"}, {"record", "--help"}}
	for _, name := range workloadNames() {
		lines = append(lines, []string{"list", "knobs", name})
	}
	for _, args := range lines {
		var out, errs bytes.Buffer
		if code := command(args, &out, &errs); code != 0 {
			t.Fatalf("%v: status %d: %s", args, code, &errs)
		}
		text := out.String()
		if n := strings.Count(text, "\n"); n > 50 || n < 10 {
			t.Errorf("%v: %d lines", args, n)
		}
		for line := range strings.Lines(text) {
			if w := lipgloss.Width(strings.TrimRight(line, "\n")); w > helpWidth {
				t.Errorf("%v: %d columns: %s", args, w, line)
			}
		}
	}
}

// Help without a workload lists some flags; with a workload it lists all of them.
func TestHelpListsFlagsWithTheWorkload(t *testing.T) {
	for _, c := range []struct {
		line string
		has  []string
		not  []string
	}{
		{"--help", []string{"--workload ", "--group "}, []string{"--dilation ", "--theme ", "--elements "}},
		{"--workload dot --help", []string{"--group ", "--dilation ", "--theme ", "--elements "}, []string{"--bodies "}},
		{"run --help", []string{"--json ", "--group "}, []string{"--dilation ", "--elements "}},
		{"run dot --help", []string{"--json ", "--group ", "--dilation ", "--elements "}, []string{"--bodies "}},
	} {
		var out, errs bytes.Buffer
		if code := command(strings.Fields(c.line), &out, &errs); code != 0 {
			t.Fatalf("%s: status %d: %s", c.line, code, &errs)
		}
		for _, flag := range c.has {
			if !strings.Contains(out.String(), flag) {
				t.Errorf("%s: lacks %s", c.line, flag)
			}
		}
		for _, flag := range c.not {
			if strings.Contains(out.String(), flag) {
				t.Errorf("%s: has %s", c.line, flag)
			}
		}
	}
}

func TestWrapWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"one two three", "one two\nthree"},
		{"nested-multiple of it", "nested-multiple\nof it"},
		{"a\n\n  a list with long lines\n\nb", "a\n\n  a list with long lines\n\nb"},
	} {
		if got := wrapWords(c.text, 9); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// No error brings a control character to the terminal.
func TestErrorsHaveNoControlCharacters(t *testing.T) {
	const evil = "\x1b[31m\u009bx\a"
	for _, args := range [][]string{
		{evil}, {"--" + evil}, {"run", evil}, {"run", "dot", "--group", evil}, {"run", "dot", "--machine", evil},
		{"run", "--preset", evil},
		{"list", evil}, {"list", "knobs", evil}, {"reproduce", evil}, {"machine", evil}, {"bench", evil}, {"tune", evil},
		{"sweep", "dot", "--chart", evil}, {"list", "models", "--units", evil}, {"run", "dot", "--to", evil, "--out", "x"},
	} {
		var out, errs bytes.Buffer
		if code := command(args, &out, &errs); code == 0 {
			t.Errorf("%q: no error", args)
		}
		if strings.ContainsAny(out.String()+errs.String(), "\x1b\u009b\a") {
			t.Errorf("%q: %q", args, errs.String())
		}
	}
}
