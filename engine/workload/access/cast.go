package access

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// classes are the choices of pair.
var classes = map[string]cluster.Class{"in-node": cluster.InNode, "remote": cluster.Remote}

// A cast is the methods of a run and their owners.
type cast struct {
	methods []*method
	owners  []int // by method
}

// castOf returns the methods that a layout can run, each with the first rank that can be its owner.
// It is an error if there is none.
func castOf(l *cluster.Layout, pair, name string) (cast, error) {
	var c cast
	for _, m := range methods {
		if name != allMethods && name != m.name {
			continue
		}
		if q := ownerOf(l, classes[pair], m.mpi); q > 0 {
			c.methods, c.owners = append(c.methods, m), append(c.owners, q)
		}
	}
	if len(c.methods) > 0 {
		return c, nil
	}
	switch someone := anyone(l, classes[pair]); {
	case !someone && pair == "in-node":
		return c, fmt.Errorf("pair = in-node: rank 0 is alone on its node (use 2 or more ranks per node, or pair = remote)")
	case !someone:
		return c, fmt.Errorf("pair = remote: there is only one node (use 2 or more nodes, or pair = in-node)")
	case name == "two-sided" || name == "one-sided":
		return c, fmt.Errorf("pair = %s, method = %s: only UPC thread 0 of a group may call MPI (use nested-multiple or "+
			"flat, smaller groups, or method = word)", pair, name)
	}
	return c, fmt.Errorf("pair = %s, method = %s: no such rank in rank 0's UPC group of %d (use larger groups, model = "+
		"flat, or method = two-sided)", pair, name, l.GroupSize())
}

// ownerOf returns the first rank at class c of rank 0 that rank 0 reaches by MPI, or in its UPC
// group; 0: there is none.
func ownerOf(l *cluster.Layout, c cluster.Class, mpi bool) int {
	for q := 1; q < l.Ranks(); q++ {
		if l.ClassOf(0, q) == c && (mpi && l.MayCallMPI(q) || !mpi && l.GroupOf(q) == l.GroupOf(0)) {
			return q
		}
	}
	return 0
}

// wrongOwner describes an owner that is not of the kind of pair, or returns "".
func wrongOwner(l *cluster.Layout, pair string, owner int) string {
	if near := l.NodeOf(owner) == l.NodeOf(0); owner == 0 || near != (pair == "in-node") {
		return fmt.Sprintf("pair = %s: the owner is rank %d on node %d, and rank 0 is on node %d", pair, owner, l.NodeOf(owner), l.NodeOf(0))
	}
	return ""
}

// anyone reports whether a rank is at class c of rank 0.
func anyone(l *cluster.Layout, c cluster.Class) bool {
	for q := 1; q < l.Ranks(); q++ {
		if l.ClassOf(0, q) == c {
			return true
		}
	}
	return false
}
