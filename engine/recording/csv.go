package recording

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

// tables lists the tables of the CSV export by name.
var tables = map[string]func(*File, *RunInfo, []LaunchInfo, func(...any)) error{
	"samples": func(f *File, run *RunInfo, _ []LaunchInfo, row func(...any)) error {
		row("at_s", "fabric_s", "rate_rank", "rate_node", "rate_remote", "ops_rank", "ops_node", "ops_remote",
			"rank_local_share", "access_time_s")
		return f.samples(run.ID, func(x *engine.Sample) error {
			cells := []any{x.At.Seconds(), x.Fabric.Seconds()}
			for _, c := range classNames {
				cells = append(cells, x.Rate[c.class])
			}
			for _, c := range classNames {
				cells = append(cells, x.Ops[c.class])
			}
			row(append(cells, x.Local, x.Access)...)
			return nil
		})
	},
	"iterations": func(f *File, _ *RunInfo, launches []LaunchInfo, row func(...any)) error {
		row("launch", "iteration", "s")
		for i := range launches {
			err := f.each(`SELECT i, s FROM iteration WHERE launch=? ORDER BY i`, []any{launches[i].ID}, func(r *resultRow) {
				row(i+1, r.int(), r.real())
			})
			if err != nil {
				return f.explain(err)
			}
		}
		return nil
	},
	"latencies": func(f *File, _ *RunInfo, launches []LaunchInfo, row func(...any)) error {
		row("launch", "from_s", "to_s", "class", "accesses", "mean_s", "min_s", "p50_s", "p99_s", "max_s")
		for i := range launches {
			all, err := f.Latencies(launches[i].ID)
			if err != nil {
				return err
			}
			for _, x := range all {
				row(i+1, x.From.Seconds(), x.To.Seconds(), classes[x.Class], x.Count, x.Mean, x.Min, x.P50, x.P99, x.Max)
			}
		}
		return nil
	},
	"metrics": func(_ *File, _ *RunInfo, launches []LaunchInfo, row func(...any)) error {
		row("launch", "metric", "value", "unit", "kind", "verified")
		for i := range launches {
			for _, m := range launches[i].Metrics {
				row(i+1, m.Name, m.Value, m.Unit, string(m.Kind), launches[i].Verified())
			}
		}
		return nil
	},
	"launches": func(_ *File, _ *RunInfo, launches []LaunchInfo, row func(...any)) error {
		row("launch", "at_s", "workload", "machine", "fabric", "kind", "iterations", "cut", "hash", "checks", "verified",
			"detail", "failure")
		for i := range launches {
			l := &launches[i]
			hash := ""
			if l.Virtual != nil {
				hash = fmt.Sprintf("%016x", l.Virtual.Hash)
			}
			row(i+1, l.At.Seconds(), l.Scenario.Workload, l.Machine, l.Fabric, string(l.Kind), l.Iterations, l.Cut, hash,
				l.Verification.Checks, l.Verified(), l.Verification.Detail, l.Failure)
		}
		return nil
	},
	"knobs": func(_ *File, _ *RunInfo, launches []LaunchInfo, row func(...any)) error {
		row("launch", "knob", "value", "unit", "default")
		for i := range launches {
			for _, k := range launches[i].Scenario.Table {
				row(i+1, k.Name, launches[i].Scenario.Values[k.Name], k.Unit, k.Default)
			}
		}
		return nil
	},
	"commands": func(f *File, run *RunInfo, _ []LaunchInfo, row func(...any)) error {
		row("at_s", "verb", "knob", "value", "error")
		all, err := f.Commands(run.ID)
		for _, c := range all {
			row(c.At.Seconds(), c.Verb, c.Knob, c.Value, c.Error)
		}
		return err
	},
	"marks": func(f *File, run *RunInfo, _ []LaunchInfo, row func(...any)) error {
		row("at_s", "label")
		all, err := f.Marks(run.ID)
		for _, m := range all {
			row(m.At.Seconds(), m.Label)
		}
		return err
	},
}

// Tables lists the names of the tables for CSV.
var Tables = slices.Sorted(maps.Keys(tables))

func (f *File) csv(w io.Writer, run *RunInfo, launches []LaunchInfo, o *ExportOptions) error {
	name := o.Table
	if name == "" {
		name = "samples"
	}
	write := tables[name]
	if write == nil {
		return fmt.Errorf("no table %q: want one of %s", name, strings.Join(Tables, ", "))
	}
	c := csv.NewWriter(w)
	var cells []string
	err := write(f, run, launches, func(values ...any) {
		cells = cells[:0]
		for _, v := range values {
			cells = append(cells, cell(v))
		}
		_ = c.Write(cells) // reported by Error
	})
	c.Flush()
	return errors.Join(err, c.Error())
}

// cell prints a value with all its digits. NaN and infinities are empty.
// Texts are safe for spreadsheets.
func cell(v any) string {
	if x, ok := v.(float64); ok {
		if !isFinite(x) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return safetext.Cell(fmt.Sprint(v))
}

// samplesAtOnce limits the samples of a long run in memory.
const samplesAtOnce = 8192

// samples calls do with every sample of a run.
func (f *File) samples(run int64, do func(*engine.Sample) error) error {
	for first := int64(0); ; first += samplesAtOnce {
		some, err := f.Samples(run, first, samplesAtOnce)
		if err != nil {
			return err
		}
		for i := range some {
			if err := do(&some[i]); err != nil {
				return err
			}
		}
		if len(some) < samplesAtOnce {
			return nil
		}
	}
}

// document is a run as JSON; docs/recordings.md describes it.
type document struct {
	Schema   string           `json:"schema"`
	Run      int64            `json:"run"`
	Sweep    string           `json:"sweep"`
	Began    time.Time        `json:"began"`
	Length   float64          `json:"length_s"`
	Finished bool             `json:"finished"`
	Version  string           `json:"version"`
	Build    string           `json:"build"`
	Rules    string           `json:"rules"`
	Host     map[string]any   `json:"host"`
	Launches []launchDocument `json:"launches"`
	Commands []map[string]any `json:"commands"`
	Marks    []map[string]any `json:"marks"`
	Samples  []sampleDocument `json:"samples"`
}

type launchDocument struct {
	At           float64                  `json:"at_s"`
	Scenario     engine.Scenario          `json:"scenario"`
	Kind         engine.Kind              `json:"kind"`
	MachineFile  string                   `json:"machine_file"`
	Iterations   int                      `json:"iterations"`
	Times        []*float64               `json:"iteration_times"`
	Cut          bool                     `json:"cut"`
	Hash         *string                  `json:"hash"`
	Time         *float64                 `json:"virtual_time"`
	Verification engine.Verification      `json:"verification"`
	Verified     bool                     `json:"verified"`
	Failure      string                   `json:"failure"`
	Metrics      map[string]engine.Metric `json:"metrics"`
	Latencies    []latencyDocument        `json:"latencies"`
}

type latencyDocument struct {
	From  float64  `json:"from_s"`
	To    float64  `json:"to_s"`
	Class string   `json:"class"`
	Count int64    `json:"accesses"`
	Mean  *float64 `json:"mean_s"`
	Min   *float64 `json:"min_s"`
	P50   *float64 `json:"p50_s"`
	P99   *float64 `json:"p99_s"`
	Max   *float64 `json:"max_s"`
}

type sampleDocument struct {
	At     float64             `json:"at_s"`
	Fabric float64             `json:"fabric_s"`
	Rate   map[string]*float64 `json:"rate"`
	Ops    map[string]*float64 `json:"operations"`
	Local  *float64            `json:"rank_local_share"`
	Access *float64            `json:"access_time_s"`
}

func (f *File) json(w io.Writer, run *RunInfo, launches []LaunchInfo, _ *ExportOptions) error {
	d := document{
		Schema: "hybridtop.recording.v1", Run: run.ID, Sweep: run.Sweep, Began: run.Began, Length: run.Length.Seconds(),
		Finished: run.Finished, Version: run.Version, Build: run.Build, Rules: run.Rules,
		Host:     map[string]any{"os": run.OS, "arch": run.Arch, "cores": run.Cores},
		Launches: []launchDocument{}, Commands: []map[string]any{}, Marks: []map[string]any{}, Samples: []sampleDocument{},
	}
	for i := range launches {
		l := &launches[i]
		x := launchDocument{At: l.At.Seconds(), Scenario: l.Scenario, Kind: l.Kind, MachineFile: safetext.Clean(l.MachineFile),
			Iterations: l.Iterations, Cut: l.Cut,
			Verification: l.Verification, Verified: l.Verified(), Failure: l.Failure, Times: []*float64{},
			Metrics: make(map[string]engine.Metric), Latencies: []latencyDocument{}}
		if v := l.Virtual; v != nil {
			hash, time := fmt.Sprintf("%016x", v.Hash), v.Time.Seconds()
			x.Hash, x.Time = &hash, &time
		}
		times, err := f.Iterations(l.ID)
		if err != nil {
			return err
		}
		for _, t := range times {
			x.Times = append(x.Times, engine.Finite(t))
		}
		for _, m := range l.Metrics {
			x.Metrics[m.Name] = m
		}
		latencies, err := f.Latencies(l.ID)
		if err != nil {
			return err
		}
		for _, q := range latencies {
			x.Latencies = append(x.Latencies, latencyDocument{
				From: q.From.Seconds(), To: q.To.Seconds(), Class: classes[q.Class], Count: q.Count,
				Mean: engine.Finite(q.Mean), Min: engine.Finite(q.Min),
				P50: engine.Finite(q.P50), P99: engine.Finite(q.P99), Max: engine.Finite(q.Max),
			})
		}
		d.Launches = append(d.Launches, x)
	}
	commands, err := f.Commands(run.ID)
	if err != nil {
		return err
	}
	for _, c := range commands {
		d.Commands = append(d.Commands,
			map[string]any{"at_s": c.At.Seconds(), "verb": c.Verb, "knob": c.Knob, "value": c.Value, "error": c.Error})
	}
	marks, err := f.Marks(run.ID)
	if err != nil {
		return err
	}
	for _, m := range marks {
		d.Marks = append(d.Marks, map[string]any{"at_s": m.At.Seconds(), "label": m.Label})
	}
	err = f.samples(run.ID, func(s *engine.Sample) error {
		x := sampleDocument{At: s.At.Seconds(), Fabric: s.Fabric.Seconds(), Rate: make(map[string]*float64),
			Ops: make(map[string]*float64), Local: engine.Finite(s.Local), Access: engine.Finite(s.Access)}
		for _, c := range classNames {
			x.Rate[c.name], x.Ops[c.name] = engine.Finite(s.Rate[c.class]), engine.Finite(s.Ops[c.class])
		}
		d.Samples = append(d.Samples, x)
		return nil
	})
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d)
}
