package coll

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Cost has the costs of messages and bytes in LogGP's terms. A message of n bytes costs the
// sender's CPU o and waits until the adapter has injected the previous message. It arrives
// completely L + (n−1)G after its first byte leaves, and costs the receiver's CPU o. An adapter
// begins messages at least g + (n−1)G apart, in each direction.
type Cost struct {
	L, O, Gap cluster.Time
	G         cluster.Time // a byte
	Copy      cluster.Time // per byte copied
	Combine   cluster.Time // per byte reduced
	Network   CollectiveNetwork
	lands     bool         // messages are puts: no CPU time of the receiver
	pulls     cluster.Time // messages are gets: round trip of request and acknowledgement; 0: not gets
}

// CostOf returns the costs of a machine's inter-node links. Copies and reductions use its memory
// rate.
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
		return Cost{}, fmt.Errorf("machine %s has no latency, overhead, gap or bandwidth between nodes: messages "+
			"have no cost", m.Name)
	}
	return c, nil
}

// unit is a cost model in which each message takes one step: a rank sends one and receives one
// message at a time.
var unit = Cost{L: 1, Gap: 1, Network: CollectiveNetwork{L: 1, Barrier: 1}}

// bytesTime returns the time of the bytes after the first byte.
func (c *Cost) bytesTime(n int64) cluster.Time { return c.G * cluster.Time(max(n-1, 0)) }

// recvTime returns the CPU time of a message at the receiver.
func (c *Cost) recvTime() cluster.Time {
	switch {
	case c.lands:
		return 0
	case c.pulls > 0:
		return 2 * c.O
	}
	return c.O
}

// landing returns the minimum time between two messages into alternating buffers, if each message
// has work after it. The bytes of a get leave only when a buffer is free. If other messages leave
// meanwhile, their bytes are ahead at the adapters, both of the request and of the requested bytes.
// With b buffers and w the time of the bytes ahead, the time is (recvTime + 2L + (n−1)G + work +
// (b−1)w)/b. The request of a single buffer leaves before others. Sent bytes do not wait.
func (c *Cost) landing(buffers int, n int64, work, ahead cluster.Time) cluster.Time {
	if c.pulls == 0 || buffers == 0 {
		return 0
	}
	b := cluster.Time(buffers)
	return (c.recvTime() + c.pulls + c.bytesTime(n) + work + (b-1)*ahead) / b
}

// adapterTime returns the time of the sending adapter for m consecutive messages.
func (c *Cost) adapterTime(m int, n int64) cluster.Time {
	return cluster.Time(m) * (c.Gap + c.bytesTime(n))
}

// offers returns the time of that adapter before m gets.
func (c *Cost) offers(m int) cluster.Time {
	if c.pulls == 0 {
		return 0
	}
	return cluster.Time(m) * c.Gap
}

// message returns the time from the start of a send to the end of its receive.
func (c *Cost) message(n int64) cluster.Time { return c.O + c.L + c.bytesTime(n) + c.recvTime() }

// sendInterval returns the time between the starts of consecutive sends.
func (c *Cost) sendInterval(n int64) cluster.Time { return max(c.O, c.Gap+c.bytesTime(n)) }

// round returns the time from the start of a rank's consecutive sends of the given sizes to the end
// of as many receives, each followed by work per byte.
func (c *Cost) round(sizes []int64, work cluster.Time) cluster.Time {
	var clock sendClock
	received := make([]cluster.Time, len(sizes))
	for i, n := range sizes {
		received[i] = clock.send(c, n, 0)
	}
	processor := clock.processor
	for i, n := range sizes {
		processor = max(processor+c.recvTime(), received[i]) + work*cluster.Time(n)
	}
	return processor
}

// sendClock is the time of a rank that sends one message after another from time 0.
type sendClock struct {
	processor cluster.Time // time at which the CPU is free
	adapter   cluster.Time // time at which the next message may leave
}

// send returns the time at which the receiver has a message of n bytes. The next message leaves
// after the work of this one.
func (s *sendClock) send(c *Cost, n int64, work cluster.Time) cluster.Time {
	s.processor += c.O
	leaves := max(s.processor, s.adapter)
	s.adapter = leaves + max(c.Gap+c.bytesTime(n), work)
	return leaves + c.L + c.bytesTime(n) + c.recvTime()
}

// all returns round for m messages of one size.
func (c *Cost) all(m int32, n int64) cluster.Time {
	return c.round(slices.Repeat([]int64{n}, int(m)), 0)
}

func (c *Cost) copies(n int64) cluster.Time   { return c.Copy * cluster.Time(n) }
func (c *Cost) combines(n int64) cluster.Time { return c.Combine * cluster.Time(n) }

// rounds returns ⌈log₂ p⌉.
func rounds(p int32) int { return bits.Len32(uint32(p - 1)) }

// Local returns the time of a node that copies or combines n bytes.
func (c *Cost) Local(k Kind, n int64) cluster.Time {
	if k == Copy {
		return c.copies(n)
	}
	return c.combines(n)
}

// Predict returns the time at which the last rank ends, on n bytes (per block if blocks are
// numbered by member). All ranks start together, and messages do not wait for each other.
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

// cost returns the costs of messages in the key's modes, and the additional time before and after
// all messages.
func (k Key) cost(c *Cost) (of Cost, more cluster.Time) {
	of = *c
	of.lands = k.Transfer.lands()
	if k.Transfer == Rendezvous { // an offer and a request precede the bytes, an acknowledgement follows the last byte
		of.pulls = 2 * c.L
		of.L += of.pulls
		more += c.L
	}
	if n := k.firstCTSCount(); n > 0 {
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

// firstCTSCount returns the number of peers that a member must request puts from before the first
// put can start. 0: other puts, into buffers of the library, are in progress by then. In a
// collective without a root, all members send these requests at the same time.
func (k Key) firstCTSCount() int {
	if !k.usesCTS() || k.Algorithm.Collective == OpBarrier {
		return 0
	}
	k.Segments = 1
	const small = 32
	if k.Ranks > 2*small { // a member has all other members as peers, or more peers with each doubling
		few, more := k, k
		few.Ranks, more.Ranks = small, 2*small
		doublings := rounds(k.Ranks) - rounds(small)
		least, step := few.firstCTSCount(), more.firstCTSCount()-few.firstCTSCount()
		if step == small {
			return int(k.Ranks) - 1
		}
		return least + doublings*step
	}
	maxPeers := 0
	for _, rel := range slices.Compact([]int32{0, 1, min(2, k.Ranks-1), k.Ranks - 1}) {
		s := k.Make(rel)
		var peers []Peer
		behind := make([]bool, len(s.Nodes)) // the node is a receive
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
		maxPeers = max(maxPeers, len(peers))
	}
	if k.Algorithm.Collective.Rooted() {
		return min(maxPeers, 1)
	}
	return maxPeers
}

// digits returns the rounds of a dissemination among p ranks: the distance of each round, and the
// number of messages per rank in it.
func digits(p, k int32) (have, messages []int32) {
	for w := int64(1); w < int64(p); w *= int64(k) {
		have = append(have, int32(w))
		messages = append(messages, int32(min(int64(k-1), int64(p-1)/w)))
	}
	return have, messages
}
