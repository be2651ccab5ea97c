package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// Verdicts on an expectation; without a value it is unknown.
const (
	met    = "as expected"
	missed = "not as expected"
)

// playTime is the time of a live run of an expectation.
const playTime = 3 * time.Second

// verifyPreset plays the expectations of a scenario, and prints their outcomes.
func verifyPreset(cmd *cobra.Command, p *presets.Scenario, out *format) error {
	if len(p.Expect) == 0 {
		return fmt.Errorf("scenario %s: it has no expectations (add a table [[expect]])", p.Name)
	}
	ctx, done := interruptible(cmd.Context())
	defer done()
	outcomes, err := playExpectations(ctx, cmd, p)
	if err != nil {
		return err
	}
	l, wrong, open := outcomeListing(outcomes, out)
	if err := l.write(cmd.OutOrStdout(), out); err != nil {
		return err
	}
	switch {
	case wrong > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "hybridtop: %d of %d expectations are not met\n", wrong, len(outcomes))
		return status(1)
	case open > 0:
		return errors.New("verify: some expectations have no value (see because)")
	}
	return nil
}

// playExpectations runs the expectations of a scenario. An interruption is an error.
func playExpectations(ctx context.Context, cmd *cobra.Command, p *presets.Scenario) ([]session.Outcome, error) {
	outcomes, err := session.Play(ctx, p, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Usual: playTime}},
		newSweepLine(cmd.ErrOrStderr()))
	if code := interruption(ctx); code != 0 {
		code.say(cmd.ErrOrStderr())
		return nil, code
	}
	return outcomes, err
}

// outcomeListing lists the outcomes of expectations. It returns the number of expectations that are not met, and the
// number of expectations without a value.
func outcomeListing(outcomes []session.Outcome, out *format) (l listing, wrong, open int) {
	l = listing{what: "expectations", columns: []string{"metric", "of", "want", "got", "kind", "verdict", "because"}}
	for i := range outcomes {
		x := &outcomes[i]
		verdict := met
		switch {
		case x.Failed != "":
			verdict = unknown
			open++
		case !x.Met():
			verdict = missed
			wrong++
		}
		e := entry{{"metric", x.Metric}, {"of", runsOf(&x.Expectation)}}
		if out.json || out.csv {
			e = append(e, field{"relation", string(x.Relation)}, field{"low", x.Low}, field{"high", x.High},
				field{"value", engine.Finite(x.Value)}, field{"unit", x.Unit})
		} else {
			value := func(v float64) string {
				return text(engine.Metric{Name: x.Metric, Value: v, Unit: x.Unit})
			}
			if x.Relation == presets.Times {
				value = func(v float64) string { return fmt.Sprintf("%.4g×", v) }
			}
			e = append(e, field{"want", value(x.Low) + " to " + value(x.High)}, field{"got", value(x.Value)})
			if x.Failed != "" {
				e[len(e)-1].value = nil
			}
		}
		l.entries = append(l.entries, append(e, field{"kind", string(x.Kind)}, field{"verdict", verdict}, field{"because", x.Failed}))
	}
	return l, wrong, open
}

// runsOf names the run of an expectation, and the run that it is compared with.
func runsOf(e *presets.Expectation) string {
	name := func(knobs []presets.Knob) string {
		if len(knobs) == 0 {
			return "the scenario"
		}
		var parts []string
		for _, k := range knobs {
			parts = append(parts, k.Name+" = "+k.Value)
		}
		return strings.Join(parts, ", ")
	}
	if e.Relation == presets.Times {
		return name(e.Knobs) + " / " + name(e.Against)
	}
	return name(e.Knobs)
}

// expectationTexts returns expectations as text: "time_per_access of group = 16 / the scenario: 7 to 8 times".
func expectationTexts(all []presets.Expectation) []string {
	texts := []string{}
	for i := range all {
		e := &all[i]
		text := fmt.Sprintf("%s of %s: %g to %g", e.Metric, runsOf(e), e.Low, e.High)
		if e.Relation == presets.Times {
			text += " times"
		}
		texts = append(texts, text)
	}
	return texts
}
