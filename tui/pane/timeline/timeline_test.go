package timeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

const us = cluster.Microsecond

func TestTimelineLooksLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "threads", nil, panetest.Recorded(4, 2, 4, 8, false))
	l := panetest.Look{W: 76, H: 19, Alone: true}
	draw := func(name string, s *engine.Snapshot, w Want, l panetest.Look, actions ...string) {
		p, h := &Pane{Want: w}, panetest.Host(s)
		panetest.Draw(p, h, l)
		panetest.Act(t, p, h, actions...)
		golden.Text(t, name, panetest.Draw(p, h, l))
	}
	for _, theme := range []string{"dark", "light", "sixteen"} {
		draw("theme "+theme, panetest.Recorded(2, 2, 2, 6, false), Want{},
			panetest.Look{W: 76, H: 11, Theme: theme, Styles: true})
	}
	draw("a cursor", panetest.Recorded(4, 2, 4, 8, false), Want{Cursor: true, Row: 4, At: 670 * us}, l)
	draw("a cursor, 116×35", panetest.Recorded(4, 2, 4, 8, false), Want{Cursor: true, Row: 4, At: 670 * us},
		panetest.Look{W: 116, H: 35, Alone: true})
	draw("arrows", panetest.Recorded(4, 2, 4, 8, true), Want{}, panetest.Look{W: 116, H: 35, Alone: true}, "arrows",
		"fold")
	draw("1024 ranks", panetest.Recorded(64, 16, 1, 8, false), Want{}, l)
	draw("1024 ranks, 196×55", panetest.Recorded(64, 16, 1, 8, false), Want{}, panetest.Look{W: 196, H: 55, Alone: true})
	draw("off", panetest.Demo(4, 4, 4), Want{}, l)
	draw("nothing recorded", panetest.Recorded(4, 2, 4, 0, false), Want{}, l)
	failed := panetest.Recorded(4, 2, 4, 3, false)
	failed.Phase, failed.Failure = engine.Failed, panetest.DeadlockFailure
	draw("failed", failed, Want{}, l)
	p, h := &Pane{}, panetest.Host(panetest.Recorded(4, 2, 1, 8, false))
	panetest.Draw(p, h, l)
	h.Window = pane.Window{Span: 5 * us * cluster.Time(p.shown.columns), End: 500 * us}
	golden.Text(t, "held", panetest.Draw(p, h, l))
}

// Bins show the same as a walk over the intervals of the row's lanes, up to the time that all lanes
// know.
func TestBinsMatchIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 2, Ranking: cluster.RoundRobin, Model: cluster.Flat}
		rec := timeline.NewRecorder(l, false)
		for rank := range 4 {
			for _, lane := range rec.Team(rank, 2) {
				at := cluster.Time(0)
				for range rapid.IntRange(0, 700).Draw(t, "intervals") {
					at += cluster.Time(rapid.IntRange(1, 40).Draw(t, "for"))
					lane.Until(at, timeline.Activity(rapid.IntRange(0, timeline.Activities-1).Draw(t, "activity")), cluster.KindSend,
						int32(at%3))
				}
				if rapid.Bool().Draw(t, "unknown") {
					lane.Unknown()
				}
			}
		}
		tl := rec.View()
		var r laneRows
		want := rapid.SampledFrom([]fold{foldThreads, foldRanks, foldNodes}).Draw(t, "fold")
		r.arrange(tl, want, 100)
		s := frame{column: cluster.Time(rapid.IntRange(1, 300).Draw(t, "column")) * 2, columns: 20, rows: len(r.all)}
		s.begin = s.column * cluster.Time(rapid.IntRange(0, 100).Draw(t, "begin"))
		s.end = s.begin + 20*s.column
		r.compute(tl, &s, 1)
		first := int64(s.begin/s.column) / blockBins * blockBins
		for i := range r.all {
			var all []uint8
			for block := range int64(3) {
				var sums [blockBins]timeline.Sums
				for b := range sums {
					begin := cluster.Time(first+block*blockBins+int64(b)) * s.column
					end := min(begin+s.column, tl.Edge)
					for k := range tl.Lanes {
						l := &tl.Lanes[k]
						node := tl.Layout.NodeOf(l.Rank)
						if begin >= end || node != r.all[i].node || want != foldNodes && l.Rank != r.all[i].rank ||
							want == foldThreads && l.Thread != r.all[i].thread {
							continue
						}
						for y := range l.Intervals(begin, end) {
							sums[b][y.Activity] += min(y.End, end) - max(y.Begin, begin)
						}
					}
				}
				var out [blockBins]uint8
				distributeBins(sums[:], out[:])
				all = append(all, out[:]...)
			}
			for x := range int64(20) {
				n := int64(s.begin/s.column) + x
				if got, want := r.bin(i, n), all[n-first]; got != want {
					t.Fatalf("row %d cell %d: %d, want %d of %v", i, x, got, want, all)
				}
			}
		}
	})
}

// Every activity gets its share of the bins of a block. No bin shows an activity without time in
// it, no activity with time in the block vanishes, and communication is always shown.
func TestFoldingKeepsEveryActivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sums := make([]timeline.Sums, blockBins)
		var has [timeline.Activities]int // bins
		whole := 0.0                     // of communicating
		for k := range sums {
			total := cluster.Time(0)
			for a := range timeline.Activities {
				if rapid.IntRange(0, 3).Draw(t, "has") == 0 {
					sums[k][a] = cluster.Time(rapid.IntRange(1, 1000).Draw(t, "time"))
					total += sums[k][a]
					has[a]++
				}
			}
			if total > 0 {
				whole += float64(sums[k][timeline.ActivityCommunicate]) / float64(total)
			}
		}
		out := make([]uint8, blockBins)
		distributeBins(sums, out)
		var shown [timeline.Activities]int
		for k, a := range out {
			switch {
			case a == 0 && sums[k] != timeline.Sums{}:
				t.Fatalf("bin %d of %v shows nothing", k, sums[k])
			case a > 0 && sums[k][a-1] == 0:
				t.Fatalf("bin %d of %v shows %v", k, sums[k], timeline.Activity(a-1))
			case a > 0:
				shown[a-1]++
			}
		}
		if has[timeline.ActivityCommunicate] > 0 {
			if n, least := shown[timeline.ActivityCommunicate],
				min(max(int(whole+0.5), 1), has[timeline.ActivityCommunicate]); n < least {
				t.Fatalf("%d bins communicate, want %d for %.2f", n, least, whole)
			}
		}
		for i, a := range activityOrder {
			others := 0 // bins taken by activities that come first
			for _, b := range activityOrder[:i] {
				others += shown[b]
			}
			if shown[a] == 0 && has[a] > others {
				t.Fatalf("%v has time in %d bins and is shown in none: %v", a, has[a], out)
			}
		}
	})
}

// Seven of eight lanes sleep while one communicates, for ten times the length of a block. Each
// block of the folded row shows the right share of communication, and the cells of all rows end at
// the same time.
func TestAFoldedRowKeepsCommunication(t *testing.T) {
	l := cluster.Layout{Nodes: 2, RanksPerNode: 1, ThreadsPerRank: 8, Ranking: cluster.Sequential, Model: cluster.Flat}
	rec := timeline.NewRecorder(l, false)
	for rank := range 2 {
		for k, lane := range rec.Team(rank, 8) {
			for n := range cluster.Time(64) {
				until := n*100*us + 60*us
				if k == 0 {
					lane.Until(until, timeline.ActivityCommunicate, cluster.KindSend, 1)
				}
				lane.Until(until, timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
				lane.Until(until+40*us+cluster.Time(rank), timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
			}
			lane.Unknown()
		}
	}
	s := panetest.Recorded(2, 1, 8, 1, false)
	s.Timeline = rec.View()
	p := looking(s)
	p.Want.Fold = foldNodes
	p.setColumn(100*us, 60, 9)
	p.screen(60, 9)
	for i := range p.rows.all {
		n, filled := 0, 0
		for x := range p.shown.columns {
			a := p.rows.bin(i, int64(p.shown.begin/p.shown.column)+int64(x))
			if a == uint8(timeline.ActivityCommunicate)+1 {
				n++
			}
			if a > 0 {
				filled++
			}
		}
		// 60 of 800 µs of lanes are 7.5%: 1 bin of 16.
		if n < filled/blockBins || n > filled/blockBins+1 || filled != min(p.shown.columns, 64) {
			t.Errorf("row %d: %d of %d cells communicate", i, n, filled)
		}
	}
}

// If one lane is known to an earlier time than the others, all rows end there.
func TestRowsEndWhereAllLanesAreKnown(t *testing.T) {
	l := cluster.Layout{Nodes: 2, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat}
	rec := timeline.NewRecorder(l, false)
	for rank, until := range []cluster.Time{990 * us, 400 * us} {
		lane := rec.Team(rank, 1)[0]
		lane.Until(until, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
		lane.Unknown()
	}
	s := panetest.Recorded(2, 1, 1, 1, false)
	s.Timeline = rec.View()
	p := looking(s)
	p.setColumn(10*us, 70, 8)
	g := grid.New(70, 8)
	p.Draw(g.All(), p.h)
	var filled []int
	for line := range strings.Lines(g.PlainText()) {
		if strings.HasPrefix(line, "n") {
			filled = append(filled, strings.Count(line, "█"))
		}
	}
	if !slices.Equal(filled, []int{40, 40}) {
		t.Errorf("%v cells are filled, want 40 in each row:\n%s", filled, g.PlainText())
	}
}

// look is a pane with the host that it is drawn for.
type look struct {
	*Pane
	h *pane.Host
}

func looking(s *engine.Snapshot) look {
	return look{&Pane{},
		&pane.Host{Snap: s, Theme: grid.Themes()[0], Keys: func(a string) string { return a }, Say: func(string) {}}}
}

// act does actions by name.
func (l look) act(names ...string) {
	for _, name := range names {
		all := l.Actions()
		all[slices.IndexFunc(all, func(a pane.Action) bool { return a.Name == name })].Do(l.h)
	}
}

// setColumn makes a cell of a view with w by h cells stand for a time.
func (l look) setColumn(column cluster.Time, w, h int) {
	l.screen(w, h)
	l.h.Window.Span = column * cluster.Time(l.shown.columns)
}

// screen returns the drawing of the pane.
func (l look) screen(w, h int) string {
	g := grid.New(w, h)
	for l.Draw(g.All(), l.h).Incomplete {
	}
	return g.StyledText()
}

// Cached frames show the same as frames that are computed again, while the run continues and the
// user zooms, scrolls and folds.
func TestCachedFramesAreCorrect(t *testing.T) {
	l := cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 2, Ranking: cluster.Sequential, Model: cluster.Flat}
	actions := []string{"run", "run", "run", "shorter", "longer", "earlier", "later", "follow", "crosshair",
		"crosshair-left", "crosshair-right", "row-down", "row-up", "scroll-down", "scroll-up", "fold", "unfold", "back",
		"pair"}
	rapid.Check(t, func(t *rapid.T) {
		s := panetest.Recorded(2, 2, 2, 1, false)
		rec, done := timeline.NewRecorder(l, true), 0
		s.Timeline = rec.View()
		kept := looking(s)
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch step := rapid.SampledFrom(actions).Draw(t, "step"); step {
			case "run":
				n := rapid.IntRange(0, 3).Draw(t, "iterations")
				panetest.Hybrid(rec, l, done, done+n)
				for i := done; i < done+n; i++ {
					begin := cluster.Time(i) * 100 * us
					rec.Enter(i/2, i%2, "part", begin)
					rec.Leave(i/2, i%2, begin+cluster.Time(100-30*(i%2))*us)
				}
				done += n
				next := *s
				next.Timeline = rec.View()
				kept.h.Snap = &next
			default:
				kept.act(step)
			}
			got := kept.screen(96, 18)
			fresh := look{&Pane{Want: kept.Want}, kept.h}
			if diff := cmp.Diff(fresh.screen(96, 18), got); diff != "" {
				t.Fatalf("cached frame differs (− computed again, + cached):\n%s", diff)
			}
		}
	})
}

// Parts of an iteration are shown one above the other. Both begin at the left edge, so that the
// faster one is shorter. A part that not all lanes know completely is not shown yet.
func TestPartsAreOneAboveTheOther(t *testing.T) {
	l := cluster.Layout{Nodes: 2, RanksPerNode: 1, ThreadsPerRank: 2, Ranking: cluster.Sequential, Model: cluster.Flat}
	rec := timeline.NewRecorder(l, false)
	for rank := range 2 {
		for _, lane := range rec.Team(rank, 2) {
			lane.Until(430*us, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
			lane.Unknown()
		}
	}
	part := func(round, row int, name string, begin, end cluster.Time) {
		rec.Enter(round, row, name, begin)
		rec.Enter(round, row, name, begin+1)
		rec.Leave(round, row, end-1)
		rec.Leave(round, row, end)
	}
	part(0, 1, "scheme: funneled", 20*us, 70*us) // the parts take turns to begin
	part(0, 0, "masteronly", 110*us, 210*us)
	part(1, 0, "masteronly", 300*us, 400*us)
	rec.Enter(1, 1, "scheme: funneled", 420*us)
	s := panetest.Recorded(2, 1, 2, 1, false)
	s.Timeline = rec.View()
	p := looking(s)
	screen := func() (spans []int) {
		g := grid.New(110, 16)
		p.Draw(g.All(), p.h)
		for line := range strings.Lines(g.PlainText()) {
			if strings.HasPrefix(line, "n") {
				spans = append(spans, strings.Count(line, "█"))
			}
		}
		return spans
	}
	spans := screen()
	if len(spans) != 4 || spans[0] != spans[1] || spans[2] != spans[3] || spans[0] != 2*spans[2] || spans[0] == 0 {
		t.Errorf("the rows have %d cells, want two rows, and two with half as many", spans)
	}
	golden.Text(t, "timeline-pair", p.screen(110, 16))
	p.act("pair")
	if spans := screen(); len(spans) != 2 {
		t.Errorf("one after the other: %d rows, want 2", len(spans))
	}
	golden.Text(t, "timeline-parts", p.screen(110, 16))
	p.act("pair")
	if again := screen(); !slices.Equal(again, spans) {
		t.Errorf("one above the other again: %v, want %v", again, spans)
	}
}

func TestCursorDescribesItsCell(t *testing.T) {
	l := looking(panetest.Recorded(2, 2, 2, 6, false))
	under := func() string {
		t.Helper()
		l.screen(116, 20)
		return l.describeCell(l.h.Snap.Timeline)
	}
	under()
	l.act("crosshair")
	under()
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
		l.Want.At, l.Want.Row = c.at, c.row
		if got := under(); !strings.HasPrefix(got, c.wants) {
			t.Errorf("cursor at %v in row %d: %q, want %q", c.at, c.row, got, c.wants)
		}
	}
	l.act("fold", "fold")
	l.Want.At = 230 * us
	if got := under(); !strings.HasPrefix(got, "node 0 (4 lanes) at 2") || !strings.Contains(got, "compute 100%") {
		t.Errorf("folded: %q", got)
	}
}

// The streams of a rank are below its threads, in their order. They have their own shares and
// descriptions. A row of several lanes shows only threads.
func TestStreamsAreBelowTheirRank(t *testing.T) {
	s := panetest.Recorded(2, 2, 1, 1, false)
	rec := timeline.NewRecorder(s.Layout, false)
	for rank := range 4 {
		thread := rec.Team(rank, 1)[0]
		thread.Until(20*us, timeline.ActivityCompute, cluster.KindLaunch, timeline.NoPeer)
		thread.Until(80*us, timeline.ActivityWait, cluster.KindLaunch, timeline.NoPeer)
		thread.Until(100*us, timeline.ActivityCommunicate, cluster.KindPut, int32(rank)^1)
	}
	for _, stream := range []int32{6, 0} {
		for rank := range int32(4) {
			ready := cluster.Time(10+stream) * us
			rec.Kernel(rank, stream, ready, ready+cluster.Time(4*(6-stream))*us, 60*us+cluster.Time(stream)*us)
		}
	}
	s.Timeline = rec.View()
	p := looking(s)
	golden.Text(t, "timeline-streams", p.screen(110, 17))
	p.act("crosshair")
	for _, c := range []struct {
		at    cluster.Time
		row   int
		wants string
	}{
		{15 * us, 0, "rank 0 thread 0 (node 0): compute: starts a kernel, or sees its end, at"},
		{50 * us, 3, "rank 1 thread 0 (node 0): wait for a kernel, at"},
		{20 * us, 1, "rank 0 stream 0 (node 0): wait for the device, at"},
		{40 * us, 11, "rank 3 stream 6 (node 1): compute in kernel, at"},
	} {
		p.Want.At, p.Want.Row = c.at, c.row
		p.screen(110, 17)
		if got := p.describeCell(s.Timeline); !strings.HasPrefix(got, c.wants) {
			t.Errorf("cursor at %v in row %d: %q, want %q", c.at, c.row, got, c.wants)
		}
	}
	p.act("crosshair", "fold")
	folded := p.screen(110, 17)
	if want := "row = rank, without streams"; !strings.Contains(p.caption(p.h), want) || strings.Contains(folded, " s0 ") {
		t.Errorf("caption %q, want %q, and no stream in\n%s", p.caption(p.h), want, folded)
	}
}

func TestZoomSteps(t *testing.T) {
	for at := cluster.Time(1); at < cluster.Second; at = pane.RoundUp(at + 1) {
		if back := pane.Shorter(pane.RoundUp(at + 1)); back != at {
			t.Errorf("zooming out from %v and in again: %v", at, back)
		}
	}
}

func TestText(t *testing.T) {
	if _, err := Text(panetest.Demo(1, 1, 1), 80, 0); err == nil {
		t.Error("no error without a timeline")
	}
	text, err := Text(panetest.Recorded(2, 1, 3, 8, false), 100, 200*us)
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "timeline-text", text)

	// Every row is filled, for any number of lanes.
	text, err = Text(panetest.Recorded(64, 16, 1, 8, false), 200, 0)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "n") {
			rows++
			if !strings.Contains(line, "███") {
				t.Errorf("a row without computation: %s", line)
			}
		}
	}
	if rows != 64 {
		t.Errorf("%d rows, want 64 (one per node)", rows)
	}
}

func TestFollowing(t *testing.T) {
	l := looking(panetest.Recorded(2, 2, 2, 8, false))
	after := func(action string) pane.Window {
		l.act(action)
		l.screen(116, 20)
		return l.h.Window
	}
	auto := after("shorter").Span
	if in := after("shorter").Span; in >= auto || l.h.Window.End != 0 {
		t.Errorf("%v zoomed in is %v, end %v", auto, in, l.h.Window.End)
	}
	if after("earlier").End == 0 || after("follow").End != 0 || l.h.Window.Span == 0 {
		t.Errorf("held and released: %+v", l.h.Window)
	}
	if after("follow").Span != 0 {
		t.Error("following once more does not show the latest iterations")
	}
	end := after("earlier").End
	for range 10 {
		after("later")
	}
	if l.h.Window.End != 0 {
		t.Errorf("scrolled from %v to the end and beyond, it is held at %v of %v", end, l.h.Window.End, l.h.Snap.Timeline.To)
	}
}

// The action back first hides the cursor and then releases a held timeline. After that it is not
// ready.
func TestBack(t *testing.T) {
	l := looking(panetest.Recorded(2, 2, 2, 8, false))
	ready := func() bool {
		all := l.Actions()
		return all[slices.IndexFunc(all, func(a pane.Action) bool { return a.Name == "back" })].Ready(l.h)
	}
	l.screen(116, 20)
	if ready() {
		t.Error("back is ready at the beginning")
	}
	l.act("crosshair", "back")
	if l.Want.Cursor || l.h.Window.End == 0 || !ready() {
		t.Errorf("after the cursor: %+v", l.Want)
	}
	if l.act("back"); l.h.Window.End != 0 || ready() {
		t.Errorf("after releasing the timeline: %+v", l.Want)
	}
}

// BenchmarkTimeline draws lanes of 100,000 intervals each. "next" draws the next snapshot, one
// frame later. "zoom" computes everything again at another scale.
func BenchmarkTimeline(b *testing.B) {
	const lanes, intervals = 1024, 100_000
	s := panetest.Recorded(64, 16, 1, 0, false)
	rec := timeline.NewRecorder(s.Layout, false)
	rec.Keep(intervals)
	write := func(from, to int) {
		for rank := range lanes {
			l := rec.Team(rank, 1)[0]
			rng := rand.New(rand.NewPCG(uint64(rank), uint64(from)))
			at := l.End()
			for i := from; i < to; i++ {
				at += cluster.Time(1+rng.IntN(2000)) * cluster.Nanosecond
				l.Until(at, timeline.Activity(i%timeline.Activities), cluster.KindSend, int32(i&7))
			}
		}
	}
	write(0, intervals-2000)
	var snaps []*engine.Snapshot
	for i := range 20 { // a frame is 100 µs of the run, which is a few cells
		write(intervals-2000+i*100, intervals-2000+(i+1)*100)
		next := *s
		next.Timeline = rec.View()
		snaps = append(snaps, &next)
	}
	for _, f := range []fold{foldThreads, foldNodes} {
		for _, column := range []cluster.Time{20 * us, 500 * us} {
			name := fmt.Sprintf("lanes=%d/%s/cell=%dus", lanes, strings.ReplaceAll(foldNames[f], " ", "-"), column/us)
			l := looking(snaps[0])
			l.Want.Fold = f
			l.setColumn(column, 196, 55)
			g := grid.New(196, 55)
			frames := func(b *testing.B, each func(i int)) {
				b.ReportAllocs()
				for l.Draw(g.All(), l.h).Incomplete {
				}
				b.ResetTimer()
				for i := 0; b.Loop(); i++ {
					each(i)
					l.Draw(g.All(), l.h)
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N), "ms/frame")
			}
			b.Run(name+"/next", func(b *testing.B) {
				frames(b, func(i int) { l.h.Snap = snaps[i%len(snaps)] })
			})
			b.Run(name+"/zoom", func(b *testing.B) {
				frames(b, func(i int) { l.h.Window.Span = (column + cluster.Time(i%7)*us) * cluster.Time(l.shown.columns) })
			})
		}
	}
}
