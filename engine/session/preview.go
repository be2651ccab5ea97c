package session

import (
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// A Preview is the effect of a change of a knob on a modelled metric.
type Preview struct {
	Phrase        string // "access time"
	Unit          string
	Before, After float64
}

// maxPreviewed is the maximum number of ranks of a preview, because it disturbs a live run.
const maxPreviewed = 1 << 12

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
	before, after := o.modelled(from), o.modelled(&to)
	for _, m := range before {
		at := slices.IndexFunc(after, func(o engine.Metric) bool { return o.Name == m.Name })
		if at < 0 {
			continue
		}
		x, y := m.Value, after[at].Value
		if !(max(x/y, y/x) >= sameModel) || math.IsInf(x/y, 0) {
			return Preview{}, false
		}
		phrase := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(m.Name, "_model"), "_law"), "_", " ")
		return Preview{phrase, m.Unit, x, y}, true
	}
	return Preview{}, false
}

// modelled returns the times and bandwidths that a workload's model predicts for a scenario.
func (o *Options) modelled(sc *engine.Scenario) (all []engine.Metric) {
	if layout := sc.Layout(); layout.Ranks() > maxPreviewed || engine.IsCheapest(sc.Text("ranking")) ||
		slices.Contains([]string{algorithm.Online, algorithm.ByTable}, sc.Values["algorithm"]) {
		return nil
	}
	set, err := o.plan(sc.Clone())
	if err != nil || set.workload.Finish == nil {
		return nil
	}
	snap := &engine.Snapshot{Scenario: set.scenario, Layout: set.spec.Layout, Kind: set.kind(), Machine: set.machine.Name}
	for range 2 {
		for _, m := range set.workload.Finish(snap, &set.machine) {
			if m.Kind == engine.Modelled && (m.Unit == "s" || m.Unit == "B/s") && m.Value > 0 {
				all = append(all, m)
			}
		}
		if len(all) > 0 || len(set.workload.Studies) == 0 || set.workload.Studies[0].Frame == nil {
			break
		}
		st := set.workload.Studies[0] // the model may need its rows
		view := st.Frame(&snap.Scenario, &set.machine, snap.Kind)
		view.Form = st.Form
		snap.Studies = []engine.StudyView{view}
	}
	return all
}
