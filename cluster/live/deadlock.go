package live

import (
	"fmt"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// monitorPeriod is how often the monitor looks.
const monitorPeriod = 25 * time.Millisecond

// monitor looks for ranks that can never go on.
func (w *world) monitor() {
	defer w.others.Done()
	tick := time.NewTicker(monitorPeriod)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-w.over:
			return
		}
		if stuck := w.deadlocked(); len(stuck) > 0 {
			w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: stuck})
			return
		}
	}
}

// need is one handle that a parked thread waits for.
type need struct {
	call  string
	ranks []int32 // that could end it
	any   bool    // one of them would do; else all are needed
}

// sleeper is one parked thread as the monitor saw it.
type sleeper struct {
	port   *port
	sleeps uint64
	want   int // of the needs
	needs  []need
}

// seen is one rank as the monitor saw it.
type seen struct {
	live     bool // can go on by itself
	finished bool
	sleepers []sleeper
}

// look reads what a rank waits for. A rank with a thread that is not parked, or
// with anything pending or on the wire, can go on.
func (w *world) look(e *engine) seen {
	v := seen{finished: e.finished.Load()}
	if e.attention.Load() == 0 || e.inflight.Load() > 0 || e.away.Load() {
		v.live = true
		return v
	}
	e.portsMu.Lock()
	defer e.portsMu.Unlock()
	for _, p := range e.ports {
		p.waitMu.Lock()
		defer p.waitMu.Unlock()
		if !p.parked.Load() || !p.asleep {
			v.live = true
			return v
		}
	}
	if len(e.ports) == 0 || e.pending() {
		v.live = len(e.ports) > 0
		return v
	}
	for _, p := range e.ports {
		v.sleepers = append(v.sleepers, w.wants(p))
	}
	return v
}

// wants lists what a parked thread waits for.
func (w *world) wants(p *port) sleeper {
	s := sleeper{port: p, sleeps: p.sleeps, want: p.need}
	for _, h := range p.hs {
		if h == 0 {
			s.want--
			continue
		}
		o := p.e.slots.at(uint32(h))
		if o.state.Load() == slotDone || o.opened() {
			s.want--
			continue
		}
		s.needs = append(s.needs, w.needOf(p.e, o))
	}
	return s
}

func (w *world) needOf(e *engine, s *slot) need {
	switch s.kind {
	case cluster.KindRecv, cluster.KindProbe, cluster.KindMprobe, cluster.KindMrecv:
		n := need{call: fmt.Sprintf("%s from %s tag %s", s.kind, wildcard(s.peer), wildcard(s.tag)), ranks: []int32{s.peer}}
		if s.peer == cluster.AnySource {
			n.ranks, n.any = w.peersIn(e, s.ctx), true
		}
		return n
	case cluster.KindSend, cluster.KindSsend:
		return need{call: fmt.Sprintf("%s to %d tag %d (%d B)", s.kind, s.peer, s.tag, s.size), ranks: []int32{s.peer}}
	case cluster.KindBarrier:
		n := need{call: "barrier"}
		for _, r := range s.member.b.ranks {
			if r != e.id && w.notified(r, s.member) != s.arg2+1 {
				n.ranks = append(n.ranks, r)
			}
		}
		return n
	case cluster.KindAwait:
		return need{call: fmt.Sprintf("await of the word at %d", s.off), ranks: w.peersIn(e, -1), any: true}
	case cluster.KindEvent:
		return need{call: "event", ranks: w.peersIn(e, -1), any: true}
	}
	return need{call: fmt.Sprintf("%s at %d", s.kind, s.peer), ranks: []int32{s.peer}}
}

func wildcard(n int32) string {
	if n < 0 {
		return "any"
	}
	return fmt.Sprint(n)
}

// notified is how many barriers of a context a rank has entered.
func (w *world) notified(rank int32, m *member) uint32 {
	w.membersMu.Lock()
	defer w.membersMu.Unlock()
	for _, o := range w.engines[rank].members {
		if o.ctx == m.ctx {
			return o.notified.Load()
		}
	}
	return 0
}

// peersIn lists the other ranks of a context; of the cluster where the context is
// not known.
func (w *world) peersIn(e *engine, ctx int32) []int32 {
	var out []int32
	w.membersMu.Lock()
	defer w.membersMu.Unlock()
	for _, m := range e.members {
		if m.ctx == ctx&^1 && ctx >= 0 {
			for _, r := range m.b.ranks {
				if r != e.id {
					out = append(out, r)
				}
			}
			return out
		}
	}
	for i := range w.engines {
		if int32(i) != e.id {
			out = append(out, int32(i))
		}
	}
	return out
}

// met reports whether enough of a sleeper's needs can be met by live ranks: an
// AND-OR graph, reduced until nothing changes.
func (s *sleeper) met(views []seen) bool {
	can := 0
	for _, n := range s.needs {
		ok := !n.any
		for _, r := range n.ranks {
			if views[r].live == n.any {
				ok = n.any
				break
			}
		}
		if ok {
			can++
		}
	}
	return can >= s.want
}

// same reports whether a thread sleeps the same sleep, for the same reasons: who
// has not been woken yet may have been released.
func (s *sleeper) same(o *sleeper) bool {
	if s.port != o.port || s.sleeps != o.sleeps || s.want != o.want || len(s.needs) != len(o.needs) {
		return false
	}
	for i := range s.needs {
		if len(s.needs[i].ranks) != len(o.needs[i].ranks) {
			return false
		}
	}
	return true
}

// deadlocked finds ranks that only ranks like them could wake.
func (w *world) deadlocked() []cluster.Wait {
	views := make([]seen, len(w.engines))
	dead := 0
	for i, e := range w.engines {
		views[i] = w.look(e)
		if !views[i].live {
			dead++
		}
	}
	for changed := dead > 0; changed; {
		changed = false
		for i := range views {
			v := &views[i]
			if v.live || v.finished {
				continue
			}
			for k := range v.sleepers {
				if v.sleepers[k].met(views) {
					v.live, changed = true, true
					break
				}
			}
		}
	}
	var stuck []cluster.Wait
	for i := range views {
		v := &views[i]
		if v.live {
			continue
		}
		// Nobody of these may have moved since it was looked at, or the picture
		// is of two moments.
		now := w.look(w.engines[i])
		if now.live || len(now.sleepers) != len(v.sleepers) {
			return nil
		}
		for k := range now.sleepers {
			if !now.sleepers[k].same(&v.sleepers[k]) {
				return nil
			}
		}
		if !v.finished {
			stuck = append(stuck, waits(i, v.sleepers)...)
		}
	}
	return stuck
}

// parkedWaits lists who is parked on what, for the report of a cancel.
func (w *world) parkedWaits() []cluster.Wait {
	var out []cluster.Wait
	for i, e := range w.engines {
		if v := w.look(e); !v.live && !v.finished {
			out = append(out, waits(i, v.sleepers)...)
		}
	}
	return out
}

func waits(rank int, sleepers []sleeper) []cluster.Wait {
	var out []cluster.Wait
	for _, s := range sleepers {
		for k, n := range s.needs {
			if k == 4 {
				break // the first few of a long list of handles tell enough
			}
			wt := cluster.Wait{Rank: rank, Thread: s.port.thread, Call: n.call, Any: n.any}
			for _, r := range n.ranks {
				wt.For = append(wt.For, int(r))
			}
			out = append(out, wt)
		}
	}
	return out
}
