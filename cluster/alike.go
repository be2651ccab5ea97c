package cluster

// AlikeRole is the part of a rank in a call that all ranks make alike.
type AlikeRole uint8

// The roles.
const (
	MakesCall     AlikeRole = iota // it makes the call, like all other ranks
	Represents                     // it makes the call, with sizes instead of data, for its place in all nodes
	IsRepresented                  // it makes no call, and gets the times of its representative
)

// AlikePort is a port of a fabric that can run one node for all nodes. It does so if all nodes are equal,
// and all ranks begin a call at the same time. The call must send the same messages on every rank, to the
// same distances in the cyclic order of all ranks. After the call, all ranks must enter a barrier before
// one of them uses the network.
type AlikePort interface {
	// BeginAlike begins a call and returns the rank's role. All ranks make their calls, if they have different
	// signatures.
	BeginAlike(signature uint64) AlikeRole
	// EndAlike ends the call.
	EndAlike()
}
