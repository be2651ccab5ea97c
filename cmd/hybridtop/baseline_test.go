package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session"
)

const someRun = `{"schema": "hybridtop.run.v1", "scenario": {"workload": "dot", "knobs": {"group": 2, "machine": "elsewhere", "eager-limit": "4KiB", "gone": "x"}},
	"verified": true, "kind": "emulated", "warnings": ["things happened late"], "later": {"a": [1]},
	"metrics": {"dot_time": {"value": 2e-6, "unit": "s", "kind": "emulated"}, "none": {"value": null, "unit": "1", "kind": "modelled"}}}`

// A baseline can be read from the output of a run; anything else is an error.
func TestReadBaseline(t *testing.T) {
	now, err := session.Scenario("dot")
	if err != nil {
		t.Fatal(err)
	}
	e, err := readBaseline(strings.NewReader(someRun), &now)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Metrics) != 1 || e.Metrics[0].Value != 2e-6 || !e.Late || e.Scenario.Values["eager-limit"] != "4096" {
		t.Errorf("read %+v", e.Baseline)
	}
	other := func(old, new string) string {
		s := strings.ReplaceAll(someRun, old, new)
		if s == someRun {
			t.Fatalf("%q is not in the run", old)
		}
		return s
	}
	many := strings.Builder{}
	for i := range maxNames {
		fmt.Fprintf(&many, `"k%d": 1, `, i)
	}
	for text, want := range map[string]string{
		"":            "EOF",
		"[]":          "cannot unmarshal",
		someRun[:200]: "unexpected EOF",
		someRun + "1": "unexpected data after the run",
		other("hybridtop.run.v1", "hybridtop.sweep.v1"):           `schema "hybridtop.sweep.v1"`,
		other(`"kind": "emulated", "warn`, `"kind": "", "warn`):   `kind ""`,
		other(`"verified": true`, `"verified": false`):            "run not verified",
		other(`"workload": "dot"`, `"workload": "epic"`):          `unknown workload "epic"`,
		other(`"group": 2`, `"group": [2]`):                       `knob "group": want a number or a text`,
		other(`"group": 2`, many.String()+`"group": 2`):           "at most 1000 of each",
		other(`"elsewhere"`, `"\u001b[2J"`):                       "unprintable text",
		other(`"elsewhere"`, `"\u202e"`):                          "unprintable text",
		other(`"dot_time"`, `"dot\ntime"`):                        "unprintable text",
		other(`"dot_time"`, `"`+strings.Repeat("x", 201)+`"`):     "text of 201 bytes: want at most 200",
		other(`2e-6`, `2e999`):                                    "cannot unmarshal number 2e999",
		other(`"s", "kind": "emulated"`, `"s", "kind": "divine"`): `metric dot_time: kind "divine"`,
	} {
		if _, err := readBaseline(strings.NewReader(text), &now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	if testing.Short() {
		return // what follows reads 64 MiB
	}
	endless := io.MultiReader(strings.NewReader(`{"schema": "`), forever{})
	if _, err := readBaseline(endless, &now); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("an endless file: %v", err)
	}
}

// forever is a file without an end.
type forever struct{}

func (forever) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// Every baseline that is read can be compared and written.
func FuzzBaseline(f *testing.F) {
	now, err := session.Scenario("dot")
	if err != nil {
		f.Fatal(err)
	}
	s, err := session.New(now, session.Options{Fabrics: session.Fabrics()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(someRun))
	f.Add([]byte(`{"schema": "hybridtop.run.v1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := readBaseline(bytes.NewReader(text), &now)
		if err != nil {
			return
		}
		r := newResult(s.Load(), false)
		r.Baseline = e.compare(s.Load())
		for _, out := range []format{{}, {json: true}, {csv: true}} {
			if err := r.write(io.Discard, &out); err != nil {
				t.Errorf("%+v: %v", out, err)
			}
		}
	})
}
