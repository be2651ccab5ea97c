package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
)

// usualKeys is the value of --tolerance without keys.
const usualKeys = "usual"

// losses are the shares of the time for which explain lists tolerances.
var losses = [...]float64{0.01, 0.02, 0.05}

// tolerate finds the tolerances of constants.
func (x *explanation) tolerate(ctx context.Context, sc engine.Scenario, o session.Options) error {
	keys := explain.ToleranceKeys(x.a)
	if x.tolerance != usualKeys {
		keys = strings.Split(x.tolerance, ",")
	}
	for _, key := range keys {
		for _, loss := range losses {
			t, err := explain.Tolerate(ctx, sc, x.a, key, loss, o)
			if err != nil {
				return err
			}
			x.tolerances = append(x.tolerances, t)
		}
	}
	return nil
}

// toleranceText returns the interval of a tolerance.
func toleranceText(t *explain.Tolerance) string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	switch {
	case t.NoLimit:
		return "no limit to ×" + number(t.High)
	case t.ChoicesChange:
		return "×" + number(t.Low) + " to ×" + number(t.High) + ", choices change"
	}
	return "×" + number(t.Low) + " to ×" + number(t.High)
}

// writeTolerances writes the tolerances, one constant per row.
func (x *explanation) writeTolerances(t *table) {
	t.row()
	cells := []string{"time of"}
	for _, loss := range losses {
		cells = append(cells, fmt.Sprintf("%g %% lost", 100*loss))
	}
	t.head(cells...)
	for i := 0; i < len(x.tolerances); i += len(losses) {
		cells := []string{x.tolerances[i].Key}
		for k := range losses {
			cells = append(cells, toleranceText(&x.tolerances[i+k]))
		}
		t.row(cells...)
	}
}

// toleranceEntry is a tolerance in the JSON document. Factors are of the constant's time.
type toleranceEntry struct {
	Key           string  `json:"key"`
	Loss          float64 `json:"loss"`
	Low           float64 `json:"low"`
	High          float64 `json:"high"`
	NoLimit       bool    `json:"no_limit"`
	ChoicesChange bool    `json:"choices_change"`
	Simulations   int     `json:"simulations"`
}

func (x *explanation) jsonTolerances() (all []toleranceEntry) {
	for _, t := range x.tolerances {
		all = append(all, toleranceEntry{t.Key, t.Loss, t.Low, t.High, t.NoLimit, t.ChoicesChange, t.Simulations})
	}
	return all
}
