package coll

import "fmt"

// messageEnd is one end of a message in the schedule of its rank.
type messageEnd struct {
	kind    Kind
	channel uint16
	peer    Peer // cyclic: 0 to ranks − 1
}

// ends returns the nodes of a schedule that are ends of messages. A channel carries one message
// from one rank to another in a call.
func (s *Schedule) ends() map[messageEnd]int32 {
	all := map[messageEnd]int32{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != Send && n.Kind != Recv {
			continue
		}
		e := messageEnd{kind: n.Kind, channel: n.Channel, peer: n.Peer}
		if !e.peer.Xor {
			e.peer.D = wrap(e.peer.D, s.Ranks)
		}
		if _, twice := all[e]; twice {
			panic(fmt.Sprintf("coll: %s: two messages in one channel between two ranks", s.Collective))
		}
		all[e] = int32(i)
	}
	return all
}

// partners returns, by node of a rank's schedule, the other end of a message: its node in the
// schedule of the other rank.
func (c *Cache) partners(k Key, rel int32, s *Schedule) []int32 {
	alike := k.Algorithm.Class == nil // all ranks have the same schedule
	if now := c.content.Load(); alike && now != nil {
		if p := now.partners.get(s); p != nil {
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
		other := messageEnd{kind: Recv + Send - n.Kind, channel: n.Channel, peer: n.Peer}
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
		c.update(func(next *cacheContent) { next.partners = next.partners.with(s, made) })
	}
	return made
}

// peerSchedules returns the schedules of the messages' other ends, by node.
func (c *Cache) peerSchedules(k Key, rel int32, s *Schedule) []*Schedule {
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

// ctsNodes returns, by node of a rank's schedule, the node whose flag carries the receiver's
// address and permission to the sender. It is the receiver's first node of all messages between the
// two ranks. −1: no CTS needed.
func (c *Cache) ctsNodes(k Key, rel int32, plan *plan) []int32 {
	made := make([]int32, len(plan.Nodes))
	for i := range made {
		made[i] = none
	}
	if !k.usesCTS() {
		return made
	}
	first := map[messageEnd]int32{} // by kind and peer: the receiver's node
	pl := Place{Schedule: plan.Schedule, Rel: rel}
	visit := func(each func(i, recv int32, at messageEnd)) {
		for i := range plan.Nodes {
			n := &plan.Nodes[i]
			if n.Kind != Send && n.Kind != Recv {
				continue
			}
			peer := pl.Peer(n.Peer)
			recv, n2 := int32(i), n
			if n.Kind == Send {
				recv = plan.partners[i]
				n2 = &c.Schedule(k, peer).Nodes[recv]
			}
			if k.needsCTS(n2) {
				each(int32(i), recv, messageEnd{kind: n.Kind, peer: me(peer)})
			}
		}
	}
	lead := map[messageEnd]int32{}
	visit(func(i, recv int32, at messageEnd) {
		if f, isSeen := first[at]; !isSeen || recv < f {
			first[at], lead[at] = recv, i
		}
	})
	visit(func(i, _ int32, at messageEnd) { made[i] = lead[at] })
	return made
}

// ends returns ends of the schedule, computed once.
func (c *Cache) ends(s *Schedule) map[messageEnd]int32 {
	if now := c.content.Load(); now != nil {
		if e := now.ends.get(s); e != nil {
			return e
		}
	}
	made := s.ends()
	c.update(func(next *cacheContent) { next.ends = next.ends.with(s, made) })
	return made
}
