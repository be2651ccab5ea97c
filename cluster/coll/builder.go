package coll

import (
	"math"
	"slices"
)

// id is the number of a node under construction. none means that there is no such node.
type id = int32

const none id = -1

// Builder builds the schedule of one rank.
type Builder struct {
	Key
	Rel     int32 // the rank, counted from the root
	P       int32 // ranks
	channel uint16
	entry   id // node after which the call may read and write its buffers; none: at once
	s       Schedule
	after   [][]id // by node: its dependencies
}

// me returns the peer d ranks after this one.
func me(d int32) Peer { return Peer{D: d} }

// across returns the peer whose number differs in the given bits.
func across(bits int32) Peer { return Peer{Xor: true, D: bits} }

// part returns n blocks of b, starting with number lo.
func part(b Buf, lo, n int32) Ref { return Ref{Buf: b, Lo: lo, N: n} }

// from returns n blocks of b, counted from the rank's own block.
func from(b Buf, lo, n int32) Ref { return Ref{Buf: b, Base: FromMe, Lo: lo, N: n} }

// ofPeer returns the block of b with the peer's number.
func ofPeer(b Buf) Ref { return Ref{Buf: b, Base: FromPeer, N: 1} }

// aligned returns the aligned group of n blocks, a power of two, that contains the number which
// differs in the given bits.
func aligned(b Buf, bits, n int32) Ref { return Ref{Buf: b, Base: Aligned, Lo: bits, N: n} }

// at returns the same blocks in another buffer.
func (r Ref) at(b Buf) Ref {
	r.Buf = b
	return r
}

// temp returns a temporary buffer for the blocks of r, with the numbers of the window.
func (b *Builder) temp(r Ref) Buf {
	b.s.Temps = append(b.s.Temps, Temp{Window: r.at(0)})
	return temps + Buf(len(b.s.Temps)-1)
}

// loose returns a temporary buffer for any n blocks.
func (b *Builder) loose(n int32) Buf {
	b.s.Temps = append(b.s.Temps, Temp{Window: Ref{N: n}, Loose: true})
	return temps + Buf(len(b.s.Temps)-1)
}

// landings returns the buffers for n consecutive messages, and a list for the nodes after which
// each buffer is free. If a message waits for its receive, two buffers alternate. A put does not
// wait, so each message has a separate buffer.
func (b *Builder) landings(n int, fresh func() Buf) (bufs []Buf, free []id) {
	if !b.Transfer.lands() {
		n = min(n, 2)
	}
	for range n {
		bufs, free = append(bufs, fresh()), append(free, none)
	}
	return bufs, free
}

// slots returns a temporary buffer of n slots for blocks of equal length.
func (b *Builder) slots(n int32) Buf {
	b.s.Temps = append(b.s.Temps, Temp{Window: Ref{N: n}, Slots: true})
	return temps + Buf(len(b.s.Temps)-1)
}

// maxDeps is the maximum number of nodes for which one node waits.
const maxDeps = math.MaxUint16

func (b *Builder) add(n Node, after []id) id {
	var deps []id
	for _, a := range after {
		if a != none {
			deps = append(deps, a)
		}
	}
	if len(deps) == 0 && b.entry != none && n.Kind != Recv {
		deps = []id{b.entry}
	}
	if len(deps) > maxDeps {
		deps = []id{b.join(deps)}
	}
	n.Deps = uint16(len(deps))
	b.s.Nodes = append(b.s.Nodes, n)
	b.after = append(b.after, deps)
	return id(len(b.s.Nodes) - 1)
}

// send adds a node that sends blocks when the nodes after are complete; recv adds a receive.
func (b *Builder) send(to Peer, r Ref, after ...id) id {
	return b.add(Node{Kind: Send, Channel: b.channel, Peer: to, Ref: r}, after)
}

func (b *Builder) recv(from Peer, r Ref, after ...id) id {
	return b.add(Node{Kind: Recv, Channel: b.channel, Peer: from, Ref: r}, after)
}

// copy adds dst = src, combine adds dst = dst op src, and precede adds dst = src op dst.
func (b *Builder) copy(dst, src Ref, after ...id) id {
	return b.add(Node{Kind: Copy, Ref: dst, From: src}, after)
}

func (b *Builder) combine(dst, src Ref, after ...id) id {
	return b.add(Node{Kind: Combine, Ref: dst, From: src}, after)
}

func (b *Builder) precede(dst, src Ref, after ...id) id {
	return b.add(Node{Kind: Precede, Ref: dst, From: src}, after)
}

// publish adds a node that publishes a buffer to the other members when the nodes after are
// complete. Without blocks it only signals arrival.
func (b *Builder) publish(r Ref, after ...id) id { return b.add(Node{Kind: Mark, Ref: r}, after) }

// await adds a node that waits until the team has made the given number of marks in this call.
func (b *Builder) await(arrivals int32, after ...id) id {
	return b.add(Node{Kind: Meet, Count: arrivals}, after)
}

// load adds a node that copies the published data of count members, starting with a peer. fold
// combines the data of count members, starting with the root.
func (b *Builder) load(from Peer, count int32, dst, src Ref, after ...id) id {
	return b.add(Node{Kind: Load, Peer: from, Count: count, Ref: dst, From: src}, after)
}

func (b *Builder) reduce(count int32, dst, src Ref, after ...id) id {
	return b.add(Node{Kind: Fold, Count: count, Ref: dst, From: src}, after)
}

// join returns a node that completes when all given nodes are complete.
func (b *Builder) join(all []id) id {
	var some []id
	for _, a := range all {
		if a != none {
			some = append(some, a)
		}
	}
	switch len(some) {
	case 0:
		return none
	case 1:
		return some[0]
	}
	for len(some) > maxDeps {
		var groups []id
		for group := range slices.Chunk(some, maxDeps) {
			groups = append(groups, b.copy(part(Out, 0, 0), part(Out, 0, 0), group...))
		}
		some = groups
	}
	return b.copy(part(Out, 0, 0), part(Out, 0, 0), some...)
}

// finish returns the schedule.
func (b *Builder) finish() *Schedule {
	s := &b.s
	s.isInline = s.Marks > 0
	s.isAlike = true
	for i := range s.Nodes {
		n := &s.Nodes[i]
		s.isInline = s.isInline && n.Kind != Send && n.Kind != Recv
		s.isAlike = s.isAlike && n.Kind <= Precede && !n.Peer.Xor && !n.Peer.Root
		s.writesTemps = s.writesTemps || n.Kind != Send && n.Kind != Mark && n.Ref.Buf >= temps
		s.deps = append(s.deps, n.Deps)
		if n.Deps == 0 {
			s.heads = append(s.heads, int32(i))
		}
		if n.Kind == Send {
			s.sends = append(s.sends, int32(i))
		}
	}
	s.first = make([]int32, len(s.Nodes)+1)
	for _, deps := range b.after {
		for _, d := range deps {
			s.first[d+1]++
		}
	}
	for i := range s.Nodes {
		s.first[i+1] += s.first[i]
	}
	s.next = make([]int32, s.first[len(s.Nodes)])
	at := make([]int32, len(s.Nodes))
	for i, deps := range b.after {
		for _, d := range deps {
			s.next[s.first[d]+at[d]] = int32(i)
			at[d]++
		}
	}
	return s
}
