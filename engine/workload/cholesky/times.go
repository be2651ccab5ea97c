package cholesky

import "github.com/hybridtop/hybridtop/cluster"

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

// computing are the parts before the rounds.
const computing = partRound1

// The columns of the table of steps, and which of them a part is counted in.
var (
	stepColumns  = []string{"solve", "product", "round 1", "round 2", "round 3"}
	stepColumnOf = [parts]int{0, 0, 1, 2, 3, 4, 4}
)

// most is into how many stretches the steps of a factorization are folded.
const mostStretches = 24

// stretches is that for so many steps.
func stretches(blocks int) int { return min(blocks, mostStretches) }

// times are a process's own of a factorization, by stretch of steps and part.
type times struct {
	r           *cluster.Rank
	blocks      int
	now         int // the stretch
	begun, last cluster.Time
	took        cluster.Time
	of          [][parts]cluster.Time
}

// begin starts the clock.
func (t *times) begin(f *factor) {
	t.r, t.blocks = f.r, f.blocks()
	if t.of == nil {
		t.of = make([][parts]cluster.Time, stretches(t.blocks))
	}
	clear(t.of)
	t.begun = t.r.Now()
	t.last = t.begun
}

// at goes on to a step.
func (t *times) at(k int) { t.now = k * len(t.of) / t.blocks }

// lap gives the time since the last lap to a part. It does nothing once the clock has
// stopped.
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
	t.r = nil
}

// sum is the time of a part over all steps.
func (t *times) sum(part int) cluster.Time {
	all := cluster.Time(0)
	for i := range t.of {
		all += t.of[i][part]
	}
	return all
}

// waiting is the time of all rounds.
func (t *times) waiting() cluster.Time {
	all := cluster.Time(0)
	for part := computing; part < parts; part++ {
		all += t.sum(part)
	}
	return all
}
