package calibrate

import (
	"encoding/binary"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// The names of the trials. A trial with sizes has the size after the name.
const (
	trialFlood    = "flood"    // x: messages of 8 B in a window
	trialSparse   = "sparse"   // x: messages of 8 B in a window, each after some computing
	trialSpacing  = "spacing"  // x: number of times, only that computing
	trialPingpong = "pingpong" // x: bytes
	trialCopy     = "copy"     // x: threads
	trialLoop     = "loop"     // x: threads, by the name of the loop
	trialExchange = "exchange" // x: messages each way at the same time, by size
	trialVolley   = "volley"   // x: messages in a window, one way and then back, by size
	trialGetLocal = "get own"  // x: bytes
	trialGetPeer  = "get peer" // x: bytes
	trialAnyLocal = "get own anywhere"
	trialAnyPeer  = "get peer anywhere"
	trialAtomic   = "atomic"
	trialRPC      = "rpc"
	trialNow      = "now"
	trialTest     = "test"
	trialChain    = "chain"
	trialRegion   = "region" // x: operations before a parallel region

	trialThreadBarrier = "thread barrier" // x: barriers in a parallel region
)

// trial is one measurement for the fit.
type trial struct {
	kind string
	x    float64
	job
}

const (
	tagData = 1
	tagBack = 2

	copyBytes    = 4 << 20
	scatterBytes = 2 << 20 // larger than a core's own cache
	chainFlops   = 10_000
	sparseFlops  = 400  // between two messages: longer than any gap
	batchOps     = 1000 // for operations of a few nanoseconds
)

var (
	floodWindows  = []int{16, 32, 64, 128}
	pingpongSizes = []int{8, 16, 32, 128, 512, 2048, 6 << 10, 12 << 10, 24 << 10, 48 << 10, 96 << 10, 192 << 10,
		512 << 10, 1 << 20, 2 << 20, 4 << 20, 16 << 20}
	eagerSizes   = []int{128, 768, 6 << 10} // of exchanges
	eagerWindows = []int{4, 8, 16, 32}
	volleySizes  = []int{64, 512, 2048}
	longSizes    = []int{12 << 10, 24 << 10, 48 << 10, 96 << 10} // like the cached messages of ping-pong
	longWindows  = []int{1, 2}                                   // with more messages, a post copies messages that arrived meanwhile
	getSizes     = []int{8, 512, 4096, 32 << 10, 256 << 10}
)

// trials returns the trials for a number of cores, in the order of a round.
func trials(cores int) []trial {
	var all []trial
	add := func(kind string, x, ranks, segment int, ops float64, b body) {
		all = append(all,
			trial{kind: kind, x: float64(x), job: job{name: kind, ranks: ranks, segment: int64(segment), ops: ops, body: b}})
	}
	for _, k := range floodWindows {
		add(trialFlood, k, 2, 0, 1, flood(k, 8))
		add(trialSparse, k, 2, 0, 1, sparse(k, true))
		add(trialSpacing, k, 2, 0, 1, sparse(k, false))
	}
	for _, n := range eagerSizes {
		for _, k := range eagerWindows {
			add(exchangeOf(n), k, 2, 0, 1, exchange(k, n))
		}
	}
	for _, n := range volleySizes {
		for _, k := range eagerWindows {
			add(volleyOf(n), k, 2, 0, 2, windows(k, n))
		}
	}
	for _, n := range longSizes {
		for _, k := range longWindows {
			add(exchangeOf(n), k, 2, 0, 1, exchange(k, n))
		}
	}
	for _, n := range pingpongSizes {
		add(trialPingpong, n, 2, 0, 2, pingpong(n))
	}
	for _, n := range getSizes {
		add(trialGetLocal, n, 2, n, float64(gets(n)), get(n, true))
		add(trialGetPeer, n, 2, n, float64(gets(n)), get(n, false))
	}
	add(trialAnyLocal, 8, 2, scatterBytes, batchOps, scattered(true))
	add(trialAnyPeer, 8, 2, scatterBytes, batchOps, scattered(false))
	for k := 1; k <= cores; k++ {
		add(trialCopy, k, k, 0, 1, copying)
	}
	for i := range loops {
		add(loopOf(&loops[i]), cores, cores, 0, loops[i].elements(), loops[i].body())
	}
	add(trialChain, chainFlops, cores, 0, chainFlops, chain)
	add(trialAtomic, 8, 1, 64, batchOps, atomics)
	add(trialRPC, 8, 2, 0, 1, rpc)
	add(trialNow, 0, 1, 0, batchOps, clocks)
	add(trialTest, 0, 1, 0, batchOps, tests)
	return append(all, regionTrials(cores)...)
}

// loopOf returns the kind of a loop.
func loopOf(l *loop) string { return trialLoop + " " + l.name }

// exchangeOf returns the kind of exchanges with n bytes per message.
func exchangeOf(n int) string { return fmt.Sprintf("%s %d B", trialExchange, n) }

// volleyOf returns the kind of windows of messages of n bytes.
func volleyOf(n int) string { return fmt.Sprintf("%s %d B", trialVolley, n) }

// flood sends k outstanding messages of n bytes from rank 0 to rank 1, whose receives are posted,
// and a reply back.
func flood(k, n int) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		data, back := make([]byte, k*n), make([]byte, 8)
		requests := make([]cluster.Request, k)
		world := r.World()
		for s.more() {
			for i := range requests {
				piece := data[i*n : (i+1)*n]
				var err error
				if r.ID() == 0 {
					err = r.Isend(&requests[i], world, 1, tagData, cluster.Of(piece))
				} else {
					err = r.Irecv(&requests[i], world, 0, tagData, cluster.Of(piece))
				}
				if err != nil {
					return err
				}
			}
			if err := r.Waitall(requests, nil); err != nil {
				return err
			}
			if err := answer(r, back); err != nil {
				return err
			}
		}
		return nil
	}
}

// sparse sends k messages of 8 B like flood, and computes before each. No gap then delays a
// message: only the processor's own work for a message adds to the computing. Without messages it
// only computes.
func sparse(k int, messages bool) body {
	const n = 8
	return func(r *cluster.Rank, s *stopwatch) error {
		data, back := make([]byte, k*n), make([]byte, 8)
		requests := make([]cluster.Request, k)
		world := r.World()
		work := cluster.Work{Flops: sparseFlops, Kernel: cluster.Chain}
		v, x := 3.0, 3.0
		for s.more() {
			for i := range requests {
				piece := data[i*n : (i+1)*n]
				var err error
				if r.ID() == 0 {
					r.Compute(work, func() { x = dependent(v, x, sparseFlops) })
					if messages {
						err = r.Isend(&requests[i], world, 1, tagData, cluster.Of(piece))
					}
				} else if messages {
					err = r.Irecv(&requests[i], world, 0, tagData, cluster.Of(piece))
				}
				if err != nil {
					return err
				}
			}
			if messages {
				if err := r.Waitall(requests, nil); err != nil {
					return err
				}
			}
			if err := answer(r, back); err != nil {
				return err
			}
		}
		if x != v {
			return fmt.Errorf("rank %d: the computed value is %v, want %v", r.ID(), x, v)
		}
		return nil
	}
}

// answer sends the reply from rank 1 to rank 0.
func answer(r *cluster.Rank, back []byte) error {
	if r.ID() == 1 {
		return r.Send(r.World(), 0, tagBack, cluster.Of(back))
	}
	_, err := r.Recv(r.World(), 1, tagBack, cluster.Of(back))
	return err
}

// pingpong sends n bytes there and back, from the buffer in which they were received. As in a
// program that has just written its data, they are only in the sender's cache.
func pingpong(n int) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		buf := make([]byte, n)
		world, other := r.World(), 1-r.ID()
		for s.more() {
			if r.ID() == 0 {
				if err := r.Send(world, other, tagData, cluster.Of(buf)); err != nil {
					return err
				}
			}
			if _, err := r.Recv(world, other, tagData, cluster.Of(buf)); err != nil {
				return err
			}
			if r.ID() == 1 {
				if err := r.Send(world, other, tagData, cluster.Of(buf)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// exchange sends k messages of n bytes each way at the same time, from the buffers of the previous
// receives. The ranks begin together, so both copy at the same time.
func exchange(k, n int) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		in, out := make([]byte, k*n), make([]byte, k*n)
		requests := make([]cluster.Request, 2*k)
		world, other := r.World(), 1-r.ID()
		for s.more() {
			if err := r.Barrier(r.All()); err != nil {
				return err
			}
			for i := range k {
				if err := r.Irecv(&requests[i], world, other, tagData, cluster.Of(in[i*n:(i+1)*n])); err != nil {
					return err
				}
			}
			for i := range k {
				if err := r.Isend(&requests[k+i], world, other, tagData, cluster.Of(out[i*n:(i+1)*n])); err != nil {
					return err
				}
			}
			if err := r.Waitall(requests, nil); err != nil {
				return err
			}
			in, out = out, in
		}
		return nil
	}
}

func gets(n int) int { return max(1, min(batchOps, 256<<10/n)) }

// get reads n bytes of the local segment or of the neighbour's, only on rank 0.
func get(n int, local bool) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		buf := make([]byte, n)
		from := r.ID()
		if !local {
			from = 1 - from
		}
		k := gets(n)
		for s.more() {
			if r.ID() != 0 {
				continue
			}
			for range k {
				if err := r.Get(cluster.At(from, 0), cluster.Of(buf)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// scattered reads random words of the local segment or of the neighbour's, on every rank. Each
// address depends on the previous value, so no two reads overlap.
func scattered(local bool) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		word := make([]byte, 8)
		from := r.ID()
		if !local {
			from = 1 - from
		}
		at := uint64(r.ID())
		for s.more() {
			for range batchOps {
				at = at*6364136223846793005 + 1442695040888963407 + binary.NativeEndian.Uint64(word)
				if err := r.Get(cluster.At(from, int64(at>>32%(scatterBytes/8))*8), cluster.Of(word)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// copying copies between two local buffers, on every rank.
func copying(_ *cluster.Rank, s *stopwatch) error {
	from, to := make([]byte, copyBytes), make([]byte, copyBytes)
	for s.more() {
		copy(to, from)
	}
	return nil
}

// atomics adds to a word of the local segment.
func atomics(r *cluster.Rank, s *stopwatch) error {
	for s.more() {
		for range batchOps {
			if _, err := r.Atomic(cluster.At(0, 0), cluster.AtomicAdd, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// rpc calls a function at rank 1, which waits in a receive meanwhile.
func rpc(r *cluster.Rank, s *stopwatch) error {
	calls := uint64(0)
	fn := r.Register(func(cluster.RPC) uint64 { calls++; return calls })
	if err := r.Barrier(r.All()); err != nil {
		return err
	}
	buf := make([]byte, 8)
	last := make([]byte, 8)
	for s.more() {
		if r.ID() == 1 {
			if !s.last() {
				continue
			}
			if _, err := r.Recv(r.World(), 0, tagData, cluster.Of(last)); err != nil {
				return err
			}
			continue
		}
		if _, err := r.RPC(1, fn, 0, cluster.Of(buf)); err != nil {
			return err
		}
		if s.last() {
			if err := r.Send(r.World(), 1, tagData, cluster.Of(last)); err != nil {
				return err
			}
		}
	}
	return nil
}

// clocks reads the clock.
func clocks(r *cluster.Rank, s *stopwatch) error {
	for s.more() {
		for range batchOps {
			r.Now()
		}
	}
	return nil
}

// tests polls a receive without a matching send.
func tests(r *cluster.Rank, s *stopwatch) error {
	buf := make([]byte, 8)
	var q cluster.Request
	if err := r.Irecv(&q, r.World(), 0, tagData, cluster.Of(buf)); err != nil {
		return err
	}
	for s.more() {
		for range batchOps {
			if _, _, err := r.Test(&q); err != nil {
				return err
			}
		}
	}
	if err := r.Send(r.World(), 0, tagData, cluster.Of(buf)); err != nil {
		return err
	}
	_, err := r.Wait(&q)
	return err
}
