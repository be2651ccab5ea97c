package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/reproduce"
	"github.com/hybridtop/hybridtop/presets"
)

// The report of the papers has every claim. A claim that ran has its verdict, chart and constants.
// Other claims are missing.
func TestReportOfThePapersHasEveryClaim(t *testing.T) {
	nan := math.NaN()
	rule := func(claim int, check string, x, published, simulated float64, use presets.Use, rule presets.Rule,
		pass bool) reproduce.Row {
		return reproduce.Row{Figure: "paper1-fig6", Paper: 1, Claim: claim, Check: check, Place: "figure 6",
			Says: "what " + check + " says", Name: "groups", Series: "groups <b>", X: x, Quantity: "speedup", Unit: "1",
			Published: published, Simulated: simulated, Modelled: 1.2, Error: nan, Null: nan, Use: use, Rule: rule,
			Tolerance: .1, Least: 1, Most: math.Inf(1), Pass: pass, Reach: "other constants", Measure: "a ping-pong"}
	}
	constants := []reproduce.Constant{{Machine: "demo",
		Fact:   presets.Fact{Key: "remote.latency_s", Unit: "s", Value: 1e-6, Source: "assumed: it is a demo"},
		Claims: []int{1, 3}, FittedClaims: []int{3}}}
	r := &reproduce.Report{Constants: constants,
		Missing: []presets.Claim{{Number: 4, Paper: 2, Place: "table 2", Says: "nothing runs this"}}, Rows: []reproduce.Row{
			rule(1, "exact", 4, 1.5, nan, presets.UseExact, presets.Within, true),
			rule(2, "range", 8, nan, 1e6, presets.UseCheck, presets.Range, true),
			rule(2, "range", 16, nan, 1e-6, presets.UseCheck, presets.Range, false),
			rule(3, "whole", nan, nan, .2, presets.UseFit, presets.Flat, false),
		}}
	r.Rows[3].Failed, r.Rows[3].Note = true, "groups at 4 did not run: deadlock"
	claims := []presets.Claim{{Number: 1, Paper: 1, Place: "a", Says: "one"},
		{Number: 2, Paper: 1, Place: "b", Says: "two"}, {Number: 3, Paper: 1, Place: "c", Says: "three"}, r.Missing[0],
		{Number: 5, Paper: 2, Place: "d", Says: "not asked for"}}
	p := claimsPage(r, nil, claims)
	var b bytes.Buffer
	if err := p.HTML(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		`<h2>Claim 1: paper 1, a</h2>`, `<span class="badge good">pass</span>`, `<span class="badge plain">exact</span>`,
		`<h2>Claim 2: paper 1, b</h2>`, `<span class="badge bad">refuted in 1 of 2 rows</span>`,
		`<span class="badge plain">predicted</span>`,
		`<span class="badge bad">1 of 1 failed to run</span>`, `<span class="badge plain">fitted</span>`,
		`<h2>Claim 4: paper 2, table 2</h2>`, `<span class="badge amiss">missing</span>`, `This program does not run it yet.`,
		`aria-label="Claim 2: speedup, published, simulated and modelled; grey: passing range"`,
		`constants of claim 3`, `assumed: it is a demo`, `<td>remote.latency_s</td>`, `groups &lt;b&gt;`,
		`Decisive measurement: a ping-pong.`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %s", want)
		}
	}
	if strings.Contains(text, "not asked for") {
		t.Error("the report has a claim of figures that were not asked for")
	}
}

// In a report of all figures, each claim of the papers is run or missing.
func TestEachClaimIsRunOrMissing(t *testing.T) {
	figures, err := presets.FindFigures("all")
	if err != nil {
		t.Fatal(err)
	}
	claims, missing, err := claimsOf(figures)
	if err != nil {
		t.Fatal(err)
	}
	times := make(map[int]int)
	for _, c := range missing {
		times[c.Number]++
	}
	for i := range figures {
		for _, n := range figures[i].Claims() {
			times[n] = 1
		}
	}
	for _, c := range claims {
		if times[c.Number] != 1 {
			t.Errorf("claim %d is neither run nor missing, or both", c.Number)
		}
	}
	if _, missing, _ := claimsOf(figures[:1]); missing != nil {
		t.Errorf("%d claims are missing of one figure", len(missing))
	}
}

func TestSymbolsAtTheBeginningOfASentenceStay(t *testing.T) {
	for words, want := range map[string]string{"with groups": "With groups.", "ε = 1 around 32": "ε = 1 around 32.",
		"x_comm was 4": "x_comm was 4.", "": "."} {
		if got := sentence(words); got != want {
			t.Errorf("%q: want %q", got, want)
		}
	}
}
