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
	Nodes []int64 // bytes, by node; nil beyond MaxPairNodes
}

// MaxPairNodes is the largest cluster in which traffic is counted by node.
const MaxPairNodes = 128
