package recording

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
)

// LaunchInfo describes a launch of a run.
type LaunchInfo struct {
	ID           int64
	At           time.Duration
	Scenario     engine.Scenario // its table contains only the knobs in the file
	Machine      string
	MachineFile  string
	Fabric       string
	Kind         engine.Kind
	Iterations   int
	Ended        bool // the launch has ended, and the fields below are valid
	Cut          bool // stopped in the middle of an iteration
	Virtual      *engine.Virtual
	Verification engine.Verification
	Failure      string
	Metrics      []engine.Metric
}

// Verified reports whether there was a check, all checks passed, and nothing failed.
func (l *LaunchInfo) Verified() bool {
	return l.Failure == "" && l.Verification.Done && l.Verification.OK && l.Iterations > 0
}

// Launches returns the launches of a run in order.
func (f *File) Launches(run int64) ([]LaunchInfo, error) {
	var all []LaunchInfo
	err := f.each(`SELECT l.id, l.at_ns, l.workload, m.name, m.toml, l.fabric, l.kind, l.iterations, l.cut, l.whole, l.hash, l.total_ps, l.events, l.checks, l.verified, l.detail, l.failure
FROM launch l LEFT JOIN machine m ON m.id = l.machine WHERE l.run=? ORDER BY l.id`, []any{run}, func(r *resultRow) {
		x := LaunchInfo{ID: r.int(), At: time.Duration(r.int())}
		x.Scenario = engine.Scenario{Workload: r.text(), Values: make(map[string]string)}
		x.Machine = r.text()
		x.MachineFile = r.raw()
		x.Fabric = r.text()
		x.Kind = engine.Kind(r.text())
		x.Iterations = int(r.int())
		cut, ended := r.optionalInt()
		x.Cut, x.Ended = cut != 0, ended
		whole := r.int() != 0
		hash := r.text()
		total := r.int()
		events := r.text()
		if n, err := strconv.ParseUint(hash, 16, 64); err == nil {
			count, _ := strconv.ParseUint(events, 10, 64)
			x.Virtual = &engine.Virtual{Hash: n, Time: cluster.Time(total), Events: count, Whole: whole}
		}
		v := &x.Verification
		v.Checks = r.int()
		v.Done = v.Checks > 0
		v.OK, v.Detail = r.int() != 0, r.text()
		x.Failure = r.text()
		all = append(all, x)
	})
	for i := range all {
		if err == nil {
			err = f.readDetails(&all[i])
		}
	}
	if err != nil {
		return nil, f.explain(err)
	}
	return all, nil
}

// readDetails reads the knobs and the metrics of a launch.
func (f *File) readDetails(l *LaunchInfo) error {
	err := f.each(`SELECT name, value, type, unit, def, role, label, doc FROM knob WHERE launch=? ORDER BY i`,
		[]any{l.ID}, func(r *resultRow) {
			k := engine.Knob{Name: r.text()}
			l.Scenario.Values[k.Name] = r.text()
			k.Type = engine.KnobType(r.text())
			k.Unit = r.text()
			k.Default = r.text()
			k.Role = engine.Role(r.text())
			k.Label, k.Doc = r.text(), r.text()
			l.Scenario.Table = append(l.Scenario.Table, k)
		})
	if err != nil {
		return err
	}
	return f.each(`SELECT name, value, unit, kind FROM metric WHERE launch=? ORDER BY i`, []any{l.ID}, func(r *resultRow) {
		l.Metrics = append(l.Metrics,
			engine.Metric{Name: r.text(), Value: r.real(), Unit: r.text(), Kind: engine.Kind(r.text())})
	})
}

const sampleColumns = `i, at_ns, fabric_ps, rate_rank, rate_node, rate_remote, ops_rank, ops_node, ops_remote, local, access_s`

// sample reads a row of sampleColumns after its first column.
func (r *resultRow) sample() engine.Sample {
	x := engine.Sample{At: time.Duration(r.int()), Fabric: cluster.Time(r.int())}
	for _, c := range [...]cluster.Class{cluster.InRank, cluster.InNode, cluster.Remote} {
		x.Rate[c] = r.real()
	}
	for _, c := range [...]cluster.Class{cluster.InRank, cluster.InNode, cluster.Remote} {
		x.Ops[c] = r.real()
	}
	x.Local, x.Access = r.real(), r.real()
	return x
}

// Samples returns at most n samples of a run, starting at number first.
func (f *File) Samples(run, first int64, n int) ([]engine.Sample, error) {
	var all []engine.Sample
	at := first
	var gap error
	err := f.each(`SELECT `+sampleColumns+` FROM sample WHERE run=? AND i>=? ORDER BY i LIMIT ?`, []any{run, first, n},
		func(r *resultRow) {
			if i := r.int(); i != at && gap == nil {
				gap = fmt.Errorf("sample %d after sample %d", i, at-1)
			}
			at++
			all = append(all, r.sample())
		})
	if err == nil {
		err = gap
	}
	if err != nil {
		return nil, f.explain(err)
	}
	return all, nil
}

// LaunchSamples returns the samples of a launch.
func (f *File) LaunchSamples(launch int64) ([]engine.Sample, error) {
	var all []engine.Sample
	err := f.each(`SELECT `+sampleColumns+
		` FROM sample WHERE run=(SELECT run FROM launch WHERE id=?) AND launch=? ORDER BY i`, []any{launch, launch},
		func(r *resultRow) {
			r.int()
			all = append(all, r.sample())
		})
	if err != nil {
		return nil, f.explain(err)
	}
	return all, nil
}

// Marks returns the times of a run at which something was changed.
func (f *File) Marks(run int64) ([]engine.Mark, error) {
	var all []engine.Mark
	err := f.each(`SELECT at_ns, label FROM mark WHERE run=? ORDER BY at_ns, rowid`, []any{run}, func(r *resultRow) {
		all = append(all, engine.Mark{At: time.Duration(r.int()), Label: r.text()})
	})
	if err != nil {
		return nil, f.explain(err)
	}
	return all, nil
}

// Iterations returns the recorded times of a launch's iterations, in seconds.
func (f *File) Iterations(launch int64) ([]float64, error) {
	var all []float64
	err := f.each(`SELECT s FROM iteration WHERE launch=? ORDER BY i`, []any{launch}, func(r *resultRow) {
		all = append(all, r.real())
	})
	if err != nil {
		return nil, f.explain(err)
	}
	return all, nil
}

// LatencyInfo is the distribution of access times of a class in an interval of a launch.
type LatencyInfo struct {
	From, To         time.Duration
	Class            cluster.Class
	engine.Quantiles // without buckets
}

// Latencies returns the latencies of a launch in order. A recording of format 1 has none with
// times.
func (f *File) Latencies(launch int64) ([]LatencyInfo, error) {
	if f.format == 1 {
		return nil, nil
	}
	var all []LatencyInfo
	err := f.each(`SELECT from_ns, to_ns, class, n, mean_s, min_s, p50_s, p99_s, max_s FROM latency WHERE launch=? ORDER BY to_ns, class`, []any{launch}, func(r *resultRow) {
		x := LatencyInfo{From: time.Duration(r.int()), To: time.Duration(r.int())}
		name := r.text()
		class := slices.Index(classes[:], name)
		if class < 0 {
			r.typeErr = fmt.Errorf("latencies of class %q", name)
			return
		}
		x.Class = cluster.Class(class)
		x.Quantiles = engine.Quantiles{Count: r.int(), Mean: r.real(), Min: r.real(), P50: r.real(), P99: r.real(),
			Max: r.real()}
		all = append(all, x)
	})
	if err != nil {
		return nil, f.explain(err)
	}
	return all, nil
}

// CommandInfo is a command of the user.
type CommandInfo struct {
	At                       time.Duration
	Verb, Knob, Value, Error string
}

// Commands returns the commands of a run.
func (f *File) Commands(run int64) ([]CommandInfo, error) {
	var all []CommandInfo
	err := f.each(`SELECT at_ns, verb, knob, value, error FROM command WHERE run=? ORDER BY seq`, []any{run},
		func(r *resultRow) {
			all = append(all, CommandInfo{
				At: time.Duration(r.int()), Verb: r.text(), Knob: r.text(), Value: r.text(), Error: r.text(),
			})
		})
	if err != nil {
		return nil, f.explain(err)
	}
	return all, nil
}

// Dropped returns the numbers of intervals and messages of a run that came too fast to be
// recorded.
func (f *File) Dropped(run int64) (intervals, messages int64, err error) {
	err = f.each(`SELECT b.kind, sum(b.dropped) FROM block b JOIN lane n ON n.id = b.lane JOIN launch l ON l.id = n.launch WHERE l.run=? GROUP BY b.kind`, []any{run}, func(r *resultRow) {
		if kind, n := r.int(), r.int(); kind == kindArrows {
			messages = n
		} else {
			intervals = n
		}
	})
	if err != nil {
		err = f.explain(err)
	}
	return intervals, messages, err
}

// Activities returns the time that the threads of a launch spent on each activity, from the
// recorded blocks without streams of devices. It reports false if there are no blocks.
func (f *File) Activities(launch int64) (timeline.Sums, bool, error) {
	var s timeline.Sums
	blocks := int64(0)
	err := f.each(`SELECT count(*), sum(b.sleep_ps), sum(b.compute_ps), sum(b.comm_ps), sum(b.copy_ps), sum(b.wait_ps), sum(b.lock_ps)
FROM block b JOIN lane n ON n.id = b.lane WHERE n.launch=? AND n.thread>=0 AND b.kind=?`, []any{launch, kindIntervals}, func(r *resultRow) {
		blocks = r.int()
		for _, a := range [...]timeline.Activity{timeline.ActivitySleep, timeline.ActivityCompute,
			timeline.ActivityCommunicate, timeline.ActivityCopy, timeline.ActivityWait, timeline.ActivityLock} {
			s[a] = cluster.Time(r.int())
		}
	})
	if err != nil {
		err = f.explain(err)
	}
	return s, blocks > 0, err
}
