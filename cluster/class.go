package cluster

// Class is the locality class of an access: self, intra-node or inter-node.
type Class uint8

// The locality classes.
const (
	InRank Class = iota
	InNode
	Remote
)

// Classes is the number of locality classes.
const Classes = 3

var classNames = [Classes]string{"self", "intra-node", "inter-node"}

// String returns the name of the class.
func (c Class) String() string { return classNames[c] }

// Traffic counts a rank's operations and bytes by locality class, and its bytes by the peer's node.
// It counts sends, puts and gets. It does not count receives, because their senders count them.
type Traffic struct {
	Ops   [Classes]int64
	Bytes [Classes]int64
	Nodes []int64 // bytes, by block of nodes; see [Layout.Blocks]
}

// MaxPairNodes is the largest number of nodes for which traffic is counted by node. On larger
// clusters it is the maximum number of blocks of nodes.
const MaxPairNodes = 64

// maxPairRanks is the largest number of ranks that count traffic by block of nodes. All counts are
// read twenty times per second.
const maxPairRanks = 1 << 14

// Blocks returns the number of blocks of nodes by which the bytes of a rank are counted. Node n is
// in block n>>shift. 0: there are too many ranks.
func (l *Layout) Blocks() (n int, shift uint8) {
	if l.Nodes <= 0 || l.Ranks() > maxPairRanks && l.Nodes > MaxPairNodes {
		return 0, 0
	}
	for (l.Nodes-1)>>shift >= MaxPairNodes {
		shift++
	}
	return (l.Nodes-1)>>shift + 1, shift
}
