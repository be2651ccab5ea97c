package sim

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// maxWakers limits the ranks that waits list as able to end them. The first wait lists all of its
// ranks. Listing all ranks for all waits would be quadratic.
const maxWakers = 1 << 17

// maxCancelled is the maximum number of waits that a cancelled run lists. A list of all would take
// seconds with many ranks.
const maxCancelled = 1 << 12

// maxListed is the maximum number of operations that are listed for one waiting thread.
const maxListed = 4

// waits lists the waiting ranks, except spared ones (nil: none), up to a number of waits. If no
// event is left, these are exactly the stuck ranks.
func (w *world) waits(spared []bool, limit int) []cluster.Wait {
	var out []cluster.Wait
	wakers := 0
	for _, t := range w.threads {
		if t.state != threadWaits || spared != nil && spared[t.r.id] {
			continue
		}
		listed := 0
		for _, h := range t.hs {
			if !t.waitsFor(h) {
				continue
			}
			if listed == maxListed {
				break
			}
			if len(out) == limit {
				return out
			}
			listed++
			x := w.waitOf(t, h, wakers < maxWakers)
			wakers += len(x.For)
			out = append(out, x)
		}
	}
	return out
}

// waitsFor reports whether the operation of a handle in the thread's wait is incomplete.
func (t *thread) waitsFor(h cluster.Handle) bool { return h != 0 && !t.isDone(h) }

// waitOf describes a wait; full: with all ranks that could end it.
func (w *world) waitOf(t *thread, h cluster.Handle, full bool) cluster.Wait {
	if h&barrierBit != 0 {
		return w.waitAtBarrier(t, t.r.memberOf(h), full)
	}
	s := t.r.slots.find(h)
	x := cluster.Wait{Rank: int(t.r.id), Thread: int(t.number), Call: describe(s)}
	x.Of(s.kind, s.peer, s.tag, s.size)
	ctx, anyRank := s.waker()
	switch {
	case !anyRank:
		x.For = []int{int(s.peer)}
	case full:
		x.For = w.others(t.r, ctx)
	}
	x.Any = anyRank
	return x
}

// waitAtBarrier describes a wait at a barrier; full: with all members that have not entered it.
func (w *world) waitAtBarrier(t *thread, m *member, full bool) cluster.Wait {
	x := cluster.Wait{Rank: int(t.r.id), Thread: int(t.number), Call: "barrier"}
	x.Of(cluster.KindBarrier, -1, -1, 0)
	if full {
		for _, id := range w.absent(m) {
			x.For = append(x.For, int(id))
		}
	}
	return x
}

// absent returns the members that have not entered the barrier that another waits in.
func (w *world) absent(of *member) []int32 {
	var list []int32
	for _, id := range of.b.ranks {
		if !w.ranks[id].entered(of) {
			list = append(list, id)
		}
	}
	return list
}

// clusterwide is the context of operations that ranks of all contexts can complete.
const clusterwide int32 = -1

// waker reports whether any other rank can complete an operation, and then the context of these
// ranks. Otherwise only the peer can.
func (s *slot) waker() (ctx int32, anyRank bool) {
	switch s.kind {
	case cluster.KindRecv, cluster.KindProbe, cluster.KindMprobe, cluster.KindMrecv:
		return s.ctx, s.peer == cluster.AnySource
	case cluster.KindAwait, cluster.KindEvent:
		return clusterwide, true
	case cluster.KindFlagWait, cluster.KindTree:
		return s.ctx, true
	}
	return s.ctx, false
}

// describe returns the call of an operation for an error.
func describe(s *slot) string {
	switch s.kind {
	case cluster.KindRecv, cluster.KindProbe, cluster.KindMprobe, cluster.KindMrecv:
		return fmt.Sprintf("%s from %s tag %s", s.kind, wildcard(s.peer), wildcard(s.tag))
	case cluster.KindSend, cluster.KindSsend:
		return fmt.Sprintf("%s to %d tag %d (%d B)", s.kind, s.peer, s.tag, s.size)
	case cluster.KindAwait:
		return fmt.Sprintf("await of the word at %d", s.more.off)
	case cluster.KindFlagWait:
		return fmt.Sprintf("%s for word %d", s.kind, s.tag)
	case cluster.KindTree, cluster.KindThreadBarrier:
		return s.kind.String()
	case cluster.KindEvent:
		return "event"
	}
	return fmt.Sprintf("%s at %d", s.kind, s.peer)
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

// others returns the other ranks of a context, or of the cluster if the context is clusterwide or
// unknown.
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
