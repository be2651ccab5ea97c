package spmv

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
)

// An ε above its bound causes a warning with the likely reason. An ε below it, or of a scheme
// without overlap, does not.
func TestDoubt(t *testing.T) {
	for _, c := range []struct {
		threading string
		kind      engine.Kind
		epsilon   float64
		want      string
	}{
		{"funneled", engine.Measured, 1.7, ""},
		{"funneled", engine.Measured, 1.76, ""},
		{"funneled", engine.Measured, 2.4, "ε 2.40 is above its bound 1 + m(1 − 1/n) = 1.75: masteronly and the " +
			"scheme are timed one after the other"},
		{"funneled", engine.Simulated, 1.9, "fewer threads saturate the memory"},
		{"masteronly", engine.Measured, 2.4, ""},
	} {
		s := spmv.Scenario([]string{"demo"})
		s.Values["threading"], s.Values["threads-per-rank"] = c.threading, "4"
		snap := &engine.Snapshot{Scenario: s, Kind: c.kind, Layout: s.Layout()}
		for name, v := range map[string]float64{"f_comm": 0.4, "f_non": 0.1, "f_overlap": 0.5, "epsilon": c.epsilon} {
			snap.Metrics = append(snap.Metrics, engine.Metric{Name: name, Value: v, Kind: c.kind})
		}
		if got := doubt(snap); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s, ε %v, %s: %q, want %q", c.threading, c.epsilon, c.kind, got, c.want)
		}
	}
}
