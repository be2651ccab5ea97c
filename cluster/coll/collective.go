package coll

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Collective is a collective operation of a team.
type Collective uint8

// The collectives. Blocks are numbered by member. If the comment says "shares", they are equal
// shares of one piece of data.
const (
	OpBcast         Collective = iota // the root's Out to every Out; shares
	OpScatter                         // block i of the root's In to member i
	OpGather                          // every In to block i of the root's Out
	OpReduce                          // every In, combined, to the root's Out; shares
	OpAllgather                       // every In to block i of every Out
	OpExchange                        // block j of i's In to block i of j's Out (all-to-all)
	OpReduceScatter                   // every In, combined; block i of the result to member i
	OpAllreduce                       // every In, combined, to every Out; shares
	OpScan                            // In of the members up to this one, combined; shares
	OpBarrier                         // no data
	Collectives     = iota
)

var collectiveNames = [Collectives]string{
	"bcast", "scatter", "gather", "reduce", "allgather", "exchange", "reduce-scatter", "allreduce", "scan", "barrier",
}

// String returns the name of the collective.
func (c Collective) String() string {
	if int(c) < len(collectiveNames) {
		return collectiveNames[c]
	}
	return "collective?"
}

// CollectiveOf returns the collective with a name.
func CollectiveOf(name string) (Collective, error) {
	for i, n := range collectiveNames {
		if n == name {
			return Collective(i), nil
		}
	}
	return 0, fmt.Errorf("collective %q: want one of %s", name, strings.Join(collectiveNames[:], ", "))
}

// Rooted reports whether one member is the source or the destination of all.
func (c Collective) Rooted() bool { return c <= OpReduce }

// ByMember reports whether blocks are numbered by member. Otherwise they are shares of one piece of
// data.
func (c Collective) ByMember() bool {
	return c == OpScatter || c == OpGather || c == OpAllgather || c == OpExchange || c == OpReduceScatter
}

// Combines reports whether the collective reduces.
func (c Collective) Combines() bool {
	return c == OpReduce || c == OpReduceScatter || c == OpAllreduce || c == OpScan
}

// whole is a window of all blocks; mine is a window of the rank's own block.
var (
	whole = Ref{N: -1}
	mine  = Ref{Base: FromMe, N: 1}
)

// window returns the blocks of the numbering that buffer In or Out contains.
func (c Collective) window(b Buf) Ref {
	switch {
	case b == In && (c == OpGather || c == OpAllgather), b == Out && (c == OpScatter || c == OpReduceScatter):
		return mine
	}
	return whole
}

// Lengths returns the bytes of a member's buffers In and Out, for a call on n bytes: of one block
// if each member has a block, otherwise of all data. root: the member is the root of the call.
func (c Collective) Lengths(ranks int, root bool, n int64) (in, out int64) {
	all, some := n*int64(ranks), int64(0)
	if root {
		some = 1
	}
	switch c {
	case OpBarrier:
		return 0, 0
	case OpBcast:
		return 0, n
	case OpScatter:
		return some * all, n
	case OpGather:
		return n, some * all
	case OpReduce:
		return n, some * n
	case OpAllgather:
		return n, all
	case OpExchange:
		return all, all
	case OpReduceScatter:
		return all, n
	}
	return n, n
}

// Sized returns a size-only call on n bytes, as Lengths counts them, in elements of unit bytes.
// root: the caller is the root.
func (k Key) Sized(root bool, n, unit int64) Call {
	in, out := k.Algorithm.Collective.Lengths(int(k.Ranks), root, n)
	return Call{Key: k, Blocks: k.Blocks(n, unit), In: cluster.Sized(in), Out: cluster.Sized(out)}
}
