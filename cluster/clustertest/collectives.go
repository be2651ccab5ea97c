package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testCollectives(t *testing.T) {
	t.Run("many in a row, of every size and root", s.collectivesInARow)
	t.Run("reductions", s.reduceOperations)
	t.Run("sums do not depend on timing", s.reduceDoesNotDependOnTiming)
	t.Run("groups reduce by themselves", s.groupsReduceByThemselves)
	t.Run("arguments that cannot be are refused", s.collectivesRefuseBadArguments)
	t.Run("different lengths are noticed", s.collectivesNoticeDifferentLengths)
	t.Run("different collectives are a deadlock", s.differentCollectivesAreADeadlock)
	t.Run("traffic is counted", s.collectivesCountTraffic)
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
				if err := r.Bcast(w, root, buf); err != nil {
					return err
				}
				if !bytes.Equal(buf, block(root, n)) {
					return fmt.Errorf("rank %d: bcast of %d B from %d gives %v", r.ID(), n, root, buf)
				}
				var out []byte
				if r.ID() == root {
					out = make([]byte, n*p)
				}
				if err := r.Gather(w, root, block(r.ID(), n), out); err != nil {
					return err
				}
				if r.ID() == root && !bytes.Equal(out, all) {
					return fmt.Errorf("gather of %d B to %d gives %v", n, root, out)
				}
				sum := make([]int64, n)
				for i := range sum {
					sum[i] = int64(r.ID()*n + i)
				}
				if err := cluster.Reduce(r, w, root, cluster.Sum, sum, sum); err != nil {
					return err
				}
				for i := range sum {
					if want := int64(p*(p-1)/2*n + p*i); r.ID() == root && sum[i] != want {
						return fmt.Errorf("sum %d at %d is %d, want %d", i, root, sum[i], want)
					}
				}
			}
			out := make([]byte, n*p)
			if err := r.Allgather(w, block(r.ID(), n), out); err != nil {
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
			if err := cluster.Allreduce(r, r.World(), c.op, []float64{x}, out); err != nil {
				return err
			}
			if out[0] != c.want {
				return fmt.Errorf("rank %d: %s is %g, want %g", r.ID(), c.op, out[0], c.want)
			}
		}
		z := []complex128{complex(x, 1)}
		return Refused(cluster.Allreduce(r, r.World(), cluster.Max, z, z),
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
				if err := cluster.Reduce(r, r.World(), root, cluster.Sum, x[r.ID():r.ID()+1], out); err != nil {
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
		if err := cluster.Reduce(r, r.Group(), 0, cluster.Sum, []int64{int64(r.ID())}, ours); err != nil {
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
		if err := cluster.Allreduce(r, r.World(), cluster.Sum, ours, all); err != nil {
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
			"rank 0: bcast on MPI_COMM_WORLD: root 1: the team has ranks 0 to 0":                               r.Bcast(w, 1, b),
			"rank 0: gather on MPI_COMM_WORLD: root -1: the team has ranks 0 to 0":                             r.Gather(w, -1, b, b),
			"rank 0: gather on MPI_COMM_WORLD: 2 B of output: 1 members with 3 B each need 3 B":                r.Gather(w, 0, b, b[:2]),
			"rank 0: allgather on MPI_COMM_WORLD: 3 B of output: 1 members with 2 B each need 2 B":             r.Allgather(w, b[:2], b),
			"rank 0: reduce on MPI_COMM_WORLD: 3 elements into 1: in and out must be equally long at the root": cluster.Reduce(r, w, 0, cluster.Sum, b, b[:1]),
			"rank 0: allreduce on MPI_COMM_WORLD: 3 elements into 1: in and out must be equally long":          cluster.Allreduce(r, w, cluster.Sum, b, b[:1]),
			"rank 0: neighbour sync with rank 1: team MPI_COMM_WORLD has ranks 0 to 0":                         r.SyncNeighbours(w, []int{0, 1}),
			"rank 0: allreduce with operation 9: there are sum, prod, min and max":                             cluster.Allreduce(r, w, 9, b, b),
		} {
			if err := Refused(err, want); err != nil {
				return err
			}
		}
		return nil
	})
}

// Members that give different lengths hear of it.
func (s *suite) collectivesNoticeDifferentLengths(t *testing.T) {
	for _, c := range []struct {
		root int
		want string
	}{
		{0, "rank 1: bcast on MPI_COMM_WORLD: 8 B came from rank 0 where 16 B are wanted: every member must give the same length"},
		{1, "rank 0: recv from 1 tag 0: truncated, 16 B into 8 B (in bcast on MPI_COMM_WORLD, where every member must give the same length)"},
	} {
		err := Launch(t, s.fabric, s.spec(2), func(r *cluster.Rank) error {
			return r.Bcast(r.World(), c.root, make([]byte, 8+8*r.ID()))
		})
		if err := Refused(err, c.want); err != nil {
			t.Error(err)
		}
	}
}

// Members that call different collectives do not mix their data: nobody goes on,
// and the deadlock is reported.
func (s *suite) differentCollectivesAreADeadlock(t *testing.T) {
	err := Launch(t, s.fabric, s.spec(2), func(r *cluster.Rank) error {
		word := []int64{1}
		if r.ID() == 0 {
			return r.Bcast(r.World(), 1, cluster.Bytes(word))
		}
		return cluster.Reduce(r, r.World(), 1, cluster.Sum, word, word)
	})
	var abort *cluster.Abort
	if !errors.As(err, &abort) || abort.Reason != cluster.ReasonDeadlock {
		t.Errorf("bcast on one rank and reduce on the other end with %v, want a deadlock", err)
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

func (s *suite) collectivesCountTraffic(t *testing.T) {
	s.must(t, Spec(s.machine, 1, 4), func(r *cluster.Rank) error {
		if err := r.Bcast(r.World(), 0, make([]byte, 100)); err != nil {
			return err
		}
		want := map[int]int64{0: 200, 2: 100}[r.ID()]
		if got := r.Traffic().Bytes[cluster.InNode]; got != want {
			return fmt.Errorf("rank %d counts %d B sent, want %d", r.ID(), got, want)
		}
		return nil
	})
}
