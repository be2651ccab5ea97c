package clustertest

import (
	"fmt"
	"github.com/hybridtop/hybridtop/cluster"
)

var atomicCases = []testCase{
	{"each atomic returns the word before it and stores its result", onRanks(2, atomicsOneByOne)},
	{"concurrent fetch-adds draw each ticket once, in ascending order on each rank",
		onEach([]int{2, 8}, onRanks, drawTickets)},
	{"compare-swap loops count without a loss", onEach([]int{2, 8}, onRanks, compareSwapLoops)},
	{"concurrent swaps lose and double no word", onEach([]int{2, 8}, onRanks, concurrentSwaps)},
	{"a lock of compare-swap guards plain data", onRanks(4, lockOfCompareSwap)},
	{"an unaligned word or one outside the segment is refused", onRanks(2, refuseWords)},
}

func atomicsOneByOne(p *proc) {
	const off = 128
	for to := range 2 {
		if p.ID() == 1 {
			break // only rank 0 calls
		}
		p.ok(only(p.Atomic(cluster.At(to, off), cluster.AtomicStore, 5)))
		p.ok(only(p.Atomic(cluster.At(to, off), cluster.AtomicAdd, 3)))
		for _, c := range []struct {
			name      string
			got, want uint64
		}{
			{"load", p.word(p.Atomic(cluster.At(to, off), cluster.AtomicLoad, 0)), 8},
			{"fetch-add", p.word(p.Atomic(cluster.At(to, off), cluster.AtomicAdd, 10)), 8},
			{"swap", p.word(p.Atomic(cluster.At(to, off), cluster.AtomicSwap, 100)), 18},
			{"compare-swap that misses", p.word(p.CompareSwap(cluster.At(to, off), 99, 1)), 100},
			{"compare-swap that hits", p.word(p.CompareSwap(cluster.At(to, off), 100, 7)), 100},
			{"subtract", p.word(p.Atomic(cluster.At(to, off), cluster.AtomicAdd, ^uint64(0))), 7},
			{"load", p.word(p.Atomic(cluster.At(to, off), cluster.AtomicLoad, 0)), 6},
		} {
			same(p, c.name, c.got, c.want)
		}
	}
	p.ok(p.Barrier(p.All()))
}

func drawTickets(p *proc) {
	n, last := p.times(500), p.Ranks()-1
	var before uint64
	for i := range n {
		ticket := p.word(p.Atomic(cluster.At(0, 8), cluster.AtomicAdd, 1))
		p.check(i == 0 || ticket > before, "a counter that only grows went from %d to %d", before, ticket)
		p.ok(only(p.Atomic(cluster.At(last, int64(64+8*ticket)), cluster.AtomicAdd, 1)))
		before = ticket
	}
	p.ok(p.Barrier(p.All()))
	same(p, "sum", p.word(p.Atomic(cluster.At(0, 8), cluster.AtomicLoad, 0)), uint64(n*p.Ranks()))
	for i := range n * p.Ranks() {
		if p.ID() == last {
			same(p, fmt.Sprintf("draws of ticket %d", i), p.GetUint64(last, 8+i), 1)
		}
	}
}

func compareSwapLoops(p *proc) {
	n := p.times(50)
	for range n {
		old := p.word(p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0))
		for {
			seen := p.word(p.CompareSwap(cluster.At(0, 0), old, old+3))
			if seen == old {
				break
			}
			old = seen
		}
	}
	p.ok(p.Barrier(p.All()))
	same(p, "count", p.word(p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)), uint64(3*n*p.Ranks()))
}

func concurrentSwaps(p *proc) {
	n := p.times(100)
	var sum uint64
	for i := range n {
		sum += p.word(p.Atomic(cluster.At(0, 0), cluster.AtomicSwap, uint64(p.ID()*n+i+1)))
	}
	p.ok(only(p.Atomic(cluster.At(0, 8), cluster.AtomicAdd, sum)))
	p.ok(p.Barrier(p.All()))
	all := uint64(n * p.Ranks())
	same(p, "sum of all tokens",
		p.word(p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0))+p.word(p.Atomic(cluster.At(0, 8), cluster.AtomicLoad, 0)),
		all*(all+1)/2)
}

func lockOfCompareSwap(p *proc) {
	n := p.times(50)
	for range n {
		for p.word(p.CompareSwap(cluster.At(0, 0), 0, uint64(p.ID()+1))) != 0 {
			p.Progress()
		}
		p.PutUint64(0, 8, p.GetUint64(0, 8)+1)
		p.ok(p.Quiet())
		p.ok(only(p.Atomic(cluster.At(0, 0), cluster.AtomicStore, 0)))
	}
	p.ok(p.Barrier(p.All()))
	same(p, "count", p.GetUint64(0, 8), uint64(n*p.Ranks()))
}

func refuseWords(p *proc) {
	size := int64(len(p.Segment()))
	for _, off := range []int64{1, 4, size - 4, size, -8, 1 << 40} {
		for to := range 2 {
			_, err := p.Atomic(cluster.At(to, off), cluster.AtomicAdd, 1)
			p.fails(err, fmt.Sprintf("rank %d: atomic at rank %d", p.ID(), to), "segment")
		}
	}
	p.word(p.Atomic(cluster.At(0, size-8), cluster.AtomicAdd, 1)) // the last word
}
