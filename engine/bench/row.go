package bench

import (
	"fmt"
	"math"
	"runtime"

	"github.com/hybridtop/hybridtop/engine"
)

// Statement says what every comparison with MPI has to say.
const Statement = "hybridtop's ranks are goroutines of one process and share one address space; MPI's ranks are processes."

// Row is one hot path beside its limit. Numbers are medians over the quiet rounds,
// in SI base units; of a row that only computes the value and the limit are the least.
type Row struct {
	Name  string      `json:"name"`
	Value float64     `json:"value"`
	Unit  string      `json:"unit"` // s: a time, less is better; B/s or 1/s: a rate, more is better
	Kind  engine.Kind `json:"kind"`

	Limit     float64 `json:"limit,omitzero"` // in Unit
	LimitName string  `json:"limit_name"`
	// LimitMissing says why the limit could not be had: Limit and the ratios are 0,
	// and no target is kept or missed.
	LimitMissing string `json:"limit_missing,omitempty"`

	// Ratio is Value / Limit. Of times it is how many times the limit's cost, of
	// rates the share of the limit that is reached: 1 is the limit in both. Low and
	// High are the quartiles of the rounds'.
	Ratio     float64 `json:"ratio,omitzero"`
	RatioLow  float64 `json:"ratio_low,omitzero"`
	RatioHigh float64 `json:"ratio_high,omitzero"`

	Target float64 `json:"target,omitempty"` // of Ratio: the most for a time, the least for a rate; 0: none
	Want   string  `json:"want"`             // the target in words

	Allocs float64 `json:"allocs"` // heap allocations an operation, whole process
	Ranks  int     `json:"ranks"`
	// Compare says which run of an MPI library stands on equal terms.
	Compare string `json:"compare"`
	Note    string `json:"note"`
	Peers   []Peer `json:"peers,omitempty"`
	// PeersSkipped says which programs could not be run and which lines were no figures.
	PeersSkipped []string `json:"peers_skipped,omitempty"`
}

// row is the row of a case's rounds.
func (k *Case) row(all rounds) Row {
	row := Row{
		Name: k.Name, Unit: k.Unit, Kind: engine.Measured, LimitName: k.Limit,
		Target: k.Target, Want: want(k.Target, k.Unit != seconds, k.Why),
		Ranks: k.Ranks, Compare: equal(k.Ranks, runtime.GOMAXPROCS(0)), Note: k.Doc,
	}
	counted := k.possible(all)
	if !k.limited(all) {
		values, _, _ := k.figures(all.quiet())
		row.Value = quantile(values, .5)
		row.LimitMissing = fmt.Sprintf("in %d of %d rounds the path beat its limit more than %g times, which it cannot: measure again when the host is quiet",
			len(all)-len(counted), len(all), k.bound)
		return row
	}
	if dropped := len(all) - len(counted); dropped > 0 {
		row.Note += fmt.Sprintf("; %d of %d rounds do not count: the path beat its limit more than %g times in them, which it cannot", dropped, len(all), k.bound)
	}
	values, limits, ratios := k.figures(counted.quiet())
	row.Value, row.Limit = quantile(values, .5), quantile(limits, .5)
	row.Ratio, row.RatioLow, row.RatioHigh = quantile(ratios, .5), quantile(ratios, .25), quantile(ratios, .75)
	if k.computes {
		row.Value, row.Limit = values[0], limits[0]
		row.Ratio = row.Value / row.Limit
		row.Note += "; the least times count"
	}
	if row.RatioHigh > 1.5*row.RatioLow {
		row.Note += fmt.Sprintf("; the host was busy (half of the ratios are %.3g to %.3g): measure again when it is quiet", row.RatioLow, row.RatioHigh)
	}
	return row
}

// Rate reports whether more is better.
func (r *Row) Rate() bool { return r.Unit != seconds }

// Met reports whether the ratio keeps the target; known is false without one, or
// without a limit.
func (r *Row) Met() (met, known bool) {
	if r.Target == 0 || r.LimitMissing != "" {
		return false, false
	}
	if r.Rate() {
		return r.Ratio >= r.Target, true
	}
	return r.Ratio <= r.Target, true
}

// want words a target.
func want(target float64, rate bool, why string) string {
	var s string
	switch {
	case target == 0:
		return why
	case rate:
		s = fmt.Sprintf("at least %.3g of the limit", target)
	default:
		s = fmt.Sprintf("at most %.3g× the limit", target)
	}
	if why != "" {
		s += ": " + why
	}
	return s
}

// equal names the run of an MPI library that so many ranks compare with.
func equal(ranks, cores int) string {
	if ranks <= cores {
		return "MPI bound to cores, spinning"
	}
	return "MPI that yields"
}

// quantile of sorted values, q from 0 to 1, linear between neighbours.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(math.Floor(at))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
