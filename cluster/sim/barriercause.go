package sim

import "github.com/hybridtop/hybridtop/cluster"

// entries has the entries of all members into a barrier, from which the path through its rounds is
// computed when a critical path needs it.
type entries struct {
	ranks  []int32
	in     []cluster.Time
	causes []int32
	rounds [][]cluster.Time // times after each round; computed at first use
}

// noteEntry records the cause of a member's entry.
func (t *trace) noteEntry(b *barrier, index, cause int32) {
	if b.causes == nil {
		b.causes = make([]int32, len(b.ranks))
	}
	b.causes[index] = cause
}

// snapshot stores the entries of a barrier that opens.
func (t *trace) snapshot(b *barrier) {
	b.snapshot = int32(len(t.snapshots))
	t.snapshots = append(t.snapshots, entries{ranks: b.ranks, in: append([]cluster.Time(nil), b.in...),
		causes: append([]int32(nil), b.causes...)})
}

// exit returns the record of a member's exit.
func (t *trace) exit(b *barrier, rank int32) int32 {
	return t.add(b.snapshot, 0, ofBarrier, NoNote, rank)
}

// walkBarrier visits the pieces of a barrier up to the entry of the member that determines the exit
// of a rank, and returns the cause of that entry.
func (w *world) walkBarrier(e *entries, rank int32, visit func(int32, piece) bool) (cause int32, ok bool) {
	if e.rounds == nil {
		w.computeRounds(e)
	}
	n := len(e.ranks)
	i := int(indexOf(e.ranks, rank))
	for k := len(e.rounds) - 2; k >= 0; k-- {
		from := ((i-1<<k)%n + n) % n
		class := w.net.class(e.ranks[from], e.ranks[i])
		way := &w.net.ways[class]
		o, l := way.overhead(0), way.latency(0)
		why, whyL := ofOverhead.class(class), ofLatency.class(class)
		if way.inline >= 0 {
			why, whyL = ofInlineOverhead.class(class), ofInlineLatency.class(class)
		}
		pieces := [4]piece{{span: o, why: why, rank: e.ranks[i]}, {span: o, why: why, rank: e.ranks[i]}}
		used := 2
		if before := e.rounds[k]; before[from]+o+l > before[i]+o {
			pieces[1] = piece{note: NoteLast, rank: e.ranks[i]}
			pieces[2] = piece{span: l, why: whyL, rank: e.ranks[from]}
			pieces[3] = piece{span: o, why: why, rank: e.ranks[from]}
			used, i = 4, from
		}
		for _, x := range pieces[:used] {
			if !visit(noCause, x) {
				return noCause, false
			}
		}
	}
	return e.causes[i], true
}

// computeRounds computes the times of all members after each round of a barrier.
func (w *world) computeRounds(e *entries) {
	b := barrier{ranks: e.ranks, in: e.in, out: make([]cluster.Time, len(e.in))}
	e.rounds = append(e.rounds, e.in)
	w.eachRound(&b, func(out []cluster.Time) { e.rounds = append(e.rounds, append([]cluster.Time(nil), out...)) })
}
