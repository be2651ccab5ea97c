// Package tuner finds the fastest algorithms of collectives for teams and sizes, and stores them
// in a table.
//
//	for _, column := range columns { // a collective, a team, its ranks per node
//		for _, size := range sizes {
//			all := Candidates(tuple)              // choices of the index that the tuple admits
//			few := prune(all, cost)               // without choices that are slow by the cost model
//			times := measure(fabric, tuple, few)  // alternating; slow choices drop out
//			journal.add(tuple, times)             // lets an interrupted tuning continue here
//		}
//		bisect(column) // between sizes with different winners
//	}
//	coll.NewTable(rules)
//
// A tuple is a configuration: collective, ranks and size. Regret compares a table with the best of
// all candidates on tuples that were not tuned. Check compares its times with performance
// guidelines for libraries. A table can be exported as rules for Open MPI and MPICH, and imported
// from rules of Open MPI.
package tuner
