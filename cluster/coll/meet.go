package coll

import "math"

// The channels of the barriers before and after a call, above the channels of its messages.
const (
	channelEnter = math.MaxUint16 &^ 0x7f
	channelLeave = channelEnter + 0x40
	// maxSynchronized is the largest number of segments of a call with barriers.
	maxSynchronized = channelEnter
)

// enterBarrier makes all following nodes except receives wait until all members have begun.
func (b *Builder) enterBarrier() { b.entry = b.barrier(channelEnter, nil) }

// leaveBarrier ends a schedule when all members have ended theirs.
func (b *Builder) leaveBarrier() {
	last := make([]bool, len(b.s.Nodes))
	for i := range last {
		last[i] = true
	}
	for _, deps := range b.after {
		for _, d := range deps {
			last[d] = false
		}
	}
	b.s.exit = int32(len(b.s.Nodes))
	var ends []id
	for i, is := range last {
		if !is {
			continue
		}
		if len(ends) == math.MaxUint16 {
			ends = []id{b.join(ends)}
		}
		ends = append(ends, id(i))
	}
	all := b.copy(part(Out, 0, 0), part(Out, 0, 0), ends...)
	b.s.exited = int32(len(b.s.Nodes))
	b.barrier(channelLeave, []id{all})
}

// barrier builds a dissemination barrier after the nodes in after. It returns the node after which
// all members have arrived.
func (b *Builder) barrier(channel uint16, after []id) id {
	old := b.channel
	defer func() { b.channel = old }()
	have, _ := digits(b.P, 2)
	all := none
	for i, w := range have {
		b.channel = channel + uint16(i)
		got := b.recv(me(-w), noWindow, after...)
		b.send(me(w), noWindow, after...)
		after, all = []id{got}, got
	}
	return all
}

// isFinal reports whether only the barrier at the end waits for a node.
func (s *Schedule) isFinal(node int32) bool {
	for _, next := range s.Next(int(node)) {
		if next < s.exit || next >= s.exited {
			return false
		}
	}
	return true
}
