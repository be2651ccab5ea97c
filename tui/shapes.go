package tui

import (
	"context"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/shapes"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// toggleShapes compares the shapes of the run in the background, or ends the comparison. If the run has none, the pane
// has the reason.
func (a *app) toggleShapes() {
	sc := a.Snap.Scenario.Clone()
	switch {
	case a.endsInquiry("shapes"):
	case sc.Values["fabric"] != engine.Sim:
		a.notice = "only simulations compare shapes: " + a.Keys("simulate") + " simulate"
	case !shapes.Has(sc.Workload):
		a.setFocus(a.paneOf("shapes"))
	default:
		a.inquire("shapes", "shapes", "Shapes", sc, func(ctx context.Context, o session.Options, progress func(*session.Progress)) (func(*pane.Inquiry), error) {
			r, err := shapes.Compare(ctx, shapes.Request{Scenario: sc, Options: o, Progress: progress})
			return func(q *pane.Inquiry) { q.Shapes = r }, err
		})
	}
}
