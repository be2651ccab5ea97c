package live_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// BenchmarkTimeline measures the rate of 8-byte messages, with 64 outstanding and one answer per
// window, with the timeline off and on: between two ranks, and from one rank to itself, which needs
// no idle second core.
func BenchmarkTimeline(b *testing.B) {
	for i := range 4 {
		ranks, on := 2-i/2, i%2 == 1
		b.Run(fmt.Sprintf("ranks=%d/on=%t/window=64", ranks, on), func(b *testing.B) {
			spec := cluster.Spec{Machine: cluster.Machine{Name: "this-host"}, EagerLimit: 8192, Layout: cluster.Layout{
				Nodes: 1, RanksPerNode: ranks, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat, Group: ranks}}
			if on {
				spec.Timeline = timeline.NewRecorder(spec.Layout, false)
			}
			err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
				if err := r.Barrier(r.World()); err != nil {
					return err
				}
				if r.ID() == 0 {
					b.ResetTimer()
				}
				if ranks == 1 {
					return inward(r, b.N)
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
			if err := post(&reqs[i], r.World(), 1-r.ID(), 2, cluster.Of(bufs[i*8:][:8])); err != nil {
				return err
			}
		}
		if err := r.Waitall(reqs, nil); err != nil {
			return err
		}
		if r.ID() == 1 {
			if err := r.Send(r.World(), 0, 3, cluster.Of(ack)); err != nil {
				return err
			}
		} else if _, err := r.Recv(r.World(), 1, 3, cluster.Of(ack)); err != nil {
			return err
		}
	}
	return nil
}

// inward sends n windows of 64 messages of 8 B from a rank to itself.
func inward(r *cluster.Rank, n int) error {
	reqs := make([]cluster.Request, 128)
	bufs := make([]byte, 128*8)
	for range n {
		for i := range 64 {
			if err := r.Irecv(&reqs[i], r.World(), 0, 2, cluster.Of(bufs[i*8:][:8])); err != nil {
				return err
			}
		}
		for i := 64; i < 128; i++ {
			if err := r.Isend(&reqs[i], r.World(), 0, 2, cluster.Of(bufs[i*8:][:8])); err != nil {
				return err
			}
		}
		if err := r.Waitall(reqs, nil); err != nil {
			return err
		}
	}
	return nil
}
