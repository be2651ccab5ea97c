package engine

import (
	"math"
	"strconv"
)

// Overlap is what a run and those before it tell of computing during
// communication (paper 2, section 7.2): how long the scheme that the knobs ask for
// takes against masteronly.
type Overlap struct {
	Now    EpsilonPoint   // of the run that is shown
	Points []EpsilonPoint // whose ε is known, of all runs of the session that compare with it: by rising Planes
}

// EpsilonPoint is one scheme on one problem. What is not known is NaN.
type EpsilonPoint struct {
	Threading string  // "multiple": the knob
	Overlaps  bool    // computes during communication
	Reserved  float64 // m: threads of a rank that communicate meanwhile, whole or not
	Threads   int     // n: of a rank
	Nodes     int
	Planes    int // n_k on a rank; 0: the problem has none

	Kind       Kind    // of the numbers below, but for Model
	Comm       float64 // f_comm, f_comp,non, f_comp,overlap: shares of masteronly's time
	NonOverlap float64
	Overlap    float64
	CommCost   float64 // x_comm / x_MVM,overlap of equation (14)
	Masteronly float64 // s an iteration
	Scheme     float64 // s an iteration
	Epsilon    float64 // T_masteronly / T_scheme
	Model      float64 // ε by equation (3), modelled out of the fractions
}

// Reserved is m as the knobs ask for it: one thread at a time communicates except
// under multiple, and for masteronly it is what could be reserved instead. NaN: m
// follows from the load (full load balancing).
func (s *Scenario) Reserved() float64 {
	switch s.Values["threading"] {
	case "funneled", "serialized":
		return 1
	}
	text, there := s.Values["reserved"]
	if !there {
		return 1
	}
	if m, err := strconv.ParseFloat(text, 64); err == nil && m > 0 {
		return m
	}
	return math.NaN()
}

// Metric finds a metric by name.
func (s *Snapshot) Metric(name string) (Metric, bool) {
	for _, m := range s.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}
