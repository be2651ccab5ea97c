package live_test

import (
	"context"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// Each message of a schedule is one arrow of the timeline, with the sender and the receiver of the
// schedule, on any machine and with any progress engine.
func TestArrowsOfSchedules(t *testing.T) {
	const ranks, calls, n = 5, 3, 4000
	a, err := coll.Find(coll.OpAllreduce, "ring")
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.Key(coll.Parameters{Ranks: ranks})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := coll.Steps(k, 0, k.Blocks(n, 8))
	if err != nil {
		t.Fatal(err)
	}
	type way struct {
		from, to int32
		bytes    int64
	}
	want := map[way]int{}
	for _, m := range steps.Messages {
		want[way{from: m.From, to: m.To, bytes: m.Bytes}] += calls
	}
	slow := cluster.Machine{Name: "slow", Emulated: true, EagerLimit: 256, Progress: cluster.ProgressThread}
	slow.Classes[cluster.Remote] = cluster.Link{Latency: 10 * cluster.Microsecond}
	for name, m := range map[string]cluster.Machine{"this host": {Name: "this-host"}, "emulated": slow} {
		t.Run(name, func(t *testing.T) {
			spec := cluster.Spec{Machine: m, EagerLimit: -1, Segment: 1 << 12, Layout: cluster.Layout{
				Nodes: ranks, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat}}
			spec.Timeline = timeline.NewRecorder(spec.Layout, true)
			err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
				c, err := coll.New(r, r.World())
				if err != nil {
					return err
				}
				in, out := make([]byte, n), make([]byte, n)
				call := coll.Call{Key: k, In: cluster.Of(in), Out: cluster.Of(out), Blocks: k.Blocks(n, 8),
					Combine: func(acc, in []byte) {}}
				for range calls {
					x, err := c.Start(call)
					if err != nil {
						return err
					}
					if err := x.Wait(); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got := map[way]int{}
			for _, a := range timeline.Of(&spec).View().Arrows {
				if a.Sent > a.Received {
					t.Errorf("%+v is received before it is sent", a)
				}
				got[way{from: a.From, to: a.To, bytes: a.Bytes}]++
			}
			for w, times := range want {
				if got[w] != times {
					t.Errorf("%d arrows of %d B from %d to %d, want %d", got[w], w.bytes, w.from, w.to, times)
				}
			}
		})
	}
}
