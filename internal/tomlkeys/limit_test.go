package tomlkeys

import (
	"fmt"
	"strings"
	"testing"
)

// lines returns n lines of a format.
func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Keys count wherever they are: in tables, headers, inline tables, lists and dotted keys.
func TestExcess(t *testing.T) {
	free := map[string]bool{"rule": true, "x": true}
	for name, c := range map[string]struct {
		text string
		line int // of the eleventh key
	}{
		"few keys":       {lines(10, "a%d=1\n"), 0},
		"keys":           {lines(20, "a%d=1\n"), 11},
		"keys of tables": {"[rule]\n" + lines(20, "a%d=1\n"), 12},
		"headers":        {lines(20, "[a%d]\n"), 11},
		"blocks":         {lines(20, "[[a%d]]\n"), 11},
		"known blocks":   {strings.Repeat("[[rule]]\nx=1\n", 20), 0},
		"dotted headers": {lines(20, "[rule.a%d]\n"), 6},
		"known parts":    {lines(20, "x.x.rule=%d\n"), 4},
		"inline tables":  {"x={" + lines(20, "a%d=1,\n") + "x=1}\n", 11},
		"in a list":      {"x=[{" + lines(20, "a%d=1,") + "x=1}]\n", 1},
		"lists of lists": {"x=[\n" + lines(40, "[%d],\n") + "]\n", 1},
		"numbers":        {"x=[\n" + lines(40, "%d,\n") + "]\n", 0},
		"an error":       {"=\n" + lines(20, "a%d=1\n"), 0},
		"comments":       {lines(40, "# %d\n"), 0},
	} {
		if got := Excess([]byte(c.text), 10, free); got != c.line {
			t.Errorf("%s: line %d, want %d", name, got, c.line)
		}
	}
}
