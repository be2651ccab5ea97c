package lesson_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/hybridtop/hybridtop/engine/lesson"
	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/presets"
)

var options = session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Usual: 1}}

// TestLessons checks all built-in lessons, and changes each digit of each of their numbers: the check must find it.
func TestLessons(t *testing.T) {
	names := presets.Lessons()
	if testing.Short() {
		names = []string{"small-messages"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			l, err := presets.FindLesson(name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := lesson.Run(context.Background(), &l, options, nil)
			if err != nil {
				t.Fatal(err)
			}
			n, wrong := lesson.Check(&l, r)
			if err := errors.Join(wrong...); err != nil {
				t.Fatal(err)
			}
			if name != "tour" && (n.Questions < 3 || n.Numbers < 8) {
				t.Errorf("%d questions and %d numbers: want a lesson of ten minutes", n.Questions, n.Numbers)
			}
			for _, before := range l.Before {
				if !slices.Contains(presets.Lessons(), before) {
					t.Errorf("before: there is no lesson %s", before)
				}
			}
			digits := 0
			for i := range l.Steps {
				s := &l.Steps[i]
				texts := []*string{}
				for p := range s.Text {
					texts = append(texts, &s.Text[p].Text)
				}
				for p := range s.Reveal {
					texts = append(texts, &s.Reveal[p].Text)
				}
				if s.Show != nil {
					texts = append(texts, &s.Show.Watch)
				}
				if s.Ask != nil {
					texts = append(texts, &s.Ask.Text, &s.Ask.Hint)
					for c := range s.Ask.Choices {
						texts = append(texts, &s.Ask.Choices[c])
					}
				}
				for _, text := range texts {
					digits += changeDigits(t, &l, r, text)
				}
			}
			if digits < n.Numbers {
				t.Errorf("changed %d digits of %d numbers", digits, n.Numbers)
			}
		})
	}
}

// changeDigits changes each digit in the links of a text, one at a time, and restores it. It returns their number.
func changeDigits(t *testing.T, l *presets.Lesson, r lesson.Results, text *string) int {
	t.Helper()
	right, count := *text, 0
	spans, err := presets.Spans(right)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, s := range spans {
		if s.Style != presets.Link || s.Target == "paper" {
			continue
		}
		at += strings.Index(right[at:], "["+s.Text+"]("+s.Target+")") + 1
		for i, c := range s.Text {
			if c < '0' || c > '9' {
				continue
			}
			count++
			changed := "5"
			if c == '5' {
				changed = "7"
			}
			*text = right[:at+i] + changed + right[at+i+1:]
			if _, wrong := lesson.Check(l, r); len(wrong) == 0 {
				t.Errorf("the check accepts %s instead of %s", (*text)[at:at+len(s.Text)], s.Text)
			}
		}
	}
	*text = right
	return count
}

// TestAPredictionIsAValueOfTheMetric converts predicted ratios to the metric on the chart of the shown run, and refuses points
// that no chart shows.
func TestAPredictionIsAValueOfTheMetric(t *testing.T) {
	l, err := presets.FindLesson("small-messages")
	if err != nil {
		t.Fatal(err)
	}
	r, err := lesson.Run(context.Background(), &l, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(l.Steps, func(s presets.Step) bool { return s.Ask != nil && s.Ask.Kind == presets.AskPoint })
	s := &l.Steps[at]
	rate := func(run string) float64 {
		m, why := session.Result(r[run], "flop_rate")
		if why != "" {
			t.Fatal(why)
		}
		return m.Value
	}
	for answer, want := range map[string]float64{
		"#tiny.flop_rate/tiny-packed.flop_rate":   2 * rate("tiny-packed"),
		"#tiny-packed.flop_rate/tiny.flop_rate":   rate("tiny-packed") / 2,
		"#tiny-packed.step_time/tiny.step_time":   math.NaN(),
		"#tiny-packed.flop_rate/packed.step_time": math.NaN(),
	} {
		s.Ask.Expect[0].Metric = answer
		p := lesson.NewPlayer(&l, r, lesson.Answers{Answers: []lesson.Answer{{Question: s.Heading, Kind: s.Ask.Kind, Prediction: 2}}}, false)
		p.Back()
		metric, got, ok := p.Predicted()
		if isKnown := !math.IsNaN(want); ok != isKnown || ok && (metric != "flop_rate" || math.Abs(got/want-1) > 1e-6) {
			t.Errorf("%s: the prediction is %s %g, want %g", answer, metric, got, want)
		}
		if _, wrong := lesson.Check(&l, r); slices.ContainsFunc(wrong, func(err error) bool {
			return strings.Contains(err.Error(), "no chart of the step's run")
		}) == ok {
			t.Errorf("%s: the check finds %v", answer, wrong)
		}
	}
}

// TestSensitivities finds the two assumed constants that decide an answer of the lesson on small messages.
func TestSensitivities(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each program once for each assumed constant")
	}
	l, err := presets.FindLesson("small-messages")
	if err != nil {
		t.Fatal(err)
	}
	all, err := lesson.Sensitivities(context.Background(), []*presets.Lesson{&l}, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range all[0] {
		keys = append(keys, s.Machine+" "+s.Key)
	}
	slices.Sort(keys)
	if got := slices.Compact(keys); !slices.Equal(got, []string{"bgp-intrepid kernel.fft", "ranger remote.gap_s"}) {
		t.Errorf("decisive constants %q", got)
	}
}

// TestTexts runs the cases of testdata: lessons with their mistakes, quantities and expressions.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	datadriven.RunTest(t, "testdata/lessons", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		say := func(err error) {
			out.WriteString(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "") + "\n")
		}
		switch d.Cmd {
		case "lesson":
			file := filepath.Join(dir, "case.md")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(d.Input, "\n.\n", "\n\n")), 0o644); err != nil {
				t.Fatal(err)
			}
			l, err := presets.FindLesson(file)
			if err != nil {
				say(err)
				break
			}
			r, err := lesson.Run(context.Background(), &l, options, nil)
			if err != nil {
				say(err)
				break
			}
			_, wrong := lesson.Check(&l, r)
			for _, err := range wrong {
				say(err)
			}
			if d.HasArg("print") {
				if err := lesson.Print(&out, &l, r); err != nil {
					say(err)
				}
			}
		case "rounds":
			var value float64
			d.ScanArgs(t, "value", &value)
			for line := range strings.Lines(d.Input) {
				q, err := lesson.ParseQuantity(strings.TrimSpace(line))
				if err != nil {
					say(err)
				} else if q.Rounds(value) {
					out.WriteString("yes\n")
				} else {
					out.WriteString("no: " + q.Like(value) + "\n")
				}
			}
		case "expression":
			for line := range strings.Lines(d.Input) {
				x, err := lesson.ParseExpression(strings.TrimSpace(line))
				if err == nil && len(x.Metrics()) == 0 {
					var v float64
					v, err = lesson.Results{}.Value(&x)
					if err == nil {
						fmt.Fprintln(&out, v)
						continue
					}
				}
				if err != nil {
					say(err)
					continue
				}
				for _, m := range x.Metrics() {
					out.WriteString("(" + m[0] + ")." + m[1] + " ")
				}
				out.WriteString("\n")
			}
		default:
			d.Fatalf(t, "command %q: want lesson, rounds or expression", d.Cmd)
		}
		if out.Len() == 0 {
			return "nothing\n"
		}
		return out.String()
	})
}

// TestAnswersFile reads back what a player stores, and refuses other files.
func TestAnswersFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	a := lesson.Answers{Lesson: "l", Answers: []lesson.Answer{
		{Question: "1", Kind: presets.AskNumber, Prediction: 1, Result: 2, Confidence: 3},
		{Question: "2", Kind: presets.AskChoice, Prediction: 2, Result: 2, Confidence: 1, Right: true},
	}}
	text, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		string(text):       "",
		"{}":               "",
		"[]":               "not a file of answers",
		string(text) + "1": "want the answers of one lesson",
		strings.Replace(string(text), `"confidence": 3`, `"confidence": 4`, 1): "answer 1: confidence 4: want 1, 2 or 3",
		strings.Replace(string(text), `"number"`, `"word"`, 1):                 `answer 1: kind "word"`,
		strings.Replace(string(text), `"result": 2`, `"result": -2`, 1):        "want a positive prediction",
		strings.Replace(string(text), `"right"`, `"left"`, 1):                  "not a file of answers",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := lesson.ReadAnswers(file)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	count := lesson.Count([]lesson.Answers{a, a})
	if len(count) != 2 || count[0].Answers != 2 || count[0].SureWrong != 2 || count[0].Factor != 2 || count[1].Right != 2 || count[1].Choices[2] != 2 {
		t.Errorf("counts %+v", count)
	}
}

// TestPredictions judges predictions by the range of a question.
func TestPredictions(t *testing.T) {
	number := &presets.Ask{Kind: presets.AskNumber, Expect: []presets.Expectation{{Relation: presets.Times, Low: 1 / 1.1, High: 1.1}}}
	choice := &presets.Ask{Kind: presets.AskChoice, Right: 2}
	for _, c := range []struct {
		ask                *presets.Ask
		prediction, answer float64
		right              bool
	}{
		{number, 1.1, 1, true}, {number, 1, 1.1, true}, {number, 1.11, 1, false}, {number, 0, 1, false}, {number, -1, 1, false},
		{choice, 2, 2, true}, {choice, 1, 2, false},
	} {
		if got := lesson.Right(c.ask, c.prediction, c.answer); got != c.right {
			t.Errorf("%s: prediction %g of %g: right %t, want %t", c.ask.Kind, c.prediction, c.answer, got, c.right)
		}
	}
	if f := lesson.Factor(2, 1); f != 2 {
		t.Errorf("factor %g, want 2", f)
	}
	if f := lesson.Factor(0, 1); !math.IsInf(f, 1) {
		t.Errorf("factor %g, want infinity", f)
	}
}
