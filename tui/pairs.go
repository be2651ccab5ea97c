package tui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// usualPairs is the number of pairs that the key simulates.
const usualPairs = 8

// comparePairs asks for pairs of the baseline, or else of the variant before, with the current run. The text is the number of seeds.
func (a *app) comparePairs(sc engine.Scenario, text string) error {
	seeds := usualPairs
	if text = strings.TrimSpace(text); text != "" {
		var err error
		if seeds, err = strconv.Atoi(text); err != nil || seeds < pairs.FewestSeeds || seeds > pairs.MostSeeds {
			return fmt.Errorf("pairs %.20q: want %d to %d seeds", text, pairs.FewestSeeds, pairs.MostSeeds)
		}
	}
	from := a.former
	if b := a.explainedBaseline(); b != nil && b.Workload == sc.Workload {
		from = b
	}
	if from == nil || from.Workload != sc.Workload { // an earlier time may have another workload
		return errors.New("pairs: no other variant yet (change a knob of this simulation, or set a baseline: " + a.Keys("baseline") + ")")
	}
	w, err := workload.Find(sc.Workload)
	if err != nil {
		return err
	}
	scenarios := [2]engine.Scenario{from.Clone(), sc}
	names := variantNames(&scenarios)
	a.inquire("pairs", "explain", "Pairs of "+sc.Workload, sc, func(ctx context.Context, o session.Options, progress func(*session.Progress)) (func(*pane.Inquiry), error) {
		o.Fabrics, o.Limits = session.Fabrics(), session.Limits{Iterations: w.Iterations}
		r, err := pairs.Run(ctx, names, scenarios, seeds, o, progress)
		return func(q *pane.Inquiry) { q.Pairs = r }, err
	})
	return nil
}

// variantNames returns the settings that differ between two scenarios.
func variantNames(of *[2]engine.Scenario) (names [2]string) {
	var rows [2]session.Row
	for i := range of[1].Table {
		k := of[1].Table[i].Name
		if k == "timeline" || of[0].Values[k] == of[1].Values[k] {
			continue
		}
		for side := range rows {
			rows[side].Knobs = append(rows[side].Knobs, session.Setting{Knob: k, Value: of[side].Text(k)})
		}
	}
	return [2]string{rows[0].Name(), rows[1].Name()}
}

// followVariant remembers the last simulation of this workload with other settings.
func (a *app) followVariant(from, to *engine.Scenario) {
	switch {
	case from.Workload != to.Workload:
		a.former = nil
	case maps.Equal(from.Values, to.Values) || isSame(from, to):
	case from.Values["fabric"] == engine.Sim:
		former := from.Clone() // the rest of the snapshot may be large
		a.former = &former
	}
}
