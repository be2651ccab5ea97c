package cholesky

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// The parts of a step.
const (
	partPotrf = iota
	partTrsm
	partUpdate
	partRound1
	partRound2
	partHandoff
	partRound3
	parts
)

// computing is the number of parts before the rounds.
const computing = partRound1

// The columns of the table of steps, and the column of each part.
var (
	stepColumns  = []string{"solve", "product", "round 1", "round 2", "round 3"}
	stepColumnOf = [parts]int{0, 0, 1, 2, 3, 4, 4}
)

// maxIntervals is the maximum number of intervals into which the steps are grouped.
const maxIntervals = 24

// intervals returns the number of intervals for a number of steps.
func intervals(blocks int) int { return min(blocks, maxIntervals) }

// times are a process's times of a factorization, by interval of steps and by part.
type times struct {
	r           *cluster.Rank
	blocks      int
	now         int // current interval
	begun, last cluster.Time
	took        cluster.Time
	of          [][parts]cluster.Time
}

// begin starts the clock.
func (t *times) begin(f *factor) {
	t.r, t.blocks = f.r, f.blocks()
	if t.of == nil {
		t.of = make([][parts]cluster.Time, intervals(t.blocks))
	}
	clear(t.of)
	t.begun = workload.BeginNow(t.r)
	t.last = t.begun
}

// at moves to the interval of step k.
func (t *times) at(k int) { t.now = k * len(t.of) / t.blocks }

// lap adds the time since the last lap to a part. It does nothing after the clock has stopped.
func (t *times) lap(part int) {
	if t.r == nil {
		return
	}
	now := t.r.Now()
	t.of[t.now][part] += now - t.last
	t.last = now
}

// end stops the clock.
func (t *times) end() {
	t.took = t.last - t.begun
	workload.MarkEnd(t.r)
	t.r = nil
}

// sum returns the time of a part over all steps.
func (t *times) sum(part int) cluster.Time {
	all := cluster.Time(0)
	for i := range t.of {
		all += t.of[i][part]
	}
	return all
}

// rounds returns the time of all rounds.
func (t *times) rounds() cluster.Time {
	all := cluster.Time(0)
	for part := computing; part < parts; part++ {
		all += t.sum(part)
	}
	return all
}
