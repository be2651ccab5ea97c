package clustertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var programCases = []testCase{
	{"a random program receives what a sequential run receives", (*suite).testPrograms},
	{"a random program takes the same time, events and hash with bytes as with only sizes", (*suite).testSizes},
	{"a rank that ends early ends the run, wherever the others are", (*suite).testEnds},
	{"threads that share receives get each message once and in order", (*suite).testShared},
}

// testSizes plays programs twice, with bytes and with only sizes. Reductions of coll's
// functions and windows' sums have bytes in both.
func (s *suite) testSizes(t *testing.T) {
	if !s.virtual() {
		t.Skip("the clock is not virtual")
	}
	for i := range s.times(s.programs) {
		seed := s.seed + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			g := Draw(seed, Mix{Ops: s.ops()})
			spec := g.Spec(s.spec(g.Ranks))
			spec.Threading, spec.Seed = cluster.ThreadMultiple, g.Seed
			var total [2]cluster.Time
			var events, hash [2]uint64
			for k, bytes := range []bool{true, false} {
				x := NewPlay(g)
				x.Store = cluster.Bytewise(bytes)
				run, err := guarded(t.Context(), t, func(ctx context.Context) (cluster.Run, error) {
					return cluster.Start(ctx, s.fabric, spec, x.Body)
				})
				if err != nil {
					t.Fatalf("%v, bytes %v: %v", g, bytes, err)
				}
				v := run.(cluster.Virtual)
				total[k] = v.Total()
				events[k] = v.Events()
				hash[k] = v.Hash()
			}
			if total[0] != total[1] || events[0] != events[1] || hash[0] != hash[1] {
				t.Errorf("%v: %v, %d events, hash %x with bytes; %v, %d events, hash %x with only sizes", g, total[0], events[0],
					hash[0], total[1], events[1], hash[1])
			}
		})
	}
}

func (s *suite) testPrograms(t *testing.T) {
	for i := range s.times(s.programs) {
		seed := s.seed + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { s.play(t, Draw(seed, Mix{Ops: s.ops()}), fault{}) })
	}
}

// ops are the operations of programs that the fabric can order.
func (s *suite) ops() Ops {
	if s.oneAtATime {
		return AllOps &^ Locks
	}
	return AllOps
}

// Spec is a launch of the program: spec with its ranks, threads and eager limit.
func (g *Program) Spec(spec cluster.Spec) cluster.Spec {
	spec.EagerLimit = g.Limit
	spec.Layout.ThreadsPerRank = max(spec.Layout.ThreadsPerRank, g.Threads)
	return spec
}

// Run plays a program on a fabric, checks it, and returns the run.
func (g *Program) Run(t tester, f cluster.Fabric, spec cluster.Spec, seen func(*cluster.Rank)) cluster.Run {
	t.Helper()
	x := NewPlay(g)
	x.Seen = seen
	run, err := Start(t, f, g.Spec(spec), x.Body)
	if err == nil {
		err = x.Judge()
	}
	if err != nil {
		t.Fatalf("%v: %v", g, err)
	}
	return run
}

// String describes the program.
func (g *Program) String() string {
	return fmt.Sprintf("the program of seed %d (%d ranks, %d threads, eager limit %d, %d calls, %d messages, %d puts "+
		"and gets)", g.Seed, g.Ranks, g.Threads, g.Limit, g.Calls, len(g.msgs), len(g.moves))
}

// play plays a program, which may end by a fault.
func (s *suite) play(t *testing.T, g *Program, f fault) {
	t.Helper()
	spec := g.Spec(s.spec(g.Ranks))
	spec.Threading, spec.Seed = cluster.ThreadMultiple, g.Seed
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	x := NewPlay(g)
	x.fault, x.fault.cancel = f, cancel
	err := s.launchIn(ctx, t, spec, func(p *proc) { x.play(p) })
	if f.how == endReturns {
		if err == nil {
			err = x.Judge()
		}
		if err != nil {
			t.Errorf("%v: %v", g, err)
		}
		return
	}
	var a *cluster.Abort
	reason, rank := cluster.Reason(""), f.rank
	if errors.As(err, &a) {
		reason = a.Reason
		if f.how == endPanic || f.how == endExit {
			rank = a.Rank
		}
	}
	want := map[endingKind]cluster.Reason{endPanic: cluster.ReasonPanic, endExit: cluster.ReasonExit,
		endCancel: cluster.ReasonCancelled}[f.how]
	if err == nil || reason != want || rank != f.rank || errors.Is(err, errDrawn) != (f.how != endExit) {
		t.Errorf("%v, which rank %d ends in way %d before call %d of phase %d: %v", g, f.rank, f.how, f.call, f.phase, err)
	}
}

func (s *suite) testEnds(t *testing.T) {
	for i := range s.times(24) {
		seed := s.seed + uint64(i)
		if s.ends(t, seed); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// ends plays a program that returns, or ends by an error, a panic, the end of a goroutine
// or a cancel.
func (s *suite) ends(t *testing.T, seed uint64) {
	t.Helper()
	g, rng := Draw(seed, Mix{Ops: s.ops()}), rand.New(rand.NewPCG(seed, 0x656e64))
	s.play(t, g,
		fault{how: endingKind(rng.IntN(int(endingKinds))), rank: rng.IntN(g.Ranks), phase: rng.IntN(len(g.phases)),
			call: rng.IntN(1 << 20)})
}

// Mixture plays a random program of all operations. One rank may end it early.
func Mixture(t *testing.T, f cluster.Fabric, m cluster.Machine, seed uint64) {
	t.Helper()
	s := &suite{fabric: poisoner{f}, machine: m, seed: seed, scale: 1, threads: 1,
		oneAtATime: f.Clock(&m) == cluster.VirtualClock}
	s.ends(t, seed)
}

// testShared makes all threads of all ranks send to random ranks. The threads of a rank
// receive its messages together.
func (s *suite) testShared(t *testing.T) {
	for i, shape := range []struct{ ranks, threads, each int }{{1, 3, 100}, {2, 2, 200}, {3, 5, 100}, {8, 8, 200}} {
		seed := s.seed + uint64(i)
		mix := Mix{Ops: s.ops() & (Messages | Wildcards | Probes | Polls | Locks), Ranks: shape.ranks,
			Threads: shape.threads, Limit: eager,
			Phases: 1, Length: shape.ranks * shape.threads * s.times(shape.each), Shared: true}
		t.Run(fmt.Sprintf("ranks=%d,threads=%d,seed=%d", shape.ranks, shape.threads, seed), func(t *testing.T) {
			s.play(t, Draw(seed, mix), fault{})
		})
	}
}
