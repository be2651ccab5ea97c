package session

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// stateWindows is the number of windows that cover the last second of states. A window is one
// publishing period.
const stateWindows = 20

// ranksPerSample limits the cost of sampling: with more ranks, states are sampled less often.
const ranksPerSample = 1024

// stateSampler samples the states of ranks. It stores the latest state of each rank and the number
// of times that each state was seen.
type stateSampler struct {
	now      []cluster.State
	seen     []byte // bytesPerRank for each rank
	previous []byte // in use by the previous frame
	fresh    bool   // sampled since then
}

const bytesPerRank = 1 + cluster.States

// sample samples the states at tick n of the session.
func (l *stateSampler) sample(r cluster.Run, n int) {
	if n%(1+len(l.now)/ranksPerSample) != 0 {
		return
	}
	l.now = r.States(l.now[:0])
	if len(l.seen) != bytesPerRank*len(l.now) {
		l.seen = make([]byte, bytesPerRank*len(l.now))
	}
	l.fresh = true
	for rank, state := range l.now {
		one := l.seen[bytesPerRank*rank : bytesPerRank*(rank+1)]
		one[0] = byte(state)
		if one[1+state] < 255 {
			one[1+state]++
		}
	}
}

// take returns the observations since the last call, or nil if there are none.
func (l *stateSampler) take() []byte {
	if !l.fresh {
		return nil
	}
	seen := l.seen
	l.seen = l.previous
	l.previous = seen
	l.fresh = false
	clear(l.seen)
	return seen
}

// states holds the recent states of all ranks.
type states struct {
	now     []cluster.State
	windows [stateWindows][]tally // nil: no observation
	at      int                   // current window
	spare   []tally               // memory for a window

	// The views of the previous snapshot. The next snapshot shares them if nothing has changed, because the views
	// of a million ranks take 112 MB.
	shown       []engine.RankView // nil: something has changed
	shownLayout cluster.Layout
	shownPhase  engine.Phase
}

// tally counts the observations of one rank by state.
type tally [cluster.States]uint8

// startWindow starts a window.
func (s *states) startWindow() {
	s.at = (s.at + 1) % stateWindows
	if old := s.windows[s.at]; old != nil {
		s.windows[s.at], s.spare, s.shown = nil, old, nil
	}
}

// take adds a frame's observations to the window; ranks is the number of ranks of the layout.
func (s *states) take(f *frame, ranks int) {
	if f.states == nil {
		return
	}
	if len(s.now) != ranks {
		s.now = make([]cluster.State, ranks)
	}
	s.shown = nil
	w := &s.windows[s.at]
	if len(*w) != ranks {
		if *w, s.spare = s.spare, nil; len(*w) != ranks {
			*w = make([]tally, ranks)
		}
		clear(*w)
	}
	for i := range len(f.states) / bytesPerRank {
		one := f.states[bytesPerRank*i : bytesPerRank*(i+1)]
		s.now[f.first+i] = cluster.State(one[0])
		t := &(*w)[f.first+i]
		for state := range t {
			t[state] = uint8(min(int(t[state])+int(one[1+state]), 255))
		}
	}
}

// views returns a view of each rank with its shares of the last second. Snapshots share the result, so the caller
// must not change it.
func (s *states) views(l *cluster.Layout, phase engine.Phase) []engine.RankView {
	if s.shown == nil || s.shownLayout != *l || s.shownPhase != phase {
		s.shown, s.shownLayout, s.shownPhase = s.newViews(l, phase), *l, phase
	}
	return s.shown
}

// newViews computes the views.
func (s *states) newViews(l *cluster.Layout, phase engine.Phase) []engine.RankView {
	views := make([]engine.RankView, l.Ranks())
	for rank := range views {
		v := &views[rank]
		v.Node, v.Group = l.NodeOf(rank), l.GroupOf(rank)
		if rank >= len(s.now) {
			continue
		}
		switch phase {
		case engine.Running:
			v.State = s.now[rank]
		case engine.Paused: // rank 0 waits for the user
			v.State = cluster.Waiting
		}
		sum := 0
		var counts [cluster.States]int
		for i := range s.windows {
			if rank < len(s.windows[i]) {
				for state, n := range s.windows[i][rank] {
					counts[state] += int(n)
					sum += int(n)
				}
			}
		}
		for state, n := range counts {
			if sum > 0 {
				v.Share[state] = float64(n) / float64(sum)
			}
		}
	}
	return views
}
