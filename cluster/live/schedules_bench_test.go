package live_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// BenchmarkSchedules measures collectives as program calls and with chosen schedules, separated by
// barriers.
func BenchmarkSchedules(b *testing.B) {
	for _, ranks := range []int{2, 8, 64} {
		for _, size := range []int{8, 4096, 65536} {
			ways := []string{"none", "bcast/call", "bcast/knomial", "bcast/direct", "bcast/staged", "allreduce/call",
				"allreduce/reduce-bcast", "allreduce/recursive-doubling", "allreduce/rabenseifner",
				"allreduce/direct", "allreduce/staged", "exchange/flat", "exchange/bruck", "exchange/direct", "exchange/staged",
				"barrier/direct"}
			for _, way := range ways {
				if strings.HasPrefix(way, "exchange") == (size == 65536) || size == 4096 && !strings.HasPrefix(way, "exchange") {
					if size != 8 {
						continue
					}
				}
				b.Run(fmt.Sprintf("ranks=%d/size=%d/%s", ranks, size, way), func(b *testing.B) {
					b.ReportAllocs()
					n := b.N
					spec := clustertest.Spec(cluster.Machine{Name: "host", EagerLimit: 8192}, 1, ranks)
					err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
						body, err := collective(r, way, size)
						if err != nil {
							return err
						}
						for i := range n {
							if i == 1 && r.ID() == 0 {
								b.ResetTimer()
							}
							if err := body(); err != nil {
								return err
							}
							if err := r.Barrier(r.All()); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						b.Fatal(err)
					}
				})
			}
		}
	}
}

// collective returns one call of a collective, made in the given way.
func collective(r *cluster.Rank, way string, size int) (func() error, error) {
	in, out := make([]int64, size/8), make([]int64, size/8)
	if strings.HasPrefix(way, "exchange") {
		in, out = make([]int64, size/8*r.Ranks()), make([]int64, size/8*r.Ranks())
	}
	switch way {
	case "none":
		return func() error { return nil }, nil
	case "bcast/call":
		return func() error { return coll.Bcast(r, r.All(), 0, cluster.Of(out)) }, nil
	case "allreduce/call":
		return func() error { return coll.Allreduce(r, r.All(), cluster.Sum, in, out) }, nil
	}
	of, name, _ := strings.Cut(way, "/")
	what, err := coll.CollectiveOf(of)
	if err != nil {
		return nil, err
	}
	c, err := coll.New(r, r.All())
	if err != nil {
		return nil, err
	}
	a, err := coll.Find(what, name)
	if err != nil {
		return nil, err
	}
	k, err := a.Key(coll.Parameters{Ranks: r.Ranks()})
	if err != nil {
		return nil, err
	}
	combine, err := coll.Combining[int64](r, "combine", cluster.Sum)
	if err != nil {
		return nil, err
	}
	all, err := coll.CombiningAll[int64](r, "combine", cluster.Sum)
	if err != nil {
		return nil, err
	}
	call := coll.Call{Key: k, In: cluster.Of(in), Out: cluster.Of(out), Blocks: k.Blocks(int64(size), 8),
		Combine: combine, CombineAll: all}
	return func() error { return c.Do(call) }, nil
}
