package tui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// kept is an observer that keeps the snapshots that it forwards.
type kept struct {
	engine.Observer
	mu    sync.Mutex
	snaps []*engine.Snapshot
}

func (k *kept) Published(s *engine.Snapshot) {
	k.mu.Lock()
	k.snaps = append(k.snaps, s)
	k.mu.Unlock()
	k.Observer.Published(s)
}

// turned is a workload and the knob that changes while it runs.
type turned struct{ workload, knob, to string }

var threading = turned{workload: "spmv", knob: "threading", to: "funneled"}

// replayable runs a session that changes a knob, and returns its snapshots and the player of its
// recording.
func replayable(t *testing.T, of turned, knobs ...string) ([]*engine.Snapshot, *recording.Player) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.htr")
	var record recording.Switch
	if err := record.Start(file); err != nil {
		t.Fatal(err)
	}
	sc, err := session.Scenario(of.workload)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(knobs); i += 2 {
		if err := sc.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	all := &kept{Observer: &record}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Linger: true, Observer: all})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	wait := func(is func(*engine.Snapshot) bool) {
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for !is(s.Load()) {
			<-ticker.C
		}
	}
	wait(func(n *engine.Snapshot) bool { return n.Iteration > 3 })
	if err := s.Do(engine.Command{Verb: engine.Set, Knob: of.knob, Value: of.to}); err != nil {
		t.Fatal(err)
	}
	wait(func(n *engine.Snapshot) bool {
		return n.Scenario.Values[of.knob] == of.to && n.Iteration > 3
	})
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := record.Stop(); err != nil {
		t.Fatal(err)
	}
	f, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	p, err := f.Player(f.Runs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return all.snaps, p
}

// The screen shows the same for a recording as for the session, with all panes and with each pane
// alone, including the timeline. A screen that has moved back and forth shows the same as a fresh
// one.
func TestAReplayShowsTheSame(t *testing.T) {
	snaps, p := replayable(t, threading, "fabric", "sim", "machine", "demo", "threads-per-rank", "2", "timeline", "arrows")
	if len(snaps) > 24 {
		snaps = append(snaps[:12], snaps[len(snaps)-12:]...)
	}
	moved, scrubbed := newApp(), screen{}
	for i, live := range snaps {
		again, err := p.At(live.Elapsed)
		if err != nil {
			t.Fatal(err)
		}
		for pane := -1; pane < len(moved.specs); pane++ {
			if pane >= 0 && i != len(snaps)-1 {
				continue
			}
			var a, b screen
			x, y := shownApp(live), shownApp(again)
			if pane >= 0 {
				x.zoomTo(pane)
				y.zoomTo(pane)
			}
			want := a.draw(x, 140, 50).StyledText()
			if d := cmp.Diff(want, b.draw(y, 140, 50).StyledText()); d != "" {
				t.Fatalf("snapshot %d, pane %d (− live, + replay):\n%s", i, pane, d)
			}
		}
	}
	for i := range 2 * len(snaps) { // there and back
		at := snaps[min(i, 2*len(snaps)-1-i)]
		again, err := p.At(at.Elapsed)
		if err != nil {
			t.Fatal(err)
		}
		moved.load(again)
		fresh := shownApp(again)
		fresh.Panel.Selected = moved.Panel.Selected
		var a screen
		for scrubbed.incomplete() || i == 0 { // rows left for the next frame
			if scrubbed.draw(moved, 140, 50); !scrubbed.incomplete() {
				break
			}
		}
		if d := cmp.Diff(a.draw(fresh, 140, 50).StyledText(), scrubbed.draw(moved, 140, 50).StyledText()); d != "" {
			t.Fatalf("step %d (− fresh, + moved):\n%s", i, d)
		}
	}
}

// At each moment the latency pane of a recording equals the pane of the session in every cell.
func TestLatenciesAreReplayedAtEachMoment(t *testing.T) {
	snaps, p := replayable(t, turned{workload: "randomaccess", knob: "group", to: "2"}, "nodes", "2", "ranks-per-node",
		"2", "elements", "4096", "accesses", "64")
	drawn := make(map[string]bool)
	for i, live := range snaps {
		again, err := p.At(live.Elapsed)
		if err != nil {
			t.Fatal(err)
		}
		x, y := shownApp(live), shownApp(again)
		at := slices.IndexFunc(x.specs, func(s pane.Spec) bool { return s.Name == "latency" })
		x.zoomTo(at)
		y.zoomTo(at)
		var a, b screen
		want := a.draw(x, 140, 50).StyledText()
		if d := cmp.Diff(want, b.draw(y, 140, 50).StyledText()); d != "" {
			t.Fatalf("snapshot %d (− live, + replay):\n%s", i, d)
		}
		drawn[want] = true
	}
	if len(drawn) < 3 {
		t.Errorf("%d screens of %d snapshots differ: want more", len(drawn), len(snaps))
	}
}

// A program with a recording plays, pauses, and moves to times and markers. It refuses changes of
// knobs.
func TestProgramOverARecording(t *testing.T) {
	snaps, p := replayable(t, threading, "fabric", "sim", "machine", "demo", "threads-per-rank", "2")
	r, err := recording.NewReplay(p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	r.Run(ctx)
	x := open(t, r, nil)
	x.shows("┃┃ replay 0.0 s of ")
	x.shows("5 s")
	x.press(")")
	x.shows("marker 1 of 1: threading masteronly→funneled")
	x.shows("Why")
	x.press("(")
	x.shows("marker 0 of 1")
	x.press("*")
	x.shows("×2")
	x.press(":seek end")
	x.key('\r')
	x.shows("marker 1 of 1")
	if got, want := r.Load().Seq, snaps[len(snaps)-1].Seq; got != want {
		t.Errorf("the end is snapshot %d: want %d", got, want)
	}
	x.press(" ")
	x.shows("▶ replay")
	x.press("R")
	x.shows("cannot record a replay")
	x.press(":group 8")
	x.key('\r')
	x.shows("✗ a recording cannot be")
	x.press(":seek never")
	x.key('\r')
	x.shows(`"never": want a time such as 12.5s`)
}

// A key starts and stops a recording of the session, which can be replayed.
func TestTheScreenRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	sc, err := session.Scenario("dot")
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"fabric": "sim", "machine": "demo"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	record := new(recording.Switch)
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Linger: true, Observer: record})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	t.Cleanup(func() { _ = s.Stop() })
	x := open(t, s, func(o *Options) { o.Record = record })
	x.press(":capture my own.htr")
	x.key('\r')
	x.shows("recording to my own.htr")
	x.press(":capture other.htr")
	x.key('\r')
	x.shows("already recording to my own.htr (R stops)")
	x.key(uv.KeyEscape)
	x.hides("tab complete")
	x.press("R")
	x.shows("recorded: hybridtop replay my own.htr")
	if _, err := os.Stat("other.htr"); err == nil {
		t.Error("a recording that was refused has a file")
	}
	x.press("R")
	x.shows("● recording")
	x.press("R")
	x.shows("recorded: hybridtop replay hybridtop-")
	files, err := filepath.Glob("hybridtop-*.htr")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	f, err := recording.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := f.Player(1)
	if err != nil {
		t.Fatal(err)
	}
	last, err := p.At(p.Length)
	if err != nil || last.Scenario.Workload != "dot" || !f.Runs[0].Finished || !strings.HasPrefix(last.Machine, "demo") {
		t.Errorf("%+v, %v", last, err)
	}
}

// The user can go back to the last minutes of a session: the screen freezes at an earlier time,
// except the timeline, and unfreezes at the present.
func TestTheLastMinutesAreRewound(t *testing.T) {
	past, a := recording.NewPast(), newApp()
	a.past = past.At
	var all []*engine.Snapshot
	for i := range 200 {
		s := *demo(4, 4, 4)
		s.Seq = uint64(i)
		s.Elapsed = time.Duration(i) * 250 * time.Millisecond
		s.Iteration = i
		s.Series = append([]engine.Sample{}, s.Series[:min(i, len(s.Series))]...)
		for k := range s.Series {
			s.Series[k].At = time.Duration(k+1) * 250 * time.Millisecond
		}
		s.Marks = []engine.Mark{{At: 20 * time.Second, Label: "group 2→4"}}
		all = append(all, &s)
		past.Add(&s)
		a.load(&s)
	}
	shows := func(want int) {
		t.Helper()
		if a.Snap.Seq != uint64(want) || a.Snap.Iteration != want || len(a.Snap.Series) != len(all[want].Series) ||
			(want < 199) != a.frozen {
			t.Errorf("it shows snapshot %d, frozen %v: want %d", a.Snap.Seq, a.frozen, want)
		}
	}
	shows(199)
	keys(a, "{")
	shows(179)
	keys(a, "{", "}")
	shows(179)
	keys(a, "(")
	shows(80)
	var x, y screen
	want := shownApp(all[80])
	want.latest, want.frozen, want.past = a.latest, true, a.past
	want.Panel.Load(a.latest.Scenario)
	if d := cmp.Diff(x.draw(want, 120, 40).StyledText(), y.draw(a, 120, 40).StyledText()); d != "" {
		t.Errorf("(− as it was shown, + rewound)\n%s", d)
	}
	keys(a, "f")
	shows(199)
	keys(a, ":", "'seek 3s", "enter")
	shows(12)
	keys(a, ":", "'seek end", "enter")
	shows(199)
	keys(a, "*")
	if a.notice != "speed applies only to recordings: hybridtop replay FILE" {
		t.Errorf("%q", a.notice)
	}
}
