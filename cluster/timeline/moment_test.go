package timeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
)

// Restore returns the view of a moment from the intervals that were final at that time. They come
// from earlier views, and later writes have no effect.
func TestRestore(t *testing.T) {
	const seed = 11
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	l := cluster.Layout{Nodes: 1, RanksPerNode: 3, ThreadsPerRank: 1}
	rec := NewRecorder(l, true)
	lanes := []*Lane{rec.Team(0, 1)[0], rec.Team(1, 1)[0]} // rank 2 does nothing
	strips := make([]*Strip, 3)
	var arrows []Arrow
	var views []*View
	for step := range 60 {
		for range rng.IntN(300) {
			one := lanes[rng.IntN(2)]
			one.Until(one.End()+cluster.Time(rng.IntN(50)), Activity(rng.IntN(Activities)), cluster.KindNone,
				int32(rng.IntN(3))-1)
		}
		if ahead := lanes[0].End() + cluster.Time(rng.IntN(300)); step > 5 {
			rec.Kernel(int32(rng.IntN(2)), int32(rng.IntN(3)), ahead, ahead+5, ahead+40)
		}
		if step%3 == 0 {
			rec.Message(Arrow{From: 0, To: 1, Sent: cluster.Time(step), Received: cluster.Time(step + 1)})
		}
		v := rec.View()
		views = append(views, v)
		if one := v.Lanes[0]; one.Count() > 0 { // a view of a interval that begins now
			one.end = one.span(len(one.chunks)-1, int(one.n)-1).Begin
			begun := *v
			begun.Lanes = append([]LaneView{one}, v.Lanes[1:]...)
			begun.clip()
			views = append(views, &begun)
		}
		for i := range v.Lanes {
			lane := &v.Lanes[i]
			if i == len(strips) {
				strips = append(strips, nil)
			}
			if lane.Count() == 0 {
				continue
			}
			if strips[i] == nil {
				strips[i] = NewStrip(lane.First(), lane.From(), lane.Before(lane.First()))
			}
			n := strips[i].Count()
			for s := range lane.After(n) {
				if n++; n == lane.Count() {
					break // it can still grow
				}
				strips[i].Add(s.Activity, s.Call, s.Peer, s.End)
			}
		}
		arrows = append(arrows, v.Arrows[len(arrows):]...)
	}
	for _, v := range views {
		c := codec.Encode(nil)
		v.Moment().Fields(c)
		var m Moment
		d := codec.Decode(c.Bytes())
		if m.Fields(d); d.End() != nil {
			t.Fatal(d.End())
		}
		back, err := m.Restore(rec, l, strips[:len(v.Lanes)], arrows[:m.Messages])
		if err != nil {
			t.Fatal(err)
		}
		if back.From != v.From || back.To != v.To || back.Edge != v.Edge || back.Ranks != v.Ranks ||
			back.Messages() != v.Messages() || cmp.Diff(back.Arrows, v.Arrows) != "" {
			t.Errorf("from %d to %d, edge %d: want %d to %d, edge %d", back.From, back.To, back.Edge, v.From, v.To, v.Edge)
		}
		for i := range v.Lanes {
			a, b := &v.Lanes[i], &back.Lanes[i]
			if d := cmp.Diff(slices.Collect(a.Intervals(0, v.To)), slices.Collect(b.Intervals(0, v.To))); d != "" {
				t.Fatalf("lane %d: %s", i, d)
			}
			for at := v.From; at <= v.To; at += v.To/97 + 1 {
				if a.Sums(at, &Cursor{}) != b.Sums(at, &Cursor{}) {
					t.Fatalf("lane %d: the sums up to %d differ", i, at)
				}
			}
		}
	}
}

// Moments that no launch can produce are rejected.
func TestRestoreErrors(t *testing.T) {
	l := cluster.Layout{Nodes: 1, RanksPerNode: 2}
	strip := NewStrip(0, 0, Sums{})
	strip.Add(ActivityCompute, 0, NoPeer, 10)
	for _, m := range []Moment{
		{Ranks: 3},
		{Ranks: 1, To: 20, Lanes: []LaneMoment{{Rank: 1}}},
		{Ranks: 2, To: 20, Lanes: []LaneMoment{{Count: 1, Last: Interval{Begin: 5, End: 4}}}},
		{Ranks: 2, To: 20, Lanes: []LaneMoment{{Count: 1, Last: Interval{Begin: 5, End: 25}}}},
		{Ranks: 2, To: 20, Lanes: []LaneMoment{{Count: 1, Last: Interval{Begin: 5, End: 15}}}}, // it must begin at 0
	} {
		strips := make([]*Strip, len(m.Lanes))
		if len(strips) > 0 {
			strips[0] = strip
		}
		if _, err := m.Restore(nil, l, strips, nil); err == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
}
