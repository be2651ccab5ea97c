package live_test

import (
	"context"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// recorded runs a program of two ranks and returns the view of its lanes.
func recorded(t *testing.T, m cluster.Machine, nodes int, body func(r *cluster.Rank) error) *timeline.View {
	t.Helper()
	spec := cluster.Spec{Machine: m, EagerLimit: 8192, Segment: 1 << 20, Layout: cluster.Layout{
		Nodes: nodes, RanksPerNode: 2 / nodes, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat, Group: 2}}
	spec.Timeline = timeline.NewRecorder(spec.Layout, false)
	if err := cluster.Launch(context.Background(), live.New(), spec, body); err != nil {
		t.Fatal(err)
	}
	return timeline.Of(&spec).View()
}

// Puts and gets in place do not count as computing. Long ones are copying, short ones
// communicating, with their peer.
func TestTransfersInPlaceAreNotComputing(t *testing.T) {
	v := recorded(t, cluster.Machine{Name: "this-host"}, 1, func(r *cluster.Rank) error {
		if r.ID() == 1 {
			return nil
		}
		buf := make([]byte, 1<<20)
		for range 20 {
			r.Compute(cluster.Work{}, func() {})
			if err := r.Put(cluster.At(1, 0), cluster.Of(buf)); err != nil {
				return err
			}
			if err := r.Get(cluster.At(1, 0), cluster.Of(buf)); err != nil {
				return err
			}
			r.Compute(cluster.Work{}, func() {})
			for range 1000 {
				if err := r.Put(cluster.At(1, 0), cluster.Of(buf[:8])); err != nil {
					return err
				}
			}
		}
		return nil
	})
	var time [timeline.Activities]map[cluster.Kind]cluster.Time
	for x := range v.Lanes[0].Intervals(0, v.To) {
		if x.Call != cluster.KindNone && x.Peer != 1 {
			t.Errorf("%v for %v with peer %d", x.Activity, x.Call, x.Peer)
		}
		if time[x.Activity] == nil {
			time[x.Activity] = map[cluster.Kind]cluster.Time{}
		}
		time[x.Activity][x.Call] += x.End - x.Begin
	}
	for _, want := range []struct {
		a    timeline.Activity
		call cluster.Kind
	}{{timeline.ActivityCopy, cluster.KindPut}, {timeline.ActivityCopy, cluster.KindGet},
		{timeline.ActivityCommunicate, cluster.KindPut}} {
		if time[want.a][want.call] == 0 {
			t.Errorf("no time of a %v is %v: %v", want.call, want.a, time)
		}
	}
}

// Over the wire of an emulated machine, a receive with a late sender waits, and communicates after
// the sender has arrived, for the machine's time of the message.
func TestWireTellsWaitingFromCommunicating(t *testing.T) {
	const millisecond = cluster.Millisecond
	for name, n := range map[string]int{"eager": 8, "rendezvous": 100_000} {
		t.Run(name, func(t *testing.T) {
			m := cluster.Machine{Name: "slow", Emulated: true, Flops: 1e9, EagerLimit: 8192}
			m.Classes[cluster.Remote] = cluster.Link{Latency: 3 * millisecond}
			m.Classes[cluster.InNode], m.Classes[cluster.InRank] = m.Classes[cluster.Remote], m.Classes[cluster.Remote]
			v := recorded(t, m, 2, func(r *cluster.Rank) error {
				if r.ID() == 0 {
					r.Compute(cluster.Work{Flops: 20e6}, nil) // 20 ms
					return r.Send(r.World(), 1, 5, cluster.Of(make([]byte, n)))
				}
				_, err := r.Recv(r.World(), 0, 5, cluster.Of(make([]byte, n)))
				return err
			})
			sums := v.Lanes[1].Sums(v.To, new(timeline.Cursor))
			if wait := sums[timeline.ActivityWait]; wait < 10*millisecond {
				t.Errorf("it waits for %v of the 20 ms in which the sender computes", wait)
			}
			if comm := sums[timeline.ActivityCommunicate]; comm < 2*millisecond {
				t.Errorf("it communicates for %v, and the message takes at least 3 ms", comm)
			}
		})
	}
}
