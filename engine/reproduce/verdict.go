package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/presets"
)

// Failed is the verdict of a row whose runs have no numbers.
const Failed presets.Verdict = "failed"

// Verdict returns pass, refuted or failed.
func (r *Row) Verdict() presets.Verdict {
	switch {
	case r.Failed:
		return Failed
	case r.Pass:
		return presets.Pass
	}
	return presets.Refuted
}

// judgedValue returns the number that the verdict is about.
func (r *Row) judgedValue() float64 {
	if math.IsNaN(r.Simulated) {
		return r.Modelled
	}
	return r.Simulated
}

// Changed reports whether a row differs from the record: by its verdict, or by the term that
// refutes it. A row that has not run has not changed.
func (r *Row) Changed() bool {
	v := r.Verdict()
	if r.Long {
		return v != Failed && v != r.Recorded.VerdictOf(r.Name)
	}
	return v != Failed && (v != r.Recorded.VerdictOf(r.Name) ||
		v == presets.Refuted && r.Term != "" && !slices.Contains(r.Recorded.Decided, r.Term))
}

// Any reports whether so is true for any row.
func (r *Report) Any(so func(*Row) bool) bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return so(&row) })
}

// Records returns the result of each check, by figure and check. A check is refuted if any of its
// rows is, recorded long rows included. Records omits figures with a failed run.
func (r *Report) Records() map[string]map[string]presets.Record {
	all := make(map[string]map[string]presets.Record)
	failed := make(map[string]bool)
	for i := range r.Rows {
		row := &r.Rows[i]
		failed[row.Figure] = failed[row.Figure] || row.Failed
		if all[row.Figure] == nil {
			all[row.Figure] = make(map[string]presets.Record)
		}
		c, begun := all[row.Figure][row.Check]
		if !begun {
			c = presets.Record{SensitivityHash: row.Recorded.SensitivityHash, Moves: row.Recorded.Moves}
			if row.Sensed {
				c.SensitivityHash, c.Moves = row.Base, row.Moves
			}
		}
		if row.Long {
			c.Long = append(c.Long, presets.LongResult{
				Row: row.Name, Verdict: row.Verdict(), Value: row.judgedValue(), Hash: row.Hash,
			})
		} else if !row.Pass {
			c.Refuted = append(c.Refuted, row.Name)
			if row.Term != "" && !slices.Contains(c.Decided, row.Term) {
				c.Decided = append(c.Decided, row.Term)
			}
		}
		c.Verdict = c.Overall()
		all[row.Figure][row.Check] = c
	}
	for figure, bad := range failed {
		if bad {
			delete(all, figure)
		}
	}
	return all
}

// Tally counts the rows of one use.
type Tally struct {
	Use                            presets.Use
	Rows, Refuted, Failed, Changed int
}

// Tallies counts the rows of each use.
func (r *Report) Tallies() []Tally {
	all := []Tally{{Use: presets.UseExact}, {Use: presets.UseFit}, {Use: presets.UseCheck}, {Use: presets.UseVerify}}
	for i := range r.Rows {
		row := &r.Rows[i]
		t := &all[slices.IndexFunc(all, func(t Tally) bool { return t.Use == row.Use })]
		t.Rows++
		switch row.Verdict() {
		case presets.Refuted:
			t.Refuted++
		case Failed:
			t.Failed++
		}
		if row.Changed() {
			t.Changed++
		}
	}
	return all
}

// Summary returns the counts as one line.
func (r *Report) Summary() string {
	var parts []string
	changed, failed := 0, 0
	for _, t := range r.Tallies() {
		part := fmt.Sprintf("%d %s", t.Rows, UseWord(t.Use))
		var of []string
		if t.Refuted > 0 {
			of = append(of, fmt.Sprintf("%d refuted", t.Refuted))
		}
		if t.Failed > 0 {
			of = append(of, fmt.Sprintf("%d failed to run", t.Failed))
		}
		if len(of) > 0 {
			part += " (" + strings.Join(of, ", ") + ")"
		}
		parts = append(parts, part)
		changed += t.Changed
		failed += t.Failed
	}
	s := strings.Join(parts, ", ")
	switch {
	case changed > 0:
		return s + fmt.Sprintf("; %d not as recorded", changed)
	case failed > 0:
		return s + "; all that ran as recorded"
	}
	return s + "; all as recorded"
}

// UseWord returns the name of a use on the screen.
func UseWord(u presets.Use) string {
	switch u {
	case presets.UseFit:
		return "fitted"
	case presets.UseCheck:
		return "predicted"
	case presets.UseVerify:
		return "verified"
	}
	return string(u)
}
