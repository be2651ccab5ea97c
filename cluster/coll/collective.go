package coll

import "fmt"

// Collective is what a team does together.
type Collective uint8

// The collectives. Blocks are numbered by member, or are equal shares of one piece of
// data, as the comment says.
const (
	OpBcast         Collective = iota // the root's Out to every Out; shares
	OpScatter                         // block i of the root's In to member i
	OpGather                          // every In to block i of the root's Out
	OpReduce                          // every In, combined, to the root's Out; shares
	OpAllgather                       // every In to block i of every Out
	OpExchange                        // block j of i's In to block i of j's Out (all-to-all)
	OpReduceScatter                   // every In, combined, block i of that to member i
	OpAllreduce                       // every In, combined, to every Out; shares
	OpScan                            // In of the members up to the own one, combined; shares
	OpBarrier                         // no data
	Collectives     = iota
)

var collectiveNames = [Collectives]string{
	"bcast", "scatter", "gather", "reduce", "allgather", "exchange", "reduce-scatter", "allreduce", "scan", "barrier",
}

// String names the collective.
func (c Collective) String() string {
	if int(c) < len(collectiveNames) {
		return collectiveNames[c]
	}
	return "collective?"
}

// CollectiveOf gives the collective of a name.
func CollectiveOf(name string) (Collective, error) {
	for i, n := range collectiveNames {
		if n == name {
			return Collective(i), nil
		}
	}
	return 0, fmt.Errorf("collective %q: there are %v", name, collectiveNames)
}

// Rooted reports whether one member is the source or the destination of all.
func (c Collective) Rooted() bool { return c <= OpReduce }

// ByMember reports whether blocks are numbered by member; those of the others are
// shares of one piece of data.
func (c Collective) ByMember() bool {
	return c == OpScatter || c == OpGather || c == OpAllgather || c == OpExchange || c == OpReduceScatter
}

// Combines reports whether the collective reduces.
func (c Collective) Combines() bool {
	return c == OpReduce || c == OpReduceScatter || c == OpAllreduce || c == OpScan
}

// whole is a window of all blocks, mine of the own one.
var (
	whole = Ref{N: -1}
	mine  = Ref{Base: FromMe, N: 1}
)

// in and out are what the buffers In and Out hold of the numbering of blocks: by
// which members matters to the caller only.
func (c Collective) window(b Buf) Ref {
	switch {
	case b == In && (c == OpGather || c == OpAllgather), b == Out && (c == OpScatter || c == OpReduceScatter):
		return mine
	}
	return whole
}
