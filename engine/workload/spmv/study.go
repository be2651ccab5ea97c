package spmv

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/models"
)

// schemeFor returns the scheme that the knobs choose. One thread at a time communicates, except
// under multiple. For masteronly, m is the number of threads that could be reserved instead.
func schemeFor(s *engine.Scenario) study.Selection {
	a := study.Selection{Level: s.Text("threading"), Choice: s.Text("reserved"), Reserved: s.Float("reserved"),
		Planes: int(s.Int("local-k")), Variant: variantOf(s)}
	switch level := s.Threading(); {
	case level == cluster.ThreadFunneled || level == cluster.ThreadSerialized:
		a.Reserved = 1
	case a.Choice == balanced:
		a.Reserved = math.NaN()
	}
	return a
}

// readMetrics reads the metrics of a product. It returns false if they have no fractions yet.
func readMetrics(s *engine.Snapshot) (study.Result, bool) {
	value := func(name string) float64 {
		if m, ok := s.Metric(name); ok {
			return m.Value
		}
		return math.NaN()
	}
	f, err := models.FractionsOf(value("f_comm"), value("f_non"), value("f_overlap"))
	if err != nil {
		return study.Result{}, false
	}
	_, overlaps := reserved(&s.Scenario, f)
	return study.Result{
		Fractions: f, Overlaps: overlaps, CommCost: value("x_comm_over_x_overlap"),
		Masteronly: value("time_masteronly"), Scheme: value("time_scheme"), Epsilon: value("epsilon"),
		Model: value("epsilon_model"),
	}, true
}
