package sim

import "github.com/hybridtop/hybridtop/cluster"

// moment is a time of a thread with its cause.
type moment struct {
	at    cluster.Time
	cause int32
}

// An Account has the time of a rank's first thread in an interval: its own time by constant, and its
// waits by reason.
type Account struct {
	Spent  [Constants]cluster.Time
	Waited [Notes]cluster.Time
	Device cluster.Time // waits for kernels of a device
}

// Total returns the length of the interval.
func (a *Account) Total() cluster.Time {
	sum := a.Device
	for _, t := range a.Spent {
		sum += t
	}
	for _, t := range a.Waited {
		sum += t
	}
	return sum
}

// interval is the time between two marks of a rank.
type interval struct {
	begin, end moment
	account    Account
	phases     []phase
	part       bool // of an iteration, by Mark
	represents bool // not marked: it has the times of represented ranks (enterAlike)
}

// phase is the begin of a named part of the program.
type phase struct {
	at   cluster.Time
	name string
}

// marks has the marked intervals by rank: the one in progress and the last complete one. A rank with closed
// marks adds no more intervals.
type marks struct {
	current, last []*interval
	closed        []bool
	parts         bool // the program marks parts of iterations
	// begins of parts without an end, by cause: of ranks whose ends do not count
	endless map[int32]cluster.Time
}

func newMarks(ranks int) marks {
	return marks{current: make([]*interval, ranks), last: make([]*interval, ranks), closed: make([]bool, ranks),
		endless: map[int32]cluster.Time{}}
}

// Mark marks the begin or the end of the time that a program reports. The critical path of a traced
// run goes back from the last end to its begin.
func (t *thread) Mark(begin bool) { t.mark(begin, true) }

// MarkIteration marks the begin or the end of an iteration. It counts if no rank marks parts of iterations.
func (t *thread) MarkIteration(begin bool) { t.mark(begin, false) }

func (t *thread) mark(begin, part bool) {
	k := &t.w.trace.marks
	if !t.w.trace.on || t.number != 0 || k.closed[t.r.id] {
		return
	}
	now := moment{at: t.now, cause: t.cause}
	i := k.current[t.r.id]
	k.current[t.r.id] = nil
	switch {
	case i == nil:
	case !begin && i.part == part:
		i.end = now
		k.last[t.r.id] = i
	case i.part:
		k.endless[i.begin.cause] = i.begin.at
	}
	if begin {
		k.current[t.r.id] = &interval{begin: now, part: part}
		k.parts = k.parts || part
	}
}

// CloseMarks ends the marks of a rank. Later calls of Mark have no effect.
func (t *thread) CloseMarks() {
	if t.w.trace.on && t.number == 0 {
		t.w.trace.current[t.r.id], t.w.trace.closed[t.r.id] = nil, true
	}
}

// Phase names the part of the program that begins; "": no part.
func (t *thread) Phase(name string) {
	if !t.w.trace.on || t.number != 0 {
		return
	}
	if i := t.w.trace.current[t.r.id]; i != nil {
		i.phases = append(i.phases, phase{at: t.now, name: name})
	}
}

// spendIn adds a span to the account of a rank's first thread.
func (t *trace) spendIn(of *thread, span cluster.Time, why Constant) {
	if i := t.current[of.r.id]; i != nil && of == of.r.main {
		i.account.Spent[why] += span
	}
}

// waitIn adds a wait to the account of a rank's first thread. cause is the cause of its end.
func (t *trace) waitIn(of *thread, span cluster.Time, cause int32) {
	i := t.current[of.r.id]
	if i == nil || of != of.r.main {
		return
	}
	note, shift := NoteSender, int32(0)
	for n := 0; n < 12 && cause != noCause; n++ { // the reason is among the last pieces of the chain
		r := t.at(cause)
		if before, shifted, ok := t.follow(r, shift); ok {
			cause, shift = before, shifted
			n--
			continue
		}
		if why := r.constant(); r.note() < NoteSender && (why == ofBarrier || why.Cause() == CauseKernel) {
			if why == ofBarrier {
				note = NoteLast
				break
			}
			i.account.Device += span
			return
		}
		if r.note() >= NoteSender {
			note = r.note()
			break
		}
		cause = r.before
	}
	i.account.Waited[note] += span
}
