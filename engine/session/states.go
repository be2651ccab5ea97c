package session

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// The last second of states is kept in windows of one publishing period each.
const stateWindows = 20

// ranksPerLook bounds what a look costs: with more ranks there are fewer looks.
const ranksPerLook = 1024

// looks samples what ranks do. Of each rank it keeps what it did at the last look, and
// how often it was seen in each state.
type looks struct {
	now   []cluster.State
	seen  []byte // lookBytes a rank
	left  []byte // the frame before has them
	fresh bool   // there was a look since
}

const lookBytes = 1 + cluster.States

// look samples the states at tick n of the session.
func (l *looks) look(r cluster.Run, n int) {
	if n%(1+len(l.now)/ranksPerLook) != 0 {
		return
	}
	l.now = r.States(l.now[:0])
	if len(l.seen) != lookBytes*len(l.now) {
		l.seen = make([]byte, lookBytes*len(l.now))
	}
	l.fresh = true
	for rank, state := range l.now {
		one := l.seen[lookBytes*rank : lookBytes*(rank+1)]
		one[0] = byte(state)
		if one[1+state] < 255 {
			one[1+state]++
		}
	}
}

// leave gives what was seen since the last time; nil: there was no look.
func (l *looks) leave() []byte {
	if !l.fresh {
		return nil
	}
	seen := l.seen
	l.seen, l.left, l.fresh = l.left, seen, false
	clear(l.seen)
	return seen
}

// states is what all ranks were seen to do lately.
type states struct {
	now     []cluster.State
	windows [stateWindows][]tally
	at      int // the window being filled
}

// tally counts the looks at one rank, by state.
type tally [cluster.States]uint8

// turn begins a window.
func (s *states) turn() {
	s.at = (s.at + 1) % stateWindows
	clear(s.windows[s.at])
}

// take adds a frame's looks to the window, of all ranks of a layout.
func (s *states) take(f *frame, ranks int) {
	if f.states == nil {
		return
	}
	if len(s.now) != ranks {
		s.now = make([]cluster.State, ranks)
	}
	w := &s.windows[s.at]
	if len(*w) != ranks {
		*w = make([]tally, ranks)
	}
	for i := range len(f.states) / lookBytes {
		one := f.states[lookBytes*i : lookBytes*(i+1)]
		s.now[f.first+i] = cluster.State(one[0])
		t := &(*w)[f.first+i]
		for state := range t {
			t[state] = uint8(min(int(t[state])+int(one[1+state]), 255))
		}
	}
}

// views shows each rank with the shares of the last second.
func (s *states) views(l *cluster.Layout, phase engine.Phase) []engine.RankView {
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
