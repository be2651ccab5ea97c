package recording

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// ExportOptions selects the part of a file to export.
type ExportOptions struct {
	Run      int64
	Table    string       // for CSV: one of Tables; "": samples
	Launch   int          // for a timeline: number of the launch from 1; 0: the last one with a timeline
	From, To cluster.Time // for a timeline: range on the fabric's clock; To 0: all
}

// Formats lists the export formats of a recording.
var Formats = []Format{
	{"csv", "a table: samples, iterations, latencies, metrics, launches, knobs, commands or marks", (*File).csv},
	{"json", "a run as one document", (*File).json},
	{"perfetto", "the timeline of a launch as a Chrome trace, for ui.perfetto.dev", (*File).perfetto},
	{"openmetrics", "samples with their times, and metrics, for Prometheus", (*File).openMetrics},
	{"benchfmt", "Go's benchmark format, for benchstat", (*File).benchmarks},
}

// Format is an export format.
type Format struct {
	Name, Doc string
	write     func(*File, io.Writer, *RunInfo, []LaunchInfo, *ExportOptions) error
}

// Export writes a run in a format.
func (f *File) Export(w io.Writer, format string, o ExportOptions) error {
	var run *RunInfo
	for i := range f.Runs {
		if f.Runs[i].ID == o.Run {
			run = &f.Runs[i]
		}
	}
	if run == nil {
		return fmt.Errorf("%s has no run %d", f.Name, o.Run)
	}
	var names []string
	for i := range Formats {
		if Formats[i].Name == format {
			launches, err := f.Launches(run.ID)
			if err != nil {
				return err
			}
			b := bufio.NewWriterSize(w, 1<<16)
			return errors.Join(Formats[i].write(f, b, run, launches, &o), b.Flush())
		}
		names = append(names, Formats[i].Name)
	}
	return fmt.Errorf("no format %q: want one of %s", format, strings.Join(names, ", "))
}

// classNames lists the locality classes in the order of the tables.
var classNames = [...]struct {
	name  string
	class cluster.Class
}{{"rank", cluster.InRank}, {"node", cluster.InNode}, {"remote", cluster.Remote}}

// ChangedKnobs returns the knobs of a launch that are not at their defaults, except knobs of the
// role view.
func (l *LaunchInfo) ChangedKnobs() (parts [][2]string) {
	for i := range l.Scenario.Table {
		k := &l.Scenario.Table[i]
		if v := l.Scenario.Values[k.Name]; v != k.Default && k.Name != "pace" && k.Name != "timeline" {
			parts = append(parts, [2]string{k.Name, v})
		}
	}
	return parts
}

// symbol replaces all characters except letters, digits and _, so that every format accepts the
// text.
func symbol(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, s)
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return s
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// benchBatches is the number of lines for the iterations of a launch. Several lines let benchstat
// estimate the variance.
const benchBatches = 10

// benchmarks writes each launch in Go's benchmark format.
func (f *File) benchmarks(w io.Writer, run *RunInfo, launches []LaunchInfo, _ *ExportOptions) error {
	fmt.Fprintf(w, "goos: %s\ngoarch: %s\npkg: hybridtop\nhybridtop: %s\n", benchWord(run.OS), benchWord(run.Arch),
		benchWord(run.Version))
	for i := range launches {
		l := &launches[i]
		times, err := f.Iterations(l.ID)
		if err != nil {
			return err
		}
		if len(times) == 0 {
			continue
		}
		name := "Benchmark" + strings.ToUpper(symbol(l.Scenario.Workload)[:1]) + symbol(l.Scenario.Workload)[1:]
		for _, p := range l.ChangedKnobs() {
			name += "/" + benchWord(p[0]) + "=" + benchWord(p[1])
		}
		fmt.Fprintf(w, "machine: %s\nkind: %s\n", benchWord(l.Machine), benchWord(string(l.Kind)))
		batches := min(benchBatches, len(times))
		if l.Kind == engine.Simulated {
			batches = 1 // simulated times are exact
		}
		for k := range batches {
			part := times[k*len(times)/batches : (k+1)*len(times)/batches]
			fmt.Fprintf(w, "%s %d %v ns/op", name, len(part), 1e9*mean(part))
			for _, m := range l.Metrics {
				if k == 0 && isFinite(m.Value) {
					fmt.Fprintf(w, " %v %s", m.Value, benchWord(m.Name+"-"+unitWord(m.Unit)))
				}
			}
			fmt.Fprintln(w)
		}
	}
	return nil
}

// unitWord returns the name of a unit, "ratio" for a number without one.
func unitWord(unit string) string {
	if unit == "" || unit == "1" {
		return "ratio"
	}
	return unit
}

// benchWord replaces blanks, slashes, separators of keys and characters outside ASCII.
func benchWord(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r == '/' || r > '~' || r == '=' || r == ':' {
			return '_'
		}
		return r
	}, s)
	if s == "" {
		return "none"
	}
	return s
}
