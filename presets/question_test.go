package presets

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const soundQuestion = `number = 900
question = "Is a put faster?"
threads = ["https://example.org/1", "https://example.org/2"]
scenario = "put-or-message"
turn = ["method", "size"]
finding = "Yes, by 4 % at 64 KiB."

[knobs]
size = 8192

[[published]]
value = 1.5e-6
unit = "s"
of = "latency of a put"
source = "https://example.org/1"

[[expect]]
metric = "latency"
relation = "times"
range = [0.9, 0.99]
knobs = { method = "put" }
`

// TestQuestionFile checks that a question has the runs of its scenario, its own changes and its own expectations.
func TestQuestionFile(t *testing.T) {
	q, err := decodeQuestion("x/put-faster.toml", []byte(soundQuestion))
	if err != nil {
		t.Fatal(err)
	}
	of, err := FindScenario("put-or-message")
	if err != nil {
		t.Fatal(err)
	}
	s := &q.Scenario
	knobs := append(slices.DeleteFunc(slices.Clone(of.Knobs), func(k Knob) bool { return k.Name == "size" }), Knob{"size", "8192"})
	if q.Number != 900 || len(q.Threads) != 2 || !slices.Equal(q.Turn, []string{"method", "size"}) ||
		!slices.Equal(q.Published, []Reading{{1.5e-6, "s", "latency of a put", "https://example.org/1"}}) {
		t.Errorf("%+v", q)
	}
	if s.Name != "put-faster" || s.Title != "Is a put faster?" || s.Workload != of.Workload || s.Pane != of.Pane || s.FirstKnob != "method" ||
		!slices.Equal(s.Knobs, knobs) || len(s.Expect) != 1 ||
		s.Text() != "Change method, size. The answer: Yes, by 4 % at 64 KiB." {
		t.Errorf("%+v", s)
	}
	wantError(t, s.Wrong("expect.1.knobs.method", errors.New("none")), "x/put-faster.toml:21: expect.1.knobs.method: none")
}

func TestMistakesInQuestions(t *testing.T) {
	swap := func(old, new string) string {
		if !strings.Contains(soundQuestion, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(soundQuestion, old, new, 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"not a name.toml", soundQuestion, "invalid name for a question"},
		{"x.toml", swap("number = 900", "number = 0"), "x.toml:1: number: is 0; want a number, from 1 to 999"},
		{"x.toml", swap("number = 900", "numbers = 900"), "x.toml:1: numbers: unknown key; want one of number, question, threads"},
		{"x.toml", swap(`"Is a put faster?"`, "3"), "x.toml:2: question: want a text in quotes"},
		{"x.toml", swap("https://example.org/2", "http://example.org/2"), `x.toml:3: threads: is "http://example.org/2"; want an address that begins with https://`},
		{"x.toml", swap("https://example.org/2", "https://example.org/ 2"), "x.toml:3: threads: is "},
		{"x.toml", swap("https://example.org/2", `https://example.org/\u001b`), "x.toml:3: threads: contains U+001B"},
		{"x.toml", swap(`"put-or-message"`, `"nothing"`), `x.toml:4: scenario: unknown scenario "nothing"`},
		{"x.toml", swap(`"put-or-message"`, `"../nothing"`), `x.toml:4: scenario: is "../nothing"`},
		{"x.toml", swap(`scenario =`, "workload = \"pingpong\"\nscenario ="), "x.toml:4: workload: belongs to the scenario put-or-message"},
		{"x.toml", swap(`scenario = "put-or-message"`, ""), "x.toml: workload: missing"},
		{"x.toml", swap(`["method", "size"]`, "[]"), "x.toml:5: turn: want names of knobs"},
		{"x.toml", swap(`finding = "Yes, by 4 % at 64 KiB."`, ""), "x.toml: finding: missing"},
		{"x.toml", swap("value = 1.5e-6", `value = "1"`), "x.toml:12: published.1.value: want a number"},
		{"x.toml", swap("unit = \"s\"\n", ""), "x.toml:11: published.1.unit: missing"},
		{"x.toml", swap(`source = "https://example.org/1"`, `source = "the web"`), `x.toml:15: published.1.source: is "the web"`},
		{"x.toml", swap("of =", "on ="), "x.toml:14: published.1.on: unknown key; a table [[published]] has value, unit, of, source"},
		{"x.toml", swap("[[published]]", "[published]"), "x.toml:12: published.value: unknown key"},
		{"x.toml", swap("range = [0.9, 0.99]", "range = [0.99, 0.9]"), "x.toml:20: expect.1.range: want the least and the largest"},
		{"x.toml", soundQuestion[:strings.Index(soundQuestion, "[[expect]]")], "x.toml: expect: missing"},
	} {
		_, err := decodeQuestion(tt.name, []byte(tt.text))
		wantError(t, err, tt.want)
	}
}

// TestQuestions checks that built-in questions have different numbers. A user's question is listed after them, and found by its
// name and its number.
func TestQuestions(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	builtIn, skipped := Questions()
	if len(skipped) > 0 {
		t.Fatal(skipped)
	}
	numbers := make(map[int]string)
	for i := range builtIn {
		q := &builtIn[i]
		if other := numbers[q.Number]; other != "" {
			t.Errorf("%s and %s have number %d", other, q.Scenario.Name, q.Number)
		}
		numbers[q.Number] = q.Scenario.Name
	}
	dir = filepath.Join(dir, "hybridtop", "questions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"ours.toml": soundQuestion, "broken.toml": "number = 1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, skipped := Questions()
	if n := len(builtIn); len(all) != n+1 || all[n].Scenario.Name != "ours" || len(skipped) != 1 {
		t.Errorf("%d questions with %v skipped, want %d", len(all), skipped, n+1)
	}
	for _, name := range []string{"ours", "900", filepath.Join(dir, "ours.toml")} {
		if q, err := FindQuestion(name); err != nil || q.Number != 900 {
			t.Errorf("%s: number %d, %v", name, q.Number, err)
		}
	}
	_, err := FindQuestion("901")
	wantError(t, err, `unknown question "901": want the number or name of one of 1 thread-multiple, 2 no-overlap, `)
	wantError(t, err, `, 900 ours; put your own into `+dir)
}

func FuzzQuestion(f *testing.F) {
	f.Add([]byte(soundQuestion))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := decodeQuestion("x.toml", data)
		if err == nil && (len(q.Turn) == 0 || len(q.Threads) == 0 || len(q.Scenario.Expect) == 0) {
			t.Errorf("%+v", q)
		}
	})
}
