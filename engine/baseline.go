package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// Baseline is a run that later ones are compared with: plain data of its own, taken from
// a snapshot, which does not change any more.
type Baseline struct {
	Scenario Scenario
	Kind     Kind // of its measured numbers
	Late     bool // its times are late, or too few to tell
	Metrics  []Metric
	Series   []Sample      // since its knobs were turned last
	End      time.Duration // of the series
	Latency  [cluster.Classes]Quantiles
	Studies  []StudyView

	Iterations int // that the tables are of
	Tables     []Table
	Ranked     []Ranked
	Layout     cluster.Layout // of the ranks
	Recent     Recent
}

// NewBaseline takes what is compared from a snapshot.
func NewBaseline(s *Snapshot) *Baseline {
	b := &Baseline{
		Scenario: s.Scenario.Clone(), Kind: s.Kind, Late: s.Keeping != Kept,
		Metrics: slices.Clone(s.Metrics), Series: s.Series, Latency: s.Latency, Studies: slices.Clone(s.Studies),
		Iterations: s.Counted, Tables: slices.Clone(s.Tallies), Ranked: slices.Clone(s.Ranked), Layout: s.Layout, Recent: s.Recent,
	}
	if n := len(s.Marks); n > 0 {
		b.Series = b.Series[len(b.Series)-since(b.Series, s.Marks[n-1].At):]
	}
	if b.Series = slices.Clone(b.Series); len(b.Series) > 0 {
		b.End = b.Series[len(b.Series)-1].At
	}
	for i := range b.Latency {
		b.Latency[i].Buckets = slices.Clone(b.Latency[i].Buckets)
	}
	return b
}

// since counts the samples that are later than a moment.
func since(all []Sample, at time.Duration) int {
	n := 0
	for n < len(all) && all[len(all)-1-n].At > at {
		n++
	}
	return n
}

// Against is a baseline beside a run that is compared with it.
type Against struct {
	*Baseline
	Name string // what the baseline has otherwise: "group 4, on demo"
	Told string // the same, and its kind where that is another: "group 4, on demo, emulated"
	Late bool   // either run is: there is no ratio
}

// Against compares a run with the baseline.
func (b *Baseline) Against(s *Snapshot) *Against {
	a := &Against{Baseline: b, Name: b.name(&s.Scenario), Late: b.Late || s.Keeping != Kept}
	if a.Told = a.Name; b.Kind != s.Kind {
		a.Told += ", " + string(b.Kind)
	}
	return a
}

// mostNamed is how many knobs tell two runs apart in words.
const mostNamed = 3

// name is what the baseline's knobs have otherwise than those of a run.
func (b *Baseline) name(now *Scenario) string {
	var apart []string
	if b.Scenario.Workload != now.Workload {
		apart = append(apart, b.Scenario.Workload)
	}
	more := 0
	for i := range now.Table {
		k := &now.Table[i]
		v, ok := b.Scenario.Values[k.Name]
		switch {
		case !ok || v == now.Values[k.Name]:
		case len(apart) < mostNamed:
			apart = append(apart, named(k, v))
		default:
			more++
		}
	}
	switch {
	case len(apart) == 0:
		return "the same knobs"
	case more > 0:
		apart = append(apart, strconv.Itoa(more)+" more")
	}
	return strings.Join(apart, ", ")
}

// named is a knob's value in words; some values say by themselves what they are.
func named(k *Knob, value string) string {
	switch k.Name {
	case "machine":
		return "on " + value
	case "fabric", "model", "ranking":
		return value
	}
	return k.Label + " " + k.Text(value)
}

// Ratio is a number over the baseline's.
type Ratio struct {
	Value     float64
	Kind      Kind // of the number
	Base      Kind // of the baseline's
	Reference string
}

// Ratio is a metric over the baseline's of the same name and unit; false: there is none,
// or either is not above zero, or the host could not keep the times of one.
func (a *Against) Ratio(m *Metric) (Ratio, bool) {
	if a.Late && (m.Kind == Emulated || a.Kind == Emulated) && m.Kind != Modelled {
		return Ratio{}, false
	}
	for i := range a.Metrics {
		if b := &a.Metrics[i]; b.Name == m.Name && b.Unit == m.Unit {
			r := Ratio{Quotient(m.Value, b.Value), m.Kind, b.Kind, a.Name}
			return r, r.Value > 0
		}
	}
	return Ratio{}, false
}

// Over is a measured number over the baseline's; NaN where there is no ratio.
func (a *Against) Over(x, base float64) float64 {
	if a.Late {
		return math.NaN()
	}
	return Quotient(x, base)
}

// OverIn is Over for numbers of a unit: what has no time in it is never late.
func (a *Against) OverIn(unit string, x, base float64) float64 {
	if strings.Contains(unit, "s") {
		return a.Over(x, base)
	}
	return Quotient(x, base)
}

// Left is OverIn where numbers may be missing: 0 where only the baseline has one.
func (a *Against) Left(unit string, x, base float64) float64 {
	if !(x > 0) && base > 0 && !a.Late {
		return 0
	}
	return a.OverIn(unit, x, base)
}

// Table finds the baseline's table of counts of a name and unit; nil: it has none.
func (a *Against) Table(t *Table) *Table {
	for i := range a.Tables {
		if b := &a.Tables[i]; b.Name == t.Name && b.Unit == t.Unit {
			return b
		}
	}
	return nil
}

// ByRank finds the values by rank that a baseline of as many ranks has of a metric; nil:
// it has none.
func (a *Against) ByRank(r *Ranked) *Ranked {
	for i := range a.Ranked {
		if b := &a.Ranked[i]; b.Name == r.Name && b.Unit == r.Unit && len(b.Values) == len(r.Values) {
			return b
		}
	}
	return nil
}

// Traffic is the baseline's bytes a second between blocks, where it has the same blocks
// of nodes; nil: it has not.
func (a *Against) Traffic(r *Recent) *Recent {
	if b := &a.Recent; r.Nodes > 0 && b.Nodes == r.Nodes && len(b.Pairs) == len(r.Pairs) && b.Span > 0 {
		return b
	}
	return nil
}

// Quotient is a number over another; NaN unless both and what comes out are above zero
// and finite.
func Quotient(x, base float64) float64 {
	if q := x / base; x > 0 && base > 0 && q > 0 && !math.IsInf(q, 1) {
		return q
	}
	return math.NaN()
}

// AppendFactor writes a quotient: "1.8×", "0.0512×"; "–": there is none.
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

// Factor writes the quotient.
func (r *Ratio) Factor() string { return string(AppendFactor(nil, r.Value)) }

// Kinds says of which kinds the numbers are, where they differ.
func (r *Ratio) Kinds() string {
	if r.Kind == r.Base {
		return ""
	}
	return string(r.Kind) + " over " + string(r.Base)
}

// String says what is compared: "1.8× baseline: group 4 (simulated over emulated)".
func (r *Ratio) String() string {
	text := r.Factor() + " baseline: " + r.Reference
	if kinds := r.Kinds(); kinds != "" {
		text += " (" + kinds + ")"
	}
	return text
}
