package coll

import "slices"

// Kind is the type of a node.
type Kind uint8

// The kinds of node, with the fields that each reads.
const (
	Send    Kind = iota // Peer Ref Lane
	Recv                // Peer Ref Lane
	Copy                // Ref ← From
	Combine             // Ref ← Ref op From
	Precede             // Ref ← From op Ref

	// On the team's shared control block, if loads reach all members.
	Mark // Ref: publishes the blocks to the other members; adds one mark to the call
	Meet // Count: waits until the call has that many marks
	Load // Ref ← From of the peer, for each of Count members, starting with Peer
	Fold // Ref ← From of Count members, starting with the root, combined in their order

	Hardware // Ref ← From of Count members, combined by the machine's collective network
)

var kindNames = [...]string{"send", "recv", "copy", "combine", "precede", "mark", "meet", "load", "fold", "hardware"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Peer is a rank relative to this one.
type Peer struct {
	Xor  bool  // this rank's folded number xor D; otherwise D ranks after this one, cyclic
	Root bool  // D ranks after the root
	D    int32 //
}

// Base is the origin of a block number.
type Base uint8

// The bases.
const (
	Fixed    Base = iota // Lo itself
	FromMe               // this rank's number, cyclic: me + Lo
	Aligned              // (me xor Lo), folded, rounded down to a multiple of N, a power of two
	FromPeer             // load or fold: the number of the member that owns the bytes, cyclic
)

// Buf is a buffer of the caller, or a temporary buffer of the schedule.
type Buf int16

// The buffers. Temporary ones follow.
const (
	In Buf = iota
	Out
	temps
)

// Ref is N blocks of a buffer, starting with number Lo. With a Run it is ranges of Run blocks that
// begin Stride blocks apart; the last range may be shorter.
type Ref struct {
	Buf         Buf
	Base        Base
	Lo, N       int32 // N −1: all blocks
	Run, Stride int32
}

// Node is one step of a rank.
type Node struct {
	Kind    Kind
	Channel uint16
	Deps    uint16 // number of nodes that complete before this node is posted
	Count   int32
	Peer    Peer
	Ref     Ref
	From    Ref
}

// Temp is a temporary buffer of one of three kinds. It has a window of the numbering of blocks,
// with each block in its position. Or it is loose and has any blocks up to a number, packed. Or it
// has slots of the length of the longest block, and references count slots.
type Temp struct {
	Window Ref
	Loose  bool
	Slots  bool
}

// Schedule is the schedule of the ranks of one class. It is immutable.
type Schedule struct {
	Collective  Collective
	Ranks       int32
	Parts       int32 // number of blocks
	Nodes       []Node
	Temps       []Temp
	exit        int32 // nodes from here to exited join the nodes before the final barrier
	exited      int32
	Marks       int32   // marks of the team in the shared control block; 0: not used
	isInline    bool    // no node is a message: nodes may run one after another
	isAlike     bool    // its messages go to distances in the cyclic order of the ranks
	writesTemps bool    // writes to temporary buffers
	next        []int32 // nodes that wait for node i: next[first[i]:first[i+1]]
	first       []int32
	deps        []uint16 // Deps by node
	heads       []int32  // nodes without dependencies
	sends       []int32
}

// Next returns the nodes that wait for node i.
func (s *Schedule) Next(i int) []int32 { return s.next[s.first[i]:s.first[i+1]] }

// window returns the blocks of a buffer.
func (s *Schedule) window(b Buf) Ref {
	w := whole
	if b >= temps {
		w = s.Temps[b-temps].Window
	} else {
		w = s.Collective.window(b)
	}
	if w.N < 0 {
		w.N = s.Parts
	}
	return w
}

// Width returns the maximum number of nodes with the same number of predecessors in a row: about the number of
// nodes in progress at a time.
func (s *Schedule) Width() int {
	level, widths := make([]int32, len(s.Nodes)), []int{}
	for i := range s.Nodes { // a node follows its predecessors
		at := level[i]
		for int(at) >= len(widths) {
			widths = append(widths, 0)
		}
		widths[at]++
		for _, next := range s.Next(i) {
			level[next] = max(level[next], at+1)
		}
	}
	return slices.Max(append(widths, 0))
}

// Messages returns the number of sends.
func (s *Schedule) Messages() int { return len(s.sends) }

// core returns the largest power of two up to p, and the number of ranks beyond it. Ranks with odd
// numbers below twice that number are folded into the rank before them. The other ranks are
// renumbered without gaps.
func core(p int32) (q, beyond int32) {
	q = 1
	for q <= p/2 {
		q *= 2
	}
	return q, p - q
}

// folded reports whether rank rel is folded into the rank before it.
func folded(p, rel int32) bool {
	_, beyond := core(p)
	return rel < 2*beyond && rel%2 == 1
}

func fold(p, rel int32) int32 {
	if _, beyond := core(p); rel >= 2*beyond {
		return rel - beyond
	}
	return rel / 2
}

func unfold(p, v int32) int32 {
	if _, beyond := core(p); v >= beyond {
		return v + beyond
	}
	return 2 * v
}
