package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/tuner"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// usualLibrary is the library that the key compares, unless the run uses another one.
const usualLibrary = "openmpi-5.0"

// toggleRegret compares the choices of a library with the fastest algorithms, or ends the comparison. Without a
// collective, the pane has the reason.
func (a *app) toggleRegret() {
	switch {
	case a.Snap.Scenario.Values["fabric"] == engine.Sim && a.Snap.Scenario.Values["collective"] == "":
		a.setFocus(a.paneOf("regret"))
	default:
		a.askNow("regret")
	}
}

// regret asks for the map of the slowdowns of a library's choices for the collective of the run.
func (a *app) regret(sc engine.Scenario, text string) error {
	what, library := sc.Values["collective"], strings.TrimSpace(text)
	if what == "" {
		return fmt.Errorf("regret: %s is not a single collective (use %s)", sc.Workload, a.Typed("workload allreduce"))
	}
	if library == "" {
		library = usualLibrary
		if algorithm.IsLibrary(sc.Values["algorithm"]) {
			library = sc.Values["algorithm"]
		}
	}
	if !slices.Contains(algorithm.Libraries(), library) {
		return fmt.Errorf("regret %.20q: want one of %s", library, strings.Join(algorithm.Libraries(), ", "))
	}
	m, err := explain.MachineOf(&sc, a.overHost.Machines)
	if err != nil {
		return err
	}
	l := sc.Layout()
	a.inquire("regret", "regret", "Regret", sc, func(ctx context.Context, _ session.Options, progress func(*session.Progress)) (func(*pane.Inquiry), error) {
		r, err := tuner.MapLibrary(ctx, m, what, library, l.Nodes*l.RanksPerNode, l.RanksPerNode, func(done, total int) {
			progress(&session.Progress{Done: done, Total: total})
		})
		return func(q *pane.Inquiry) { q.Regret = r }, err
	})
	return nil
}
