package sim

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// A run is checked for stuck ranks while others continue: first after a number of events, then each
// time that the number has doubled, and later periodically. A check takes time in proportion to the
// number of threads. Early checks therefore wait until there are at least as many events as threads.
const (
	firstSurvey  = 1 << 14
	surveyPeriod = 1 << 20
)

// surveyed reports whether a run is checked after a number of events, a multiple of firstSurvey.
func (w *world) surveyed(events uint64) bool {
	return events%surveyPeriod == 0 || events < surveyPeriod && events&(events-1) == 0 && events >= uint64(len(w.threads))
}

// stuck finds ranks that no event concerns and that only other such ranks could wake. A wait for any
// source or an event counts as possible as long as any rank can continue.
func (w *world) stuck() []cluster.Wait {
	live := w.concerned()
	if slices.Contains(live, true) {
		newSurvey(w, live).spread()
	}
	return w.waits(live, math.MaxInt)
}

// concerned reports, by rank, whether a thread of it runs or an event concerns it.
func (w *world) concerned() []bool {
	live := make([]bool, len(w.ranks))
	for i := range w.ranks {
		live[i] = w.ranks[i].busy()
	}
	for e := range w.queue.events() {
		switch ref := e.ref(); e.kind() {
		case evInject, evLink, evReach, evArrive, evComplete:
			live[w.msgs[ref].src] = true
			live[w.msgs[ref].dst] = true
		default:
			live[w.threads[ref].r.id] = true
		}
	}
	return live
}

// busy reports whether a thread of the rank runs or will run.
func (r *rank) busy() bool {
	return r.main.runs() || slices.ContainsFunc(r.region, (*thread).runs)
}

// runs reports whether the thread runs, or an event will resume it.
func (t *thread) runs() bool { return t.state == threadReady || t.state == threadRuns }

// survey reduces an AND-OR graph. A live rank can complete operations of waiting threads. A thread
// with enough such operations makes its own rank live. Each rank and each wait is handled once, so a
// survey takes time in proportion to the threads and the members of teams.
type survey struct {
	w     *world
	live  []bool
	queue []int32 // live ranks whose consequences are open
	needs []int32 // operations that live ranks must still complete, by thread
	first []int32 // by rank: index of the first link, + 1, of the threads that wait for it; 0: none
	links []link
	teams map[*barrier]*teamWaits
	late  map[int32][]*teamWaits // by rank: teams that it has not made yet
}

// link is an element of a list of threads.
type link struct{ thread, next int32 }

// teamWaits has the waits of a team.
type teamWaits struct {
	gen        uint32  // number of barriers that a waiting member has entered
	absent     int     // members that have not entered the barrier and are not live
	forBarrier []int32 // threads that wait until absent is 0
	forAny     []int32 // threads that wait for any member
}

func newSurvey(w *world, live []bool) *survey {
	s := &survey{w: w, live: live, needs: make([]int32, len(w.threads)), first: make([]int32, len(w.ranks)),
		teams: map[*barrier]*teamWaits{}, late: map[int32][]*teamWaits{}}
	for i, t := range w.threads {
		if t.state == threadWaits && !live[t.r.id] {
			s.needs[i] = t.left
			for _, h := range t.hs {
				if t.waitsFor(h) {
					s.register(int32(i), t, h)
				}
			}
		}
	}
	return s
}

// team returns the waits of a member's team.
func (s *survey) team(m *member) *teamWaits {
	x := s.teams[m.b]
	if x == nil {
		x = &teamWaits{}
		s.teams[m.b] = x
		for _, id := range m.b.ranks {
			if !s.w.ranks[id].isIn(m.ctx) {
				s.late[id] = append(s.late[id], x)
			}
		}
	}
	return x
}

// register records which ranks can complete an operation of a waiting thread.
func (s *survey) register(i int32, t *thread, h cluster.Handle) {
	if h&barrierBit != 0 {
		m := t.r.memberOf(h)
		x := s.team(m)
		if x.forBarrier == nil {
			x.gen, x.absent = m.gen, len(s.w.absent(m))
		}
		x.forBarrier = append(x.forBarrier, i)
		return
	}
	op := t.r.slots.find(h)
	if op.kind == cluster.KindFlagWait || op.kind == cluster.KindTree {
		x := s.team(t.r.memberIn(op.ctx))
		x.forAny = append(x.forAny, i)
		return
	}
	if _, anyRank := op.waker(); anyRank {
		s.needs[i]--
		return
	}
	s.links = append(s.links, link{thread: i, next: s.first[op.peer]})
	s.first[op.peer] = int32(len(s.links))
}

// spread makes all ranks live that live ranks can continue, directly or through others.
func (s *survey) spread() {
	for id, live := range s.live {
		if live {
			s.queue = append(s.queue, int32(id))
		}
	}
	for i, t := range s.w.threads {
		if t.state == threadWaits {
			s.check(int32(i))
		}
	}
	for len(s.queue) > 0 {
		id := s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		for k := s.first[id]; k != 0; k = s.links[k-1].next {
			s.satisfy(s.links[k-1].thread)
		}
		s.join(&s.w.ranks[id])
	}
}

// join completes operations that need a live member of the rank's teams. The rank may also make the
// teams of which it will be a member: at its begin, or in a split.
func (s *survey) join(r *rank) {
	for i := range r.members {
		if x := s.teams[r.members[i].b]; x != nil {
			s.joinTeam(x, r.members[i].gen)
		}
	}
	for _, x := range s.late[r.id] {
		s.joinTeam(x, 0)
	}
}

// joinTeam is join for one team, of which the member has entered gen barriers.
func (s *survey) joinTeam(x *teamWaits, gen uint32) {
	for _, t := range x.forAny {
		s.satisfy(t)
	}
	x.forAny = nil
	if x.absent > 0 && gen < x.gen {
		if x.absent--; x.absent == 0 {
			for _, t := range x.forBarrier {
				s.satisfy(t)
			}
		}
	}
}

// isIn reports whether a rank has made the team of a context.
func (r *rank) isIn(ctx int32) bool {
	return slices.ContainsFunc(r.members, func(m member) bool { return m.ctx == ctx })
}

// satisfy counts an operation of a thread that live ranks can complete.
func (s *survey) satisfy(i int32) {
	s.needs[i]--
	s.check(i)
}

// check makes the rank of a thread live if live ranks can end the thread's wait.
func (s *survey) check(i int32) {
	if id := s.w.threads[i].r.id; s.needs[i] <= 0 && !s.live[id] {
		s.live[id] = true
		s.queue = append(s.queue, id)
	}
}
