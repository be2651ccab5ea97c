package live

import (
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// standing is a world of ranks whose goroutines never start.
func standing(ranks, threads int) *world {
	spec := clustertest.Spec(clustertest.Host(), 1, ranks)
	spec.Layout.ThreadsPerRank = threads
	w := &world{spec: spec, eager: spec.Eager(), engines: make([]*engine, ranks), node: make([]int32, ranks), barriers: map[int32]*barrier{}, way: direct{}}
	w.lanes = lanesOf(&spec)
	for i := range w.engines {
		w.engines[i] = w.newEngine(int32(i))
	}
	return w
}

// What progress would act on, the last look before a thread parks has to see: nobody
// wakes it for what came before it was parked.
func TestLastLookBeforeParking(t *testing.T) {
	for _, c := range []struct {
		name   string
		ranks  int
		before func(w *world, e *engine)
		comes  func(w *world, e *engine)
	}{
		{"a message in a ring", 2, nil, func(w *world, _ *engine) {
			w.engines[1].start(&cluster.Op{Kind: cluster.KindSend, Peer: 0, Buf: []byte{1}})
		}},
		{"a mark of one of many rings", pollAll + 2, nil, func(w *world, _ *engine) {
			w.engines[pollAll+1].start(&cluster.Op{Kind: cluster.KindSend, Peer: 0, Buf: []byte{1}})
		}},
		{"a parcel", 2, nil, func(_ *world, e *engine) { e.deliver(&parcel{kind: parcelEager, src: 1}) }},
		{"a step", 1, nil, func(_ *world, e *engine) { e.steps = append(e.steps, pendingStep{}) }},
		{"a word that compares", 1,
			func(_ *world, e *engine) {
				e.start(&cluster.Op{Kind: cluster.KindAwait, Off: 8, Arg: int32(cluster.CmpEqual), A: 5})
			},
			func(_ *world, e *engine) { e.signal(8, cluster.SigAdd, 5) }},
		{"a barrier that a step waits for", 2,
			func(w *world, e *engine) {
				e.join(4, []int32{0, 1})
				w.engines[1].join(4, []int32{0, 1})
				e.start(&cluster.Op{Kind: cluster.KindBarrier, Ctx: 4, Then: nothing{}})
			},
			func(w *world, _ *engine) { w.engines[1].start(&cluster.Op{Kind: cluster.KindBarrier, Ctx: 4}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := standing(c.ranks, 1)
			e := w.engines[0]
			if c.before != nil {
				c.before(w, e)
			}
			if e.pending() {
				t.Fatal("something is pending before it comes")
			}
			c.comes(w, e)
			if !e.pending() {
				t.Error("a thread would park beside it")
			}
		})
	}
}

// nothing is a step that does nothing.
type nothing struct{}

func (nothing) Step(cluster.Poster, int32, cluster.Done) {}

// parks makes a thread of a rank look parked, in a receive from a peer.
func parks(e *engine, peer int32) *port {
	p := newPort(e, 0)
	p.hs = []cluster.Handle{e.start(&cluster.Op{Kind: cluster.KindRecv, Peer: peer, Tag: 7})}
	p.need, p.asleep = 1, true
	p.parked.Store(true)
	e.attention.Add(1)
	return p
}

// Ranks that a picture shows stuck are looked at again before they are called so:
// while the picture was taken one of them may have gone on.
func TestDeadlockIsConfirmed(t *testing.T) {
	for name, moves := range map[string]func(e *engine, p *port){
		"something is on the wire to one":     func(e *engine, _ *port) { e.inflight.Add(1) },
		"a message has come to one":           func(e *engine, _ *port) { e.deliver(&parcel{kind: parcelEager, src: 1, tag: 9}) },
		"one was woken":                       func(_ *engine, p *port) { p.parked.Store(false) },
		"one has slept again since":           func(_ *engine, p *port) { p.sleeps++ },
		"one has another wait":                func(_ *engine, p *port) { p.need = 0 },
		"one has other ranks that may end it": func(e *engine, p *port) { p.hs = append(p.hs, e.start(&cluster.Op{Kind: cluster.KindRecv, Peer: 2})) },
		"":                                    func(*engine, *port) {},
	} {
		t.Run(name, func(t *testing.T) {
			w := standing(3, 1)
			p := parks(w.engines[0], 1)
			parks(w.engines[1], 0)
			v := newSurvey(w)
			v.suspect()
			if v.views[0].live || v.views[1].live || !v.views[2].live {
				t.Fatalf("live: %v %v %v, want only rank 2", v.views[0].live, v.views[1].live, v.views[2].live)
			}
			moves(w.engines[0], p)
			if stuck := v.confirmed(); (len(stuck) > 0) != (name == "") {
				t.Errorf("stuck: %v", stuck)
			}
		})
	}
}

// A lane whose lock another thread holds stays urgent: the holder may have looked
// before what made it so.
func TestUrgentLaneIsNotForgotten(t *testing.T) {
	w := standing(2, 2)
	e := w.engines[0]
	p := newPort(e, 0)
	e.urge(1)
	e.lanes[1].mu.Lock()
	if p.serve() {
		t.Error("something was done in a lane that another thread holds")
	}
	if e.urgent.Load() != 1<<1 {
		t.Errorf("urgent lanes: %b, want lane 1", e.urgent.Load())
	}
	e.lanes[1].mu.Unlock()
	p.serve()
	if e.urgent.Load() != 0 {
		t.Errorf("urgent lanes: %b, want none after nothing was found", e.urgent.Load())
	}
}

// A message to another node takes the adapter that is free first.
func TestWireTakesTheFreeAdapter(t *testing.T) {
	spec := clustertest.Spec(clustertest.Emulated(), 2, 1)
	spec.Machine.Classes[cluster.Remote].Adapters = 2
	spec.Dilation = 1
	w := &world{spec: spec, engines: make([]*engine, 2), node: []int32{0, 1}, began: time.Now()}
	x := newWire(w, 2)
	n := int64(4e9) // bytes of a second
	second := x.wall(cluster.Second)
	first := x.arrival(x.class(0, 1), 0, 1, n, x.now())
	for i, want := range []int64{0, 1, 1, 2, 2} { // seconds after the first one
		got := x.arrival(x.class(0, 1), 0, 1, n, x.now()) - first
		if got < want*second || got > want*second+second/2 {
			t.Errorf("message %d arrives %d ns after the first, want %d s", i+1, got, want)
		}
	}
	if got := x.arrival(x.class(1, 0), 1, 0, n, x.now()) - first; got > second/2 {
		t.Errorf("a message the other way arrives %d ns after the first: it has adapters of its own", got)
	}
}

// A wait for a handle that names nothing is told, and does not bring down who looks.
func TestWaitForNothingIsToldOf(t *testing.T) {
	for _, threads := range []int{1, 2} {
		w := standing(2, threads)
		for i, e := range w.engines {
			p := parks(e, int32(1-i))
			p.hs, p.need = append(p.hs, 1<<40, 1<<40|1<<laneShift, 1<<40|9<<laneShift), 4
		}
		v := newSurvey(w)
		v.suspect()
		found := 0
		for _, wait := range v.confirmed() {
			if strings.Contains(wait.Call, "never given") {
				found++
			}
		}
		if found != 6 {
			t.Errorf("%d threads a rank: %d waits for what was never given, want 6", threads, found)
		}
	}
}

// What teams take goes with the last member that frees them.
func TestFreedTeamsLeaveNothing(t *testing.T) {
	w := standing(2, 1)
	for ctx := int32(4); ctx < 400; ctx += 2 {
		for _, e := range w.engines {
			e.join(ctx, []int32{0, 1})
		}
		w.engines[0].forget(ctx)
		if len(w.barriers) != 1 {
			t.Fatalf("%d barriers while rank 1 has its own", len(w.barriers))
		}
		w.engines[1].forget(ctx)
	}
	if len(w.barriers) != 0 || len(w.engines[0].members) != 1 || len(w.engines[1].members) != 1 {
		t.Errorf("%d barriers, %d and %d members", len(w.barriers), len(w.engines[0].members), len(w.engines[1].members))
	}
}
