package session

import (
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A Preview is the effect of a change of a knob on a modelled metric.
type Preview struct {
	Phrase        string // "access time"
	Unit          string
	Before, After float64
}

// maxPreviewed is the maximum number of ranks of a preview, because it disturbs a live run.
const maxPreviewed = 1 << 12

// modelSuffix ends the name of the metric that models another metric.
const modelSuffix = "_model"

// sameModel is the ratio of two modelled values below which a change has no effect.
const sameModel = 1.005

// PreviewOf returns the effect of setting a knob by the workload's model, without a run. It returns false if there
// is no model, if the model does not depend on the knob, or if the scenario cannot run.
func PreviewOf(from *engine.Scenario, knob, value string, machines []cluster.Machine) (Preview, bool) {
	o := Options{Fabrics: Fabrics(), Machines: machines}
	to := from.Clone()
	if err := to.Set(knob, value); err != nil {
		return Preview{}, false
	}
	before, _ := o.modelled(from)
	after, _ := o.modelled(&to)
	for _, m := range before.Metrics {
		n, ok := after.Metric(m.Name)
		if !ok {
			continue
		}
		x, y := m.Value, n.Value
		if !(max(x/y, y/x) >= sameModel) || math.IsInf(x/y, 0) {
			return Preview{}, false
		}
		phrase := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(m.Name, modelSuffix), "_law"), "_", " ")
		return Preview{phrase, m.Unit, x, y}, true
	}
	return Preview{}, false
}

// Modelled returns a metric that the workload's model predicts for a scenario. It returns false if there is no model,
// or if the scenario cannot run.
func Modelled(sc *engine.Scenario, metric string, o Options) (engine.Metric, bool) {
	snap, _ := o.modelled(sc)
	return snap.Metric(metric)
}

// modelled returns a snapshot of a scenario that has not run, and its workload. The metrics of the snapshot are the
// times and bandwidths that the workload's model predicts. If there is no model, the workload may be nil.
func (o *Options) modelled(sc *engine.Scenario) (*engine.Snapshot, *workload.Workload) {
	snap := &engine.Snapshot{}
	if layout := sc.Layout(); layout.Ranks() > maxPreviewed || engine.IsCheapest(sc.Text("ranking")) ||
		slices.Contains([]string{algorithm.Online, algorithm.ByTable}, sc.Values["algorithm"]) {
		return snap, nil
	}
	set, err := o.plan(sc.Clone())
	if err != nil || set.workload.Finish == nil {
		return snap, nil
	}
	snap.Scenario, snap.Layout, snap.Kind, snap.Machine = set.scenario, set.spec.Layout, set.kind(), set.machine.Name
	for range 2 {
		for _, m := range set.workload.Finish(snap, &set.machine) {
			if m.Kind == engine.Modelled && (m.Unit == "s" || m.Unit == "B/s") && m.Value > 0 {
				snap.Metrics = append(snap.Metrics, m)
			}
		}
		if len(snap.Metrics) > 0 || len(set.workload.Studies) == 0 || set.workload.Studies[0].Frame == nil {
			break
		}
		st := set.workload.Studies[0] // the model may need its rows
		view := st.Frame(&snap.Scenario, &set.machine, snap.Kind)
		view.Form = st.Form
		snap.Studies = []engine.StudyView{view}
	}
	return snap, set.workload
}
