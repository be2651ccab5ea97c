package clustertest

import "github.com/hybridtop/hybridtop/cluster"

// IDs lists ID = ⟨group, UPC, MPI⟩ of every rank after renumbering, by rank (paper 1, section 3). A
// group's number follows from MPI, not from the order of launch. It is the position of its thread 0
// in MPI_COMM_WORLD among the threads 0 of all groups (sections 3.2.1 and 3.2.2).
func IDs(l *cluster.Layout) []cluster.Triple {
	ids := make([]cluster.Triple, l.Ranks())
	size, group := l.GroupSize(), 0
	for _, master := range l.World() {
		if l.UPCOf(int(master)) != 0 {
			continue
		}
		for upc := range size {
			id := cluster.Triple{Group: group, UPC: upc, MPI: group*size + upc}
			if l.Model == cluster.NestedFunneled {
				id.MPI = -1
				if upc == 0 {
					id.MPI = group
				}
			}
			ids[int(master)+upc] = id
		}
		group++
	}
	return ids
}
