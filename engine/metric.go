package engine

import (
	"encoding/json"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// Kind is the origin of a number. Numbers of different kinds are never combined.
type Kind string

// The kinds of number.
const (
	Measured  Kind = "measured"  // wall clock of this host, without added delays
	Emulated  Kind = "emulated"  // live, with a machine's delays; the time dilation is divided out
	Simulated Kind = "simulated" // virtual clock
	Modelled  Kind = "modelled"  // closed formula
	Published Kind = "published" // from a paper
)

// Kinds lists all kinds.
var Kinds = []Kind{Measured, Emulated, Simulated, Modelled, Published}

// A Metric is a number with its unit (SI base: s, B, B/s, 1/s, 1) and its kind.
type Metric struct {
	Name  string
	Value float64
	Unit  string
	Kind  Kind
}

// MarshalJSON writes {"value", "unit", "kind"}. A value that is NaN or infinite becomes null.
func (m Metric) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value *float64 `json:"value"`
		Unit  string   `json:"unit"`
		Kind  Kind     `json:"kind"`
	}{Finite(m.Value), m.Unit, m.Kind})
}

// Finite returns a pointer to x, or nil if x is NaN or infinite, which JSON cannot express.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// A MetricSpec declares a metric that a workload reports, or a sample with a distribution.
type MetricSpec struct {
	Name   string
	Phrase string // the name for a screen: "share of communication"
	Unit   string
	Doc    string
	Ranked bool // of a metric: the value of each rank is stored, too
	Rate   bool // of a metric: every report divides equal work by its time; the mean divides all work by all times

	// A run verifies its metrics by these fields (engine/session/audit.go).
	Always bool     // every complete run with messages reports it, in virtual time with a mean above 0 (bandwidth: 0 or above)
	Parts  []string // metrics that add up to it
	Total  bool     // a time of several iterations, or a multiple of a time; other times are not longer than their iteration
}

// Verification is the outcome of the checks of a result.
type Verification struct {
	Done   bool   `json:"done"`   // at least one check was made
	OK     bool   `json:"ok"`     // every check so far passed
	Checks int64  `json:"checks"` // number of checks
	Detail string `json:"detail"` // the first failure, or a description of the checks
}

// A Probe connects a workload's body to the session; each rank has one. It starts iterations and
// collects measurements. Only the rank's own goroutine may call its methods, except Step.
type Probe interface {
	// Next starts another iteration on every rank, or returns false at the end of the run.
	// Every rank must call it. Pauses and knob changes happen here.
	Next() bool
	// Iteration returns the number of the current iteration, from 0.
	Iteration() int
	// Access records one access of n bytes to a rank's memory that took t.
	Access(to int, n int64, t cluster.Time)
	// Report adds a value of a declared metric. The metric of the run is the mean over ranks and
	// iterations.
	Report(name string, value float64)
	// Sample adds a value, 0 or above, to the distribution of a declared sample.
	Sample(name string, value float64)
	// Tally adds n to a cell of a declared table of counts, TallyIn to a cell of one layer.
	Tally(name string, row, column int, n int64)
	TallyIn(name string, layer, row, column int, n int64)
	// Place adds a value at an index, from 0, of a declared profile.
	Place(profile string, at int, value float64)
	// Verify records a check. The detail describes the check, or the failure.
	Verify(ok bool, detail string)
	// Checksum adds the rank's part of the checksum of the results. sum is called only if the run wants checksums.
	Checksum(sum func() uint64)
	// Part marks the start of a part of the iteration, for the timeline. The timeline can stack
	// parts by their rows. Row 0 is the reference for the others; a row below 0 does not count as a part.
	Part(row int, name string)
	// Step reports the number of steps of the iteration that the rank has done. Steps should take
	// about the same time each. To show progress in long iterations, a program calls Step at the
	// start of the first step, and then rarely enough to cost no time. Any thread of the rank may
	// call it.
	Step(done, of int)
	// Clock returns the minimum difference between two successive readings of the clock. Subtract
	// it from short times.
	Clock() cluster.Time
	// Knobs of the scenario.
	Int(knob string) int64
	Float(knob string) float64
	Text(knob string) string
}
