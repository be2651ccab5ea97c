package recording

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
)

// suffixes maps units to the suffixes of OpenMetrics' names.
var suffixes = map[string]string{"s": "seconds", "B": "bytes", "B/s": "bytes_per_second", "1/s": "per_second",
	"flop/s": "flops_per_second", "1": "ratio", "%": "percent"}

// family is a metric of OpenMetrics, with its lines.
type family struct {
	name, help string
	lines      []string
}

// openMetrics writes the series of a run with their times, and the results of its launches.
func (f *File) openMetrics(w io.Writer, run *RunInfo, launches []LaunchInfo, _ *ExportOptions) error {
	began := float64(run.Began.Unix())
	runLabel := `{run="` + strconv.FormatInt(run.ID, 10) + `"`
	for _, x := range []struct {
		name, help string
		of         func(*engine.Sample, int) float64
	}{
		{"hybridtop_rate_bytes_per_second", "bytes moved, by locality class", func(s *engine.Sample, c int) float64 {
			return s.Rate[classNames[c].class]
		}},
		{"hybridtop_operations_per_second", "operations, by locality class", func(s *engine.Sample, c int) float64 {
			return s.Ops[classNames[c].class]
		}},
	} {
		writeHeader(w, x.name, x.help)
		for c := range classNames { // OpenMetrics requires the points of a series to be adjacent and sorted by time
			err := f.samples(run.ID, func(s *engine.Sample) error {
				_, err := fmt.Fprintf(w, "%s%s,class=%q} %s %s\n", x.name, runLabel, classNames[c].name, formatNumber(x.of(s, c)),
					formatTime(began+s.At.Seconds()))
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	const access = "hybridtop_access_time_seconds"
	writeHeader(w, access, "mean access time")
	err := f.samples(run.ID, func(s *engine.Sample) error {
		if !isFinite(s.Access) {
			return nil
		}
		_, err := fmt.Fprintf(w, "%s%s} %s %s\n", access, runLabel, formatNumber(s.Access), formatTime(began+s.At.Seconds()))
		return err
	})
	if err != nil {
		return err
	}
	var all []*family
	families := make(map[string]*family)
	add := func(name, help, line string) {
		if families[name] == nil {
			families[name] = &family{name: name, help: help}
			all = append(all, families[name])
		}
		families[name].lines = append(families[name].lines, line)
	}
	for i := range launches {
		l := &launches[i]
		labels := runLabel + `,launch="` + strconv.Itoa(i+1) + `",workload="` + escapeLabel(l.Scenario.Workload) +
			`",machine="` + escapeLabel(l.Machine) + `"`
		for _, m := range l.Metrics {
			unit, ok := suffixes[m.Unit]
			if !ok {
				unit = symbol(m.Unit)
			}
			name := "hybridtop_result_" + symbol(m.Name) + "_" + unit
			add(name, "result of a launch", name+labels+`,kind="`+escapeLabel(string(m.Kind))+`"} `+formatNumber(m.Value))
		}
		verified := "0"
		if l.Verified() {
			verified = "1"
		}
		add("hybridtop_verified", "1 if the results of a launch were verified", "hybridtop_verified"+labels+"} "+verified)
		add("hybridtop_iterations", "iterations of a launch", "hybridtop_iterations"+labels+"} "+strconv.Itoa(l.Iterations))
	}
	for _, x := range all {
		writeHeader(w, x.name, x.help)
		fmt.Fprintln(w, strings.Join(x.lines, "\n"))
	}
	_, err = fmt.Fprintln(w, "# EOF")
	return err
}

func writeHeader(w io.Writer, name, help string) {
	fmt.Fprintf(w, "# TYPE %s gauge\n# HELP %s %s\n", name, name, help)
}

// formatNumber prints a value for OpenMetrics.
func formatNumber(x float64) string {
	if !isFinite(x) {
		return "NaN"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// formatTime prints a Unix time in seconds.
func formatTime(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }

// escapeLabel escapes the value of a label.
func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
