package timeline_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

var layout = cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 1, Ranking: cluster.Sequential,
	Model: cluster.Flat}

// travels sends a view, and returns the received view and the number of bytes.
func travels(t interface {
	Helper()
	Fatal(...any)
}, s *timeline.Sender, r *timeline.Receiver, v *timeline.View) (*timeline.View, int) {
	t.Helper()
	c := codec.Encode(nil)
	s.Send(c, v)
	b := c.Bytes()
	d := codec.Decode(b)
	got := r.Receive(d, v.Layout)
	if err := d.End(); err != nil {
		t.Fatal(err)
	}
	return got, len(b)
}

// alike describes the difference between a received view and the sent one. It returns "" if they
// are equal.
func alike(a, b *timeline.View) string {
	if a.Layout != b.Layout || a.From != b.From || a.To != b.To || a.Ranks != b.Ranks || len(a.Lanes) != len(b.Lanes) {
		return "head"
	}
	if !slices.Equal(a.Arrows, b.Arrows) || (a.Arrows == nil) != (b.Arrows == nil) {
		return "messages"
	}
	if !slices.Equal(a.Parts, b.Parts) {
		return "parts"
	}
	for i := range a.Lanes {
		x, y := &a.Lanes[i], &b.Lanes[i]
		if x.Rank != y.Rank || x.Thread != y.Thread || x.From() != y.From() || x.To() != y.To() ||
			x.Settled() != y.Settled() {
			return "a lane's head"
		}
		if !slices.Equal(slices.Collect(x.Intervals(0, a.To+1)), slices.Collect(y.Intervals(0, a.To+1))) {
			return "stretches"
		}
		var p, q timeline.Cursor
		for step := range cluster.Time(40) {
			at := x.From() + (a.To-x.From())*step/39
			if x.Sums(at, &p) != y.Sums(at, &q) {
				return "sums"
			}
		}
	}
	return ""
}

// live writes random activities to the lanes of a recorder.
func live(t *rapid.T, rec *timeline.Recorder, at *cluster.Time) {
	for rank := range layout.Ranks() {
		l := rec.Team(rank, 1)[0]
		end := *at
		for range rapid.IntRange(0, 700).Draw(t, "stretches") {
			end += cluster.Time(rapid.IntRange(0, 9).Draw(t, "for"))
			l.Until(end, timeline.Activity(rapid.IntRange(0, timeline.Activities-1).Draw(t, "activity")), cluster.KindSend,
				int32(rapid.IntRange(-1, 3).Draw(t, "peer")))
		}
		switch rapid.IntRange(0, 2).Draw(t, "now") {
		case 0:
			l.Unknown()
		case 1:
			l.Now(timeline.ActivityWait, cluster.KindRecv, 1)
		}
	}
	for range rapid.IntRange(0, 300).Draw(t, "kernels") { // they end later than the threads' last intervals
		rank, stream := int32(rapid.IntRange(0, 3).Draw(t, "device")), int32(rapid.IntRange(0, 2).Draw(t, "stream"))
		ready := *at + cluster.Time(rapid.IntRange(0, 3000).Draw(t, "ready"))
		begin := ready + cluster.Time(rapid.IntRange(0, 50).Draw(t, "until it begins"))
		rec.Kernel(rank, stream, ready, begin, begin+cluster.Time(rapid.IntRange(0, 400).Draw(t, "it takes")))
	}
	if rec.Arrows() {
		for range rapid.IntRange(0, 20).Draw(t, "messages") {
			rec.Message(timeline.Arrow{From: 1, To: 2, Sent: *at, Received: *at + 5, Bytes: 8,
				Tag: int32(rapid.IntRange(0, 9).Draw(t, "tag"))})
		}
	}
	*at += 7000
}

// A received view equals the sent one, regardless of chunks dropped between two views, and over
// several launches.
func TestViewsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s timeline.Sender
		var r timeline.Receiver
		for range 2 {
			rec := timeline.NewRecorder(layout, rapid.Bool().Draw(t, "arrows"))
			rec.Keep(rapid.IntRange(1, 1500).Draw(t, "keep"))
			at := cluster.Time(0)
			var before, was *timeline.View
			for range rapid.IntRange(1, 6).Draw(t, "views") {
				live(t, rec, &at)
				v := rec.View()
				got, _ := travels(t, &s, &r, v)
				if what := alike(v, got); what != "" {
					t.Fatalf("%s differ", what)
				}
				if was != nil && (alike(before, was) != "" || was.Of != got.Of) {
					t.Fatal("an earlier view has changed, or belongs to another launch")
				}
				before, was = v, got
			}
		}
	})
}

// A full chunk is sent once. Without changes, only the current chunk is sent again.
func TestChunksAreSentOnce(t *testing.T) {
	rec := timeline.NewRecorder(layout, true)
	l := rec.Team(0, 1)[0]
	at := cluster.Time(0)
	for i := range 100_000 {
		at += 3
		l.Until(at, timeline.Activity(i%timeline.Activities), cluster.KindPut, int32(i%3))
		if i%100 == 0 {
			rec.Message(timeline.Arrow{From: 1, To: 2, Received: at})
		}
	}
	var s timeline.Sender
	var r timeline.Receiver
	_, first := travels(t, &s, &r, rec.View())
	got, again := travels(t, &s, &r, rec.View())
	if first < 300_000 || again > 2000 {
		t.Errorf("100000 intervals take %d B at first, and %d B without changes", first, again)
	}
	if what := alike(rec.View(), got); what != "" {
		t.Errorf("%s differ", what)
	}
}

// A receiver that has missed data returns an error.
func TestMissedViewIsError(t *testing.T) {
	rec := timeline.NewRecorder(layout, false)
	l := rec.Team(0, 1)[0]
	var s timeline.Sender
	at := cluster.Time(0)
	var last []byte
	for range 2 {
		for i := range 1000 {
			at++
			l.Until(at, timeline.Activity(i%2), cluster.KindPut, 0)
		}
		c := codec.Encode(nil)
		s.Send(c, rec.View())
		last = c.Bytes()
	}
	var late timeline.Receiver
	d := codec.Decode(last)
	late.Receive(d, layout)
	if want := "lane 0: chunks from 3 on of those from 0 on, after those from 0 to 0"; d.End() == nil ||
		d.End().Error() != want {
		t.Errorf("%v, want %s", d.End(), want)
	}
}

// Any input is a timeline, or an error.
func FuzzTimeline(f *testing.F) {
	rec := timeline.NewRecorder(layout, true)
	rec.Message(timeline.Arrow{From: 1, To: 2, Received: 7})
	for i := range cluster.Time(600) {
		rec.Team(1, 1)[0].Until(i+1, timeline.Activity(i%3), cluster.KindPut, 0)
	}
	var s timeline.Sender
	c := codec.Encode(nil)
	s.Send(c, rec.View())
	f.Add(c.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		var r timeline.Receiver
		d := codec.Decode(b)
		v := r.Receive(d, layout)
		if d.End() != nil {
			return
		}
		var s timeline.Sender
		c := codec.Encode(nil)
		s.Send(c, v)
		again := codec.Decode(c.Bytes())
		var o timeline.Receiver
		if got := o.Receive(again, layout); again.End() != nil || alike(v, got) != "" {
			t.Errorf("%x: the timeline changes when it is sent again: %v", bytes.Clone(b), again.End())
		}
	})
}
