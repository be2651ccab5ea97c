package tui

import (
	"errors"
	"maps"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// explainer answers questions about the run on the screen. The first question makes the desk.
type explainer struct {
	desk *explain.Desk
}

// toggleExplain explains the run, or ends the explanation.
func (a *app) toggleExplain() {
	if a.InquiryOf("explain") != nil {
		a.endInquiry()
		return
	}
	if a.Explained != nil {
		a.explainer.desk.Forget()
		a.Explained = nil
		return
	}
	if a.Snap.Scenario.Values["fabric"] != engine.Sim {
		a.notice = "only simulations have a critical path: " + a.Keys("simulate") + " simulate"
		return
	}
	a.ask(nil)
	a.setFocus(a.paneOf("explain"))
}

// ask asks about the run on the screen, with changes of its machine.
func (a *app) ask(changes []presets.Change) {
	if a.Snap.Scenario.Values["fabric"] != engine.Sim {
		return
	}
	if a.explainer.desk == nil {
		a.explainer.desk = explain.NewDesk(session.Options{Machines: a.overHost.Machines})
	}
	a.explainer.desk.Ask(explain.Question{Scenario: a.Snap.Scenario, Baseline: a.explainedBaseline(), Changes: changes})
	a.Explained = a.explainer.desk.Answer()
}

// explainedBaseline returns the baseline that is explained: a simulation of another scenario, or nil.
func (a *app) explainedBaseline() *engine.Scenario {
	if a.base == nil || a.base.Scenario.Values["fabric"] != engine.Sim || isSame(&a.base.Scenario, &a.Snap.Scenario) {
		return nil
	}
	return &a.base.Scenario
}

// followExplained asks again after a change of the run or the baseline, and reports whether there is a
// new answer.
func (a *app) followExplained() bool {
	old := a.Explained
	if old == nil {
		return false
	}
	wanted := a.explainedBaseline()
	switch {
	case a.Snap.Scenario.Values["fabric"] != engine.Sim:
		a.explainer.desk.Forget()
	case !isSame(&old.Scenario, &a.Snap.Scenario):
		a.ask(old.Changes)
	case (wanted == nil) != (old.Baseline == nil), wanted != nil && !isSame(wanted, old.Baseline):
		a.ask(old.Changes)
	}
	a.Explained = a.explainer.desk.Answer()
	return a.Explained != old
}

// isSame reports whether two scenarios have the same explanation.
func isSame(a, b *engine.Scenario) bool {
	withoutTimeline := func(values map[string]string) map[string]string {
		values = maps.Clone(values)
		delete(values, "timeline")
		return values
	}
	return a.Workload == b.Workload && maps.Equal(withoutTimeline(a.Values), withoutTimeline(b.Values))
}

// isExplaining reports whether a simulation is in progress.
func (a *app) isExplaining() bool {
	return a.Explained != nil && a.Explained.Running || a.inquiring.stop != nil
}

// closeDesk ends the simulation in progress.
func (a *app) closeDesk() {
	a.endInquiry()
	if a.explainer.desk != nil {
		a.explainer.desk.Close()
	}
}

// explainWith explains the run with the changes of its machine that a text lists.
func (a *app) explainWith(text string) error {
	if a.Snap.Scenario.Values["fabric"] != engine.Sim {
		return errors.New("what-if: the fabric measures (press " + a.Keys("simulate") + " to simulate)")
	}
	changes, err := presets.ParseChanges(text)
	if err != nil {
		return err
	}
	if a.InquiryOf("explain") != nil {
		a.endInquiry()
	}
	a.ask(changes)
	a.setFocus(a.paneOf("explain"))
	return nil
}
