package recording_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// tee is an observer that stores everything it passes on.
type tee struct {
	engine.Observer
	mu    sync.Mutex
	snaps []*engine.Snapshot
	timed []*engine.Latencies
	ended []*engine.Outcome
}

func (t *tee) Published(s *engine.Snapshot) {
	t.mu.Lock()
	t.snaps = append(t.snaps, s)
	t.mu.Unlock()
	t.Observer.Published(s)
}

func (t *tee) Timed(l *engine.Latencies) {
	t.timed = append(t.timed, l)
	t.Observer.Timed(l)
}

func (t *tee) Ended(o *engine.Outcome) {
	t.ended = append(t.ended, o)
	t.Observer.Ended(o)
}

func scenario(t testing.TB, workload string, knobs ...string) engine.Scenario {
	t.Helper()
	sc, err := session.Scenario(workload)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(knobs); i += 2 {
		if err := sc.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// record runs a scenario into a file.
func record(t testing.TB, file string, sc engine.Scenario, l session.Limits, during func(*session.Session)) *tee {
	t.Helper()
	w, err := recording.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Begin(recording.Facts{Began: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	all := &tee{Observer: r}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Limits: l, Observer: all, Linger: during != nil})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(context.Background())
	if during != nil {
		during(s)
		_ = s.Stop()
	}
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// begun starts a recording with the launch of a short simulation, and returns its last snapshot,
// which a test can modify and publish.
func begun(t testing.TB, file string, knobs ...string) (engine.Snapshot, *recording.Writer, *recording.Run) {
	t.Helper()
	knobs = append([]string{"fabric", "sim", "machine", "demo"}, knobs...)
	base := record(t, filepath.Join(t.TempDir(), "base.htr"), scenario(t, "randomaccess", knobs...),
		session.Limits{Iterations: 3}, nil)
	last := *base.ended[0].Last
	w, err := recording.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Begin(recording.Facts{Began: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	r.Launched(&engine.Launch{Scenario: last.Scenario, Kind: last.Kind, Machine: last.Machine})
	return last, w, r
}

func open(t testing.TB, file string) *recording.File {
	t.Helper()
	f, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// alike compares snapshots, and of timelines only the visible part.
var alike = cmp.Options{
	cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b *timeline.View) bool {
		if a == nil || b == nil {
			return a == b
		}
		if a.From != b.From || a.To != b.To || a.Edge != b.Edge || len(a.Lanes) != len(b.Lanes) ||
			!cmp.Equal(a.Parts, b.Parts) || !cmp.Equal(a.Arrows, b.Arrows, cmpopts.EquateEmpty()) {
			return false
		}
		for i := range a.Lanes {
			if !slices.Equal(slices.Collect(a.Lanes[i].Intervals(0, a.To)), slices.Collect(b.Lanes[i].Intervals(0, b.To))) {
				return false
			}
		}
		return true
	}),
}

// A recording contains every published snapshot of a session, bit for bit: of a simulation and of
// a live run, with and without a timeline, over several launches.
func TestReplayEqualsPublished(t *testing.T) {
	for name, c := range map[string]struct {
		sc     engine.Scenario
		limits session.Limits
		during func(*session.Session)
	}{
		"simulated": {sc: scenario(t, "randomaccess", "fabric", "sim", "machine", "demo", "timeline", "arrows",
			"elements", "4096", "accesses", "64"), limits: session.Limits{Iterations: 3}},
		"streams": {sc: scenario(t, "heat", "fabric", "sim", "machine", "ac922-summit", "memory", "direct",
			"ranks-per-node", "2", "size", "9", "steps", "40", "timeline", "on"), limits: session.Limits{Iterations: 4}},
		"live streams": {sc: scenario(t, "heat", "machine", "ac922-summit", "memory", "direct", "nodes", "2",
			"ranks-per-node", "1", "size", "8", "timeline", "on"), limits: session.Limits{For: 300 * time.Millisecond}},
		"live": {sc: scenario(t, "pingpong", "timeline", "arrows"), limits: session.Limits{For: 300 * time.Millisecond}},
		"turned": {sc: scenario(t, "randomaccess", "fabric", "sim", "machine", "demo", "elements", "4096", "accesses", "64",
			"group", "4"), during: func(s *session.Session) {
			for i, group := range []string{"1", "2"} {
				if err := s.Do(engine.Command{Verb: engine.Set, Knob: "group", Value: group}); err != nil && i == 0 {
					panic(err)
				}
				until(s, func(n *engine.Snapshot) bool { return n.Scenario.Values["group"] == group && n.Iteration > 1 })
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a b?%.htr")
			all := record(t, file, c.sc, c.limits, c.during)
			f := open(t, file)
			if len(f.Runs) != 1 || !f.Runs[0].Finished || f.Runs[0].Lost != 0 {
				t.Fatalf("%+v", f.Runs)
			}
			p, err := f.Player(f.Runs[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range all.snaps {
				got, err := p.At(want.Elapsed)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got, alike); d != "" {
					t.Fatalf("snapshot %d: %s", want.Seq, d)
				}
			}
			for i := len(all.snaps) - 1; i >= 0; i -= 7 { // backwards
				got, err := p.At(all.snaps[i].Elapsed)
				if err != nil || cmp.Diff(all.snaps[i], got, alike) != "" {
					t.Fatalf("snapshot %d again: %v", i, err)
				}
			}
			launches, err := f.Launches(f.Runs[0].ID)
			if err != nil || len(launches) != len(all.ended) {
				t.Fatalf("%d launches of %d, %v", len(launches), len(all.ended), err)
			}
			for i, l := range launches {
				last := all.ended[i].Last
				if d := cmp.Diff(last.Virtual, l.Virtual, cmpopts.IgnoreFields(engine.Virtual{}, "Timed")); d != "" ||
					l.Iterations != last.Iteration ||
					cmp.Diff(last.Verification, l.Verification) != "" || cmp.Diff(last.Scenario.Values, l.Scenario.Values) != "" ||
					cmp.Diff(last.Metrics, l.Metrics, cmpopts.EquateNaNs()) != "" || l.Machine != last.Machine ||
					l.Kind != last.Kind || !l.Ended {
					t.Errorf("launch %d: %+v, %s", i, l, d)
				}
				times, err := f.Iterations(l.ID)
				if err != nil || last.Iteration > 0 && len(times) == 0 ||
					!slices.Equal(times[max(0, len(times)-len(last.IterationTimes)):], last.IterationTimes) {
					t.Errorf("launch %d: %d iterations of %d, %v", i, len(times), last.Iteration, err)
				}
			}
		})
	}
}

// until waits for a snapshot.
func until(s *session.Session, is func(*engine.Snapshot) bool) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !is(s.Load()) {
		<-ticker.C
	}
}

// A launch that was stopped in the middle of an iteration is marked as cut.
func TestCutLaunchIsMarked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cut.htr")
	record(t, file, scenario(t, "randomaccess", "fabric", "sim", "machine", "demo", "accesses", "100000000"),
		session.Limits{}, func(s *session.Session) {
			until(s, func(n *engine.Snapshot) bool { return len(n.Series) > 0 }) // it is inside its first iteration
		})
	f := open(t, file)
	all, err := f.Launches(f.Runs[0].ID)
	if err != nil || len(all) != 1 || !all[0].Cut || !all[0].Ended || all[0].Virtual == nil || all[0].Virtual.Whole {
		t.Errorf("%+v, %v", all, err)
	}
}

// A delayed writer writes blocks that a reader accepts.
func TestManySnapshotsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("compresses a hundred megabytes")
	}
	file := filepath.Join(t.TempDir(), "many.htr")
	one := record(t, filepath.Join(t.TempDir(), "one.htr"), scenario(t, "dot", "fabric", "sim", "machine", "demo"),
		session.Limits{Iterations: 1}, nil).snaps[1]
	w, err := recording.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Begin(recording.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	const all = 400
	ranks := make([]engine.RankView, 1<<13) // compressible, but large when unpacked
	for i := range all {
		s := *one
		s.Seq, s.Elapsed = uint64(i), time.Duration(i)*time.Millisecond
		s.Ranks = ranks
		s.Layout.Nodes = len(s.Ranks) / s.Layout.RanksPerNode
		s.NodePairs, s.Recent.Pairs = nil, nil
		r.Published(&s)
	}
	r.Over()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f := open(t, file)
	p, err := f.Player(1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if s, err := p.At(time.Duration(i) * time.Millisecond); err != nil || s.Seq != uint64(i) || len(s.Ranks) != 1<<13 {
			t.Fatal(i, err)
		}
	}
}

// A paused session is recorded as well: a recording starts with the snapshot on the screen.
func TestSwitchRecordsPausedSession(t *testing.T) {
	sw := new(recording.Switch)
	s, err := session.New(scenario(t, "randomaccess", "fabric", "sim", "machine", "demo", "elements", "4096", "accesses",
		"64"),
		session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 1}, Linger: true, Observer: sw})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	until(s, func(n *engine.Snapshot) bool { return n.Phase == engine.Ended })
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "still.htr")
	if err := sw.Start(file); err != nil {
		t.Fatal(err)
	}
	if err := sw.Stop(); err != nil {
		t.Fatal(err)
	}
	p, err := open(t, file).Player(1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.At(0); err != nil || got.Seq != s.Load().Seq {
		t.Errorf("%+v, %v: want snapshot %d", got, err, s.Load().Seq)
	}
}
