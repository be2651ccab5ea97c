package presets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

const soundScenario = `title = "Out of step"
watch = "turn it"
steps = ["Set reserved to 1.", "Set it to 3."]
paper = "paper 2, section 7"
workload = "spmv"
pane = "overlap"
turn = "reserved"

[knobs]
threading = "multiple"
reserved = 2
dilation = 2.5

[[expect]]
metric = "epsilon"
relation = "is"
range = [1.4, 1.5]

[[expect]]
metric = "time_scheme"
relation = "times"
range = [0.5, 1]
knobs = { reserved = 1, threading = "multiple" }
against = { reserved = 4 }
`

func TestScenarioFile(t *testing.T) {
	s, err := decodeScenario("x/out-of-step.toml", []byte(soundScenario))
	if err != nil {
		t.Fatal(err)
	}
	want := []Knob{{"threading", "multiple"}, {"reserved", "2"}, {"dilation", "2.5"}}
	if s.Name != "out-of-step" || s.Title != "Out of step" || s.Watch != "turn it" || s.Text() != "turn it Set reserved to 1. Set it to 3." || s.Paper != "paper 2, section 7" ||
		s.Workload != "spmv" || s.Pane != "overlap" || s.FirstKnob != "reserved" || !slices.Equal(s.Knobs, want) {
		t.Errorf("%+v", s)
	}
	expect := []Expectation{{Metric: "epsilon", Relation: Is, Low: 1.4, High: 1.5},
		{Metric: "time_scheme", Relation: Times, Low: 0.5, High: 1,
			Knobs: []Knob{{"reserved", "1"}, {"threading", "multiple"}}, Against: []Knob{{"reserved", "4"}}}}
	if !slices.EqualFunc(s.Expect, expect, Expectation.equal) {
		t.Errorf("expectations %+v", s.Expect)
	}
	wantError(t, s.Wrong("expect.2.knobs.reserved", errors.New("too many")), "x/out-of-step.toml:23: expect.2.knobs.reserved: ")
	wantError(t, s.Wrong("knobs.reserved", errors.New("too\x1b many")),
		"x/out-of-step.toml:11: knobs.reserved: too\ufffd many")
	made := Scenario{Name: "made"}
	wantError(t, made.Wrong("pane", errors.New("none")), "scenario made: pane: none")
}

func TestMistakesInScenarios(t *testing.T) {
	swap := func(old, new string) string {
		if !strings.Contains(soundScenario, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(soundScenario, old, new, 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"not a name.toml", soundScenario, "not a name.toml: invalid name for a scenario"},
		{"x.toml", swap(`title = "Out of step"`, ""), `x.toml: title: missing; add title = "what the scenario shows"`},
		{"x.toml", swap(`"Out of step"`, "3"), "x.toml:1: title: want a text in quotes"},
		{"x.toml", swap("turn it", `a\u001b[2J`), "x.toml:2: watch: contains U+001B, which is not printable"},
		{"x.toml", swap("turn it", strings.Repeat("x", 1001)), "x.toml:2: watch: has 1001 bytes"},
		{"x.toml", swap(`, "Set it to 3."`, `, 3`), "x.toml:3: steps: want a text in quotes"},
		{"x.toml", swap(`["Set reserved to 1.", "Set it to 3."]`, `[]`), "x.toml:3: steps: want things to do, in quotes in brackets"},
		{"x.toml", swap(`workload = "spmv"`, ""), "x.toml: workload: missing"},
		{"x.toml", swap(`"spmv"`, `"../spmv"`), `x.toml:5: workload: is "../spmv"; want a name such as "randomaccess"`},
		{"x.toml", swap(`"overlap"`, `""`), "x.toml:6: pane: is empty"},
		{"x.toml", swap(`"reserved"`, "3"), "x.toml:7: turn: want a text in quotes"},
		{"x.toml", swap("reserved = 2", "reserved = [2]"), "x.toml:11: knobs.reserved: want a text in quotes"},
		{"x.toml", swap("reserved = 2", "reserved = nan"), "x.toml:11: knobs.reserved: is NaN"},
		{"x.toml", swap("reserved = 2", "reserved.two = 2"),
			"x.toml:11: knobs.reserved.two: unknown key; a knob's name has lower-case letters"},
		{"x.toml", swap("reserved = 2", "Reserved = 2"), "x.toml:11: knobs.Reserved: unknown key"},
		{"x.toml", swap("watch", "wtach"), "x.toml:2: wtach: unknown key; want one of title, watch, steps, paper, workload, " +
			"pane, turn, knobs, expect"},
		{"x.toml", swap(`metric = "epsilon"`, ""), `x.toml:14: expect.1.metric: missing; add metric = "time_per_access"`},
		{"x.toml", swap(`"is"`, `"about"`), "x.toml:16: expect.1.relation: want one of \"is\", \"times\""},
		{"x.toml", swap("[1.4, 1.5]", "[1.5, 1.4]"), "x.toml:17: expect.1.range: want the least and the largest value"},
		{"x.toml", swap("[1.4, 1.5]", "[1.4]"), "x.toml:17: expect.1.range: want the least and the largest value"},
		{"x.toml", swap("[1.4, 1.5]", "[1.4, nan]"), "x.toml:17: expect.1.range: is NaN"},
		{"x.toml", swap(`"is"`, `"times"`), "x.toml:16: expect.1.relation: compares a run with itself"},
		{"x.toml", swap(`"times"`, `"is"`), `x.toml:24: expect.2.against: belongs to relation = "times"`},
		{"x.toml", swap("range = [0.5", "rnage = [0.5"), "x.toml:22: expect.2.rnage: unknown key; a table [[expect]] has metric, "},
		{"x.toml", swap("{ reserved = 4 }", "{ Reserved = 4 }"), "x.toml:24: expect.2.against.Reserved: unknown key"},
		{"x.toml", strings.ReplaceAll(soundScenario, "[[expect]]", "[expect]"), "x.toml:15: expect.metric: unknown key"},
		{"x.toml", "expect = [{ metric = 'x' }]\n" + strings.Split(soundScenario, "[[")[0],
			"x.toml:1: expect: want tables [[expect]], at most 64"},
		{"x.toml", swap("[knobs]", "knobs = 3\n[other]"), "x.toml:10: other: unknown key"},
		{"x.toml", "title = \n", "x.toml:1: "},
		{"x.toml", strings.Repeat("[", 2000), "x.toml: 2000 opening brackets"},
		{"x.toml", "[knobs]\n" + manyKeys("a%d = 1\n"), "x.toml:4001: more than 4000 keys are not read"},
		{"x.toml", "[knobs]\nx = [{" + manyKeys("a%d = 1, ") + "b = 1}]\n", "x.toml:2: more than 4000 keys are not read"},
	} {
		_, err := decodeScenario(tt.name, []byte(tt.text))
		wantError(t, err, tt.want)
	}
}

// manyKeys returns 5,000 keys of a format. Decoding takes quadratic time in their number.
func manyKeys(format string) string {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Built-in scenarios state what to do, and the paper.
func TestBuiltInScenarios(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	all := Scenarios()
	if len(all) < 10 {
		t.Errorf("there are %d", len(all))
	}
	for _, name := range all {
		s, err := FindScenario(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(s.Steps) == 0 || s.Pane == "" || !strings.HasPrefix(s.Paper, "paper ") || len(s.Title) > 75 {
			t.Errorf("%s lacks steps, pane or paper, or has a long title: %+v", name, s)
		}
	}
}

func TestUserScenarios(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	folder := filepath.Join(home, "hybridtop", "scenarios")
	s := Scenario{Name: "ours", Title: `A "quoted" title`, Workload: "dot", FirstKnob: "model", Steps: []string{"Set model to flat.", "Set it back."},
		Knobs:  []Knob{{"elements", "1000"}, {"pace", "1e-06"}, {"model", "flat"}},
		Expect: []Expectation{{Metric: "dot_time", Relation: Times, Low: 0.25, High: 1e6, Knobs: []Knob{{"group", "2"}}}}}
	for range 2 { // the second takes the place of the first
		file, err := SaveScenario(context.Background(), s)
		if err != nil || file != filepath.Join(folder, "ours.toml") {
			t.Fatal(file, err)
		}
	}
	got, err := FindScenario("ours")
	if err != nil || got.Title != s.Title || got.FirstKnob != s.FirstKnob || !slices.Equal(got.Steps, s.Steps) || !slices.Equal(got.Knobs, s.Knobs) ||
		!slices.EqualFunc(got.Expect, s.Expect, Expectation.equal) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = FindScenario(filepath.Join(folder, "ours.toml"))
	if err != nil || got.Name != "ours" {
		t.Errorf("by its file: %+v, %v", got, err)
	}
	for name, want := range map[string]string{
		"locality-law": "is built in", "Our own": "want a name of lower-case letters", "../ours": "want a name",
		"": "want a name",
	} {
		s.Name = name
		_, err := SaveScenario(context.Background(), s)
		wantError(t, err, want)
	}
	_, err = SaveScenario(context.Background(), Scenario{Name: "x", Title: "a\x1b", Workload: "dot"})
	wantError(t, err, "scenario x cannot be written")

	broken, shadow := filepath.Join(folder, "broken.toml"), filepath.Join(folder, "locality-law.toml")
	for file, text := range map[string]string{broken: "title = 3\n", shadow: soundScenario} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if all := Scenarios(); !slices.Contains(all, "ours") || slices.Contains(all, "broken") || !slices.IsSorted(all) {
		t.Errorf("scenarios %v", all)
	}
	skipped := SkippedScenarios()
	if len(skipped) != 2 {
		t.Fatalf("skipped %v", skipped)
	}
	wantError(t, skipped[0].Err, broken+":1: title: want a text in quotes")
	wantError(t, skipped[1].Err, shadow+": a built-in scenario has the name locality-law and is used instead")
	if s, err := FindScenario("locality-law"); err != nil || s.Workload != "randomaccess" {
		t.Errorf("locality-law is not the built-in one: %+v, %v", s, err)
	}
	_, err = FindScenario("nothing")
	wantError(t, err, `unknown scenario "nothing": want one of access-pages, access-prefetch, access-ways, alltoall-crossover, bcast-tree, beff-sr8000, `)
}

func FuzzScenario(f *testing.F) {
	f.Add([]byte(soundScenario))
	f.Add([]byte("title='x'\nworkload='y'\nknobs.a = 1e400\nknobs = {}\n"))
	f.Add([]byte("title='x'\nworkload='y'\n[[expect]]\nmetric='m'\nrelation='is'\nrange=[-1e-9,2]\n[expect.knobs]\na=1\n"))
	f.Add([]byte("\xef\xbb\xbf[[knobs]]\n\"\\u009b\" = 1 # \x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeScenario("fuzz.toml", data)
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "fuzz.toml:") || strings.ContainsFunc(text, unicode.IsControl) {
				t.Errorf("error %q: want the file first and no control characters", text)
			}
			return
		}
		text, err := s.encode()
		if err != nil {
			t.Fatalf("%+v is not written: %v", s, err)
		}
		if again, err := decodeScenario("fuzz.toml", text); err != nil || again.Title != s.Title {
			t.Errorf("%q is read back as %+v, %v", text, again, err)
		}
	})
}
