package live_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// BenchmarkRegion measures fork and join of an empty parallel region: in a row, and each after some
// computing of its rank.
func BenchmarkRegion(b *testing.B) {
	for _, idle := range []time.Duration{0, 20 * time.Microsecond, 200 * time.Microsecond, 2 * time.Millisecond} {
		b.Run(fmt.Sprintf("after=%v", idle), func(b *testing.B) {
			body := func(*cluster.Thread) error { return nil }
			benchRank(b, func(r *cluster.Rank, n int) error {
				in := time.Duration(0)
				for range n {
					for began := time.Now(); time.Since(began) < idle; {
					}
					began := time.Now()
					if err := r.Fork(2, body); err != nil {
						return err
					}
					in += time.Since(began)
				}
				b.ReportMetric(float64(in.Nanoseconds())/float64(n), "ns/region")
				return nil
			})
		})
	}
}

// BenchmarkMeet measures a barrier of two threads.
func BenchmarkMeet(b *testing.B) {
	benchRank(b, func(r *cluster.Rank, n int) error {
		return r.Fork(2, func(t *cluster.Thread) error {
			for range n {
				t.Meet()
			}
			return nil
		})
	})
}

// benchRank runs the body of a benchmark on one rank that may have two threads.
func benchRank(b *testing.B, body func(r *cluster.Rank, n int) error) {
	b.ReportAllocs()
	spec := clustertest.Spec(cluster.Machine{Name: "host", EagerLimit: 8192}, 1, 1)
	spec.Layout.ThreadsPerRank = 2
	err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
		if _, err := r.InitThread(cluster.ThreadMultiple); err != nil {
			return err
		}
		b.ResetTimer()
		return body(r, b.N)
	})
	if err != nil {
		b.Fatal(err)
	}
}
