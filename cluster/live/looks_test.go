package live

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// parkedWorld returns a world of ranks whose goroutines never start.
func parkedWorld(ranks, threads int) *world {
	spec := clustertest.Spec(clustertest.Host(), 1, ranks)
	spec.Layout.ThreadsPerRank = threads
	w := &world{spec: spec, eager: spec.Eager(), engines: make([]*engine, ranks), node: make([]int32, ranks),
		barriers: map[int32]*barrier{}, transport: direct{}}
	w.vcis = vcisOf(&spec)
	for i := range w.engines {
		w.engines[i] = w.newEngine(int32(i))
	}
	return w
}

// The last check before a thread parks must find all work that progress would find, because no
// thread wakes it for earlier arrivals.
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
		{"a bit of one of many rings", maxPolledRings + 2, nil, func(w *world, _ *engine) {
			w.engines[maxPolledRings+1].start(&cluster.Op{Kind: cluster.KindSend, Peer: 0, Buf: []byte{1}})
		}},
		{"a parcel", 2, nil, func(_ *world, e *engine) { e.deliver(&parcel{kind: parcelEager, src: 1}) }},
		{"a step", 1, nil, func(_ *world, e *engine) { e.steps = append(e.steps, pendingStep{}) }},
		{"a word whose comparison holds", 1,
			func(_ *world, e *engine) {
				e.start(&cluster.Op{Kind: cluster.KindAwait, Off: 8, Arg: int32(cluster.CmpEqual), A: 5})
			},
			func(_ *world, e *engine) { e.signal(8, cluster.SigAdd, 5) }},
		{"a barrier with a continuation", 2,
			func(w *world, e *engine) {
				e.join(4, []int32{0, 1})
				w.engines[1].join(4, []int32{0, 1})
				e.start(&cluster.Op{Kind: cluster.KindBarrier, Ctx: 4, Then: nothing{}})
			},
			func(w *world, _ *engine) { w.engines[1].start(&cluster.Op{Kind: cluster.KindBarrier, Ctx: 4}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := parkedWorld(c.ranks, 1)
			e := w.engines[0]
			if c.before != nil {
				c.before(w, e)
			}
			if e.pending() {
				t.Fatal("work is pending before it arrives")
			}
			c.comes(w, e)
			if !e.pending() {
				t.Error("a thread would park although there is work")
			}
		})
	}
}

// nothing is a continuation that does nothing.
type nothing struct{}

func (nothing) Step(cluster.Poster, int32, cluster.Done) {}

// parks makes a thread of a rank appear parked in a receive from a peer.
func parks(e *engine, peer int32) *port {
	p := newPort(e, 0)
	p.open()
	e.cpu = &p.cpu
	p.hs = []cluster.Handle{e.start(&cluster.Op{Kind: cluster.KindRecv, Peer: peer, Tag: 7})}
	p.need, p.asleep = 1, true
	p.parked.Store(true)
	e.sleeping.Add(1)
	return p
}

// Ranks that appear stuck are checked again, because one of them may have continued during the
// first check.
func TestDeadlockIsConfirmed(t *testing.T) {
	for name, moves := range map[string]func(e *engine, p *port){
		"an event on the wire for one": func(e *engine, _ *port) { e.inflight.Add(1) },
		"a message has arrived at one": func(e *engine, _ *port) {
			e.deliver(&parcel{kind: parcelEager, src: 1, tag: 9})
		},
		"one was woken":             func(_ *engine, p *port) { p.parked.Store(false) },
		"one has slept again since": func(_ *engine, p *port) { p.sleeps++ },
		"one has another wait":      func(_ *engine, p *port) { p.need = 0 },
		"one has other ranks that may end it": func(e *engine, p *port) {
			p.hs = append(p.hs, e.start(&cluster.Op{Kind: cluster.KindRecv, Peer: 2}))
		},
		"": func(*engine, *port) {},
	} {
		t.Run(name, func(t *testing.T) {
			w := parkedWorld(3, 1)
			p := parks(w.engines[0], 1)
			parks(w.engines[1], 0)
			v := newSurvey(w)
			v.markDead()
			if v.views[0].live || v.views[1].live || !v.views[2].live {
				t.Fatalf("live: %v %v %v, want only rank 2", v.views[0].live, v.views[1].live, v.views[2].live)
			}
			moves(w.engines[0], p)
			if stuck := v.confirmDead(); (len(stuck) > 0) != (name == "") {
				t.Errorf("stuck: %v", stuck)
			}
		})
	}
}

// A VCI whose lock another thread holds stays urgent, because the holder may have checked before
// the new work arrived.
func TestUrgentLaneIsNotForgotten(t *testing.T) {
	w := parkedWorld(2, 2)
	e := w.engines[0]
	p := newPort(e, 0)
	p.open()
	e.cpu = &p.cpu
	e.markUrgent(1)
	e.vcis[1].mu.Lock()
	if p.serveUrgent() {
		t.Error("work was done in a VCI that another thread holds")
	}
	if e.urgent.Load() != 1<<1 {
		t.Errorf("urgent VCIs: %b, want VCI 1", e.urgent.Load())
	}
	e.vcis[1].mu.Unlock()
	p.serveUrgent()
	if e.urgent.Load() != 0 {
		t.Errorf("urgent VCIs: %b, want none after no work was found", e.urgent.Load())
	}
}

// An inter-node message uses the adapter that can start it first. Each direction has its own adapters. A handshake goes
// between the bytes of a message.
func TestWireTakesTheFreeAdapter(t *testing.T) {
	spec := clustertest.Spec(clustertest.Emulated(), 2, 1)
	spec.Machine.Classes[cluster.Remote].Adapters = 2
	spec.Dilation = 1
	w := &world{spec: spec, engines: make([]*engine, 2), node: []int32{0, 1}}
	x, err := newWire(w, 2)
	if err != nil {
		t.Fatal(err)
	}
	const second = int64(1e9)
	eager := parcel{kind: parcelEager, wire: 4e9 + 1} // a second at 4 GB/s
	data := parcel{kind: parcelData, wire: 4e9 + 1}
	handshake := parcel{kind: parcelRTS, wire: 1}
	for i, c := range []struct {
		way  []wireAdapter
		p    *parcel
		want int64
	}{
		{x.out[0], &eager, 0}, {x.out[0], &eager, 0}, {x.out[0], &data, second}, {x.out[0], &data, second},
		{x.out[0], &handshake, second}, {x.out[0], &eager, 2 * second}, {x.out[0], &handshake, second},
		{x.in[0], &eager, 0}, {x.out[1], &eager, 0},
	} {
		if got := x.passAdapter(c.way, 0, c.p); got != c.want {
			t.Errorf("message %d starts at %d ns, want %d ns", i, got, c.want)
		}
	}
}

// A wait for an invalid handle is reported, and does not crash the monitor.
func TestWaitForNothingIsToldOf(t *testing.T) {
	for _, threads := range []int{1, 2} {
		w := parkedWorld(2, threads)
		for i, e := range w.engines {
			p := parks(e, int32(1-i))
			p.hs, p.need = append(p.hs, 1<<40, 1<<40|1<<vciShift, 1<<40|9<<vciShift), 4
		}
		v := newSurvey(w)
		v.markDead()
		found := 0
		for _, wait := range v.confirmDead() {
			if strings.Contains(wait.Call, "invalid or freed handle") {
				found++
			}
		}
		if found != 6 {
			t.Errorf("%d threads per rank: %d waits for invalid handles, want 6", threads, found)
		}
	}
}

// The memory of a team is freed with its last member.
func TestFreedTeamsLeaveNothing(t *testing.T) {
	w := parkedWorld(2, 1)
	for ctx := int32(4); ctx < 400; ctx += 2 {
		for _, e := range w.engines {
			e.join(ctx, []int32{0, 1})
		}
		w.engines[0].removeMember(ctx)
		if len(w.barriers) != 1 {
			t.Fatalf("%d barriers while rank 1 has its own", len(w.barriers))
		}
		w.engines[1].removeMember(ctx)
	}
	if len(w.barriers) != 0 || len(w.engines[0].members) != 1 || len(w.engines[1].members) != 1 {
		t.Errorf("%d barriers, %d and %d members", len(w.barriers), len(w.engines[0].members), len(w.engines[1].members))
	}
}
