package session

import (
	"cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// maxForecasts is the maximum number of values of a knob that are forecast.
const maxForecasts = 6

// Forecasts returns modelled rows of the workload's first study, one for each of the nearest values of a knob. A row
// has the time or bandwidth that the workload's model predicts, the key that a run would have, the knob's value as
// its label, and the kind Modelled. There are no rows if the model does not predict the study's metric, or if it
// predicts the same value for all choices.
func Forecasts(from *engine.Scenario, knob string, machines []cluster.Machine) []engine.Row {
	k, err := from.Knob(knob)
	if err != nil {
		return nil
	}
	var all []engine.Row
	first, differ := 0.0, false
	for _, value := range nearest(k, from.Values[knob]) {
		to := from.Clone()
		if to.Set(knob, value) != nil {
			continue
		}
		row, ok := forecast(&to, machines)
		if !ok { // the scenario cannot run, or has no model
			continue
		}
		row.Label = k.Label + " " + k.Text(value)
		all = append(all, row.Row)
		first = cmp.Or(first, row.value)
		differ = differ || max(row.value/first, first/row.value) >= sameModel
	}
	if !differ {
		return nil
	}
	return all
}

// nearest returns a value of a knob and its other choices, the nearest ones first, at most maxForecasts.
func nearest(k *engine.Knob, value string) (all []string) {
	seen := map[string]bool{value: true}
	all = append(all, value)
	for up, down := value, value; len(all) < maxForecasts; {
		up, down = k.Next(up, +1), k.Next(down, -1)
		n := len(all)
		for _, next := range []string{up, down} {
			if !seen[next] {
				seen[next] = true
				all = append(all, next)
			}
		}
		if len(all) == n {
			break
		}
	}
	return all[:min(len(all), maxForecasts)]
}

// modelledRow is a row of a study with its modelled value.
type modelledRow struct {
	engine.Row
	value float64
}

// forecast returns the row of a scenario in the workload's first study, with the metric that the model predicts. It
// returns false if there is no prediction.
func forecast(sc *engine.Scenario, machines []cluster.Machine) (modelledRow, bool) {
	o := Options{Fabrics: Fabrics(), Machines: machines}
	snap, w := o.modelled(sc)
	if w == nil || len(w.Studies) == 0 {
		return modelledRow{}, false
	}
	st := w.Studies[0]
	model, ok := snap.Metric(st.Metric + modelSuffix)
	if !ok {
		return modelledRow{}, false
	}
	model.Name, model.Kind = st.Metric, snap.Kind // as in the row of a run
	snap.Metrics = append(snap.Metrics, model)
	snap.Iteration = 1
	rows := st.Observe(snap)
	if len(rows) == 0 {
		return modelledRow{}, false
	}
	rows[0].Kind = engine.Modelled
	return modelledRow{rows[0], model.Value}, true
}
