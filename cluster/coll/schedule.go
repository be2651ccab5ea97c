package coll

// Kind says what a node does.
type Kind uint8

// The kinds of node, with the fields that each reads.
const (
	Send    Kind = iota // Peer Ref Lane
	Recv                // Peer Ref Lane
	Copy                // Ref ← From
	Combine             // Ref ← Ref op From
	Precede             // Ref ← From op Ref

	// At the team's board, where loads reach all members.
	Mark // Ref: the others may load it from now on; one more mark of the call
	Meet // Count: that many marks there are
	Load // Ref ← From, which is the peer's, for each of Count members from Peer on
	Fold // Ref ← From of Count members, from the root on, combined in their order

	Hardware // Ref ← From of Count members, combined by the machine's collective network
)

var kindNames = [...]string{"send", "recv", "copy", "combine", "precede", "mark", "meet", "load", "fold", "hardware"}

// String names the kind.
func (k Kind) String() string { return kindNames[k] }

// Peer is a rank, relative to the own one.
type Peer struct {
	Xor  bool  // the number that the own one, folded, gives with exclusive or; else D further on, cyclic
	Root bool  // D further on from the root
	D    int32 //
}

// Base is where the number of a block counts from.
type Base uint8

// The bases.
const (
	Fixed    Base = iota // Lo itself
	FromMe               // the own number, cyclic: me + Lo
	Aligned              // (me xor Lo), folded, down to a multiple of N, a power of two
	FromPeer             // of a load or a fold: the number of the member whose bytes these are, cyclic
)

// Buf is a buffer: one of the caller's, or a temporary one of the schedule's.
type Buf int16

// The buffers. Temporary ones follow.
const (
	In Buf = iota
	Out
	temps
)

// Ref is N blocks of a buffer, by number from Lo on; with a Run, runs of so many
// blocks that begin Stride apart, of which the last may be shorter.
type Ref struct {
	Buf         Buf
	Base        Base
	Lo, N       int32 // N −1: all there are
	Run, Stride int32
}

// Node is one step of a rank.
type Node struct {
	Kind  Kind
	Lane  uint16
	Deps  uint16 // nodes that complete before it is posted
	Count int32
	Peer  Peer
	Ref   Ref
	From  Ref
}

// Temp is a temporary buffer. It holds a window of the numbering of blocks, each
// block at its place; or, loose, any blocks up to a number, packed; or it has slots,
// each as long as the longest block, and references to it count these.
type Temp struct {
	Window Ref
	Loose  bool
	Slots  bool
}

// Schedule is what ranks of one class do. It is immutable.
type Schedule struct {
	Collective Collective
	Ranks      int32
	Parts      int32 // blocks that there are
	Nodes      []Node
	Temps      []Temp
	exit       int32 // nodes from here to exited gather what is done before the barrier at the end
	exited     int32
	Marks      int32   // that the team makes at its board; 0: it does not use it
	alone      bool    // no node is a message: they may be done one after another
	keeps      bool    // it writes to temporary buffers
	next       []int32 // nodes that wait for node i: next[first[i]:first[i+1]]
	first      []int32
	deps       []uint16 // by node, as Deps
	heads      []int32  // nodes that wait for none
	sends      []int32
}

// Next lists the nodes that wait for node i.
func (s *Schedule) Next(i int) []int32 { return s.next[s.first[i]:s.first[i+1]] }

// window is what a buffer holds.
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

// Messages counts the sends.
func (s *Schedule) Messages() int {
	n := 0
	for i := range s.Nodes {
		if s.Nodes[i].Kind == Send {
			n++
		}
	}
	return n
}

// core is the largest power of two up to p, and how many ranks are beyond it. Those
// with odd numbers below twice that many are folded into the one before them; the
// others have numbers without gaps.
func core(p int32) (q, beyond int32) {
	q = 1
	for q <= p/2 {
		q *= 2
	}
	return q, p - q
}

// folded reports whether rank rel leaves what it has to the one before it.
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
