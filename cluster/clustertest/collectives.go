package clustertest

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

var collectiveCases = []testCase{
	{"calls in a row, of every size and root, take no other call's messages", (*suite).collectivesInARow},
	{"a reduction computes its operation", onRanks(5, reduceOperations)},
	{"a sum does not depend on the order of arrival", (*suite).reduceDoesNotDependOnTiming},
	{"UPC groups reduce by themselves", (*suite).groupsReduceByThemselves},
	{"arguments of a collective are checked", onRanks(1, collectiveArguments)},
	{"members that give different lengths are told so", (*suite).collectivesNoticeDifferentLengths},
	{"a member that calls another collective does not release the data of an earlier call",
		(*suite).laggingRootIsNotOverheard},
	{"members that call different collectives end with an error or a deadlock", (*suite).differentCollectivesEnd},
	{"a collective counts its bytes as traffic", (*suite).collectivesCountTraffic},
	{"threads call collectives as their level permits", (*suite).threadsCallCollectives},
}

var neighbourCases = []testCase{
	{"a neighbour sync returns after all neighbours have entered it", onRanks(6, syncNeighbours)},
}

// collectivesInARow makes calls of every team size, root and length (empty, eager and
// rendezvous), without synchronization between them.
func (s *suite) collectivesInARow(t *testing.T) {
	for ranks := 1; ranks <= 9; ranks++ {
		for _, limit := range []int64{eager, 0} {
			spec := s.spec(ranks)
			spec.EagerLimit = limit
			t.Run(fmt.Sprintf("ranks=%d, eager limit %d", ranks, limit), func(t *testing.T) {
				s.run(t, spec, func(p *proc) {
					for salt, n := range []int{0, 8, 24, 2 * eager} {
						for root := range ranks {
							for _, what := range ofPrograms {
								p.program(10*salt+root, what, p.World(), n, root)
							}
						}
					}
				})
			})
		}
	}
}

func reduceOperations(p *proc) {
	x := float64(p.ID()) - 1.5
	for _, c := range []struct {
		op   cluster.ReduceOp
		want float64
	}{{cluster.Sum, 2.5}, {cluster.Prod, 1.40625}, {cluster.Min, -1.5}, {cluster.Max, 2.5}} {
		out := []float64{0}
		p.ok(coll.Allreduce(p.Rank, p.World(), c.op, []float64{x}, out))
		same(p, c.op.String(), out[0], c.want)
	}
	z := []complex128{complex(x, 1)}
	p.refused(coll.Allreduce(p.Rank, p.World(), cluster.Max, z, z),
		"allreduce with max of complex128: complex numbers have no order (use sum or prod)")
}

// tree adds up what a binomial tree adds up, in its order.
func tree(rel, mask int, x []float64) float64 {
	sum := x[rel]
	for m := 1; m < mask && rel|m < len(x); m <<= 1 {
		sum += tree(rel|m, m, x)
	}
	return sum
}

// Sums of floating-point numbers have the same bits in every run and on every
// rank, although the order of arrival differs.
func (s *suite) reduceDoesNotDependOnTiming(t *testing.T) {
	for n := 1; n <= 13; n += 3 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Sin(float64(i+1)) * math.Pow(10, float64(i%7))
		}
		for root := range n {
			rotated := append(append([]float64(nil), x[root:]...), x[:root]...)
			want := tree(0, 1<<30, rotated)
			s.run(t, s.spec(n), func(p *proc) {
				for range p.Rand().IntN(4) {
					p.Progress() // arrive at different times
				}
				out := []float64{0}
				p.ok(coll.Reduce(p.Rank, p.World(), root, cluster.Sum, x[p.ID():p.ID()+1], out))
				p.check(p.ID() != root || out[0] == want, "%d ranks, root %d: sum %x, want %x", n, root, out[0], want)
			})
		}
	}
}

func (s *suite) groupsReduceByThemselves(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedFunneled, 3, 4, 1), func(p *proc) {
		ours, all := []int64{0}, []int64{0}
		p.ok(coll.Reduce(p.Rank, p.Group(), 0, cluster.Sum, []int64{int64(p.ID())}, ours))
		if p.Group().Rank() != 0 {
			return
		}
		same(p, "sum of a group", ours[0], 16*int64(p.Spec().Layout.GroupOf(p.ID()))+6)
		p.ok(coll.Allreduce(p.Rank, p.World(), cluster.Sum, ours, all))
		same(p, "sum of all groups", all[0], 66)
	})
}

func collectiveArguments(p *proc) {
	r := p.Rank
	w := p.World()
	b := make([]byte, 3)
	p.refused(coll.Bcast(r, w, 1, cluster.Of(b)), "bcast on MPI_COMM_WORLD: root 1: the team has ranks 0 to 0")
	p.refused(coll.Gather(r, w, -1, cluster.Of(b), cluster.Of(b)),
		"gather on MPI_COMM_WORLD: root -1: the team has ranks 0 to 0")
	p.refused(coll.Gather(r, w, 0, cluster.Of(b), cluster.Of(b[:2])),
		"gather on MPI_COMM_WORLD: output of 2 B: 1 members with 3 B each need 3 B")
	p.refused(coll.Allgather(r, w, cluster.Of(b[:2]), cluster.Of(b)),
		"allgather on MPI_COMM_WORLD: output of 3 B: 1 members with 2 B each need 2 B")
	p.refused(coll.Reduce(r, w, 0, cluster.Sum, b, b[:1]),
		"reduce on MPI_COMM_WORLD: 3 elements into 1: in and out must have the same length at the root")
	p.refused(coll.Allreduce(r, w, cluster.Sum, b, b[:1]),
		"allreduce on MPI_COMM_WORLD: 3 elements into 1: in and out must have the same length")
	p.refused(p.SyncNeighbours(w, []int{0, 1}), "neighbour sync with rank 1: team MPI_COMM_WORLD has ranks 0 to 0")
	p.refused(coll.Allreduce(r, w, 9, b, b), "allreduce with operation 9: want one of sum, prod, min and max")
}

// Members that pass different lengths get an error, whichever length is larger.
func (s *suite) collectivesNoticeDifferentLengths(t *testing.T) {
	for name, call := range map[string]func(r *cluster.Rank, b []byte) error{
		"bcast":     func(r *cluster.Rank, b []byte) error { return coll.Bcast(r, r.World(), 0, cluster.Of(b)) },
		"reduce":    func(r *cluster.Rank, b []byte) error { return coll.Reduce(r, r.World(), 0, cluster.Sum, b, b) },
		"allreduce": func(r *cluster.Rank, b []byte) error { return coll.Allreduce(r, r.World(), cluster.Sum, b, b) },
		"gather": func(r *cluster.Rank, b []byte) error {
			return coll.Gather(r, r.World(), 0, cluster.Of(b), cluster.Of(make([]byte, 2*len(b))))
		},
		"allgather": func(r *cluster.Rank, b []byte) error {
			return coll.Allgather(r, r.World(), cluster.Of(b), cluster.Of(make([]byte, 2*len(b))))
		},
	} {
		for longer := range 2 {
			err := Launch(t, s.fabric, s.spec(2), func(r *cluster.Rank) error {
				n := 8
				if r.ID() == longer {
					n = 16
				}
				return call(r, make([]byte, n))
			})
			reported := err != nil && (strings.Contains(err.Error(), "every member must") ||
				strings.Contains(err.Error(), "call and length must agree on all members"))
			if !reported || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "MPI_COMM_WORLD") {
				t.Errorf("%s, rank %d gives more: the error is %v", name, longer, err)
			}
		}
	}
}

// Members that call different collectives do not mix their data: they get an error, or a deadlock
// is reported. If both members only send, the next call does not receive their messages.
func (s *suite) differentCollectivesEnd(t *testing.T) {
	const marked = 77 // what rank 1 gives; no other rank may get it from another call
	calls := []struct {
		name  string
		gives [2]bool // rank 0, rank 1: it waits for no rank
		body  func(r *cluster.Rank, words []int64) (got int64, err error)
	}{
		{"bcast", [2]bool{1: true}, func(r *cluster.Rank, w []int64) (int64, error) {
			err := coll.Bcast(r, r.World(), 1, cluster.Of(w))
			return w[0], err
		}},
		{"reduce", [2]bool{0: true}, func(r *cluster.Rank, w []int64) (int64, error) {
			err := coll.Reduce(r, r.World(), 1, cluster.Sum, w, w)
			return w[0], err
		}},
		{"reduce to 0", [2]bool{1: true}, func(r *cluster.Rank, w []int64) (int64, error) {
			err := coll.Reduce(r, r.World(), 0, cluster.Sum, w, w)
			return w[0], err
		}},
		{"allreduce", [2]bool{}, func(r *cluster.Rank, w []int64) (int64, error) {
			err := coll.Allreduce(r, r.World(), cluster.Sum, w, w)
			return w[0], err
		}},
		{"gather", [2]bool{0: true}, func(r *cluster.Rank, w []int64) (int64, error) {
			all := make([]int64, 2*len(w))
			err := coll.Gather(r, r.World(), 1, cluster.Of(w), cluster.Of(all))
			return all[1], err
		}},
		{"allgather", [2]bool{}, func(r *cluster.Rank, w []int64) (int64, error) {
			all := make([]int64, 2*len(w))
			err := coll.Allgather(r, r.World(), cluster.Of(w), cluster.Of(all))
			return all[1], err
		}},
	}
	for i, a := range calls {
		for j, b := range calls {
			if i == j {
				continue
			}
			err := Launch(t, s.fabric, s.spec(2), func(r *cluster.Rank) error {
				words := []int64{int64(r.ID()) * marked}
				call := a
				if r.ID() == 1 {
					call = b
				}
				got, err := call.body(r, words)
				if err == nil && r.ID() == 0 && got != 0 {
					return fmt.Errorf("mixed: %d", got)
				}
				if err != nil {
					return err
				}
				next := []int64{int64(r.ID()) + 4}
				if err := coll.Bcast(r, r.World(), 1, cluster.Of(next)); err != nil {
					return err
				}
				if next[0] != 5 {
					return fmt.Errorf("mixed with the next call: %d", next[0])
				}
				return nil
			})
			var abort *cluster.Abort
			switch {
			case errors.As(err, &abort) && abort.Reason == cluster.ReasonDeadlock:
			case err != nil && strings.Contains(err.Error(), "call and length must agree on all members"):
			case err == nil && a.gives[0] && b.gives[1]:
			default:
				t.Errorf("%s on rank 0 and %s on rank 1 end with %v, want a deadlock, or an error that names the calls", a.name,
					b.name, err)
			}
		}
	}
}

// laggingRootIsNotOverheard sends a member into another collective after some equal calls. No member
// returns the data of an earlier call.
func (s *suite) laggingRootIsNotOverheard(t *testing.T) {
	const ranks, equal = 4, 16
	for try := range s.times(32) {
		err := Launch(t, s.fabric, s.node(ranks), func(r *cluster.Rank) error {
			words := make([]int64, 1)
			for i := range equal + 1 {
				if r.ID() == ranks-1 && i == equal {
					return coll.Allreduce(r, r.World(), cluster.Sum, words, words)
				}
				if r.ID() == 0 {
					words[0] = int64(i)
				}
				for range 1000 * (i / equal) * (1 - min(r.ID(), 1)) { // the root comes last
					runtime.Gosched()
				}
				if err := coll.Bcast(r, r.World(), 0, cluster.Of(words)); err != nil {
					return err
				}
				if words[0] != int64(i) {
					return fmt.Errorf("call %d returns the data of call %d", i, words[0])
				}
			}
			return nil
		})
		var abort *cluster.Abort
		if !(errors.As(err, &abort) && abort.Reason == cluster.ReasonDeadlock) &&
			(err == nil || !strings.Contains(err.Error(), "call and length must agree on all members")) {
			t.Fatalf("try %d ends with %v, want a deadlock, or an error that names the calls", try, err)
		}
	}
}

func syncNeighbours(p *proc) {
	n, me := p.Ranks(), p.ID()
	left, right := (me+n-1)%n, (me+1)%n
	for i := range uint64(p.times(20)) {
		p.ok(p.Put(cluster.At(right, int64(8*(i%2))), cluster.Of([]uint64{i})))
		p.ok(p.SyncNeighbours(p.World(), []int{left, me, right}))
		// The left neighbour writes here again two rounds on, after the sync of the next
		// round, which this rank enters only now.
		same(p, "word of the left neighbour", cluster.Words(p.Segment())[i%2], i)
	}
}

// collectivesCountTraffic adds up the bytes that all ranks count. The sender counts a
// message, and a member counts its loads.
func (s *suite) collectivesCountTraffic(t *testing.T) {
	s.run(t, Spec(s.machine, 1, 4), func(p *proc) {
		p.ok(coll.Bcast(p.Rank, p.World(), 0, cluster.Of(make([]byte, 100))))
		counted := []int64{p.Traffic().Bytes[cluster.InNode]}
		p.ok(coll.Allreduce(p.Rank, p.World(), cluster.Sum, counted, counted))
		same(p, "bytes of all ranks", counted[0], 300)
	})
}

// every makes each of the calls once, from or to a root.
func (p *proc) every(team *cluster.Team, root, salt int) {
	for _, what := range ofPrograms {
		p.program(salt, what, team, 8, root)
	}
}

// The master calls out of a region while other ranks do outside of theirs; threads that
// may all call have a team each.
func (s *suite) threadsCallCollectives(t *testing.T) {
	const threads = 3
	spec := s.spec(4)
	spec.Threading = cluster.ThreadFunneled
	s.run(t, spec, func(p *proc) {
		w := p.World()
		for i := range s.times(5) {
			if p.ID()%2 == 0 {
				p.every(w, i%4, 10*i+1)
				continue
			}
			p.fork(threads, func(th *proc, thread int) {
				if thread == 0 {
					th.every(w, i%4, 10*i+1)
				}
			})
		}
	})
	s.run(t, s.spec(4), func(p *proc) {
		ends := p.endpoints(threads)
		for round := range 2 { // kept from one region to the next
			p.fork(threads, func(th *proc, thread int) {
				for i := range s.times(5) {
					th.every(ends[thread], (i+thread)%4, 100*thread+10*i+round)
				}
			})
			p.every(p.World(), 0, 7)
			p.every(ends[1], 2, 9)
		}
	})
}
