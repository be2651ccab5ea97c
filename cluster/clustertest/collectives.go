package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

func (s *suite) testCollectives(t *testing.T) {
	t.Run("many in a row, of every size and root", s.collectivesInARow)
	t.Run("reductions", s.reduceOperations)
	t.Run("sums do not depend on timing", s.reduceDoesNotDependOnTiming)
	t.Run("groups reduce by themselves", s.groupsReduceByThemselves)
	t.Run("arguments that cannot be are refused", s.collectivesRefuseBadArguments)
	t.Run("different lengths are noticed", s.collectivesNoticeDifferentLengths)
	t.Run("different collectives are an error or a deadlock", s.differentCollectivesEnd)
	t.Run("traffic is counted", s.collectivesCountTraffic)
	t.Run("threads call as their level permits", s.threadsCallCollectives)
}

// block is what a rank gives: n bytes that name it.
func block(rank, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rank*31 + i*7)
	}
	return b
}

// Every size of team, root and length (empty, eager and rendezvous), in a row
// without synchronization: no call takes another's messages.
func (s *suite) collectivesInARow(t *testing.T) {
	for p := 1; p <= 9; p++ {
		spec := s.spec(p)
		t.Run(fmt.Sprintf("ranks=%d", p), func(t *testing.T) { s.inARow(t, spec) })
		spec.EagerLimit = 0
		t.Run(fmt.Sprintf("ranks=%d without eager messages", p), func(t *testing.T) { s.inARow(t, spec) })
	}
}

func (s *suite) inARow(t *testing.T, spec cluster.Spec) {
	p := spec.Layout.Ranks()
	s.must(t, spec, func(r *cluster.Rank) error {
		w := r.World()
		for _, n := range []int{0, 1, 24, 2 * eager} {
			var all []byte
			for i := range p {
				all = append(all, block(i, n)...)
			}
			for root := range p {
				buf := make([]byte, n)
				if r.ID() == root {
					copy(buf, block(root, n))
				}
				if err := coll.Bcast(r, w, root, buf); err != nil {
					return err
				}
				if !bytes.Equal(buf, block(root, n)) {
					return fmt.Errorf("rank %d: bcast of %d B from %d gives %v", r.ID(), n, root, buf)
				}
				var out []byte
				if r.ID() == root {
					out = make([]byte, n*p)
				}
				if err := coll.Gather(r, w, root, block(r.ID(), n), out); err != nil {
					return err
				}
				if r.ID() == root && !bytes.Equal(out, all) {
					return fmt.Errorf("gather of %d B to %d gives %v", n, root, out)
				}
				sum := make([]int64, n)
				for i := range sum {
					sum[i] = int64(r.ID()*n + i)
				}
				if err := coll.Reduce(r, w, root, cluster.Sum, sum, sum); err != nil {
					return err
				}
				for i := range sum {
					if want := int64(p*(p-1)/2*n + p*i); r.ID() == root && sum[i] != want {
						return fmt.Errorf("sum %d at %d is %d, want %d", i, root, sum[i], want)
					}
				}
			}
			out := make([]byte, n*p)
			if err := coll.Allgather(r, w, block(r.ID(), n), out); err != nil {
				return err
			}
			if !bytes.Equal(out, all) {
				return fmt.Errorf("rank %d: allgather of %d B gives %v", r.ID(), n, out)
			}
		}
		return nil
	})
}

func (s *suite) reduceOperations(t *testing.T) {
	const p = 5
	s.must(t, s.spec(p), func(r *cluster.Rank) error {
		x := float64(r.ID()) - 1.5
		for _, c := range []struct {
			op   cluster.ReduceOp
			want float64
		}{{cluster.Sum, 2.5}, {cluster.Prod, 1.40625}, {cluster.Min, -1.5}, {cluster.Max, 2.5}} {
			out := []float64{0}
			if err := coll.Allreduce(r, r.World(), c.op, []float64{x}, out); err != nil {
				return err
			}
			if out[0] != c.want {
				return fmt.Errorf("rank %d: %s is %g, want %g", r.ID(), c.op, out[0], c.want)
			}
		}
		z := []complex128{complex(x, 1)}
		return Refused(coll.Allreduce(r, r.World(), cluster.Max, z, z),
			fmt.Sprintf("rank %d: allreduce with max of complex128: complex numbers have no order; use sum or prod", r.ID()))
	})
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
	for p := 1; p <= 13; p += 3 {
		x := make([]float64, p)
		for i := range x {
			x[i] = math.Sin(float64(i+1)) * math.Pow(10, float64(i%7))
		}
		for root := range p {
			rotated := append(append([]float64(nil), x[root:]...), x[:root]...)
			want := tree(0, 1<<30, rotated)
			s.must(t, s.spec(p), func(r *cluster.Rank) error {
				for range r.Rand().IntN(4) {
					r.Progress() // arrive at different times
				}
				out := []float64{0}
				if err := coll.Reduce(r, r.World(), root, cluster.Sum, x[r.ID():r.ID()+1], out); err != nil {
					return err
				}
				if r.ID() == root && out[0] != want {
					return fmt.Errorf("%d ranks, root %d: sum %x, want %x", p, root, out[0], want)
				}
				return nil
			})
		}
	}
}

func (s *suite) groupsReduceByThemselves(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedFunneled, 3, 4, 1), func(r *cluster.Rank) error {
		ours := []int64{0}
		if err := coll.Reduce(r, r.Group(), 0, cluster.Sum, []int64{int64(r.ID())}, ours); err != nil {
			return err
		}
		if r.Group().Rank() != 0 {
			return nil
		}
		g := int64(r.Layout().GroupOf(r.ID()))
		if want := 16*g + 6; ours[0] != want {
			return fmt.Errorf("group %d adds up to %d, want %d", g, ours[0], want)
		}
		all := []int64{0}
		if err := coll.Allreduce(r, r.World(), cluster.Sum, ours, all); err != nil {
			return err
		}
		if all[0] != 66 {
			return fmt.Errorf("all groups add up to %d, want 66", all[0])
		}
		return nil
	})
}

func (s *suite) collectivesRefuseBadArguments(t *testing.T) {
	s.must(t, s.spec(1), func(r *cluster.Rank) error {
		w := r.World()
		b := make([]byte, 3)
		for want, err := range map[string]error{
			"rank 0: bcast on MPI_COMM_WORLD: root 1: the team has ranks 0 to 0":                               coll.Bcast(r, w, 1, b),
			"rank 0: gather on MPI_COMM_WORLD: root -1: the team has ranks 0 to 0":                             coll.Gather(r, w, -1, b, b),
			"rank 0: gather on MPI_COMM_WORLD: 2 B of output: 1 members with 3 B each need 3 B":                coll.Gather(r, w, 0, b, b[:2]),
			"rank 0: allgather on MPI_COMM_WORLD: 3 B of output: 1 members with 2 B each need 2 B":             coll.Allgather(r, w, b[:2], b),
			"rank 0: reduce on MPI_COMM_WORLD: 3 elements into 1: in and out must be equally long at the root": coll.Reduce(r, w, 0, cluster.Sum, b, b[:1]),
			"rank 0: allreduce on MPI_COMM_WORLD: 3 elements into 1: in and out must be equally long":          coll.Allreduce(r, w, cluster.Sum, b, b[:1]),
			"rank 0: neighbour sync with rank 1: team MPI_COMM_WORLD has ranks 0 to 0":                         r.SyncNeighbours(w, []int{0, 1}),
			"rank 0: allreduce with operation 9: there are sum, prod, min and max":                             coll.Allreduce(r, w, 9, b, b),
		} {
			if err := Refused(err, want); err != nil {
				return err
			}
		}
		return nil
	})
}

// Members that give different lengths hear of it, whichever gives more.
func (s *suite) collectivesNoticeDifferentLengths(t *testing.T) {
	for name, call := range map[string]func(r *cluster.Rank, b []byte) error{
		"bcast":     func(r *cluster.Rank, b []byte) error { return coll.Bcast(r, r.World(), 0, b) },
		"reduce":    func(r *cluster.Rank, b []byte) error { return coll.Reduce(r, r.World(), 0, cluster.Sum, b, b) },
		"allreduce": func(r *cluster.Rank, b []byte) error { return coll.Allreduce(r, r.World(), cluster.Sum, b, b) },
		"gather": func(r *cluster.Rank, b []byte) error {
			return coll.Gather(r, r.World(), 0, b, make([]byte, 2*len(b)))
		},
		"allgather": func(r *cluster.Rank, b []byte) error { return coll.Allgather(r, r.World(), b, make([]byte, 2*len(b))) },
	} {
		for longer := range 2 {
			err := Launch(t, s.fabric, s.spec(2), func(r *cluster.Rank) error {
				n := 8
				if r.ID() == longer {
					n = 16
				}
				return call(r, make([]byte, n))
			})
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "every member must") || !strings.Contains(err.Error(), "MPI_COMM_WORLD") {
				t.Errorf("%s, rank %d gives more: the error is %v", name, longer, err)
			}
		}
	}
}

// Members that call different collectives do not mix their data: they hear of it, or
// nobody goes on and the deadlock is reported. Where both only give, and wait for nobody,
// the next call takes none of it.
func (s *suite) differentCollectivesEnd(t *testing.T) {
	const marked = 77 // what rank 1 gives; no other rank may get it from another call
	calls := []struct {
		name  string
		gives [2]bool // rank 0, rank 1: it waits for nobody
		body  func(r *cluster.Rank, words []int64) (got int64, err error)
	}{
		{"bcast", [2]bool{1: true}, func(r *cluster.Rank, w []int64) (int64, error) {
			err := coll.Bcast(r, r.World(), 1, cluster.Bytes(w))
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
			err := coll.Gather(r, r.World(), 1, cluster.Bytes(w), cluster.Bytes(all))
			return all[1], err
		}},
		{"allgather", [2]bool{}, func(r *cluster.Rank, w []int64) (int64, error) {
			all := make([]int64, 2*len(w))
			err := coll.Allgather(r, r.World(), cluster.Bytes(w), cluster.Bytes(all))
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
				if err := coll.Bcast(r, r.World(), 1, cluster.Bytes(next)); err != nil {
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
				t.Errorf("%s on rank 0 and %s on rank 1 end with %v, want a deadlock, or an error that names the calls", a.name, b.name, err)
			}
		}
	}
}

// A rank is past the call only when its neighbours have entered it; others may be
// anywhere.
func (s *suite) syncNeighbours(t *testing.T) {
	const p = 6
	rounds := s.times(20)
	s.must(t, s.spec(p), func(r *cluster.Rank) error {
		me := r.ID()
		left, right := (me+p-1)%p, (me+1)%p
		for i := range uint64(rounds) {
			if err := r.Put(right, int64(8*(i%2)), cluster.Bytes([]uint64{i})); err != nil {
				return err
			}
			if err := r.SyncNeighbours(r.World(), []int{left, me, right}); err != nil {
				return err
			}
			if got := cluster.Words(r.Segment())[i%2]; got != i {
				return fmt.Errorf("rank %d, round %d: the left neighbour's word is %d", me, i, got)
			}
			// The left neighbour writes here again two rounds on, after the sync of
			// the next round, which this rank enters only now.
		}
		return nil
	})
}

// Who sends counts, or where members load who loads: in all the same bytes.
func (s *suite) collectivesCountTraffic(t *testing.T) {
	s.must(t, Spec(s.machine, 1, 4), func(r *cluster.Rank) error {
		if err := coll.Bcast(r, r.World(), 0, make([]byte, 100)); err != nil {
			return err
		}
		counted := []int64{r.Traffic().Bytes[cluster.InNode]}
		if err := coll.Allreduce(r, r.World(), cluster.Sum, counted, counted); err != nil {
			return err
		}
		if counted[0] != 300 {
			return fmt.Errorf("the ranks count %d B, want 300", counted[0])
		}
		return nil
	})
}

// every makes each of the calls once, from or to a root.
func (p *proc) every(team *cluster.Team, root, salt int) {
	n, me := team.Size(), team.Rank()
	word, all := []int64{0}, make([]int64, n)
	if me == root {
		word[0] = int64(salt)
	}
	p.ok(coll.Bcast(p.Rank, team, root, cluster.Bytes(word)))
	same(p, "broadcast", word[0], int64(salt))
	sum := func(add int) int64 { return int64(n*(n-1)/2 + n*add) }
	word[0] = int64(me + salt)
	p.ok(coll.Reduce(p.Rank, team, root, cluster.Sum, word, word))
	if me == root {
		same(p, "sum at the root", word[0], sum(salt))
	}
	word[0] = int64(me + salt)
	p.ok(coll.Allreduce(p.Rank, team, cluster.Sum, word, word))
	same(p, "sum", word[0], sum(salt))
	for _, collect := range []func() error{
		func() error {
			return coll.Gather(p.Rank, team, root, cluster.Bytes([]int64{int64(me * salt)}), cluster.Bytes(all))
		},
		func() error {
			return coll.Allgather(p.Rank, team, cluster.Bytes([]int64{int64(me * salt)}), cluster.Bytes(all))
		},
	} {
		p.ok(collect())
		for i := range all {
			if me == root {
				same(p, "what a member gave", all[i], int64(i*salt))
			}
		}
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
		ends, err := p.Endpoints(p.World(), threads)
		p.ok(err)
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
