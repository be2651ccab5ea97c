package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outputOf runs a command line and returns its output.
func outputOf(t *testing.T, line string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRoot()
	root.SetArgs(strings.Fields(line))
	root.SetOut(&out)
	root.SetErr(&errs)
	if err := root.Execute(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, &errs)
	}
	return out.Bytes()
}

// digits holds the reproducible output of a simulation, and the command that should repeat it.
type digits struct {
	Hash       string
	Time       float64 `json:"virtual_time"`
	Events     uint64
	Iterations int
	Metrics    map[string]any
	Samples    map[string]any
	Tallies    map[string]any
	Repeat     *string
}

func digitsOf(t *testing.T, line string) digits {
	t.Helper()
	var d digits
	if err := json.Unmarshal(outputOf(t, line), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// A run that the wall clock ends prints the command that repeats its iterations bit for bit.
func TestARunOfSomeTimeCanBeRepeated(t *testing.T) {
	for _, line := range []string{
		"run randomaccess --fabric sim --elements 4096 --group 2 --seed 5 --for 50ms --json",
		"run spmv --fabric sim --machine sr8000-f1 --threads 8 --threading funneled --pace max --for 50ms --json",
		"run cartesian --fabric sim --ranking round-robin --for 50ms --json",
	} {
		first := digitsOf(t, line)
		if first.Repeat == nil || first.Iterations == 0 {
			t.Fatalf("%s: %d iterations, and no command repeats them", line, first.Iterations)
		}
		words, ok := strings.CutPrefix(*first.Repeat, "hybridtop ")
		if !ok || strings.Contains(words, "--for") {
			t.Fatalf("%s: repeated by %q", line, *first.Repeat)
		}
		again := digitsOf(t, words+" --json")
		if again.Repeat != nil {
			t.Errorf("%s: to be repeated by %q, though it is exact", words, *again.Repeat)
		}
		first.Repeat = nil
		if d := cmp.Diff(first, again); d != "" {
			t.Errorf("%s, and then %s (-first +again)\n%s", line, words, d)
		}
	}
}

// Each point of a sweep does the same.
func TestASweepOfSomeTimeCanBeRepeated(t *testing.T) {
	var sweep struct{ Rows []digits }
	if err := json.Unmarshal(outputOf(t, "sweep dot --fabric sim --elements 5000 --nodes 1..4 --callers "+
		"permitted,every --for 30ms --json"), &sweep); err != nil {
		t.Fatal(err)
	}
	if len(sweep.Rows) != 6 {
		t.Fatalf("%d points", len(sweep.Rows))
	}
	for _, row := range sweep.Rows {
		again := digitsOf(t, strings.TrimPrefix(*row.Repeat, "hybridtop ")+" --json")
		if again.Hash != row.Hash || again.Iterations != row.Iterations || !cmp.Equal(again.Metrics, row.Metrics) {
			t.Errorf("%s: hash %s after %d iterations, want %s after %d", *row.Repeat, again.Hash, again.Iterations, row.Hash,
				row.Iterations)
		}
	}
}

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"4096": "4096", "4 KiB": "'4 KiB'", "my machine.toml": "'my machine.toml'", "it's": `'it'\''s'`, "": "''",
		"/tmp/a_b-c.toml": "/tmp/a_b-c.toml", "$HOME": "'$HOME'",
	} {
		if got := quoted(word); got != want {
			t.Errorf("%q is quoted %s, want %s", word, got, want)
		}
	}
}
