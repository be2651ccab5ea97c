package bench

import (
	"fmt"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

const (
	mebi = 1 << 20
	// wordMask limits the word loops to a segment that fits in the first-level cache. It is a
	// constant, so the compiler keeps the bounds check on both sides.
	wordMask  = 1<<10 - 1
	wordBytes = (wordMask + 1) * 8
)

// memoryCases returns one-sided paths to a segment that is reachable by loads and stores. Rank 0
// works, rank 1 waits in a barrier.
func memoryCases() []Case {
	return []Case{
		{Name: "put8", Doc: "Rank.PutUint64 to the neighbour's segment", Unit: seconds,
			Limit: "store into []uint64, bounds checked", Target: 3, Ranks: 2,
			segment: wordBytes, valueOps: 1, limitOps: 1, bound: hard, sides: put8},
		{Name: "get8", Doc: "Rank.GetUint64 from the neighbour's segment", Unit: seconds,
			Limit: "load from []uint64, bounds checked", Target: 3, Ranks: 2,
			segment: wordBytes, valueOps: 1, limitOps: 1, bound: hard, sides: get8},
		{Name: "put1MiB", Doc: "Rank.Put of 1 MiB into the neighbour's segment", Unit: bytesRate,
			Limit: "copy of the same buffers", Target: 0.9, Ranks: 2,
			segment: mebi, buffer: mebi, size: mebi, valueOps: 1, limitOps: 1, bound: hard, sides: put1MiB},
		{Name: "put_flush8", Doc: "Rank.PutImplicit of 8 B and Quiet", Unit: seconds,
			Limit: "atomic store", Why: "compare with MPI's put and flush", Ranks: 2,
			segment: wordBytes, valueOps: 1, limitOps: 1, bound: hard, sides: putFlush8},
		{Name: "fetchadd8", Doc: "Rank.FetchAdd on the neighbour's word", Unit: seconds,
			Limit: "atomic add on the same word", Why: "compare with MPI's fetch-and-op", Ranks: 2,
			segment: wordBytes, valueOps: 1, limitOps: 1, bound: hard, sides: fetchAdd8},
	}
}

// neighbour returns the segment of rank 1, if plain loads and stores reach it.
func neighbour(r *cluster.Rank) ([]byte, error) {
	s := r.Reach(1)
	if s == nil {
		return nil, fmt.Errorf("rank %d: loads and stores do not reach the segment of rank 1: want a fabric with "+
			"shared memory", r.ID())
	}
	return s, nil
}

// onRankZero returns a side that only rank 0 runs.
func onRankZero(r *cluster.Rank, s side) side {
	if r.ID() == 0 {
		return s
	}
	return func(int) error { return nil }
}

func put8(r *cluster.Rank, _ *common) (value, limit side, err error) {
	seg, err := neighbour(r)
	if err != nil {
		return nil, nil, err
	}
	words := cluster.Words(seg)
	check := func(n int) error {
		if got := words[(n-1)&wordMask]; got != uint64(n-1) {
			return fmt.Errorf("word %d is %d, want %d", (n-1)&wordMask, got, n-1)
		}
		return nil
	}
	value = func(n int) error {
		for i := range n {
			r.PutUint64(1, i&wordMask, uint64(i))
		}
		return check(n)
	}
	limit = func(n int) error {
		store(words, n)
		return check(n)
	}
	return onRankZero(r, value), onRankZero(r, limit), nil
}

//go:noinline
func store(words []uint64, n int) {
	for i := range n {
		words[i&wordMask] = uint64(i)
	}
}

func get8(r *cluster.Rank, _ *common) (value, limit side, err error) {
	seg, err := neighbour(r)
	if err != nil {
		return nil, nil, err
	}
	words := cluster.Words(seg)
	if r.ID() == 1 {
		for i := range words {
			words[i] = uint64(i)
		}
	}
	// check compares got with the sum of n loads of words 0, 1, 2, … by the masked index.
	check := func(n int, got uint64) error {
		const period = wordMask + 1
		whole, rest := uint64(n/period), uint64(n%period)
		if want := whole*(period*(period-1)/2) + rest*(rest-1)/2; got != want && n > 0 {
			return fmt.Errorf("the sum of %d loads is %d, want %d", n, got, want)
		}
		return nil
	}
	value = func(n int) error {
		var sum uint64
		for i := range n {
			sum += r.GetUint64(1, i&wordMask)
		}
		return check(n, sum)
	}
	limit = func(n int) error { return check(n, load(words, n)) }
	return onRankZero(r, value), onRankZero(r, limit), nil
}

//go:noinline
func load(words []uint64, n int) uint64 {
	var sum uint64
	for i := range n {
		sum += words[i&wordMask]
	}
	return sum
}

func put1MiB(r *cluster.Rank, c *common) (value, limit side, err error) {
	seg, err := neighbour(r)
	if err != nil {
		return nil, nil, err
	}
	buf, last := c.bytes[0], mebi-1
	// stamp changes both ends of the data, so that check detects data of an earlier turn.
	stamp := func() { buf[0]++; buf[last] += 3 }
	check := func() error {
		if seg[0] != buf[0] || seg[last] != buf[last] {
			return fmt.Errorf("the segment differs from the data of the put")
		}
		return nil
	}
	value = func(n int) error {
		stamp()
		for range n {
			if err := r.Put(cluster.At(1, 0), cluster.Of(buf)); err != nil {
				return err
			}
		}
		return check()
	}
	limit = func(n int) error {
		stamp()
		for range n {
			copy(seg, buf)
		}
		return check()
	}
	return onRankZero(r, value), onRankZero(r, limit), nil
}

func putFlush8(r *cluster.Rank, _ *common) (value, limit side, err error) {
	seg, err := neighbour(r)
	if err != nil {
		return nil, nil, err
	}
	word := &cluster.Words(seg)[0]
	payload := make([]uint64, 1)
	check := func(n int) error {
		if got := atomic.LoadUint64(word); got != uint64(n) {
			return fmt.Errorf("the word is %d, want %d", got, n)
		}
		return nil
	}
	put := cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(payload), Until: cluster.Later}
	value = func(n int) error {
		for i := range n {
			payload[0] = uint64(i + 1)
			if err := r.PutWith(&put, nil, nil); err != nil {
				return err
			}
			if err := r.Quiet(); err != nil {
				return err
			}
		}
		return check(n)
	}
	limit = func(n int) error {
		for i := range n {
			atomic.StoreUint64(word, uint64(i+1))
		}
		return check(n)
	}
	return onRankZero(r, value), onRankZero(r, limit), nil
}

func fetchAdd8(r *cluster.Rank, _ *common) (value, limit side, err error) {
	seg, err := neighbour(r)
	if err != nil {
		return nil, nil, err
	}
	word := &cluster.Words(seg)[0]
	// whole runs n additions of 1 and checks the sum.
	whole := func(n int, add func(n int) error) error {
		before := atomic.LoadUint64(word)
		if err := add(n); err != nil {
			return err
		}
		if got := atomic.LoadUint64(word) - before; got != uint64(n) {
			return fmt.Errorf("the sum of %d additions of 1 is %d", n, got)
		}
		return nil
	}
	value = func(n int) error {
		return whole(n, func(n int) error {
			for range n {
				if _, err := r.Atomic(cluster.At(1, 0), cluster.AtomicAdd, 1); err != nil {
					return err
				}
			}
			return nil
		})
	}
	limit = func(n int) error {
		return whole(n, func(n int) error {
			for range n {
				atomic.AddUint64(word, 1)
			}
			return nil
		})
	}
	return onRankZero(r, value), onRankZero(r, limit), nil
}
