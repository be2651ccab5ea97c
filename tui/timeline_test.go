package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

const us = cluster.Microsecond

// hybrid writes down a run of iterations of 100 µs as paper 2's figure 1 has them: the
// first one of each pair is masteronly, where workers sleep while the master
// communicates; the second is funneled, where they compute meanwhile.
func hybrid(rec *cluster.Recorder, l cluster.Layout, from, to int) {
	for rank := range l.Ranks() {
		lanes := rec.Team(rank, l.ThreadsPerRank)
		peer := int32((rank + 1) % l.Ranks())
		rng := rand.New(rand.NewPCG(uint64(rank), uint64(from)))
		for i := from; i < to; i++ {
			t := cluster.Time(i) * 100 * us
			late := cluster.Time(rng.IntN(8000)) * cluster.Nanosecond
			m := lanes[0]
			if i%2 == 0 {
				m.Until(t+50*us, cluster.ActivityCompute, cluster.KindNone, cluster.NoPeer)
			}
			m.Until(t+60*us, cluster.ActivityCommunicate, cluster.KindSend, peer)
			m.Until(t+65*us, cluster.ActivityCopy, cluster.KindSend, peer)
			m.Until(t+85*us+late, cluster.ActivityWait, cluster.KindRecv, peer)
			m.Until(t+95*us, cluster.ActivityCommunicate, cluster.KindBarrier, cluster.NoPeer)
			m.Until(t+100*us, cluster.ActivitySleep, cluster.KindMeet, cluster.NoPeer)
			for k, w := range lanes[1:] {
				if i%2 == 0 {
					w.Until(t+50*us-late, cluster.ActivityCompute, cluster.KindNone, cluster.NoPeer)
					w.Until(t+100*us, cluster.ActivitySleep, cluster.KindNone, cluster.NoPeer)
					continue
				}
				w.Until(t+40*us, cluster.ActivityCompute, cluster.KindNone, cluster.NoPeer)
				w.Until(t+cluster.Time(45+k)*us, cluster.ActivityLock, cluster.KindSend, peer)
				w.Until(t+99*us-late, cluster.ActivityCompute, cluster.KindNone, cluster.NoPeer)
				w.Until(t+100*us, cluster.ActivitySleep, cluster.KindMeet, cluster.NoPeer)
			}
			if rec.Arrows() {
				rec.Message(cluster.Arrow{From: int32(rank), To: peer, Sent: t + 62*us, Received: t + 80*us + late, Bytes: 4096, Tag: 7})
			}
		}
	}
}

// recorded is the demo with a timeline of so many iterations.
func recorded(nodes, ranksPerNode, threads, iterations int, arrows bool) *engine.Snapshot {
	s := demo(nodes, ranksPerNode, 1)
	s.Scenario.Values["threads-per-rank"], s.Scenario.Values["timeline"] = itoa(threads), "on"
	s.Scenario.Values["fabric"], s.Kind, s.Dilation = "sim", engine.Simulated, 1
	if arrows {
		s.Scenario.Values["timeline"] = "arrows"
	}
	s.Layout = s.Scenario.Layout()
	rec := cluster.NewRecorder(s.Layout, arrows)
	hybrid(rec, s.Layout, 0, iterations)
	s.Timeline = rec.View()
	s.IterationTimes = []float64{100e-6, 100e-6, 100e-6}
	return s
}

// A cell shows the activity that holds most of its time.
func TestCellShowsWhatHoldsMostOfItsTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 2, Ranking: cluster.RoundRobin, Model: cluster.Flat}
		rec := cluster.NewRecorder(l, false)
		for rank := range 4 {
			for _, lane := range rec.Team(rank, 2) {
				at := cluster.Time(0)
				for range rapid.IntRange(0, 700).Draw(t, "stretches") {
					at += cluster.Time(rapid.IntRange(1, 40).Draw(t, "for"))
					lane.Until(at, cluster.Activity(rapid.IntRange(0, cluster.Activities-1).Draw(t, "activity")), cluster.KindSend, int32(at%3))
				}
			}
		}
		tl := rec.View()
		var r laneRows
		want := rapid.SampledFrom([]fold{foldThreads, foldRanks, foldNodes}).Draw(t, "fold")
		r.arrange(tl, want, 100)
		s := shownLanes{column: cluster.Time(rapid.IntRange(1, 300).Draw(t, "column")) * 2, columns: 20, rows: len(r.all)}
		s.begin = s.column * cluster.Time(rapid.IntRange(0, 100).Draw(t, "begin"))
		s.end = s.begin + 20*s.column
		r.compute(tl, &s, 1)
		for i := range r.all {
			for x, got := range r.bins(i, &s, 1) {
				begin := s.begin + cluster.Time(x)*s.column
				var sums cluster.Sums
				for k := range tl.Lanes {
					l := &tl.Lanes[k]
					node := tl.Layout.NodeOf(l.Rank)
					if node != r.all[i].node || want != foldNodes && l.Rank != r.all[i].rank || want == foldThreads && l.Thread != r.all[i].thread {
						continue
					}
					for y := range l.Stretches(begin, begin+s.column) {
						sums[y.Activity] += min(y.End, begin+s.column) - max(y.Begin, begin)
					}
				}
				if most(&sums) != got {
					t.Fatalf("row %d cell %d: activity %d − 1, of %v", i, x, got, sums)
				}
			}
		}
	})
}

// What is kept from frame to frame shows the same as what is worked out anew, while
// the run goes on and the person zooms, scrolls and folds.
func TestTimelineKeepsFramesRight(t *testing.T) {
	l := cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 2, Ranking: cluster.Sequential, Model: cluster.Flat}
	rapid.Check(t, func(t *rapid.T) {
		s := recorded(2, 2, 2, 1, false)
		rec, done := cluster.NewRecorder(l, true), 0
		s.Timeline = rec.View()
		a := pressed(s, "8")
		var kept screen
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch k := rapid.SampledFrom([]string{"run", "run", "run", "+", "-", "<", ">", "g", "c", ",", ".", "j", "k", "[", "]", "a", "8"}).Draw(t, "step"); k {
			case "run":
				n := rapid.IntRange(0, 3).Draw(t, "iterations")
				hybrid(rec, l, done, done+n)
				done += n
				next := *s
				next.Timeline = rec.View()
				a.load(&next)
			default:
				keys(a, k)
			}
			got := kept.draw(a, 100, 20).StyledText()
			a.lanes = kept.timeline.shown
			var fresh screen
			if diff := cmp.Diff(fresh.draw(a, 100, 20).StyledText(), got); diff != "" {
				t.Fatalf("what was kept is wrong (− anew, + kept):\n%s", diff)
			}
		}
	})
}

func TestCursorNamesWhatIsUnderIt(t *testing.T) {
	a := pressed(recorded(2, 2, 2, 6, false), "8")
	var s screen
	look := func() string {
		t.Helper()
		s.draw(a, 120, 24)
		a.lanes = s.timeline.shown
		return s.timeline.under(a.Snap.Timeline)
	}
	look()
	keys(a, "c")
	look()
	for _, c := range []struct {
		at    cluster.Time
		row   int
		wants string
	}{
		{230 * us, 0, "rank 0 thread 0 (node 0): compute, at"},
		{255 * us, 0, "rank 0 thread 0 (node 0): communicate in send to rank 1, at 250 µs for 10"},
		{275 * us, 2, "rank 1 thread 0 (node 0): wait in recv from rank 2, at 265"},
		{280 * us, 1, "rank 0 thread 1 (node 0): sleep, at"},
		{360 * us, 7, "rank 3 thread 1 (node 1): compute, at"},
	} {
		a.timeline.at, a.timeline.row = c.at, c.row
		if got := look(); !strings.HasPrefix(got, c.wants) {
			t.Errorf("at %v in row %d: %q, want %q", c.at, c.row, got, c.wants)
		}
	}
	keys(a, "[", "[")
	a.timeline.at = 230 * us
	if got := look(); !strings.HasPrefix(got, "node 0 (4 lanes) at 2") || !strings.Contains(got, "compute 100%") {
		t.Errorf("folded: %q", got)
	}
}

func TestZoomSteps(t *testing.T) {
	for at := cluster.Time(1); at < cluster.Second; at = roundTime(at + 1) {
		if back := shorterTime(roundTime(at + 1)); back != at {
			t.Errorf("in from %v and out again: %v", at, back)
		}
	}
}

func TestTimelineText(t *testing.T) {
	if _, err := TimelineText(demo(1, 1, 1), 80, 0); err == nil {
		t.Error("a timeline of nothing")
	}
	text, err := TimelineText(recorded(2, 1, 3, 8, false), 100, 200*us)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "timeline-text", text)

	// However many lanes there are, every row is filled.
	text, err = TimelineText(recorded(64, 16, 1, 8, false), 200, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "n") {
			rows++
			if !strings.Contains(line, "███") {
				t.Errorf("an empty row: %s", line)
			}
		}
	}
	if rows != 64 {
		t.Errorf("%d rows, want one a node", rows)
	}
}

func TestFollowing(t *testing.T) {
	a := pressed(recorded(2, 2, 2, 8, false), "8")
	var s screen
	press := func(k string) *timelineState {
		keys(a, k)
		s.draw(a, 120, 24)
		a.lanes = s.timeline.shown
		return &a.timeline
	}
	auto := press("+").column
	if in := press("+").column; in >= auto || a.timeline.end != 0 {
		t.Errorf("a cell of %v zoomed in is %v, end %v", auto, in, a.timeline.end)
	}
	if press("<").end == 0 || press("g").end != 0 || a.timeline.column == 0 {
		t.Errorf("held and released: %+v", a.timeline)
	}
	if press("g").column != 0 {
		t.Error("the second g does not show the latest iterations")
	}
	end := press("<").end
	for range 10 {
		press(">")
	}
	if a.timeline.end != 0 {
		t.Errorf("scrolled from %v to the end and beyond, it is held at %v of %v", end, a.timeline.end, a.Snap.Timeline.To)
	}
}

func TestTimelineStyles(t *testing.T) {
	for _, theme := range []string{"dark", "light", "sixteen"} {
		a := pressed(recorded(2, 2, 2, 6, false), "8")
		a.chooseTheme(theme)
		var s screen
		compare(t, "timeline-"+theme, s.draw(a, 80, 16).StyledText())
	}
}

// BenchmarkTimeline draws lanes of 100,000 stretches each: "next" is another snapshot
// a frame later, "zoom" is all of it anew at another scale.
func BenchmarkTimeline(b *testing.B) {
	const lanes, stretches = 1024, 100_000
	s := recorded(64, 16, 1, 0, false)
	rec := cluster.NewRecorder(s.Layout, false)
	rec.Keep(stretches)
	write := func(from, to int) {
		for rank := range lanes {
			l := rec.Team(rank, 1)[0]
			rng := rand.New(rand.NewPCG(uint64(rank), uint64(from)))
			at := l.End()
			for i := from; i < to; i++ {
				at += cluster.Time(1+rng.IntN(2000)) * cluster.Nanosecond
				l.Until(at, cluster.Activity(i%cluster.Activities), cluster.KindSend, int32(i&7))
			}
		}
	}
	write(0, stretches-2000)
	var snaps []*engine.Snapshot
	for i := range 20 { // a frame is 100 µs of the run, or a few cells
		write(stretches-2000+i*100, stretches-2000+(i+1)*100)
		next := *s
		next.Timeline = rec.View()
		snaps = append(snaps, &next)
	}
	for _, f := range []fold{foldThreads, foldNodes} {
		for _, column := range []cluster.Time{20 * us, 500 * us} {
			name := fmt.Sprintf("lanes=%d/%s/cell=%dus", lanes, strings.ReplaceAll(foldNames[f], " ", "-"), column/us)
			p := &program{app: newApp(), w: 200, h: 60}
			p.app.load(snaps[0])
			keys(p.app, "8")
			p.app.timeline.fold, p.app.timeline.column = f, column
			frames := func(b *testing.B, each func(i int)) {
				b.ReportAllocs()
				for p.draw(); p.screen.timeline.shown.late; p.draw() {
				}
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					each(i)
					p.draw()
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N), "ms/frame")
			}
			b.Run(name+"/next", func(b *testing.B) {
				frames(b, func(i int) { p.app.load(snaps[i%len(snaps)]) })
			})
			b.Run(name+"/zoom", func(b *testing.B) {
				frames(b, func(i int) { p.app.timeline.column = column + cluster.Time(i%7)*us })
			})
		}
	}
}
