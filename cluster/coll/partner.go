package coll

import "fmt"

// end is one end of a message, as the schedule of its rank has it.
type end struct {
	kind Kind
	lane uint16
	peer Peer // cyclic: from 0 to ranks − 1
}

// ends finds the nodes of a schedule that are ends of messages. A lane has one message
// from a rank to another in a call.
func (s *Schedule) ends() map[end]int32 {
	all := map[end]int32{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != Send && n.Kind != Recv {
			continue
		}
		e := end{n.Kind, n.Lane, n.Peer}
		if !e.peer.Xor {
			e.peer.D = wrap(e.peer.D, s.Ranks)
		}
		if _, twice := all[e]; twice {
			panic(fmt.Sprintf("coll: %s: two messages of one lane between two ranks", s.Collective))
		}
		all[e] = int32(i)
	}
	return all
}

// partners gives, by node of a rank's schedule, the other end of a message: its node
// in the schedule of the other rank.
func (c *Cache) partners(k Key, rel int32, s *Schedule) []int32 {
	alike := k.Algorithm.Class == nil // all ranks have one schedule
	if now := c.known.Load(); alike && now != nil {
		if p := now.partners[s]; p != nil {
			return p
		}
	}
	made := make([]int32, len(s.Nodes))
	pl := Place{Schedule: s, Rel: rel}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != Send && n.Kind != Recv {
			continue
		}
		other := end{kind: Recv + Send - n.Kind, lane: n.Lane, peer: n.Peer}
		if !n.Peer.Xor {
			other.peer.D = wrap(-n.Peer.D, s.Ranks)
		}
		j, there := c.ends(c.Schedule(k, pl.Peer(n.Peer)))[other]
		if !there {
			panic(fmt.Sprintf("coll: %s by %s: rank %d has no other end for node %d", s.Collective, k.Algorithm.Name, rel, i))
		}
		made[i] = j
	}
	if alike {
		c.update(func(next *known) { next.partners[s] = made })
	}
	return made
}

// others are the schedules of the messages' other ends, by node.
func (c *Cache) others(k Key, rel int32, s *Schedule) []*Schedule {
	if k.Algorithm.Class == nil {
		return nil
	}
	made := make([]*Schedule, len(s.Nodes))
	pl := Place{Schedule: s, Rel: rel}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Kind == Send || n.Kind == Recv {
			made[i] = c.Schedule(k, pl.Peer(n.Peer))
		}
	}
	return made
}

// leads gives, by node of a rank's schedule, where the other side of a put tells the
// sender of its buffer: of all messages from one rank to another the first that the
// receiver has. −1: it need not.
func (c *Cache) leads(k Key, rel int32, does *share) []int32 {
	made := make([]int32, len(does.Nodes))
	for i := range made {
		made[i] = none
	}
	if !k.asks() {
		return made
	}
	first := map[end]int32{} // by kind and peer: the receiver's node
	pl := Place{Schedule: does.Schedule, Rel: rel}
	visit := func(each func(i, recv int32, at end)) {
		for i := range does.Nodes {
			n := &does.Nodes[i]
			if n.Kind != Send && n.Kind != Recv {
				continue
			}
			peer := pl.Peer(n.Peer)
			recv, its := int32(i), n
			if n.Kind == Send {
				recv = does.partners[i]
				its = &c.Schedule(k, peer).Nodes[recv]
			}
			if k.asked(its) {
				each(int32(i), recv, end{kind: n.Kind, peer: me(peer)})
			}
		}
	}
	lead := map[end]int32{}
	visit(func(i, recv int32, at end) {
		if f, known := first[at]; !known || recv < f {
			first[at], lead[at] = recv, i
		}
	})
	visit(func(i, _ int32, at end) { made[i] = lead[at] })
	return made
}

// ends is the schedule's, made once.
func (c *Cache) ends(s *Schedule) map[end]int32 {
	if now := c.known.Load(); now != nil {
		if e := now.ends[s]; e != nil {
			return e
		}
	}
	made := s.ends()
	c.update(func(next *known) { next.ends[s] = made })
	return made
}
