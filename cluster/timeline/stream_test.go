package timeline_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// A stream has a lane from its first kernel on: it sleeps, waits for the device, and computes.
// Future time appears only after it has passed.
func TestStreamsHaveLanes(t *testing.T) {
	rec := timeline.NewRecorder(layout, false)
	threads := len(rec.View().Lanes)
	thread := rec.Team(1, 1)[0]
	rec.Kernel(1, 2, 10, 15, 30)
	rec.Kernel(1, 2, 30, 30, 50)
	rec.Kernel(1, 0, 20, 30, 45)
	stretch := func(begin, end cluster.Time, a timeline.Activity) timeline.Interval {
		call := cluster.KindLaunch
		if a == timeline.ActivitySleep {
			call = cluster.KindNone
		}
		return timeline.Interval{Begin: begin, End: end, Activity: a, Call: call, Peer: timeline.NoPeer}
	}
	const sleep, wait, compute = timeline.ActivitySleep, timeline.ActivityWait, timeline.ActivityCompute
	for _, c := range []struct {
		now  cluster.Time
		want []timeline.Interval // of stream 2
	}{
		{8, []timeline.Interval{stretch(0, 8, sleep)}},
		{10, []timeline.Interval{stretch(0, 10, sleep)}},
		{12, []timeline.Interval{stretch(0, 10, sleep), stretch(10, 12, wait)}},
		{40, []timeline.Interval{stretch(0, 10, sleep), stretch(10, 15, wait), stretch(15, 40, compute)}},
		{60, []timeline.Interval{stretch(0, 10, sleep), stretch(10, 15, wait), stretch(15, 50, compute),
			stretch(50, 60, sleep)}},
	} {
		thread.Until(c.now, compute, cluster.KindNone, timeline.NoPeer)
		v := rec.View()
		if v.To != c.now || len(v.Lanes) != threads+2 {
			t.Fatalf("%d lanes up to %d, want %d up to %d", len(v.Lanes), v.To, threads+2, c.now)
		}
		l := &v.Lanes[threads]
		if n, ok := l.Stream(); !ok || n != 2 || l.Rank != 1 {
			t.Errorf("the first stream's lane is rank %d, stream %d (%t), want rank 1, stream 2", l.Rank, n, ok)
		}
		if _, ok := v.Lanes[0].Stream(); ok {
			t.Error("a thread's lane is a stream's")
		}
		if d := cmp.Diff(c.want, slices.Collect(l.Intervals(0, v.To))); d != "" {
			t.Errorf("at %d (− want, + got):\n%s", c.now, d)
		}
		var at timeline.Cursor
		if sums := l.Sums(v.To, &at); sums[sleep]+sums[wait]+sums[compute] != v.To {
			t.Errorf("at %d: sums %v", c.now, sums)
		}
	}
}

// The number of ranks with stream lanes is limited so that the number of all lanes stays within its
// limit.
func TestStreamsOfManyRanks(t *testing.T) {
	l := layout
	l.Nodes = 1000
	rec := timeline.NewRecorder(l, false)
	for rank := range int32(l.Ranks()) {
		for stream := range int32(cluster.Streams) {
			rec.Kernel(rank, stream, 0, 0, 1)
		}
	}
	if n := len(rec.View().Lanes); n > 8192 || n < 8192-cluster.Streams {
		t.Errorf("%d lanes, want about 8192", n)
	}
}
