// Package tuner finds which algorithm of a collective is the fastest, for teams and
// sizes, and keeps what it found in a table.
//
//	for _, column := range columns { // a collective, a team, its ranks a node
//		for _, size := range sizes {
//			all := Candidates(tuple)              // out of the index, by what the tuple admits
//			few := prune(all, cost)               // what the model gives far more time is left out
//			times := measure(fabric, tuple, few)  // in turn; what falls behind drops out
//			journal.add(tuple, times)             // a tuning that was killed goes on from here
//		}
//		bisect(column) // between sizes with different winners
//	}
//	coll.NewTable(rules)
//
// Regret holds a table against the best of all candidates on tuples that the tuning has
// not seen. Check holds its times against guidelines that any library should keep. A
// table goes out as rules for Open MPI and MPICH, and Open MPI's come in.
package tuner
