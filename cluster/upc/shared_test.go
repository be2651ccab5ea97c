package upc_test

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/upc"
)

func TestSharedAccessDoesNotAllocate(t *testing.T) {
	clustertest.Must(t, live.New(), clustertest.Spec(clustertest.Host(), 1, 2), func(r *cluster.Rank) error {
		a, err := upc.NewShared[float64](r, 64, 1)
		if err != nil || r.ID() != 0 {
			return err
		}
		var fail error
		i := 0
		n := testing.AllocsPerRun(200, func() {
			v, err := a.Get(i % 64)
			if err == nil {
				err = a.Put(i%64, v+1)
			}
			if err == nil {
				v, err = a.Ptr(i % 64).Load(r)
			}
			if err == nil {
				err = a.Ptr(i%64).Store(r, v)
			}
			if err != nil {
				fail = err
			}
			i++
		})
		if n >= 1 {
			return fmt.Errorf("%g allocations per iteration", n)
		}
		return fail
	})
}

// If a cluster is too large to count traffic by node, accesses in place count by class and by block
// of nodes, also on the threads of a region.
func TestSharedAccessesOfALargeCluster(t *testing.T) {
	const nodes, threads = cluster.MaxPairNodes + 2, 2
	clustertest.Must(t, live.New(), clustertest.Spec(clustertest.Host(), nodes, 1), func(r *cluster.Rank) error {
		a, err := upc.NewShared[int64](r, (1+threads)*nodes, 1)
		if err != nil {
			return err
		}
		next := (r.ID() + 1) % nodes
		before, sent := r.Traffic().Ops[cluster.Remote], r.Traffic().Nodes[next/2]
		if err := a.Put(next, 1); err != nil {
			return err
		}
		if err := r.Fork(threads, func(th *cluster.Thread) error {
			return a.On(th).Put(next+(1+th.Number())*nodes, 1)
		}); err != nil {
			return err
		}
		if got := r.Traffic().Ops[cluster.Remote] - before; got != 1+threads {
			return fmt.Errorf("rank %d counts %d accesses, want %d", r.ID(), got, 1+threads)
		}
		if got := r.Traffic().Nodes[next/2] - sent; got != 8*(1+threads) {
			return fmt.Errorf("rank %d counts %d B to the block of node %d, want %d", r.ID(), got, next, 8*(1+threads))
		}
		return nil
	})
}

// BenchmarkSharedGet reads random elements of an array over two ranks; half of them are remote.
func BenchmarkSharedGet(b *testing.B) {
	for _, block := range []int{1, 3} {
		b.Run(fmt.Sprintf("block=%d", block), func(b *testing.B) {
			spec := clustertest.Spec(clustertest.Host(), 1, 2)
			spec.Segment = 1 << 20
			clustertest.Must(b, live.New(), spec, func(r *cluster.Rank) error {
				const n = 1 << 14
				a, err := upc.NewShared[float64](r, n, block)
				if err != nil || r.ID() != 0 {
					return err
				}
				b.ReportAllocs()
				sum, i := 0.0, uint(1)
				for b.Loop() {
					i = i*1664525 + 1013904223
					v, err := a.Get(int(i >> 8 % n))
					if err != nil {
						return err
					}
					sum += v
				}
				if sum != 0 {
					return fmt.Errorf("the sum of unwritten elements is %g", sum)
				}
				return nil
			})
		})
	}
}
