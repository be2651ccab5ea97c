package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// A Baseline holds the data of a run that later runs are compared with. It is copied from a
// snapshot and does not change.
type Baseline struct {
	Scenario Scenario
	Kind     Kind // of its measured numbers
	Late     bool // the host fell behind, or too little has run to tell
	Metrics  []Metric
	Series   []Sample      // since the last change of a knob
	End      time.Duration // of the series
	Latency  [cluster.Classes]Quantiles
	Studies  []StudyView

	Iterations int // that the tables cover
	Tables     []Table
	Ranked     []Ranked
	Layout     cluster.Layout // of the ranks
	Recent     Recent
}

// NewBaseline copies the data to compare from a snapshot.
func NewBaseline(s *Snapshot) *Baseline {
	b := &Baseline{
		Scenario: s.Scenario.Clone(), Kind: s.Kind, Late: s.Keeping != Kept,
		Metrics: slices.Clone(s.Metrics), Series: s.Series, Latency: s.Latency, Studies: slices.Clone(s.Studies),
		Iterations: s.Counted, Tables: slices.Clone(s.Tallies), Ranked: slices.Clone(s.Ranked), Layout: s.Layout,
		Recent: s.Recent,
	}
	if n := len(s.Marks); n > 0 {
		b.Series = b.Series[len(b.Series)-since(b.Series, s.Marks[n-1].At):]
	}
	b.Series = slices.Clone(b.Series)
	if len(b.Series) > 0 {
		b.End = b.Series[len(b.Series)-1].At
	}
	for i := range b.Latency {
		b.Latency[i].Buckets = slices.Clone(b.Latency[i].Buckets)
	}
	return b
}

// since returns the number of samples after a moment.
func since(all []Sample, at time.Duration) int {
	n := 0
	for n < len(all) && all[len(all)-1-n].At > at {
		n++
	}
	return n
}

// Against is a baseline together with its comparison to one run.
type Against struct {
	*Baseline
	Name        string // the baseline's values that differ: "group 4, on demo"
	NameAndKind string // Name, and the kind if it differs: "group 4, on demo, emulated"
	Inaccurate  bool   // the host fell behind in either run: there is no ratio
}

// Against compares a run with the baseline.
func (b *Baseline) Against(s *Snapshot) *Against {
	a := &Against{Baseline: b, Name: b.name(&s.Scenario), Inaccurate: b.Late || s.Keeping != Kept}
	a.NameAndKind = a.Name
	if b.Kind != s.Kind {
		a.NameAndKind += ", " + string(b.Kind)
	}
	return a
}

// maxNamed is the maximum number of knobs in the name of a baseline.
const maxNamed = 3

// name returns the values of the baseline's knobs that differ from the run's.
func (b *Baseline) name(now *Scenario) string {
	var differing []string
	if b.Scenario.Workload != now.Workload {
		differing = append(differing, b.Scenario.Workload)
	}
	more := 0
	for i := range now.Table {
		k := &now.Table[i]
		v, ok := b.Scenario.Values[k.Name]
		switch {
		case !ok || v == now.Values[k.Name]:
		case len(differing) < maxNamed:
			differing = append(differing, named(k, v))
		default:
			more++
		}
	}
	switch {
	case len(differing) == 0:
		return "the same knobs"
	case more > 0:
		differing = append(differing, strconv.Itoa(more)+" more")
	}
	return strings.Join(differing, ", ")
}

// named returns a knob's value in words. Some values are clear without the knob's name.
func named(k *Knob, value string) string {
	switch k.Name {
	case "machine":
		return "on " + value
	case "fabric", "model", "ranking":
		return value
	}
	return k.Label + " " + k.Text(value)
}

// A Ratio is a number divided by the baseline's.
type Ratio struct {
	Value     float64
	Kind      Kind // of the number
	Base      Kind // of the baseline's
	Reference string
}

// Ratio returns a metric divided by the baseline's metric of the same name and unit. It returns
// false if there is none, if either is not above zero, or if the host fell behind in either run.
func (a *Against) Ratio(m *Metric) (Ratio, bool) {
	if a.Inaccurate && (m.Kind == Emulated || a.Kind == Emulated) && m.Kind != Modelled {
		return Ratio{}, false
	}
	for i := range a.Metrics {
		if b := &a.Metrics[i]; b.Name == m.Name && b.Unit == m.Unit {
			r := Ratio{Value: Quotient(m.Value, b.Value), Kind: m.Kind, Base: b.Kind, Reference: a.Name}
			return r, r.Value > 0
		}
	}
	return Ratio{}, false
}

// Over returns a measured number divided by the baseline's, or NaN if there is no ratio.
func (a *Against) Over(x, base float64) float64 {
	if a.Inaccurate {
		return math.NaN()
	}
	return Quotient(x, base)
}

// OverIn is Over for numbers of a unit. A unit without time needs no accurate clock.
func (a *Against) OverIn(unit string, x, base float64) float64 {
	if strings.Contains(unit, "s") {
		return a.Over(x, base)
	}
	return Quotient(x, base)
}

// Left is OverIn for numbers that may be missing. It returns 0 if only the baseline has one.
func (a *Against) Left(unit string, x, base float64) float64 {
	if !(x > 0) && base > 0 && !a.Inaccurate {
		return 0
	}
	return a.OverIn(unit, x, base)
}

// Table returns the baseline's table of counts with the same name and unit, or nil.
func (a *Against) Table(t *Table) *Table {
	for i := range a.Tables {
		if b := &a.Tables[i]; b.Name == t.Name && b.Unit == t.Unit {
			return b
		}
	}
	return nil
}

// ByRank returns the baseline's values by rank of the same metric, or nil if it has none or has
// another number of ranks.
func (a *Against) ByRank(r *Ranked) *Ranked {
	for i := range a.Ranked {
		if b := &a.Ranked[i]; b.Name == r.Name && b.Unit == r.Unit && len(b.Values) == len(r.Values) {
			return b
		}
	}
	return nil
}

// Traffic returns the baseline's traffic between blocks of nodes, or nil if its blocks differ.
func (a *Against) Traffic(r *Recent) *Recent {
	if b := &a.Recent; r.Nodes > 0 && b.Nodes == r.Nodes && len(b.Pairs) == len(r.Pairs) && b.Span > 0 {
		return b
	}
	return nil
}

// Quotient returns x / base, or NaN unless both numbers and the result are above zero and the
// result is finite.
func Quotient(x, base float64) float64 {
	if q := x / base; x > 0 && base > 0 && q > 0 && !math.IsInf(q, 1) {
		return q
	}
	return math.NaN()
}

// AppendFactor appends a quotient: "1.8×", "0.0512×", or "–" for NaN.
func AppendFactor(dst []byte, q float64) []byte {
	switch {
	case math.IsNaN(q):
		return append(dst, "–"...)
	case q >= 1e6 || q < 1e-4:
		dst = strconv.AppendFloat(dst, q, 'e', 1, 64)
	case q >= 99.5:
		dst = strconv.AppendFloat(dst, q, 'f', 0, 64)
	default:
		dst = strconv.AppendFloat(dst, q, 'g', 3, 64)
	}
	return append(dst, "×"...)
}

// Factor returns the quotient as text: "1.8×".
func (r *Ratio) Factor() string { return string(AppendFactor(nil, r.Value)) }

// Kinds returns the two kinds of number as text, or "" if they are the same.
func (r *Ratio) Kinds() string {
	if r.Kind == r.Base {
		return ""
	}
	return string(r.Kind) + " over " + string(r.Base)
}

// String returns the ratio with its reference: "1.8× baseline: group 4 (simulated over emulated)".
func (r *Ratio) String() string {
	text := r.Factor() + " baseline: " + r.Reference
	if kinds := r.Kinds(); kinds != "" {
		text += " (" + kinds + ")"
	}
	return text
}
