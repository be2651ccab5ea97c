package cluster_test

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func TestSharedAccessDoesNotAllocate(t *testing.T) {
	both(t, flat(2), func(r *cluster.Rank) error {
		a, err := cluster.NewShared[float64](r, 64, 1)
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
		if n >= 1 && r.Port().Direct() {
			return fmt.Errorf("%g allocations an iteration", n)
		}
		return fail
	})
}

// A get of a random element of an array over two ranks, half of them the other's.
func BenchmarkSharedGet(b *testing.B) {
	for _, block := range []int{1, 3} {
		b.Run(fmt.Sprintf("block=%d", block), func(b *testing.B) {
			run(b, flat(2), func(r *cluster.Rank) error {
				const n = 1 << 14
				a, err := cluster.NewShared[float64](r, n, block)
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
					return fmt.Errorf("elements that nobody wrote add up to %g", sum)
				}
				return nil
			})
		})
	}
}
