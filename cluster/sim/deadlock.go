package sim

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// fullWaits is the maximum number of waits for which all ranks that could end them are listed.
// Listing all ranks for all waits would be quadratic.
const fullWaits = 128

// waits lists the waiting ranks, except spared ones (nil: none). If no event is left, these are
// exactly the stuck ranks.
func (w *world) waits(spared []bool) []cluster.Wait {
	var out []cluster.Wait
	for _, t := range w.threads {
		if t.state != threadWaits || spared != nil && spared[t.r.id] {
			continue
		}
		n := 0
		for _, h := range t.hs {
			if h == 0 || t.isDone(h) {
				continue
			}
			if n++; n > 4 {
				break // the first few of a long list are enough
			}
			out = append(out, w.waitOf(t, h, len(out) < fullWaits))
		}
	}
	return out
}

// waitOf describes a wait; full: with all ranks that could end it.
func (w *world) waitOf(t *thread, h cluster.Handle, full bool) cluster.Wait {
	x := cluster.Wait{Rank: int(t.r.id), Thread: int(t.number)}
	others := func(ctx int32) {
		x.For, x.Any = nil, true
		if full {
			x.For = w.others(t.r, ctx)
		}
	}
	if h&barrierBit != 0 {
		m := t.r.memberOf(h)
		x.Call = "barrier"
		x.Of(cluster.KindBarrier, -1, -1, 0)
		for _, id := range m.b.ranks {
			if full && !w.ranks[id].entered(m) {
				x.For = append(x.For, int(id))
			}
		}
		return x
	}
	s := t.r.slots.find(h)
	x.Of(s.kind, s.peer, s.tag, s.size)
	x.For = []int{int(s.peer)}
	switch s.kind {
	case cluster.KindRecv, cluster.KindProbe, cluster.KindMprobe, cluster.KindMrecv:
		x.Call = fmt.Sprintf("%s from %s tag %s", s.kind, wildcard(s.peer), wildcard(s.tag))
		if s.peer == cluster.AnySource {
			others(s.ctx)
		}
	case cluster.KindSend, cluster.KindSsend:
		x.Call = fmt.Sprintf("%s to %d tag %d (%d B)", s.kind, s.peer, s.tag, s.size)
	case cluster.KindAwait:
		x.Call = fmt.Sprintf("await of the word at %d", s.more.off)
		others(-1)
	case cluster.KindReached:
		x.Call = fmt.Sprintf("%s for word %d", s.kind, s.tag)
		others(s.ctx)
	case cluster.KindTree:
		x.Call = s.kind.String()
		others(s.ctx)
	case cluster.KindMeet:
		x.Call = s.kind.String()
	case cluster.KindEvent:
		x.Call = "event"
		others(-1)
	default:
		x.Call = fmt.Sprintf("%s at %d", s.kind, s.peer)
	}
	return x
}

func wildcard(n int32) string {
	if n < 0 {
		return "any"
	}
	return fmt.Sprint(n)
}

// entered reports whether a rank has entered the barrier that another waits in.
func (r *rank) entered(of *member) bool {
	for i := range r.members {
		if m := &r.members[i]; m.ctx == of.ctx {
			return m.gen >= of.gen
		}
	}
	return false
}

// others returns the other ranks of a context, or of the cluster if the context is unknown.
func (w *world) others(r *rank, ctx int32) []int {
	for i := range r.members {
		if m := &r.members[i]; ctx >= 0 && m.ctx == ctx&^1 {
			return except(m.b.ranks, r.id)
		}
	}
	all := make([]int32, len(w.ranks))
	for i := range all {
		all[i] = int32(i)
	}
	return except(all, r.id)
}

func except(ranks []int32, id int32) []int {
	var out []int
	for _, x := range ranks {
		if x != id {
			out = append(out, int(x))
		}
	}
	return out
}

// A run is checked for stuck ranks while others continue: first after a number of events, then each
// time that the number has doubled, and later periodically.
const (
	firstSurvey  = 1 << 14
	surveyPeriod = 1 << 20
)

// surveyed reports whether a run is checked after a number of events, a multiple of firstSurvey.
func surveyed(events uint64) bool {
	return events%surveyPeriod == 0 || events < surveyPeriod && events&(events-1) == 0
}

// stuck finds ranks that no event concerns and that only other such ranks could wake. It reduces an
// AND-OR graph until nothing changes. A wait for any source, a flag or an event counts as hopeful
// as long as any rank can continue.
func (w *world) stuck() []cluster.Wait {
	live := make([]bool, len(w.ranks))
	for i := range w.ranks {
		live[i] = w.ranks[i].busy()
	}
	for e := range w.queue.events() {
		switch ref := e.ref(); e.kind() {
		case evInject, evLink, evReach, evArrive, evComplete:
			live[w.msgs[ref].src], live[w.msgs[ref].dst] = true, true
		default:
			live[w.threads[ref].r.id] = true
		}
	}
	any := false
	for i := range live {
		any = any || live[i]
	}
	absent := map[*barrier][]int32{}
	for changed := any; changed; {
		changed = false
		for _, t := range w.threads {
			if !live[t.r.id] && t.state == threadWaits && w.hopeful(t, live, absent) {
				live[t.r.id], changed = true, true
			}
		}
	}
	return w.waits(live)
}

// busy reports whether a thread of the rank runs or will run.
func (r *rank) busy() bool {
	idle := func(t *thread) bool {
		return t.state == threadWaits || t.state == threadJoins || t.state == threadEnded
	}
	for _, t := range r.region {
		if !idle(t) {
			return true
		}
	}
	return !idle(r.main)
}

// hopeful reports whether live ranks can end a thread's wait.
func (w *world) hopeful(t *thread, live []bool, absent map[*barrier][]int32) bool {
	left := t.left
	for _, h := range t.hs {
		if h != 0 && !t.isDone(h) && w.canEnd(t, h, live, absent) {
			left--
		}
	}
	return left <= 0
}

func (w *world) canEnd(t *thread, h cluster.Handle, live []bool, absent map[*barrier][]int32) bool {
	if h&barrierBit == 0 {
		s := t.r.slots.find(h)
		if s.kind == cluster.KindReached || s.kind == cluster.KindTree {
			return slices.ContainsFunc(t.r.memberIn(s.ctx).b.ranks, func(id int32) bool { return id != t.r.id && live[id] })
		}
		if s.kind == cluster.KindAwait || s.kind == cluster.KindEvent || s.peer == cluster.AnySource {
			return true
		}
		return live[s.peer]
	}
	m := t.r.memberOf(h)
	list, ok := absent[m.b]
	if !ok {
		for _, id := range m.b.ranks {
			if !w.ranks[id].entered(m) {
				list = append(list, id)
			}
		}
		absent[m.b] = list
	}
	for _, id := range list {
		if !live[id] {
			return false
		}
	}
	return true
}
