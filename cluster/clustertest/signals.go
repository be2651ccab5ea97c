package clustertest

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

var signalCases = []testCase{
	{"a rank that sees the flag sees the data", forSizes(4, flagFollowsData, 0, 8, 1000, 20_000)},
	{"an await ends with each comparison", onRanks(2, awaitsCompare)},
	{"added signals count", onRanks(8, signalsCount)},
	{"nonblocking puts with signal complete at the source and at the target", onRanks(2, nonblockingSignals)},
	{"atomics end an await", onRanks(2, atomicsEndAwait)},
	{"a flag that is not a word of the segment is refused", onRanks(2, flagsAreWords)},
}

func flagFollowsData(p *proc, size int) {
	me, next := p.ID(), (p.ID()+1)%p.Ranks()
	for i := 1; i <= p.times(50); i++ {
		if me == 0 {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 64), Data: cluster.Of(data(size, i)),
				Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: uint64(i)}, Until: cluster.Source}, nil, nil))
		}
		same(p, "word", p.word(p.Await(0, cluster.CmpEqual, uint64(i))), uint64(i))
		p.holds("data", p.Segment()[64:][:size], i)
		if me != 0 {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 64), Data: cluster.Of(data(size, i)),
				Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: uint64(i)}, Until: cluster.Source}, nil, nil))
		}
	}
	p.ok(p.Quiet())
}

// awaitsCompare sets the word of rank 1 to a value that misses, then to one that does not.
// The await there must see only the second value.
func awaitsCompare(p *proc) {
	for _, c := range []struct {
		cmp                  cluster.Cmp
		operand, value, miss uint64
	}{
		{cluster.CmpEqual, 9, 9, 8},
		{cluster.CmpNotEqual, 5, 6, 5},
		{cluster.CmpGreaterEqual, 9, 9, 8},
		{cluster.CmpGreaterEqual, 9, 1 << 63, 8},
		{cluster.CmpGreater, 9, 10, 9},
		{cluster.CmpLessEqual, 3, 3, 4},
		{cluster.CmpLess, 3, 2, 3},
	} {
		if p.ID() == 0 {
			p.ok(only(p.Atomic(cluster.At(1, 0), cluster.AtomicStore, c.miss)))
			p.token(1)
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(1, 8), Data: cluster.Data{},
				Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: c.value}, Until: cluster.Source}, nil, nil))
			p.ok(p.Quiet())
			p.accept(1)
			continue
		}
		p.accept(0)
		for range 2 { // the second time it holds already
			word := p.word(p.Await(0, c.cmp, c.operand))
			same(p, fmt.Sprintf("word that compares %d with %d", c.cmp, c.operand), word, c.value)
		}
		p.token(0)
	}
}

func signalsCount(p *proc) {
	rounds := p.times(50)
	for range rounds {
		for i := range p.Ranks() {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(i, int64(64+p.ID()*8)), Data: cluster.Of(data(8, p.ID())),
				Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}, Until: cluster.Source}, nil, nil))
		}
	}
	want := uint64(rounds * p.Ranks())
	same(p, "signals", p.word(p.Await(0, cluster.CmpGreaterEqual, want)), want)
	for i := range p.Ranks() {
		p.holds("data", p.Segment()[64+i*8:][:8], i)
	}
	p.ok(p.Quiet())
	p.ok(p.Barrier(p.All()))
}

func nonblockingSignals(p *proc) {
	var op, source cluster.Request
	peer, b := 1-p.ID(), data(5000, p.ID())
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(peer, 64), Data: cluster.Of(b),
		Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: 1}}, &op, &source))
	p.wait(&source)
	clear(b)
	p.word(p.Await(0, cluster.CmpEqual, 1))
	p.holds("data", p.Segment()[64:5064], peer)
	p.wait(&op)
}

func atomicsEndAwait(p *proc) {
	peer := 1 - p.ID()
	for i := uint64(1); i <= uint64(p.times(100)); i++ {
		if p.ID() == 0 {
			p.ok(only(p.Atomic(cluster.At(peer, 0), cluster.AtomicAdd, 1)))
		}
		p.word(p.Await(0, cluster.CmpGreaterEqual, i))
		if p.ID() == 1 {
			p.word(p.Atomic(cluster.At(peer, 0), cluster.AtomicSwap, i))
		}
	}
}

func flagsAreWords(p *proc) {
	var q cluster.Request
	size := int64(len(p.Segment()))
	for _, off := range []int64{1, 4, 7, size - 4, size, -8, 1 << 40} {
		p.fails(only(p.Await(off, cluster.CmpEqual, 0)), fmt.Sprintf("rank %d: await at rank %d", p.ID(), p.ID()), "segment")
		put := cluster.Put{To: cluster.At(1-p.ID(), 0), Data: cluster.Of(data(8, 1)),
			Signal: cluster.Signal{Op: cluster.SigSet, Off: off, Value: 1}}
		p.fails(p.PutWith(&put, &q, nil), fmt.Sprintf("rank %d: put with signal at rank %d", p.ID(), 1-p.ID()),
			"inside the segment")
	}
}
