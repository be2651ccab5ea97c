package cluster

// Class is how near an access is: in the rank's own memory, in its node, or on
// another node.
type Class uint8

// The locality classes.
const (
	InRank Class = iota
	InNode
	Remote
)

// Classes is the number of locality classes.
const Classes = 3

var classNames = [Classes]string{"in rank", "in node", "remote"}

// String names the class.
func (c Class) String() string { return classNames[c] }

// Traffic counts a rank's operations and bytes by locality class, and bytes by
// the node at the other end. Gets count as well as puts and sends; receives do
// not, their senders counted them.
type Traffic struct {
	Ops   [Classes]int64
	Bytes [Classes]int64
	Nodes []int64 // bytes, by block of nodes; see [Layout.Blocks]
}

// MaxPairNodes is the largest cluster in which traffic is counted by node, and the most
// blocks of nodes of a larger one.
const MaxPairNodes = 64

// maxPairRanks is up to how many ranks each counts its traffic by block of nodes: the
// counts of all are read twenty times a second.
const maxPairRanks = 1 << 14

// Blocks is by how many blocks of nodes the bytes of a rank are counted. Node n is in
// block n>>shift. 0: there are too many ranks.
func (l *Layout) Blocks() (n int, shift uint8) {
	if l.Nodes <= 0 || l.Ranks() > maxPairRanks && l.Nodes > MaxPairNodes {
		return 0, 0
	}
	for (l.Nodes-1)>>shift >= MaxPairNodes {
		shift++
	}
	return (l.Nodes-1)>>shift + 1, shift
}
