package job

import (
	"slices"
	"strings"
	"testing"
)

// TestSplit checks the words of launchers with quotes and backslashes, and errors.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text  string
		words []string
	}{
		{"", nil},
		{" \t\n", nil},
		{"mpirun  -n 2 ", []string{"mpirun", "-n", "2"}},
		{`mpirun -x 'A=b c' "d e"`, []string{"mpirun", "-x", "A=b c", "d e"}},
		{`a'b c'"d e"f`, []string{"ab cd ef"}},
		{`'' "" x`, []string{"", "", "x"}},
		{`a\ b \' \" \\ \n`, []string{"a b", "'", `"`, `\`, "n"}},
		{`'a\ b"c'`, []string{`a\ b"c`}},
		{"\"a\\\"b\\\\c\\$d\\`e\\f'\"", []string{"a\"b\\c$d`e\\f'"}},
		{`$HOME *`, []string{"$HOME", "*"}},
		{`"ä ö" ü`, []string{"ä ö", "ü"}},
	} {
		words, err := split(c.text)
		if err != nil || !slices.Equal(words, c.words) {
			t.Errorf("%s: %q, %v, want %q", c.text, words, err, c.words)
		}
	}
	for text, want := range map[string]string{
		"mpirun 'a": "quote ' has no end", `mpirun "a\"`: `quote " has no end`, `mpirun \`: "backslash", `mpirun "\`: "no end",
	} {
		if words, err := split(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %q", text, words, err, want)
		}
	}
}

// TestLaunchers checks the numbers of processes that launchers have, and their command lines for another number.
func TestLaunchers(t *testing.T) {
	for _, c := range []struct {
		text      string
		processes int
		line      string // with 7 processes, words separated by |
	}{
		{"mpirun -n 4", 4, "mpirun|-n|7"},
		{"mpirun -np 4 --bind-to core", 4, "mpirun|-np|7|--bind-to|core"},
		{"mpirun --np 1 -x A", 1, "mpirun|--np|7|-x|A"},
		{"srun --ntasks=8 -N 2", 8, "srun|--ntasks=7|-N|2"},
		{"srun -n16", 16, "srun|-n7"},
		{"mpirun -np3", 3, "mpirun|-np7"},
		{"mpirun -n {n}", 2, "mpirun|-n|7"},
		{"nice -n 5 mpirun -n {n}", 2, "nice|-n|5|mpirun|-n|7"},
		{"sh -c 'mpirun -n {n} \"$@\"' run", 2, `sh|-c|mpirun -n 7 "$@"|run`},
		{"nice -n 5 mpirun -n 4", 0, "nice|-n|5|mpirun|-n|4"},
		{"mpirun -n 2 a : -n 2", 0, "mpirun|-n|2|a|:|-n|2"},
		{"srun", 0, "srun"},
		{"mpirun -n", 0, "mpirun|-n"},
		{"mpirun -n all", 0, "mpirun|-n|all"},
		{"mpirun -n 0", 0, "mpirun|-n|0"},
		{"mpirun -n 99999999999999999999", 0, "mpirun|-n|99999999999999999999"},
	} {
		l, err := parseLauncher(c.text)
		if line := strings.Join(l.line(7), "|"); err != nil || l.processes != c.processes || line != c.line {
			t.Errorf("%s: %d processes, %s, %v, want %d, %s", c.text, l.processes, line, err, c.processes, c.line)
		}
	}
	for _, text := range []string{"", " ", "''"} {
		if _, err := parseLauncher(text); err == nil || !strings.Contains(err.Error(), "none given") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := parseLauncher("mpirun 'x"); err == nil || !strings.Contains(err.Error(), "launcher") {
		t.Error(err)
	}
}
