package reproduce

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

// recorded returns the rows of all figures without a run. A row that needs runs has its recorded verdict. A
// recorded number is judged by the limits of today.
func recorded(t *testing.T) (r *Report, figures []presets.Figure) {
	t.Helper()
	figures, err := presets.Figures()
	if err != nil {
		t.Fatal(err)
	}
	r = &Report{}
	for i := range figures {
		p, err := newPlan(&figures[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, points := range p.points {
			for _, at := range points {
				at.Snapshot = &engine.Snapshot{Failure: "it did not run"}
			}
		}
		for _, row := range p.rows() {
			if row.Failed {
				row.Failed, row.Pass = false, row.Recorded.VerdictOf(row.Name) == presets.Pass
			}
			r.Rows = append(r.Rows, row)
		}
	}
	return r, figures
}

// refutedPasses returns the rows that contradict the verdict of their check: a check with "pass" has no
// refuted row.
func refutedPasses(r *Report) (wrong []string) {
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Recorded.Verdict == presets.Pass && row.Verdict() != presets.Pass {
			wrong = append(wrong, fmt.Sprintf("%s, %s: %s is %s", row.Figure, row.Check, row.Name, row.Verdict()))
		}
	}
	return wrong
}

// The recorded numbers of long rows have the recorded verdicts by the limits of today.
func TestRecordedNumbersHaveTheirVerdicts(t *testing.T) {
	r, _ := recorded(t)
	for _, row := range refutedPasses(r) {
		t.Error(row)
	}
	kept := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Kept {
			kept++
		}
		if row.Kept && row.Changed() {
			t.Errorf("%s, %s: %s has the number %g and is recorded as %s, not as %s", row.Figure, row.Check, row.Name,
				row.Simulated, row.Recorded.VerdictOf(row.Name), row.Verdict())
		}
	}
	if kept == 0 {
		t.Error("no recorded row")
	}
}

// docs/reproduce.md counts figures, checks and rows as the command does.
func TestDocumentCountsAsTheCommand(t *testing.T) {
	text, err := os.ReadFile("../../docs/reproduce.md")
	if err != nil {
		t.Fatal(err)
	}
	r, figures := recorded(t)
	checks, refuted, claims := 0, 0, make(map[int]bool)
	for i := range figures {
		for k := range figures[i].Checks {
			c := &figures[i].Checks[k]
			checks++
			claims[c.Claim] = true
			if c.Record.Verdict == presets.Refuted {
				refuted++
			}
		}
	}
	for _, want := range []string{
		fmt.Sprintf("%d figures have %d checks of %d claims. %d checks are refuted", len(figures), checks, len(claims), refuted),
		r.Summary(),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/reproduce.md does not say: %s", want)
		}
	}
}

// A recorded number outside of the limits refutes its row, also if the record says "pass".
func TestLimitsOverruleTheRecord(t *testing.T) {
	figures := small(func(f *presets.Figure) {
		f.Series[1].Long = []float64{64}
		c := &f.Checks[1]
		c.Rule, c.Least, c.Most, c.Published = presets.Range, .4, 1, nil
		c.Record = presets.Record{Verdict: presets.Pass,
			Long: []presets.LongResult{{Row: "pairs at 64", Verdict: presets.Pass, Value: .5, Hash: "1"}}}
	})
	judged := func() *Row {
		r, err := Run(t.Context(), figures, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Rows {
			if r.Rows[i].Name == "pairs at 64" && r.Rows[i].Kept {
				return &r.Rows[i]
			}
		}
		t.Fatal("no recorded row")
		return nil
	}
	if r := judged(); !r.Pass || r.Changed() {
		t.Errorf("0.5 in a range from 0.4: %+v", r)
	}
	figures[0].Checks[1].Least = .6
	if r := judged(); r.Pass || !r.Changed() {
		t.Errorf("0.5 in a range from 0.6: %+v", r)
	}
}

// In a run of all figures, every verdict is as recorded, and no check with "pass" has a refuted row.
// CONFORM=1 runs them.
func TestNoPassHasARefutedRow(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("minutes")
	}
	figures, err := presets.Figures()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), figures, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range refutedPasses(r) {
		t.Error(row)
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Failed || row.Changed() {
			t.Errorf("%s, %s: %s is %s, recorded as %s: %s", row.Figure, row.Check, row.Name, row.Verdict(),
				row.Recorded.VerdictOf(row.Name), row.Note)
		}
	}
	t.Log(r.Summary())
}
