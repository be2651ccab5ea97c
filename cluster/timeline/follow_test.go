package timeline_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// TestFollow lets a lane follow another one. It then has the same intervals as a lane that recorded
// them itself, with other peers, and the same sums.
func TestFollow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := timeline.NewRecorder(cluster.Layout{Nodes: 1, RanksPerNode: 3, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat}, false)
		rec.Keep(rapid.IntRange(1, 600).Draw(t, "keep"))
		first, follower, want := rec.Team(0, 1)[0], rec.Team(1, 1)[0], rec.Team(2, 1)[0]
		at := cluster.Time(0)
		draw := func(add func(a timeline.Activity, peer int32)) {
			for range rapid.IntRange(0, 1200).Draw(t, "intervals") {
				at += cluster.Time(rapid.IntRange(0, 9).Draw(t, "for"))
				add(timeline.Activity(rapid.IntRange(0, 5).Draw(t, "activity")), int32(rapid.IntRange(-1, 9).Draw(t, "peer")))
			}
		}
		for range 3 {
			draw(func(a timeline.Activity, peer int32) {
				first.Until(at, a, cluster.KindSend, peer)
				for _, l := range []*timeline.Lane{follower, want} {
					l.Until(at, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
				}
			})
			point := first.Point()
			draw(func(a timeline.Activity, peer int32) {
				first.Until(at, a, cluster.KindSend, peer)
				if peer >= 0 {
					peer = (peer + 4) % 10
				}
				want.Until(at, a, cluster.KindSend, peer)
			})
			follower.Follow(first, point, 4, 10)
		}
		view := rec.View()
		got, all := &view.Lanes[1], &view.Lanes[2]
		if got.To() != all.To() || got.Sums(got.To(), nil) != all.Sums(all.To(), nil) {
			t.Fatalf("it ends at %v with %v, want %v with %v", got.To(), got.Sums(got.To(), nil), all.To(), all.Sums(all.To(), nil))
		}
		from := max(got.From(), all.From())
		intervals := slices.Collect(got.Intervals(from, got.To()))
		if other := slices.Collect(all.Intervals(from, all.To())); !slices.Equal(intervals, other) {
			t.Fatalf("intervals %v, want %v", intervals, other)
		}
	})
}
