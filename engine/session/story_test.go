package session

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// stories are bodies for tests, selected by the story knob.
var stories = map[string]func(r *cluster.Rank, p engine.Probe) error{
	// access makes 50 accesses in its own group per iteration, and verifies.
	"access": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			spread(r, p, 50)
			p.Report("iteration", float64(p.Iteration()))
			p.Verify(true, "nothing to be wrong")
		}
		return nil
	},
	// sampled reports each rank's number, counts iterations by rank, and puts a byte.
	"sampled": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			p.Sample("number", float64(r.ID()))
			p.Sample("span", 1e-6*float64(1+p.Iteration()))
			p.Tally("turns", p.Iteration()%2, r.ID(), 10)
			p.TallyIn("layers", 1+p.Iteration()%2, 0, 0, 1)
			p.Report("own", float64(10*r.ID()+p.Iteration()))
			if at := p.Iteration() * p.Iteration(); at <= 16 {
				p.Place("squares", at, float64(r.ID()))
			}
			if err := r.Put(cluster.At(int(r.Group().Members()[0]), int64(r.ID()%8)), cluster.Of([]byte{1})); err != nil {
				return err
			}
			p.Verify(true, "nothing to be wrong")
		}
		return nil
	},
	// endless never ends an iteration.
	"endless": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			for {
				spread(r, p, 1)
				r.Progress()
				if err := r.Barrier(r.All()); err != nil {
					return err
				}
			}
		}
		return nil
	},
	// The next four sleep. Tests start them inside synctest bubbles, whose clock stops while a
	// program works.
	//
	// sleepy takes a day per iteration, and accesses every 10 ms.
	"sleepy": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			for range 100 * 86400 {
				time.Sleep(10 * time.Millisecond)
				spread(r, p, 1)
				r.Progress() // an abort unwinds here
			}
		}
		return nil
	},
	// naps takes 10 ms per iteration.
	"naps": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			time.Sleep(10 * time.Millisecond)
			spread(r, p, 1)
		}
		return nil
	},
	// steps takes ten steps of a second each per iteration, and reports them.
	"steps": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			for i := range 10 {
				p.Step(i, 10)
				time.Sleep(time.Second)
			}
		}
		return nil
	},
	// wordless takes ten seconds per iteration, and does not report its progress.
	"wordless": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			time.Sleep(10 * time.Second)
		}
		return nil
	},
	"wrong": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			p.Verify(r.ID() != 2 || p.Iteration() != 1, "rank 2 counted 7, want 8")
		}
		return nil
	},
	"error": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			if r.ID() == 1 {
				return errors.New("rank 1: out of luck")
			}
		}
		return nil
	},
	"panic": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			if r.ID() == 1 {
				panic("a bug in the program")
			}
		}
		return nil
	},
	"deadlock": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
			if _, err := r.Recv(r.All(), r.ID()^1, 0, cluster.Of(make([]byte, 8))); err != nil {
				return err
			}
		}
		return nil
	},
	"silent": func(r *cluster.Rank, p engine.Probe) error {
		for p.Next() {
		}
		return nil
	},
	// stroll exchanges with random partners at equal distance and computes in each iteration, and
	// takes its times from the rank's clock.
	"stroll": func(r *cluster.Rank, p engine.Probe) error {
		in, out := make([]byte, 512), make([]byte, 512)
		for n := 0; p.Next(); n++ {
			for range 20 {
				n += 1 + n%3
				up, down := (r.ID()+n)%r.Ranks(), ((r.ID()-n)%r.Ranks()+r.Ranks())%r.Ranks()
				start := r.Now()
				if _, err := r.Sendrecv(r.All(), up, 1, cluster.Of(out), down, 1, cluster.Of(in)); err != nil {
					return err
				}
				p.Access(up, int64(len(out)), r.Now()-start-p.Clock())
				r.Compute(cluster.Work{Flops: float64(1000 * r.Rand().IntN(100))}, nil)
			}
			p.Report("iteration", float64(p.Iteration()))
			p.Verify(true, "a stroll is never wrong")
		}
		return nil
	},
	// send sends 100 B from rank 0 to each other rank per iteration.
	"send": func(r *cluster.Rank, p engine.Probe) error {
		buf := make([]byte, 100)
		for p.Next() {
			for to := 1; to < r.Ranks() && r.ID() == 0; to++ {
				if err := r.Send(r.All(), to, 1, cluster.Of(buf)); err != nil {
					return err
				}
			}
			if r.ID() > 0 {
				if _, err := r.Recv(r.All(), 0, 1, cluster.Of(buf)); err != nil {
					return err
				}
			}
		}
		return nil
	},
}

// spread records n accesses, distributed over the ranks of the group; each class has its own time.
func spread(r *cluster.Rank, p engine.Probe, n int) {
	g := r.Group()
	for i := range n {
		to := g.Global((g.Rank() + i) % g.Size())
		p.Access(to, 8, classTime[r.Spec().Layout.ClassOf(r.ID(), to)])
	}
}

var classTime = [cluster.Classes]cluster.Time{10 * cluster.Nanosecond, 100 * cluster.Nanosecond,
	4 * cluster.Microsecond}

func init() {
	var names []string
	for name := range stories {
		names = append(names, name)
	}
	workload.Register(&workload.Workload{
		Name: "story", Title: "Stories for tests",
		Knobs: []engine.Knob{
			{Name: "story", Type: engine.Choice, Default: "access", Choices: names, Role: engine.Problem},
			{Name: "segment", Type: engine.Size, Default: "4096", Max: 1 << 50, Role: engine.Problem},
		},
		Defaults: map[string]string{"machine": "this-host"},
		Metrics: []engine.MetricSpec{{Name: "iteration", Unit: "1"}, {Name: "unused", Unit: "s"},
			{Name: "own", Unit: "1", Ranked: true}},
		Samples: []engine.MetricSpec{{Name: "number", Unit: "1"}, {Name: "span", Unit: "s", Total: true}, {Name: "unseen", Unit: "B/s"}},
		Tallies: []engine.TallySpec{
			{Name: "nothing", Unit: "B", Row: "row", Column: "column",
				Labels: func(*engine.Scenario, *cluster.Machine) (rows, columns []string) {
					return []string{"first"}, []string{"only"}
				}},
			{Name: "turns", Unit: "1", Row: "iteration", Column: "rank",
				Labels: func(s *engine.Scenario, m *cluster.Machine) (rows, columns []string) {
					l := s.Layout()
					for rank := range min(l.Ranks(), engine.MaxTally) {
						columns = append(columns, strconv.Itoa(rank))
					}
					return []string{"even", "odd"}, columns
				}},
			{Name: "layers", Unit: "s", Each: 1e-12, Row: "row", Column: "column", Layer: "layer",
				Labels: func(*engine.Scenario, *cluster.Machine) (rows, columns []string) { return []string{"r"}, []string{"c"} },
				Layers: func(*engine.Scenario, *cluster.Machine) []string { return []string{"none", "even", "odd"} }},
		},
		Profiles: []engine.ProfileSpec{
			{Name: "nothing", Unit: "s", Over: "step", Places: 3}, {Name: "squares", Unit: "1", Over: "square", Places: 20},
		},
		Iterations: storyIterations,
		Studies: []*engine.Study{
			study.Locality("", func(_ *engine.Scenario, group int) int64 { return 1 << 20 / int64(group) }),
		},
		Plan: func(s *engine.Scenario, _ *workload.Site) (workload.Plan, error) {
			if s.Int("seed") == 13 {
				return workload.Plan{}, errors.New("seed 13: unlucky; take another")
			}
			l := s.Layout()
			return workload.Plan{
				Segment: s.Int("segment"), Replicas: l.Groups(),
			}, nil
		},
		Run: func(r *cluster.Rank, p engine.Probe) error { return stories[p.Text("story")](r, p) },
		Finish: func(s *engine.Snapshot, m *cluster.Machine) []engine.Metric {
			return []engine.Metric{{Name: "accesses", Value: float64(s.Latency[0].Count), Unit: "1", Kind: s.Kind}}
		},
	})
}

// storyIterations is the number of iterations of a simulated story without a limit.
const storyIterations = 9

// tale is another workload, which prefers a layout and has its own knobs.
func init() {
	workload.Register(&workload.Workload{
		Name: "tale", Title: "Another one for tests",
		Knobs: []engine.Knob{
			{Name: "chapter", Type: engine.Integer, Default: "1", Min: 1, Max: 9, Role: engine.Problem},
			{Name: "segment", Type: engine.Size, Default: "64", Max: 1 << 50, Role: engine.Problem},
		},
		Defaults: map[string]string{"machine": "demo", "model": "flat", "nodes": "2"},
		Plan: func(s *engine.Scenario, _ *workload.Site) (workload.Plan, error) {
			if s.Int("nodes") == 1 {
				return workload.Plan{}, errors.New("nodes = 1: nobody to tell it to; use 2 or more nodes")
			}
			if s.Int("seed") == 13 {
				return workload.Plan{}, errors.New("seed 13: unlucky; take another")
			}
			return workload.Plan{Segment: s.Int("segment")}, nil
		},
		Run: stories["naps"],
	})
}

// storyOf returns a scenario of the story workload; settings alternate knob and value.
func storyOf(t testing.TB, story string, settings ...string) engine.Scenario {
	t.Helper()
	sc, err := Scenario("story")
	if err != nil {
		t.Fatal(err)
	}
	settings = append([]string{"story", story}, settings...)
	for i := 0; i < len(settings); i += 2 {
		if err := sc.Set(settings[i], settings[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// watched is a session that lets tests wait for any snapshot.
type watched struct {
	*Session
	t    testing.TB
	mu   sync.Mutex
	cond sync.Cond
	all  []*engine.Snapshot
	over bool
}

func start(t testing.TB, sc engine.Scenario, o Options) *watched {
	t.Helper()
	w := &watched{t: t}
	w.cond.L = &w.mu
	if o.Fabrics == nil {
		o.Fabrics = Fabrics()
	}
	hook := o.published
	o.published = func(s *engine.Snapshot) {
		if hook != nil {
			hook(s)
		}
		w.mu.Lock()
		w.all = append(w.all, s)
		w.mu.Unlock()
		w.cond.Broadcast()
	}
	var err error
	w.Session, err = New(sc, o)
	if err != nil {
		t.Fatal(err)
	}
	w.Start(context.Background())
	go func() {
		<-w.Done()
		w.mu.Lock()
		w.over = true
		w.mu.Unlock()
		w.cond.Broadcast()
	}()
	t.Cleanup(func() { _ = w.Stop() })
	return w
}

// patience is the number of snapshots after which a test gives up.
const patience = 2000

// until waits for the first snapshot for which holds is true, and drops earlier ones.
func (w *watched) until(what string, holds func(*engine.Snapshot) bool) *engine.Snapshot {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for seen := 0; ; {
		for len(w.all) > 0 {
			s := w.all[0]
			w.all = w.all[1:]
			if holds(s) {
				return s
			}
			seen++
			if seen == patience {
				w.t.Fatalf("after %d snapshots (%s, iteration %d, marks %v), still waiting for: %s", seen, s.Phase, s.Iteration,
					s.Marks, what)
			}
		}
		if w.over {
			last := w.Load()
			w.t.Fatalf("the session ended (%s, %s) while waiting for: %s", last.Phase, last.Failure, what)
		}
		w.cond.Wait()
	}
}

func (w *watched) do(verb engine.Verb, knobAndValue ...string) {
	w.t.Helper()
	c := engine.Command{Verb: verb}
	if len(knobAndValue) == 2 {
		c.Knob, c.Value = knobAndValue[0], knobAndValue[1]
	}
	if err := w.Do(c); err != nil {
		w.t.Fatal(err)
	}
}
