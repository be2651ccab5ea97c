package main

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/models"
)

// Verdicts on two runs.
const (
	faster  = "faster"
	slower  = "slower"
	noneYet = "no difference seen"
	cannot  = "no conclusion"
)

// conclusion is the last line of a comparison or a verification.
type conclusion struct {
	Verdict string   `json:"verdict"`         // of B against A
	Ratio   *float64 `json:"ratio,omitempty"` // of the times or rates, B / A
	Low     *float64 `json:"low,omitempty"`   // of the 95 % interval; absent: exact, or too few values
	High    *float64 `json:"high,omitempty"`
	Text    string   `json:"text"`
}

// concludeNothing returns a conclusion for runs that cannot be compared.
func concludeNothing(why string) *conclusion {
	return &conclusion{Verdict: cannot, Text: cannot + ": " + why}
}

// concludeRatio returns the conclusion about two values of a metric: a rate, or a time. Numbers of
// simulations are exact. The argument how describes the measurement: "in 12 alternating rounds".
func concludeRatio(a, b engine.Metric, r models.Ratio, exact bool, how string) *conclusion {
	c := &conclusion{Ratio: engine.Finite(r.Value)}
	what := "per iteration"
	isRate := a.Unit == "B/s"
	if isRate {
		what = "of " + a.Name
	}
	values := fmt.Sprintf("%s → %s %s", text(a), text(b), what)
	switch {
	case !(r.Value > 0):
		return concludeNothing("one of the runs has no positive value")
	case exact && session.AlikeSimulated(a.Value, b.Value):
		c.Verdict = noneYet
		c.Text = fmt.Sprintf("%s between A and B: %s (%s, exact)", noneYet, values, a.Kind)
		if r.Value != 1 {
			c.Text += fmt.Sprintf("; they differ by %.2g %%", 100*math.Abs(r.Value-1))
		}
		return c
	case !exact && math.IsNaN(r.Low):
		c.Verdict = cannot
		c.Text = fmt.Sprintf("%s: %s, but too few values for an interval (%s); run both for longer", cannot, values, how)
		return c
	case !exact:
		c.Low, c.High = engine.Finite(r.Low), engine.Finite(r.High)
	}
	if !exact && r.Noise() {
		c.Verdict = noneYet
		c.Text = fmt.Sprintf("%s between A and B: %s, ratio %.4g (95 %%: %.4g to %.4g) %s; a difference above %.2g %% would be seen",
			noneYet, values, r.Value, r.Low, r.High, how, 100*(math.Sqrt(r.High/r.Low)-1))
		return c
	}
	c.Verdict = slower
	factor := r.Value
	if (r.Value > 1) == isRate {
		c.Verdict = faster
	}
	if factor < 1 {
		factor = 1 / factor
	}
	c.Text = fmt.Sprintf("B is %.4g× %s than A: %s", factor, c.Verdict, values)
	if exact {
		c.Text += fmt.Sprintf(" (%s, exact)", a.Kind)
	} else {
		c.Text += fmt.Sprintf(", ratio %.4g (95 %%: %.4g to %.4g) %s", r.Value, r.Low, r.High, how)
	}
	return c
}
