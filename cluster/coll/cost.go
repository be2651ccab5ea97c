package coll

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Cost is what messages and bytes cost, in LogGP's terms. A message of n bytes takes
// the sender's processor o, waits until the adapter has let the last one out, leaves
// as its first byte does, is all there L + (n−1)G later, and takes the receiver's
// processor o. Adapters begin messages at least g + (n−1)G apart, each way.
type Cost struct {
	L, O, Gap cluster.Time
	G         cluster.Time // a byte
	Copy      cluster.Time // a byte copied
	Combine   cluster.Time // a byte reduced
	Network   CollectiveNetwork
	lands     bool         // messages are puts: they take no processor of the receiver
	pulls     cluster.Time // messages are gets, which ask for their bytes and acknowledge them: there and back; 0: they are not
}

// CostOf gives the terms of a machine's links between nodes; copying and reducing
// take its memory rate.
func CostOf(m *cluster.Machine) (Cost, error) {
	l := m.Classes[cluster.Remote]
	c := Cost{L: l.Latency, O: l.Overhead, Gap: l.Gap}
	if l.Bandwidth > 0 {
		c.G = cluster.FromSeconds(1 / l.Bandwidth)
	}
	if m.MemoryRate > 0 {
		c.Copy = cluster.FromSeconds(2 / m.MemoryRate)
		c.Combine = cluster.FromSeconds(3 / m.MemoryRate)
	}
	if net := &m.CollectiveNetwork; net.Bandwidth > 0 {
		c.Network = CollectiveNetwork{L: net.Latency, Barrier: net.Barrier, G: cluster.FromSeconds(1 / net.Bandwidth)}
	}
	if c.L+c.O+c.Gap+c.G <= 0 {
		return Cost{}, fmt.Errorf("machine %s has no latency, overhead, gap or bandwidth between nodes: nothing to price messages by", m.Name)
	}
	return c, nil
}

// unit makes each message a step: a rank sends one at a time and receives one at a
// time.
var unit = Cost{L: 1, Gap: 1, Network: CollectiveNetwork{L: 1, Barrier: 1}}

// carry is what follows the first byte.
func (c *Cost) carry(n int64) cluster.Time { return c.G * cluster.Time(max(n-1, 0)) }

// in is what a message takes of the receiver's processor.
func (c *Cost) in() cluster.Time {
	switch {
	case c.lands:
		return 0
	case c.pulls > 0:
		return 2 * c.O
	}
	return c.O
}

// landing is the least time from one message into a buffer to the next one, where so many
// buffers take turns and each message has work after it: bytes that are got leave for a
// buffer only once it is free. Where bytes of other messages leave meanwhile, those are
// ahead at the adapters: of the request, and of the bytes that it asks for. With b buffers
// and w bytes' time ahead it is (in + 2L + (n−1)G + work + (b−1)w)/b: a single buffer's
// request leaves before others ask. Bytes that are sent do not wait.
func (c *Cost) landing(buffers int, n int64, work, ahead cluster.Time) cluster.Time {
	if c.pulls == 0 || buffers == 0 {
		return 0
	}
	b := cluster.Time(buffers)
	return (c.in() + c.pulls + c.carry(n) + work + (b-1)*ahead) / b
}

// leaves is what so many messages in a row take of the adapter that they leave by.
func (c *Cost) leaves(m int, n int64) cluster.Time { return cluster.Time(m) * (c.Gap + c.carry(n)) }

// offers is what goes of that adapter before so many messages that are got.
func (c *Cost) offers(m int) cluster.Time {
	if c.pulls == 0 {
		return 0
	}
	return cluster.Time(m) * c.Gap
}

// message is the time from the start of a send to the end of its receive.
func (c *Cost) message(n int64) cluster.Time { return c.O + c.L + c.carry(n) + c.in() }

// apart is from one of several sends in a row to the next.
func (c *Cost) apart(n int64) cluster.Time { return max(c.O, c.Gap+c.carry(n)) }

// round is from the start of a rank's sends of the given sizes, in a row, to the end of
// its receives of as many, each with work a byte after it.
func (c *Cost) round(sizes []int64, work cluster.Time) cluster.Time {
	var processor, adapter cluster.Time
	landed := make([]cluster.Time, len(sizes))
	for i, n := range sizes {
		processor += c.O
		leaves := max(processor, adapter)
		adapter = leaves + c.Gap + c.carry(n)
		landed[i] = leaves + c.L + c.carry(n)
	}
	for i, n := range sizes {
		processor = max(processor, landed[i]) + c.in() + work*cluster.Time(n)
	}
	return processor
}

// all is round of m messages of one size.
func (c *Cost) all(m int32, n int64) cluster.Time {
	return c.round(slices.Repeat([]int64{n}, int(m)), 0)
}

func (c *Cost) copies(n int64) cluster.Time   { return c.Copy * cluster.Time(n) }
func (c *Cost) combines(n int64) cluster.Time { return c.Combine * cluster.Time(n) }

// rounds is ⌈log₂ p⌉.
func rounds(p int32) int { return bits.Len32(uint32(p - 1)) }

// Local returns the time of a node that copies or combines n bytes.
func (c *Cost) Local(k Kind, n int64) cluster.Time {
	if k == Copy {
		return c.copies(n)
	}
	return c.combines(n)
}

// Predict is the time of the last rank to end, on n bytes (of each block where blocks
// go by member), all starting at once and nothing in each other's way.
func (k Key) Predict(c *Cost, n int64) cluster.Time {
	switch {
	case k.Ranks > 1:
		of, more := k.cost(c)
		return more + k.Algorithm.Predict(&of, k, n)
	case k.Algorithm.Collective == OpBcast || k.Algorithm.Collective == OpBarrier:
		return 0
	}
	return c.copies(n)
}

// cost is what messages cost in the key's modes, and what comes before and after them
// all.
func (k Key) cost(c *Cost) (of Cost, more cluster.Time) {
	of = *c
	of.lands = k.Transfer.lands()
	if k.Transfer == Rendezvous { // an offer and a request go before the bytes, an acknowledgement after the last
		of.pulls = 2 * c.L
		of.L += of.pulls
		more += c.L
	}
	if n := k.asksFirst(); n > 0 {
		more += cluster.Time(n)*c.O + c.L
	}
	for _, s := range []Sync{k.In, k.Out} {
		if s == AllSync {
			flag := *c
			flag.lands = k.Transfer.OneSided()
			more += cluster.Time(rounds(k.Ranks)) * flag.message(0)
		}
	}
	return of, more
}

// asksFirst is how many of the others a member asks for puts before the first can go; 0: by
// the time that puts have to be asked for others are under way, into buffers of the library.
// All members of a collective without a root ask at once, each of its peers.
func (k Key) asksFirst() int {
	if !k.asks() || k.Algorithm.Collective == OpBarrier {
		return 0
	}
	k.Segments = 1
	const small = 32
	if k.Ranks > 2*small { // a member has all others as peers, or some more with each doubling
		few, more, doublings := k, k, rounds(k.Ranks)-rounds(small)
		few.Ranks, more.Ranks = small, 2*small
		least, step := few.asksFirst(), more.asksFirst()-few.asksFirst()
		if step == small {
			return int(k.Ranks) - 1
		}
		return least + doublings*step
	}
	most := 0
	for _, rel := range slices.Compact([]int32{0, 1, min(2, k.Ranks-1), k.Ranks - 1}) {
		s := k.Make(rel)
		var peers []Peer
		behind := make([]bool, len(s.Nodes)) // a receive
		for i := range s.Nodes {
			n := &s.Nodes[i]
			recv := n.Kind == Recv && n.Ref.N != 0
			if recv && n.Ref.Buf >= temps && !behind[i] {
				return 0
			}
			if recv && n.Ref.Buf == Out && !slices.Contains(peers, n.Peer) {
				peers = append(peers, n.Peer)
			}
			for _, next := range s.Next(i) {
				behind[next] = behind[next] || recv || behind[i]
			}
		}
		most = max(most, len(peers))
	}
	if k.Algorithm.Collective.Rooted() {
		return min(most, 1)
	}
	return most
}

// digits lists the rounds of a dissemination among p ranks: the distance of each, and
// how many messages of a rank it has.
func digits(p, k int32) (have, messages []int32) {
	for w := int64(1); w < int64(p); w *= int64(k) {
		have = append(have, int32(w))
		messages = append(messages, int32(min(int64(k-1), int64(p-1)/w)))
	}
	return have, messages
}
