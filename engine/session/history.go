package session

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Limits of the history.
const (
	maxSamples = 12000 // ten minutes at twenty per second
	maxMarks   = 256
)

// history holds the state that outlives a run. It belongs to the session's loop.
type history struct {
	set          setup
	hasSetup     bool
	series       []engine.Sample
	marks        []engine.Mark
	awaitsSample bool // this launch has no sample yet
	frames       collector
	last         *frame           // sum over all processes, of this launch
	relayed      *engine.Snapshot // latest snapshot of a job, of this launch; nil: none
	states       states
	recent       recent
	tables       []*study.Table // of the workload's studies
	tableOf      map[*engine.Study]*study.Table
	shown        *engine.Snapshot // latest snapshot of this launch
	before       *engine.Snapshot // last snapshot with finished iterations of an earlier launch
	virtual      *engine.Virtual  // result of a finished simulation
	failure      string
	deadlock     *engine.Deadlock
	warnings     []string
	dilator      dilator
	progress     iterationProgress
	reported     reportedAccesses // latencies passed to the observer
	dilation     float64          // of the previous launch; 0: none of the same scenario
}

func newHistory(unattended bool) *history {
	h := &history{tableOf: make(map[*engine.Study]*study.Table), dilator: newDilator(unattended, 1)}
	if !unattended {
		h.dilator = newDilator(false, attendedFactor)
	}
	return h
}

// begin prepares the history for a launch, and marks the changes. The tables of a simulation compute slow frames during
// the run, and call ready (see study.Table.Start). If ready is nil, there is no run, and the tables omit slow frames.
func (h *history) begin(set setup, at time.Duration, ready func()) {
	dilationOnly := false // the same scenario with another dilation
	h.dilation = 0
	if h.hasSetup {
		label := difference(&h.set.scenario, &set.scenario, h.set.kind(), set.kind())
		dilationOnly = label == "" && h.set.spec.DilationFactor != set.spec.DilationFactor
		if dilationOnly && h.shown != nil {
			h.dilation = h.shown.Dilation
		} else if label == "" && maps.Equal(h.set.scenario.Values, set.scenario.Values) {
			label = "start"
		}
		if label != "" {
			h.addMark(label, at)
			h.marks[len(h.marks)-1].NewWorkload = h.set.scenario.Workload != set.scenario.Workload
		}
	}
	if h.shown != nil {
		if _, ok := iterationTime(h.shown); ok && !dilationOnly {
			h.before = h.shown
		}
		h.shown = nil
	}
	h.dilator.launch(at)
	h.tables = h.tables[:0]
	for _, st := range set.workload.Studies {
		if h.tableOf[st] == nil {
			h.tableOf[st] = study.NewTable(st)
		}
		t := h.tableOf[st]
		if ready != nil && set.kind() != engine.Simulated {
			t.Begin(&set.scenario, &set.machine, set.kind()) // ranks in real time need the cores
		} else {
			t.Start(&set.scenario, &set.machine, set.kind(), ready)
		}
		h.tables = append(h.tables, t)
	}
	h.set = set
	h.hasSetup = true
	h.awaitsSample = true
	h.frames = collector{}
	h.last = newFrame(0, 0)
	h.relayed = nil
	h.progress = iterationProgress{at: at}
	h.reported = reportedAccesses{at: at}
	h.states = states{}
	h.recent = recent{}
	h.recent.take(at, h.last)
	h.failure = ""
	h.deadlock = nil
	h.warnings = nil
	h.virtual = nil
}

// isComplete reports whether all tables have their slow frames.
func (h *history) isComplete() bool {
	return !slices.ContainsFunc(h.tables, func(t *study.Table) bool { return !t.IsComplete() })
}

// markDilation marks a change of dilation of the same scenario.
func (h *history) markDilation(r *run, at time.Duration) {
	if now := r.handle.Dilation(); h.dilation > 0 && now != h.dilation {
		h.addMark(engine.DilationMark(h.dilation, now), at)
	}
}

// applyKnobs applies knobs that changed while the run continues.
func (h *history) applyKnobs(set setup, at time.Duration) {
	if label := difference(&h.set.scenario, &set.scenario, h.set.kind(), set.kind()); label != "" {
		h.addMark(label, at)
	}
	set.spec.DilationFactor = h.set.spec.DilationFactor
	h.set = set
}

func (h *history) addMark(label string, at time.Duration) {
	h.marks = append(h.marks, engine.Mark{At: at, Label: label})
	if len(h.marks) > maxMarks {
		h.marks = h.marks[1:]
	}
}

// Difference lists the knobs that differ between two snapshots: "group 2→4". It omits knobs without effect in
// both.
func Difference(before, after *engine.Snapshot) string {
	return difference(&before.Scenario, &after.Scenario, before.Kind, after.Kind)
}

// difference lists the changed knobs: "group 2→4". For two workloads it compares the knobs that
// all workloads have. It omits a knob without effect in both scenarios, by the kinds of their
// numbers.
func difference(from, to *engine.Scenario, a, b engine.Kind) string {
	var changed []string
	table := to.Table
	if from.Workload != to.Workload {
		changed = append(changed, "workload "+from.Workload+"→"+to.Workload)
		table = engine.Base
	}
	for i := range table {
		name := table[i].Name
		x, ok := from.Values[name]
		if !ok { // a scenario without processes
			continue
		}
		if y := table[i].Text(to.Text(name)); table[i].Text(x) != y && (workload.Idle(from, a, name) == "" ||
			workload.Idle(to, b, name) == "") {
			changed = append(changed, name+" "+x+"→"+y)
		}
	}
	return strings.Join(changed, ", ")
}

// forget clears series, marks and points.
func (h *history) forget() {
	h.series = nil
	h.marks = nil
	h.before = nil
	for _, t := range h.tableOf {
		t.Forget()
	}
}

// sample gathers the counts, and extends the series if they are new. It reports whether they are.
func (h *history) sample(r *run, at time.Duration) bool {
	if r.number != 0 { // only process 0 samples
		h.awaitsSample = false
		return false
	}
	was := h.last
	f := r.frame()
	h.frames.take(f)
	if err := r.collect(&h.frames); err != nil {
		h.warnings = append(h.warnings, err.Error())
	}
	h.states.take(f, h.set.spec.Layout.Ranks())
	now := h.frames.sum()
	h.last = now
	h.recent.take(at, now)
	span := (now.spent - was.spent).Seconds() / float64(now.ranks)
	if span <= 0 {
		return false
	}
	s := engine.Sample{At: at, Fabric: now.stamp, Local: math.NaN(), Access: math.NaN()}
	for c := range cluster.Classes {
		s.Rate[c] = float64(now.traffic.Bytes[c]-was.traffic.Bytes[c]) / span
		s.Ops[c] = float64(now.traffic.Ops[c]-was.traffic.Ops[c]) / span
	}
	n, sum := now.totalAccesses()
	n0, sum0 := was.totalAccesses()
	n -= n0
	if n > 0 {
		s.Local = float64(now.accesses[cluster.InRank]-was.accesses[cluster.InRank]) / float64(n)
		s.Access = (sum - sum0).Seconds() / float64(n)
	}
	h.add(s)
	h.awaitsSample = false
	return true
}

// add appends a sample to the series. Dropping an old sample also drops the marks before it,
// except the mark at which the current workload began.
func (h *history) add(s engine.Sample) {
	h.series = append(h.series, s)
	if len(h.series) > maxSamples {
		h.series = h.series[1:]
		dropped, kept := 0, -1
		for dropped < len(h.marks) && h.marks[dropped].At < h.series[0].At {
			if h.marks[dropped].NewWorkload {
				kept = dropped
			}
			dropped++
		}
		switch {
		case kept < 0:
			h.marks = h.marks[dropped:]
		case dropped > 1: // snapshots share the old slice
			h.marks = append([]engine.Mark{h.marks[kept]}, h.marks[dropped:]...)
		}
	}
}

// fold keeps the rows of a finished run. whole reports whether every rank has ended, timed whether
// the session ended it.
func (h *history) fold(r *run, whole, timed bool, at time.Duration) {
	h.snapshot(h.set, r, engine.Running, at) // so that the studies see the last counts
	for _, t := range h.tables {
		t.Fold()
	}
	h.warnings = slices.Concat(h.warnings, r.handle.Warnings())
	h.virtual = virtualOf(r.handle, whole, timed)
}

// snapshot returns the state of the session at one moment. r is the current or last run, or nil if
// none was launched.
func (h *history) snapshot(set setup, r *run, phase engine.Phase, elapsed time.Duration) *engine.Snapshot {
	if h.relayed != nil {
		return h.relayedSnapshot(set, phase, elapsed)
	}
	t := h.last
	snap := &engine.Snapshot{
		Phase:          phase,
		Scenario:       set.scenario,
		Layout:         set.spec.Layout,
		Machine:        set.machine.Name,
		Kind:           set.kind(),
		Dilation:       1,
		Elapsed:        elapsed,
		Fabric:         t.stamp,
		Iteration:      t.iterations,
		Counted:        t.counted,
		IterationTimes: t.times,
		Series:         h.series[:len(h.series):len(h.series)],
		Marks:          h.marks[:len(h.marks):len(h.marks)],
		Accesses:       t.byClass(),
		Traffic:        t.traffic,
		Recent:         h.recent.view(&set.spec.Layout),
		SizeOnly:       set.sizeOnly,
		MemoryPerNode:  set.spec.Extent() * int64(set.spec.Layout.RanksPerNode),
		Replicas:       set.plan.Replicas,
		Virtual:        h.virtual,
		LaunchLine:     set.launchLine(),
		Failure:        h.failure,
		Deadlock:       h.deadlock,
		Warnings:       h.warnings,
		Checksum:       t.checksum,
		Verification: engine.Verification{
			Done: t.checks > 0, OK: t.checks > 0 && t.failures == 0, Checks: t.checks, Detail: t.detail,
		},
	}
	if r != nil && r.over && !r.cut && t.iterations > 0 && snap.Verification.OK {
		if wrong := t.audit(set.workload, snap.Kind == engine.Simulated, snap.Layout.N().MPI > 1); wrong != "" {
			snap.Verification.OK, snap.Verification.Detail = false, wrong
		}
	}
	if snap.Recent.Nodes == 1 {
		snap.NodePairs = t.pairs
	}
	if r != nil {
		snap.Dilation, snap.Keeping = r.handle.Dilation(), h.keeping(r)
		if rec := timeline.Of(&r.setup.spec); rec != nil {
			snap.Timeline = rec.View()
		}
		if phase == engine.Running || phase == engine.Paused {
			snap.Progress = h.progress.update(elapsed, phase == engine.Running, t, r.handle)
			snap.Warnings = slices.Concat(h.warnings, r.handle.Warnings())
		}
		h.addDistributions(snap, r)
	}
	snap.Ranks = h.states.views(&set.spec.Layout, phase)
	snap.Studies = make([]engine.StudyView, len(h.tables))
	for i, t := range h.tables {
		snap.Studies[i] = t.Frame()
	}
	h.addMetrics(snap, &set)
	if doubt := set.workload.Doubt; doubt != nil && snap.Iteration > 0 && snap.Keeping == engine.Kept {
		if text := doubt(snap); text != "" {
			snap.Warnings = append(slices.Clip(snap.Warnings), text)
		}
	}
	for i, t := range h.tables {
		snap.Studies[i] = t.Look(snap)
	}
	snap.Why, snap.Change = why(snap, &set.machine), Change(h.before, snap)
	h.shown = snap
	return snap
}

// keeping reports how well the host keeps up with the run. A finished run that was too short for a
// verdict counts as kept.
func (h *history) keeping(r *run) engine.Keeping {
	x, ok := r.handle.(cluster.Dilated)
	if !ok || r.setup.kind() != engine.Emulated {
		return engine.Kept
	}
	l := x.Lateness()
	switch {
	case !l.Proven() && r.over:
		return engine.Kept
	case !l.Proven():
		return engine.Unproven
	case l.Excess() <= 1:
		return engine.Kept
	case h.dilator.beyond:
		return engine.Beyond
	}
	return engine.Behind
}

// addDistributions fills in the distributions of accesses and declared samples, the declared
// tables, the profiles and the metrics by rank.
func (h *history) addDistributions(snap *engine.Snapshot, r *run) {
	t := h.last
	total := h.last.histograms
	w := r.setup.workload
	if total == nil {
		return
	}
	for c := range snap.Latency {
		snap.Latency[c] = latencyQuantiles(total.series[c], t.accesses[c], t.time[c])
	}
	for i := range w.Samples {
		m := &w.Samples[i]
		if mean, ok := t.mean(len(w.Metrics)+i, m); ok {
			q := sampleQuantiles(total.series[cluster.Classes+i], mean, stepsOf(m.Unit))
			snap.Samples = append(snap.Samples, engine.Distribution{Name: m.Name, Unit: m.Unit, Kind: snap.Kind, Quantiles: q})
		}
	}
	for i := range r.tables {
		snap.Tallies = append(snap.Tallies, r.tables[i].withCounts(t.cells, snap.Kind))
	}
	at := len(w.Metrics) + len(w.Samples)
	for i := range w.Profiles {
		p := &w.Profiles[i]
		values := make([]float64, p.Places)
		last := 0
		for k := range values {
			values[k] = math.NaN()
			if at+k < len(t.reports) && t.reports[at+k] > 0 {
				values[k], last = t.sums[at+k]/float64(t.reports[at+k]), k+1
			}
		}
		at += p.Places
		if last > 0 {
			snap.Profiles = append(snap.Profiles,
				engine.Profile{Name: p.Name, Title: p.Title, Unit: p.Unit, Kind: snap.Kind, Over: p.Over,
					Values: values[:last:last]})
		}
	}
	for i := range t.ranked {
		k := &t.ranked[i]
		m := &w.Metrics[k.metric]
		if mean, ok := t.mean(k.metric, m); ok {
			snap.Ranked = append(snap.Ranked, engine.Ranked{
				Metric: engine.Metric{Name: m.Name, Value: mean, Unit: m.Unit, Kind: snap.Kind}, Values: k.values,
			})
		}
	}
}

// addMetrics fills in the declared metrics that were reported, and the metrics that the workload
// computes from the snapshot.
func (h *history) addMetrics(snap *engine.Snapshot, set *setup) {
	for i := range set.workload.Metrics {
		m := &set.workload.Metrics[i]
		if mean, ok := h.last.mean(i, m); ok {
			snap.Metrics = append(snap.Metrics, engine.Metric{Name: m.Name, Value: mean, Unit: m.Unit, Kind: snap.Kind})
		}
	}
	if set.workload.Finish != nil {
		snap.Metrics = append(snap.Metrics, set.workload.Finish(snap, &set.machine)...)
	}
}
