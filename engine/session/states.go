package session

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// The last second of states is kept in windows of one publishing period each.
const stateWindows = 20

// ranksPerLook bounds what a look costs: with more ranks there are fewer looks.
const ranksPerLook = 1024

// states samples what ranks do.
type states struct {
	now     []cluster.State
	windows [stateWindows][]tally
	at      int // the window being filled
}

// tally counts the looks at one rank, by state.
type tally [cluster.States]uint8

// look samples the states at tick n of the session.
func (s *states) look(r cluster.Run, n int) {
	if n%publishEvery == 0 {
		s.at = (s.at + 1) % stateWindows
		clear(s.windows[s.at])
	}
	if n%(1+len(s.now)/ranksPerLook) != 0 {
		return
	}
	s.now = r.States(s.now[:0])
	w := &s.windows[s.at]
	if len(*w) != len(s.now) {
		*w = make([]tally, len(s.now))
	}
	for rank, state := range s.now {
		(*w)[rank][state]++
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
		case engine.Paused: // rank 0 waits for a person
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
