package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Limits of advice on the screen, as of the command.
const (
	mostAdvised  = 64
	advisedFlips = 3
)

// advise asks for a ranking of the choices of the run. The text names the knobs that may change.
func (a *app) advise(sc engine.Scenario, text string) error {
	knobs := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	axes, late, err := advise.Axes(&sc, knobs, session.Options{Machines: a.overHost.Machines})
	switch {
	case err != nil:
		return fmt.Errorf("advise: %w", err)
	case len(axes)+len(late) == 0:
		return errors.New("advise: no knob keeps the problem (name knobs: " + a.Keys("command") + "advise KNOB,...)")
	}
	request := advise.Request{Scenario: sc, Axes: axes, Late: late, Flips: advisedFlips}
	if len(knobs) == 0 {
		request.Most = mostAdvised
	}
	a.inquire("advise", "explain", "Advice on "+sc.Workload, sc, func(ctx context.Context, o session.Options, progress func(*session.Progress)) (func(*pane.Inquiry), error) {
		request.Options, request.Progress = o, progress
		r, err := advise.Advise(ctx, request)
		return func(q *pane.Inquiry) { q.Advice = r }, err
	})
	return nil
}
