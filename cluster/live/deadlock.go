package live

import (
	"fmt"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// The interval of the monitor's checks. While no rank parks, it doubles up to the longest one.
const (
	monitorPeriod = 25 * time.Millisecond
	longestPeriod = 40 * monitorPeriod
)

// monitor looks for ranks that can never continue. It checks only ranks that slept for a whole
// period, so a busy cluster costs almost nothing. In a paused one it rarely wakes.
func (w *world) monitor() {
	defer w.others.Done()
	if w.remote != nil && w.remote.me != 0 {
		w.answer()
		return
	}
	tick := time.NewTicker(monitorPeriod)
	defer tick.Stop()
	v, period := newSurvey(w), monitorPeriod
	for {
		select {
		case <-tick.C:
		case <-w.over:
			return
		}
		if stuck := v.findDeadlock(); len(stuck) > 0 {
			w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: stuck})
			return
		}
		period = v.nextPeriod(period)
		tick.Reset(period)
	}
}

// nextPeriod returns the time until the next check.
func (v *survey) nextPeriod(period time.Duration) time.Duration {
	if v.parked {
		return monitorPeriod
	}
	return min(2*period, longestPeriod)
}

// need is one handle that a parked thread waits for.
type need struct {
	kind      cluster.Kind
	peer, tag int32
	size, off int64
	ranks     []int32 // ranks that could end it
	any       bool    // any of them can end it; otherwise all are needed
	remote    bool    // barrier number gen of context ctx has members in several processes, and all are in ranks
	ctx       int32
	gen       uint32
}

// String describes the waiting call.
func (n *need) String() string {
	switch n.kind {
	case cluster.KindRecv, cluster.KindProbe, cluster.KindMprobe, cluster.KindMrecv, cluster.KindIprobe,
		cluster.KindImprobe:
		return fmt.Sprintf("%s from %s tag %s", n.kind, wildcard(n.peer), wildcard(n.tag))
	case cluster.KindSend, cluster.KindSsend:
		return fmt.Sprintf("%s to %d tag %d (%d B)", n.kind, n.peer, n.tag, n.size)
	case cluster.KindAwait:
		return fmt.Sprintf("await of the word at %d", n.off)
	case cluster.KindFlagWait:
		return fmt.Sprintf("%s for word %d", n.kind, n.tag)
	case cluster.KindBarrier, cluster.KindEvent, cluster.KindThreadBarrier:
		return n.kind.String()
	case cluster.KindNone:
		return "a wait for an invalid or freed handle"
	}
	return fmt.Sprintf("%s at %d", n.kind, n.peer)
}

func wildcard(n int32) string {
	if n < 0 {
		return "any"
	}
	return fmt.Sprint(n)
}

// sleeper is one parked thread as the monitor saw it.
type sleeper struct {
	port   *port // nil: in another process
	thread int
	sleeps uint64
	needed int // number of needs that must be met
	needs  []need
}

// rankView is one rank as the monitor saw it.
type rankView struct {
	live     bool // can continue by itself
	finished bool
	sleepers []sleeper
	parks    uint64 // number of parks; only in a job
}

// survey is the monitor's state: the current views, and the number of parks of each rank at the
// last check.
type survey struct {
	w      *world
	views  []rankView
	parks  []uint64
	all    []int32
	absent map[absentKey][]int32 // ranks that have not entered a barrier
	parked bool                  // a rank has parked since the check before

	questions uint64             // number of requests for reports; only in a job
	entries   []map[int32]uint32 // barriers that each rank has entered, by context; only in a job
}

type absentKey struct {
	b   *barrier
	gen uint32
}

func newSurvey(w *world) *survey {
	v := &survey{w: w, views: make([]rankView, len(w.engines)), parks: make([]uint64, len(w.engines)),
		all: make([]int32, len(w.engines)), absent: map[absentKey][]int32{}, entries: make([]map[int32]uint32, len(w.engines))}
	for i := range v.all {
		v.all[i] = int32(i)
	}
	return v
}

// viewRank reads the waits of a rank. A rank can continue if a thread is not parked, or if anything
// is pending or on the wire.
func (v *survey) viewRank(e *engine) rankView {
	s := rankView{finished: e.finished.Load()}
	if e.sleeping.Load() == 0 || e.inflight.Load() > 0 || e.away.Load() {
		s.live = true
		return s
	}
	e.portsMu.Lock()
	defer e.portsMu.Unlock()
	for _, p := range e.ports {
		p.waitMu.Lock()
		defer p.waitMu.Unlock()
		if !p.joining.Load() && (!p.parked.Load() || !p.asleep) {
			s.live = true
			return s
		}
	}
	if e.pendingWatched() {
		s.live = true
		return s
	}
	for _, p := range e.ports {
		if !p.joining.Load() {
			s.sleepers = append(s.sleepers, v.needsOf(p))
		}
	}
	s.live = len(s.sleepers) == 0
	return s
}

// needsOf returns the handles that a parked thread waits for.
func (v *survey) needsOf(p *port) sleeper {
	s := sleeper{port: p, thread: p.thread, sleeps: p.sleeps, needed: p.need}
	for _, h := range p.hs {
		switch {
		case h == 0:
			s.needed--
		case !p.e.isValid(h):
			s.needs = append(s.needs, need{kind: cluster.KindNone, any: true})
		case p.e.isDone(h):
			s.needed--
		case h&barrierBit != 0:
			m := p.e.memberOf(h)
			if h&boardBit != 0 {
				s.needs = append(s.needs, need{kind: cluster.KindFlagWait, tag: flagOf(h), ranks: m.b.ranks, any: true})
				continue
			}
			if m.b.remote != nil {
				s.needs = append(s.needs, need{kind: cluster.KindBarrier, ranks: m.b.ranks, remote: true, ctx: m.ctx, gen: uint32(h)})
				continue
			}
			s.needs = append(s.needs, need{kind: cluster.KindBarrier, ranks: v.absentFrom(m, uint32(h))})
		default:
			s.needs = append(s.needs, v.needOf(p.e, p.e.slotOf(h)))
		}
	}
	return s
}

// isValid reports whether a handle is valid. A thread that waits for another handle first has not
// checked it yet.
func (e *engine) isValid(h cluster.Handle) (is bool) {
	defer func() { is = recover() == nil }()
	e.isDone(h)
	return
}

func (v *survey) needOf(e *engine, s *slot) need {
	n := need{kind: s.kind, peer: s.peer, tag: s.tag, size: s.size, off: s.off}
	switch {
	case s.kind == cluster.KindAwait || s.kind == cluster.KindEvent:
		n.ranks, n.any = v.all, true
	case s.peer == cluster.AnySource:
		n.ranks, n.any = v.members(e, s.ctx), true
	default:
		n.ranks = []int32{s.peer}
	}
	return n
}

// absentFrom returns the members that have not entered a barrier.
func (v *survey) absentFrom(m *member, gen uint32) []int32 {
	key := absentKey{b: m.b, gen: gen}
	if list, ok := v.absent[key]; ok {
		return list
	}
	list := []int32{}
	for _, r := range key.b.ranks {
		if v.entered(r, m.ctx) != key.gen+1 {
			list = append(list, r)
		}
	}
	v.absent[key] = list
	return list
}

// entered returns the number of barriers of a context that a rank has entered.
func (v *survey) entered(rank, ctx int32) uint32 {
	v.w.membersMu.Lock()
	defer v.w.membersMu.Unlock()
	for _, m := range v.w.engines[rank].members {
		if m.ctx == ctx {
			return m.entered.Load()
		}
	}
	return 0
}

// members returns the ranks of a two-sided context or its collectives; all ranks if the context is
// unknown.
func (v *survey) members(e *engine, ctx int32) []int32 {
	v.w.membersMu.Lock()
	defer v.w.membersMu.Unlock()
	for _, m := range e.members {
		if m.b != nil && m.ctx == ctx&^1 {
			return m.b.ranks
		}
	}
	return v.all
}

// canWake reports whether live ranks can meet enough of a sleeper's needs. The monitor reduces this
// AND-OR graph until nothing changes.
func (s *sleeper) canWake(views []rankView) bool {
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
	return can >= s.needed
}

// isSame reports whether a thread is still in the same sleep with the same needs. A thread that has
// not been woken yet may have been released.
func (s *sleeper) isSame(o *sleeper) bool {
	if s.port != o.port || s.thread != o.thread || s.sleeps != o.sleeps || s.needed != o.needed || len(s.needs) != len(o.needs) {
		return false
	}
	for i := range s.needs {
		if len(s.needs[i].ranks) != len(o.needs[i].ranks) {
			return false
		}
	}
	return true
}

func sameSleep(a, b sleeper) bool { return a.isSame(&b) }

// findDeadlock finds ranks that only other stuck ranks could wake.
func (v *survey) findDeadlock() []cluster.Wait {
	if v.w.remote != nil {
		return v.findRemoteDeadlock()
	}
	v.markDead()
	return v.confirmDead()
}

// markDead reads the state of each rank, one after another, and marks the ranks as dead that no
// live rank could wake.
func (v *survey) markDead() {
	w, views := v.w, v.views
	clear(v.absent)
	v.parked = false
	for i := range w.engines {
		views[i] = v.lookAt(i)
	}
	v.reduce()
}

// lookAt returns the view of a rank. A rank is live if it is awake, or has parked since the last check.
func (v *survey) lookAt(i int) rankView {
	e := v.w.engines[i]
	parks := e.parks.Load()
	moved := parks != v.parks[i] || e.sleeping.Load() == 0
	v.parked = v.parked || parks != v.parks[i]
	v.parks[i] = parks
	if moved {
		return rankView{live: true}
	}
	return v.viewRank(e)
}

// reduce marks each rank as live that a live rank could wake. It reports whether an unfinished rank is dead.
func (v *survey) reduce() bool {
	views := v.views
	for changed := slices.ContainsFunc(views, isDead); changed; {
		changed = false
		for i := range views {
			s := &views[i]
			if s.live || s.finished {
				continue
			}
			for k := range s.sleepers {
				if s.sleepers[k].canWake(views) {
					s.live, changed = true, true
					break
				}
			}
		}
	}
	return slices.ContainsFunc(views, func(s rankView) bool { return !s.live && !s.finished })
}

func isDead(s rankView) bool { return !s.live }

// confirmDead checks the dead ranks again. If one of them has changed, the states were not from the
// same moment.
func (v *survey) confirmDead() []cluster.Wait {
	clear(v.absent)
	var stuck []cluster.Wait
	for i := range v.views {
		s := &v.views[i]
		if s.live {
			continue
		}
		now := v.viewRank(v.w.engines[i])
		if now.live || !slices.EqualFunc(now.sleepers, s.sleepers, sameSleep) {
			return nil
		}
		if !s.finished {
			stuck = append(stuck, waits(i, s.sleepers)...)
		}
	}
	return stuck
}

// parkedWaits returns the waits of parked threads, for the report of a cancel.
func (w *world) parkedWaits() []cluster.Wait {
	var out []cluster.Wait
	v := newSurvey(w)
	for i, e := range w.engines {
		if s := v.viewRank(e); !s.live && !s.finished {
			out = append(out, waits(i, s.sleepers)...)
		}
	}
	slices.SortStableFunc(out, compareWaits)
	return out
}

func waits(rank int, sleepers []sleeper) []cluster.Wait {
	var out []cluster.Wait
	for _, s := range sleepers {
		for k, n := range s.needs {
			if k == 4 {
				break // the first few handles of a long list are enough
			}
			wt := cluster.Wait{Rank: rank, Thread: s.thread, Call: n.String(), Any: n.any}
			wt.Of(n.kind, n.peer, n.tag, n.size)
			for _, r := range n.ranks {
				if int(r) != rank || !n.any {
					wt.For = append(wt.For, int(r))
				}
			}
			out = append(out, wt)
		}
	}
	return out
}
