package timeline_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

func oneLane(keep int) (*timeline.Recorder, *timeline.Lane) {
	rec := timeline.NewRecorder(cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
		Model: cluster.Flat}, false)
	if keep > 0 {
		rec.Keep(keep)
	}
	return rec, rec.Team(0, 1)[0]
}

// A lane keeps its latest part. Each interval begins at the end of the previous one, equal
// consecutive intervals are merged, and sums include all time since the launch.
func TestLaneKeepsLatestPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.IntRange(1, 600).Draw(t, "keep")
		rec, l := oneLane(keep)
		var all []timeline.Interval
		at := cluster.Time(0)
		for range rapid.IntRange(0, 2500).Draw(t, "stretches") {
			x := timeline.Interval{Begin: at, Activity: timeline.Activity(rapid.IntRange(0, 5).Draw(t, "activity")),
				Call: cluster.KindSend, Peer: int32(rapid.IntRange(-1, 2).Draw(t, "peer"))}
			at += cluster.Time(rapid.IntRange(0, 9).Draw(t, "for"))
			x.End = at
			l.Until(x.End, x.Activity, x.Call, x.Peer)
			n := len(all)
			switch {
			case x.End == x.Begin:
			case n > 0 && all[n-1].Activity == x.Activity && all[n-1].Peer == x.Peer:
				all[n-1].End = x.End
			default:
				all = append(all, x)
			}
		}
		v := rec.View()
		lane := &v.Lanes[0]
		got := slices.Collect(lane.Intervals(0, v.To))
		if len(got) > len(all) || !slices.Equal(got, all[len(all)-len(got):]) {
			t.Fatalf("%d intervals: not the last ones of %d", len(got), len(all))
		}
		if len(got) < min(keep, len(all)) {
			t.Fatalf("%d of %d intervals are kept, want %d", len(got), len(all), keep)
		}
		var place timeline.Cursor
		for range 50 {
			when := cluster.Time(rapid.IntRange(0, int(at)+5).Draw(t, "when"))
			var want timeline.Sums
			for _, x := range all {
				want[x.Activity] += max(min(x.End, max(when, lane.From()))-x.Begin, 0)
			}
			if got := lane.Sums(when, &place); got != want {
				t.Fatalf("up to %d of %d, kept from %d: %v, want %v", when, at, lane.From(), got, want)
			}
		}
	})
}

// A concurrent reader sees intervals that were written: interval i has activity i mod 5 and lasts 10
// ps; the last one can be half as long.
func TestViewWhileALaneIsWritten(t *testing.T) {
	for _, keep := range []int{1, 5000} {
		rec, l := oneLane(keep)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range cluster.Time(200_000) {
				a := timeline.Activity(i % 5)
				l.Until(i*10+5, a, cluster.KindNone, timeline.NoPeer)
				l.Until(i*10+10, a, cluster.KindNone, timeline.NoPeer)
			}
		}()
		for over := false; !over; {
			select {
			case <-done:
				over = true
			default:
			}
			v := rec.View()
			lane := &v.Lanes[0]
			at := lane.From()
			for x := range lane.Intervals(0, v.To) {
				if x.Begin != at || x.Begin%10 != 0 || x.Activity != timeline.Activity(x.Begin/10%5) ||
					x.End-x.Begin != 10 && (x.End-x.Begin != 5 || x.End != lane.Settled()) {
					t.Fatalf("keep %d: %+v after %d, of a lane that is settled up to %d", keep, x, at, lane.Settled())
				}
				at = x.End
			}
			if at != lane.Settled() {
				t.Fatalf("keep %d: the last interval ends at %d, the lane is settled up to %d", keep, at, lane.Settled())
			}
			if s := lane.Sums(at, new(timeline.Cursor)); s[0]+s[1]+s[2]+s[3]+s[4] != at {
				t.Fatalf("keep %d: sums %v up to %d", keep, s, at)
			}
		}
	}
}

// The current activity lasts until the present, and differs from unknown time.
func TestLaneShowsCurrentActivity(t *testing.T) {
	rec, l := oneLane(0)
	now := cluster.Time(50)
	rec.Clock(func() cluster.Time { return now })
	l.Until(30, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
	l.Now(timeline.ActivityWait, cluster.KindRecv, 7)
	v := rec.View()
	want := timeline.Interval{Begin: 30, End: 50, Activity: timeline.ActivityWait, Call: cluster.KindRecv, Peer: 7}
	if x, ok := v.Lanes[0].At(45); !ok || x != want {
		t.Errorf("at 45: %+v, want %+v", x, want)
	}
	l.Unknown()
	unknown := rec.View()
	if x, ok := unknown.Lanes[0].At(45); ok {
		t.Errorf("at 45: %+v, want unknown", x)
	}
	if got, want := unknown.Lanes[0].Sums(50, new(timeline.Cursor)),
		(timeline.Sums{timeline.ActivityCompute: 30}); got != want {
		t.Errorf("sums %v, want %v", got, want)
	}
	l.Until(60, timeline.ActivityLock, cluster.KindSend, 1)
	if x, _ := v.Lanes[0].At(45); x != want {
		t.Errorf("a view changed: %+v", x)
	}
	rec.Close(80)
	if x, ok := rec.View().Lanes[0].At(70); !ok || x.Activity != timeline.ActivitySleep || x.End != 80 {
		t.Errorf("after the end: %+v", x)
	}
}

// The nth receive of an envelope gets its nth message. If too many messages are in flight, some are
// omitted, and later ones are not.
func TestArrowsPairInOrder(t *testing.T) {
	rec := timeline.NewRecorder(cluster.Layout{Nodes: 1, RanksPerNode: 2, ThreadsPerRank: 1, Ranking: cluster.Sequential,
		Model: cluster.Flat}, true)
	e := timeline.Envelope{From: 0, To: 1, Ctx: 2, Tag: 3}
	other := e
	other.Tag = 4
	rec.Received(e, 0, 1) // of an earlier message
	for i := range 100 {
		rec.Sent(e, 0, cluster.Time(i), int64(i))
		rec.Sent(other, 0, cluster.Time(i), 1000)
	}
	for i := range 100 {
		rec.Received(e, 1, cluster.Time(200+i))
	}
	arrows := rec.View().Arrows
	if len(arrows) != 64 {
		t.Fatalf("%d arrows, want 64", len(arrows))
	}
	for i, a := range arrows {
		if n := int64(100 - 64 + i); a.Bytes != n || a.Sent != cluster.Time(n) || a.Received != cluster.Time(200+n) ||
			a.ToThread != 1 {
			t.Errorf("arrow %d is %+v", i, a)
		}
	}
}

// A disabled recorder, or one without a lane for a rank, does nothing.
func TestRecorderOff(t *testing.T) {
	off := timeline.Of(&cluster.Spec{})
	if off.Team(0, 1) != nil || off.Arrows() {
		t.Error("a nil recorder has lanes")
	}
	large := timeline.NewRecorder(cluster.Layout{Nodes: 1 << 14, RanksPerNode: 4, ThreadsPerRank: 2,
		Ranking: cluster.Sequential, Model: cluster.Flat}, false)
	if large.Team(1<<16-1, 2) != nil || large.Team(0, 2) == nil {
		t.Error("of 65,536 ranks the first have lanes and the last have none")
	}
}

// BenchmarkLane measures the cost of writing a interval.
func BenchmarkLane(b *testing.B) {
	_, l := oneLane(100_000)
	b.ReportAllocs()
	at := cluster.Time(0)
	for b.Loop() {
		at += 2
		l.Until(at-1, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
		l.Until(at, timeline.ActivityWait, cluster.KindRecv, 1)
	}
}
