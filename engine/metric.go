package engine

import (
	"encoding/json"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// Kind says where a number comes from. The five are never mixed.
type Kind string

// The kinds of number.
const (
	Measured  Kind = "measured"  // this host's own wall clock, nothing added
	Emulated  Kind = "emulated"  // live, with a machine's delays, the dilation divided out again
	Simulated Kind = "simulated" // virtual clock
	Modelled  Kind = "modelled"  // closed formula
	Published Kind = "published" // from a paper
)

// Kinds lists them.
var Kinds = []Kind{Measured, Emulated, Simulated, Modelled, Published}

// Metric is a number with its unit (SI base: s, B, B/s, 1/s, 1) and its kind.
type Metric struct {
	Name  string
	Value float64
	Unit  string
	Kind  Kind
}

// MarshalJSON writes {"value", "unit", "kind"}; a value that is no number (NaN or
// infinite) is null.
func (m Metric) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value *float64 `json:"value"`
		Unit  string   `json:"unit"`
		Kind  Kind     `json:"kind"`
	}{Finite(m.Value), m.Unit, m.Kind})
}

// Finite points to x, or is nil for what JSON has no number for.
func Finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// MetricSpec declares a metric that a workload reports, or a sample of which it gives
// the distribution.
type MetricSpec struct {
	Name   string
	Phrase string // the name for a screen: "share of communication"
	Unit   string
	Doc    string
	Ranked bool // of a metric: the value of each rank is kept, too
}

// Verification is what checking a result came to.
type Verification struct {
	Done   bool   `json:"done"`   // at least one check was made
	OK     bool   `json:"ok"`     // every check so far held
	Checks int64  `json:"checks"` // how many
	Detail string `json:"detail"` // the first failure, or what was checked
}

// Probe is what a workload's body talks to, one a rank: it hands out iterations
// and takes measurements. All methods are called by the rank's own goroutine.
type Probe interface {
	// Next starts another iteration on every rank, or says that the run ends.
	// Every rank calls it, in step; pausing and knob changes happen here.
	Next() bool
	// Iteration is the number of the iteration under way, from 0.
	Iteration() int
	// Access records one access of n bytes to a rank's memory that took t.
	Access(to int, n int64, t cluster.Time)
	// Report adds a value of a declared metric; the run's value is the mean over
	// ranks and iterations.
	Report(name string, value float64)
	// Sample adds a value, 0 or above, to the distribution of a declared sample.
	Sample(name string, value float64)
	// Tally adds n to a cell of a declared table of counts; TallyIn to one of a layer.
	Tally(name string, row, column int, n int64)
	TallyIn(name string, layer, row, column int, n int64)
	// Place adds a value at a place, from 0, of a declared profile.
	Place(profile string, at int, value float64)
	// Verify records a check: detail says what was checked, or what went wrong.
	Verify(ok bool, detail string)
	// Part says that the rank goes on to a part of the iteration, for the timeline, where
	// parts stand one above the other by their rows; row 0 is what the others are compared
	// with, and a row below 0 is no part.
	Part(row int, name string)
	// Step says that the rank has done so many of an iteration's steps, which take about
	// as long each. A program that says it at the beginning of the first step, and then
	// seldom enough not to be slower, has its progress shown where an iteration takes long.
	// Any thread of the rank may call it.
	Step(done, of int)
	// Clock is what two successive readings of the clock differ by at least: it is
	// to be taken off a short span that was timed.
	Clock() cluster.Time
	// Knobs of the scenario.
	Int(knob string) int64
	Float(knob string) float64
	Text(knob string) string
}
