package access

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// TestWrongOwner tests that an owner on the wrong node, and rank 0 itself, are found.
func TestWrongOwner(t *testing.T) {
	l := cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 1}
	for _, c := range []struct {
		pair  string
		owner int
		right bool
	}{{"in-node", 1, true}, {"in-node", 2, false}, {"in-node", 0, false}, {"remote", 1, false}, {"remote", 3, true}} {
		if wrong := wrongOwner(&l, c.pair, c.owner); (wrong == "") != c.right {
			t.Errorf("pair = %s, owner %d: %q", c.pair, c.owner, wrong)
		}
	}
}
