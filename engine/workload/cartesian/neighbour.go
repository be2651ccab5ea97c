package cartesian

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// neighbours are the peers of a process, as ranks in MPI_COMM_WORLD: first the next, then the
// previous one. If both are the same process, it is listed twice; a ring of one process has none.
type neighbours struct{ vertical, horizontal []int }

// neighboursOf returns the neighbours of a process. Every node must have the same number of
// processes.
func neighboursOf(world *cluster.Team, l *cluster.Layout) neighbours {
	members := byNode(world.Members(), l)
	var node, index int
	for n := range members {
		for i, w := range members[n] {
			if w == world.Rank() {
				node, index = n, i
			}
		}
	}
	var at neighbours
	if nodes := len(members); nodes > 1 {
		at.vertical = []int{members[(node+1)%nodes][index], members[(node+nodes-1)%nodes][index]}
	}
	if mine := members[node]; len(mine) > 1 {
		at.horizontal = []int{mine[(index+1)%len(mine)], mine[(index+len(mine)-1)%len(mine)]}
	}
	return at
}

// byNode returns the processes of each node that has some, as ranks in world.
func byNode(world []int32, l *cluster.Layout) [][]int {
	all := make([][]int, l.Nodes)
	for i, r := range world {
		n := l.NodeOf(int(r))
		all[n] = append(all[n], i)
	}
	var some [][]int
	for _, members := range all {
		if len(members) > 0 {
			some = append(some, members)
		}
	}
	return some
}

// checkEven returns an error if nodes have different numbers of processes.
func checkEven(world []int32, l *cluster.Layout) error {
	members := byNode(world, l)
	for _, m := range members {
		if len(m) != len(members[0]) {
			return fmt.Errorf("nodes have %d to %d processes that may call MPI, but need equal numbers; use model = flat, "+
				"or groups that fill nodes", min(len(m), len(members[0])), max(len(m), len(members[0])))
		}
	}
	if len(world) < 2 {
		return fmt.Errorf("only one process may call MPI, and it has no neighbour; use more nodes or ranks per node, or " +
			"smaller groups")
	}
	return nil
}
