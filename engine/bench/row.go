package bench

import (
	"fmt"
	"math"
	"runtime"

	"github.com/hybridtop/hybridtop/engine"
)

// Statement is the remark on every comparison with MPI.
const Statement = "hybridtop's ranks are goroutines of one process and share one address space; MPI's ranks are " +
	"processes."

// Row is one hot path and its limit. Numbers are medians over the quiet rounds, in SI base units.
// If a row only computes, the value and the limit are minima.
type Row struct {
	Name  string      `json:"name"`
	Value float64     `json:"value"`
	Unit  string      `json:"unit"` // s: a time, less is better; B/s or 1/s: a rate, more is better
	Kind  engine.Kind `json:"kind"`

	Limit     float64 `json:"limit,omitzero"` // in Unit
	LimitName string  `json:"limit_name"`
	// LimitMissing is the reason why the limit could not be measured. Limit and the ratios are then
	// 0, and the target has no result.
	LimitMissing string `json:"limit_missing,omitempty"`

	// Ratio is Value / Limit. For times it is a multiple of the limit's cost, for rates the share
	// of the limit that is reached. It is 1 at the limit. Low and High are the quartiles of the
	// rounds.
	Ratio     float64 `json:"ratio,omitzero"`
	RatioLow  float64 `json:"ratio_low,omitzero"`
	RatioHigh float64 `json:"ratio_high,omitzero"`

	Target float64 `json:"target,omitempty"` // of Ratio: the maximum for a time, the minimum for a rate; 0: none
	Want   string  `json:"want"`             // the target in words

	Allocs float64 `json:"allocs"` // heap allocations per operation, whole process
	Ranks  int     `json:"ranks"`
	// Compare is the MPI library run with equal conditions.
	Compare string `json:"compare"`
	Note    string `json:"note"`
	Peers   []Peer `json:"peers,omitempty"`
	// PeersSkipped lists the programs that could not be run and the lines with invalid values.
	PeersSkipped []string `json:"peers_skipped,omitempty"`
}

// row returns the row of a case's rounds.
func (k *Case) row(all rounds) Row {
	row := Row{
		Name: k.Name, Unit: k.Unit, Kind: engine.Measured, LimitName: k.Limit,
		Target: k.Target, Want: targetText(k.Target, k.Unit != seconds, k.Why),
		Ranks: k.Ranks, Compare: comparedRun(k.Ranks, runtime.GOMAXPROCS(0)), Note: k.Doc,
	}
	counted := k.possibleRounds(all)
	if !k.hasLimit(all) {
		values, _, _ := k.figures(all.quietRounds())
		row.Value = quantile(values, .5)
		row.LimitMissing = fmt.Sprintf("in %d of %d rounds the path beat its limit by more than %g×, which is "+
			"impossible: measure again on a quiet host",
			len(all)-len(counted), len(all), k.bound)
		return row
	}
	if dropped := len(all) - len(counted); dropped > 0 {
		row.Note += fmt.Sprintf("; %d of %d rounds do not count: the path beat its limit by more than %g×, which is "+
			"impossible", dropped, len(all), k.bound)
	}
	values, limits, ratios := k.figures(counted.quietRounds())
	row.Value, row.Limit = quantile(values, .5), quantile(limits, .5)
	row.Ratio = quantile(ratios, .5)
	row.RatioLow = quantile(ratios, .25)
	row.RatioHigh = quantile(ratios, .75)
	if k.computes {
		row.Value, row.Limit = values[0], limits[0]
		row.Ratio = row.Value / row.Limit
		row.Note += "; minimum times"
	}
	if row.RatioHigh > 1.5*row.RatioLow {
		row.Note += fmt.Sprintf("; the host was busy (half of the ratios are %.3g to %.3g): measure again on a quiet host",
			row.RatioLow, row.RatioHigh)
	}
	return row
}

// Rate reports whether larger values are better.
func (r *Row) Rate() bool { return r.Unit != seconds }

// Met reports whether the ratio meets the target. judged is false without a target or without a
// limit.
func (r *Row) Met() (met, judged bool) {
	if r.Target == 0 || r.LimitMissing != "" {
		return false, false
	}
	if r.Rate() {
		return r.Ratio >= r.Target, true
	}
	return r.Ratio <= r.Target, true
}

// targetText returns a target in words.
func targetText(target float64, rate bool, why string) string {
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

// comparedRun returns the MPI library run that a number of ranks compares with.
func comparedRun(ranks, cores int) string {
	if ranks <= cores {
		return "MPI bound to cores, spinning"
	}
	return "MPI that yields"
}

// quantile returns a quantile of sorted values, q from 0 to 1, with linear interpolation.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(math.Floor(at))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
