package coll

import "math"

// The channels of the barriers before and after a call, above the channels of its messages.
const (
	laneEnter = math.MaxUint16 &^ 0x7f
	laneLeave = laneEnter + 0x40
	// synchronized is the largest number of segments of a call with barriers.
	synchronized = laneEnter
)

// enter makes all following nodes except receives wait until all members have begun.
func (b *Builder) enter() { b.entry = b.meet(laneEnter, nil) }

// leave ends a schedule when all members have ended theirs.
func (b *Builder) leave() {
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
	b.meet(laneLeave, []id{all})
}

// meet builds a dissemination barrier after the nodes in told. It returns the node after which all
// members have arrived.
func (b *Builder) meet(lane uint16, told []id) id {
	was := b.lane
	defer func() { b.lane = was }()
	have, _ := digits(b.P, 2)
	all := none
	for i, w := range have {
		b.lane = lane + uint16(i)
		got := b.recv(me(-w), nothing, told...)
		b.send(me(w), nothing, told...)
		told, all = []id{got}, got
	}
	return all
}

// final reports whether only the barrier at the end waits for a node.
func (s *Schedule) final(node int32) bool {
	for _, next := range s.Next(int(node)) {
		if next < s.exit || next >= s.exited {
			return false
		}
	}
	return true
}
