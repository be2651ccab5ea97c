package recording_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
)

// exported returns a run in a format.
func exported(t *testing.T, f *recording.File, format string, o recording.ExportOptions) string {
	t.Helper()
	o.Run = f.Runs[0].ID
	var b bytes.Buffer
	if err := f.Export(&b, format, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func exportable(t *testing.T) (*tee, *recording.File) {
	file := filepath.Join(t.TempDir(), "a.htr")
	all := record(t, file,
		scenario(t, "pingpong", "fabric", "sim", "machine", "demo", "timeline", "arrows", "nodes", "2"),
		session.Limits{Iterations: 4}, nil)
	return all, open(t, file)
}

func TestCSVIsValid(t *testing.T) {
	all, f := exportable(t)
	last := all.ended[0].Last
	for table, want := range map[string]int{"samples": len(last.Series), "iterations": 4, "metrics": len(last.Metrics),
		"launches": 1, "knobs": len(last.Scenario.Table), "commands": 0, "marks": 0} {
		rows, err := csv.NewReader(strings.NewReader(exported(t, f, "csv", recording.ExportOptions{Table: table}))).ReadAll()
		if err != nil || len(rows) != want+1 {
			t.Errorf("%s: %d rows of %d, %v", table, len(rows)-1, want, err)
		}
		if table == "iterations" {
			for i, row := range rows[1:] {
				if x, err := strconv.ParseFloat(row[2], 64); err != nil || x != last.IterationTimes[i] {
					t.Errorf("iteration %d: %s, want %v", i, row[2], last.IterationTimes[i])
				}
			}
		}
	}
}

func TestJSONContainsRun(t *testing.T) {
	all, f := exportable(t)
	last := all.ended[0].Last
	var d struct {
		Schema   string
		Finished bool
		Launches []struct {
			Hash     string
			Times    []float64 `json:"iteration_times"`
			Verified bool
			Metrics  map[string]struct{ Value *float64 }
		}
		Samples []struct {
			At   float64 `json:"at_s"`
			Rate map[string]*float64
		}
	}
	if err := json.Unmarshal([]byte(exported(t, f, "json", recording.ExportOptions{})), &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema != "hybridtop.recording.v1" || !d.Finished || len(d.Launches) != 1 || len(d.Samples) != len(last.Series) {
		t.Fatalf("%+v", d)
	}
	if l := d.Launches[0]; l.Hash != fmt.Sprintf("%016x", last.Virtual.Hash) || len(l.Times) != 4 || !l.Verified ||
		len(l.Metrics) != len(last.Metrics) {
		t.Errorf("%+v", l)
	}
}

// The rules of the Chrome trace format that Perfetto reads: slices of a track do not overlap,
// tracks have names, and arrows have two ends in order, each on a track.
func TestPerfettoRules(t *testing.T) {
	all, f := exportable(t)
	type event struct {
		Ph, Name, Cat, Bp string
		Pid, Tid, ID      int
		Ts, Dur           float64
		Args              map[string]any
	}
	read := func(o recording.ExportOptions) []event {
		var d struct {
			TraceEvents     []event
			DisplayTimeUnit string
		}
		if err := json.Unmarshal([]byte(exported(t, f, "perfetto", o)), &d); err != nil {
			t.Fatal(err)
		}
		if d.DisplayTimeUnit != "ns" {
			t.Error("no unit")
		}
		return d.TraceEvents
	}
	named, ends := map[[2]int]bool{}, map[[2]int]float64{}
	sent := map[int]float64{}
	counts := map[string]int{}
	for _, e := range read(recording.ExportOptions{}) {
		counts[e.Ph]++
		track := [2]int{e.Pid, e.Tid}
		if e.Pid < 1 || e.Ph != "C" && e.Tid < 1 {
			t.Fatalf("%+v: 0 is the idle process", e)
		}
		switch e.Ph {
		case "M":
			named[track] = true
		case "X":
			if !named[track] || e.Dur <= 0 || math.Round(1000*e.Ts) < math.Round(1000*ends[track]) || e.Name == "" {
				t.Fatalf("%+v after %v", e, ends[track])
			}
			ends[track] = e.Ts + e.Dur
		case "s":
			if _, twice := sent[e.ID]; twice || !named[track] {
				t.Fatalf("%+v", e)
			}
			sent[e.ID] = e.Ts
		case "f":
			at, ok := sent[e.ID]
			if !ok || e.Ts < at || e.Bp != "e" || !named[track] {
				t.Fatalf("%+v, sent at %v", e, at)
			}
			delete(sent, e.ID)
		case "C":
		default:
			t.Fatalf("%+v", e)
		}
	}
	if len(sent) != 0 || counts["s"] != len(all.ended[0].Last.Timeline.Arrows) || counts["X"] == 0 || counts["C"] == 0 {
		t.Errorf("%v, %d arrows without an end, of %d", counts, len(sent), len(all.ended[0].Last.Timeline.Arrows))
	}
	whole := all.ended[0].Last.Timeline.To
	for _, e := range read(recording.ExportOptions{From: whole / 4, To: whole / 2}) {
		if e.Ph == "X" && (e.Ts > float64(whole/2)/1e6+1e-3 || e.Ts+e.Dur < float64(whole/4)/1e6-1e-3) {
			t.Errorf("%+v is outside the requested range", e)
		}
	}
}

// OpenMetrics, read strictly: families are contiguous and named once, their type comes first,
// names and labels are well formed, points of a series rise in time, and the end is marked. This
// avoids a dependency on the Prometheus module.
func TestOpenMetricsIsStrict(t *testing.T) {
	all, f := exportable(t)
	point := regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\} (NaN|[+-]?[0-9.eE+-]+)(?: ([0-9.]+))?$`)
	text := exported(t, f, "openmetrics", recording.ExportOptions{})
	if !strings.HasSuffix(text, "\n# EOF\n") {
		t.Error("the end is not marked")
	}
	family := ""
	seen := map[string]bool{}
	last := map[string]float64{}
	points := 0
	for line := range strings.Lines(strings.TrimSuffix(text, "# EOF\n")) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			family, ok = strings.CutSuffix(name, " gauge")
			if !ok || seen[family] {
				t.Errorf("%s: duplicate, or of another type", line)
			}
			seen[family] = true
			continue
		}
		if strings.HasPrefix(line, "# HELP "+family+" ") {
			continue
		}
		m := point.FindStringSubmatch(line)
		if m == nil || m[1] != family {
			t.Fatalf("%q in family %s", line, family)
		}
		if _, err := strconv.ParseFloat(m[3], 64); err != nil {
			t.Error(line, err)
		}
		key := m[1] + m[2]
		at := 0.0
		if m[4] != "" {
			at, _ = strconv.ParseFloat(m[4], 64)
		}
		if before, ok := last[key]; ok && at <= before {
			t.Errorf("%s is not after %v", line, before)
		}
		last[key] = at
		points++
	}
	if want := 6*len(all.ended[0].Last.Series) + len(all.ended[0].Last.Metrics) + 2; points < want {
		t.Errorf("%d points: want at least %d", points, want)
	}
}

// benchstat's own reader finds every result and no error.
func TestBenchfmtReadsBenchmarks(t *testing.T) {
	all, f := exportable(t)
	r := benchfmt.NewReader(strings.NewReader(exported(t, f, "benchfmt", recording.ExportOptions{})), "run")
	results := 0
	for r.Scan() {
		switch x := r.Result().(type) {
		case *benchfmt.Result:
			results++
			name, parts := x.Name.Parts()
			if string(name) != "Pingpong" || len(parts) == 0 || x.GetConfig("kind") != "simulated" ||
				x.GetConfig("machine") != "demo" {
				t.Errorf("%s of %s on %s", x.Name, x.GetConfig("kind"), x.GetConfig("machine"))
			}
			want := 0.0
			for _, s := range all.ended[0].Last.IterationTimes {
				want += s / 4
			}
			if got, ok := x.Value("sec/op"); !ok || math.Abs(got/want-1) > 1e-9 || x.Iters != 4 {
				t.Errorf("%v s in %d iterations: want %v", got, x.Iters, want)
			}
			for _, m := range all.ended[0].Last.Metrics {
				if m.Unit == "s" {
					if got, ok := x.Value(m.Name + "-s"); !ok || got != m.Value {
						t.Errorf("%s is %v: want %v", m.Name, got, m.Value)
					}
				}
			}
		case *benchfmt.SyntaxError:
			t.Error(x)
		}
	}
	if r.Err() != nil || results != 1 {
		t.Errorf("%d results, %v", results, r.Err())
	}
}

func TestExportErrors(t *testing.T) {
	_, f := exportable(t)
	for want, try := range map[string]func() error{
		`no format "xls": want one of csv, json`: func() error {
			return f.Export(new(bytes.Buffer), "xls", recording.ExportOptions{Run: 1})
		},
		`no table "rows": want one of commands`: func() error {
			return f.Export(new(bytes.Buffer), "csv", recording.ExportOptions{Run: 1, Table: "rows"})
		},
		`has no run 3`: func() error { return f.Export(new(bytes.Buffer), "csv", recording.ExportOptions{Run: 3}) },
		`no launch of this run has a timeline`: func() error {
			return f.Export(new(bytes.Buffer), "perfetto", recording.ExportOptions{Run: 1, Launch: 2})
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %s", err, want)
		}
	}
}
