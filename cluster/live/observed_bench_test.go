package live_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// BenchmarkTimeline is the rate of 8-byte messages, 64 outstanding and an answer a
// window, with the timeline off and on.
func BenchmarkTimeline(b *testing.B) {
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprintf("on=%t/window=64", on), func(b *testing.B) {
			spec := cluster.Spec{Machine: cluster.Machine{Name: "this-host"}, EagerLimit: 8192, Layout: cluster.Layout{
				Nodes: 1, RanksPerNode: 2, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat, Group: 2}}
			if on {
				spec.Timeline = cluster.NewRecorder(spec.Layout, false)
			}
			err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
				if err := r.Barrier(r.World()); err != nil {
					return err
				}
				if r.ID() == 0 {
					b.ResetTimer()
				}
				return windows(r, b.N)
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}

// windows sends n windows of 64 messages of 8 B from rank 0 to rank 1, and an answer
// to each back.
func windows(r *cluster.Rank, n int) error {
	reqs := make([]cluster.Request, 64)
	bufs, ack := make([]byte, 64*8), make([]byte, 1)
	for range n {
		for i := range reqs {
			post := r.Isend
			if r.ID() == 1 {
				post = r.Irecv
			}
			if err := post(&reqs[i], r.World(), 1-r.ID(), 2, bufs[i*8:][:8]); err != nil {
				return err
			}
		}
		if err := r.Waitall(reqs, nil); err != nil {
			return err
		}
		if r.ID() == 1 {
			if err := r.Send(r.World(), 0, 3, ack); err != nil {
				return err
			}
		} else if _, err := r.Recv(r.World(), 1, 3, ack); err != nil {
			return err
		}
	}
	return nil
}
