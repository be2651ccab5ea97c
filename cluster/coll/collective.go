package coll

import "fmt"

// Collective is what a team does together.
type Collective uint8

// The collectives. Blocks are numbered by member, or are equal shares of one piece of
// data, as the comment says.
const (
	Bcast         Collective = iota // the root's Out to every Out; shares
	Scatter                         // block i of the root's In to member i
	Gather                          // every In to block i of the root's Out
	Reduce                          // every In, combined, to the root's Out; shares
	Allgather                       // every In to block i of every Out
	Exchange                        // block j of i's In to block i of j's Out (all-to-all)
	ReduceScatter                   // every In, combined, block i of that to member i
	Allreduce                       // every In, combined, to every Out; shares
	Scan                            // In of the members up to the own one, combined; shares
	Barrier                         // no data
	Collectives   = iota
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
func (c Collective) Rooted() bool { return c <= Reduce }

// ByMember reports whether blocks are numbered by member; those of the others are
// shares of one piece of data.
func (c Collective) ByMember() bool {
	return c == Scatter || c == Gather || c == Allgather || c == Exchange || c == ReduceScatter
}

// Combines reports whether the collective reduces.
func (c Collective) Combines() bool {
	return c == Reduce || c == ReduceScatter || c == Allreduce || c == Scan
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
	case b == In && (c == Gather || c == Allgather), b == Out && (c == Scatter || c == ReduceScatter):
		return mine
	}
	return whole
}
