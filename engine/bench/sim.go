package bench

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
)

// SimCase is a program whose simulation is measured.
type SimCase struct {
	Name     string
	Doc      string
	Ranks    int
	Messages float64 // of one run
	Goal     float64 // messages per second of one core
	body     func(r *cluster.Rank, midway func()) error
}

// SimCases returns the programs. All run on a crossbar with LogGP costs, one rank per node, with
// full matching and size-only payloads.
func SimCases() []SimCase {
	return []SimCase{
		{"sim_halo512", "8 KiB faces with six neighbours in a box of 8×8×8, 50 steps", 512, 512 * 6 * 50, 4e6,
			haloBody([3]int{8, 8, 8}, 50, 8<<10)},
		{"sim_halo4096", "8 KiB faces with six neighbours in a box of 16×16×16, 50 steps", 4096, 4096 * 6 * 50, 2.5e6,
			haloBody([3]int{16, 16, 16}, 50, 8<<10)},
		{"sim_exchange512", "pairwise exchange of 1 KB among 512 ranks", 512, 512 * 511, 3e6, exchangeBody(1000)},
		{"sim_bcast1M", "one binomial broadcast of 8 B over 1,048,576 ranks, launch included", 1 << 20, 1<<20 - 1,
			float64(1<<20-1) / 60, bcastBody},
	}
}

// simSpec returns a machine with one rank per node on a crossbar.
func simSpec(ranks int) cluster.Spec {
	return cluster.Spec{
		Machine: cluster.Machine{
			Name: "loggp", Progress: cluster.ProgressOffload, EagerLimit: 64 << 10,
			Classes: [cluster.Classes]cluster.Link{
				cluster.InRank: {Latency: 100 * cluster.Nanosecond, Bandwidth: 10e9},
				cluster.Remote: {Latency: 1 * cluster.Microsecond, Overhead: 200 * cluster.Nanosecond,
					Gap: 50 * cluster.Nanosecond, Bandwidth: 10e9, Adapters: 1},
			},
		},
		Layout: cluster.Layout{Nodes: ranks, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat},
		EagerLimit: -1,
	}
}

// SimRows measures the simulator. It compares each program with the minimum work of any such
// simulator: one coroutine switch per wait, one event per message.
func SimRows(ctx context.Context, only []string, rounds int, progress func(name string)) ([]Row, error) {
	cases := SimCases()
	for _, name := range only {
		if !slices.ContainsFunc(cases, func(k SimCase) bool { return k.Name == name }) {
			return nil, fmt.Errorf("bench sim: unknown row %q: want one of %v", name, SimNames())
		}
	}
	var rows []Row
	for _, k := range cases {
		if len(only) > 0 && !slices.Contains(only, k.Name) {
			continue
		}
		if progress != nil {
			progress(k.Name)
		}
		row, err := k.measure(ctx, rounds)
		if err != nil {
			return rows, fmt.Errorf("bench %s: %w", k.Name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// SimNames returns the names of the rows.
func SimNames() []string {
	var names []string
	for _, k := range SimCases() {
		names = append(names, k.Name)
	}
	return names
}

func (k *SimCase) measure(ctx context.Context, rounds int) (Row, error) {
	if k.Messages/k.Goal > 10 {
		rounds = 1
	}
	var values, limits, ratios []float64
	for range max(rounds, 1) {
		runtime.GC()
		start := time.Now()
		if err := k.run(ctx, nil); err != nil {
			return Row{}, err
		}
		value := k.Messages / time.Since(start).Seconds()
		limit := bareRate(k.Ranks)
		values = append(values, value)
		limits = append(limits, limit)
		ratios = append(ratios, value/limit)
	}
	bytes, err := k.memory(ctx)
	if err != nil {
		return Row{}, err
	}
	for _, v := range [][]float64{values, limits, ratios} {
		slices.Sort(v)
	}
	return Row{
		Name: k.Name, Value: quantile(values, 0.5), Unit: perSecond, Kind: engine.Measured,
		Limit: quantile(limits, 0.5), LimitName: "only one event per message and a coroutine switch every six",
		Ratio: quantile(ratios, 0.5), RatioLow: quantile(ratios, 0.25), RatioHigh: quantile(ratios, 0.75),
		Want: fmt.Sprintf("%.3g messages/s on one core", k.Goal), Ranks: k.Ranks,
		Note: fmt.Sprintf("%s; %.1f KiB per rank", k.Doc, bytes/1024),
	}, nil
}

func (k *SimCase) run(ctx context.Context, midway func()) error {
	return cluster.Launch(ctx, sim.New(), simSpec(k.Ranks), func(r *cluster.Rank) error { return k.body(r, midway) })
}

// memory returns the bytes per rank, including the stack, while all ranks run.
func (k *SimCase) memory(ctx context.Context) (float64, error) {
	shallowGC()
	var before, during runtime.MemStats
	runtime.ReadMemStats(&before)
	err := k.run(ctx, func() { runtime.ReadMemStats(&during) })
	grown := float64(during.HeapInuse+during.StackInuse) - float64(before.HeapInuse+before.StackInuse)
	return grown / float64(k.Ranks), err
}

// shallowGC collects garbage while some idle goroutines exist. The runtime sizes the stacks of new
// goroutines by the mean of the stacks that it finds then. Otherwise it would only find the few
// deep ones of this command.
func shallowGC() {
	const idle = 64
	stay := make(chan struct{})
	var all sync.WaitGroup
	for range idle {
		all.Go(func() { <-stay })
	}
	runtime.GC()
	close(stay)
	all.Wait()
}

// haloBody exchanges faces with the six neighbours in a periodic box.
func haloBody(side [3]int, steps int, face int64) func(*cluster.Rank, func()) error {
	return func(r *cluster.Rank, midway func()) error {
		w, id := r.World(), r.ID()
		at := [3]int{id % side[0], id / side[0] % side[1], id / (side[0] * side[1])}
		var peers [6]int
		for d := range 3 {
			for s := range 2 {
				to := at
				to[d] = (to[d] + 2*s - 1 + side[d]) % side[d]
				peers[2*d+s] = to[0] + side[0]*(to[1]+side[1]*to[2])
			}
		}
		qs := make([]cluster.Request, 12)
		for step := range steps {
			if midway != nil && id == 0 && step == steps/2 {
				midway()
			}
			for i, p := range peers {
				if err := r.Irecv(&qs[i], w, p, i^1, cluster.Sized(face)); err != nil {
					return err
				}
			}
			for i, p := range peers {
				if err := r.Isend(&qs[6+i], w, p, i, cluster.Sized(face)); err != nil {
					return err
				}
			}
			if err := r.Waitall(qs, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

// exchangeBody swaps a message with every other rank, one at a time.
func exchangeBody(size int64) func(*cluster.Rank, func()) error {
	return func(r *cluster.Rank, midway func()) error {
		w := r.World()
		me := r.ID()
		p := r.Ranks()
		qs := make([]cluster.Request, 2)
		for step := 1; step < p; step++ {
			if midway != nil && me == 0 && step == p/2 {
				midway()
			}
			if err := r.Irecv(&qs[0], w, me^step, 0, cluster.Sized(size)); err != nil {
				return err
			}
			if err := r.Isend(&qs[1], w, me^step, 0, cluster.Sized(size)); err != nil {
				return err
			}
			if err := r.Waitall(qs, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

// bcastBody sends 8 bytes down a binomial tree from rank 0.
func bcastBody(r *cluster.Rank, midway func()) error {
	w := r.World()
	me := r.ID()
	p := r.Ranks()
	mask := 1
	for ; mask < p && me&mask == 0; mask <<= 1 {
	}
	if me != 0 {
		if _, err := r.Recv(w, me-mask, 0, cluster.Sized(8)); err != nil {
			return err
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if me+mask < p {
			if err := r.Send(w, me+mask, 0, cluster.Sized(8)); err != nil {
				return err
			}
		}
	}
	if midway != nil && me == p-1 {
		midway()
	}
	return nil
}

// bareRate returns the rate of a minimal loop. For each message it adds an event to a binary heap
// with one event per rank, and removes the earliest. For every sixth it switches to a coroutine and
// back.
func bareRate(ranks int) float64 {
	const events = 400_000
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		for yield(struct{}{}) {
		}
	})
	defer stop()
	heap := make([]uint64, 0, ranks+1)
	state := uint64(88172645463325252)
	random := func() uint64 { // xorshift: the time of the next event
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		return state & 0xffff
	}
	push := func(v uint64) {
		heap = append(heap, v)
		i := len(heap) - 1
		for i > 0 && v < heap[(i-1)/2] {
			heap[i] = heap[(i-1)/2]
			i = (i - 1) / 2
		}
		heap[i] = v
	}
	pop := func() uint64 {
		top, last := heap[0], heap[len(heap)-1]
		heap = heap[:len(heap)-1]
		i := 0
		for {
			c := 2*i + 1
			if c >= len(heap) {
				break
			}
			if c+1 < len(heap) && heap[c+1] < heap[c] {
				c++
			}
			if last <= heap[c] {
				break
			}
			heap[i] = heap[c]
			i = c
		}
		if len(heap) > 0 {
			heap[i] = last
		}
		return top
	}
	for range ranks {
		push(random())
	}
	start := time.Now()
	for i := range events {
		push(pop() + random())
		if i%6 == 0 {
			next()
		}
	}
	return events / time.Since(start).Seconds()
}
