// Package barneshut is the gravitational n-body simulation of paper 1 (section 4.2) by
// the algorithm of Barnes and Hut.
//
// Each step builds an oct-tree of all bodies in the shared memory of a UPC group, sums
// it up from the leaves, and computes the force on each body by a walk from the root,
// which opens a cell that is too near. Cells and leaves are records of whichever thread
// made them, and each read of one is a shared access. With several groups each has a
// replica of the tree and computes a share of the bodies (hybrid.go).
//
//	for p.Next() {
//		s.arrange()   // Morton order; who inserts and who computes which bodies
//		s.build()     // by compare-and-swap, or from the order
//		s.summarize() // centres of mass, level by level
//		s.force()     // the part that is timed
//		s.advance()
//		s.gather()    // the new bodies of all
//	}
//
// Algorithm 1 as printed inserts only a group's own bodies, which leaves the other
// groups' bodies out of its tree; here each group inserts all of them. After the masters'
// MPI_Allgather, which is one of unequal shares, stands the barrier of the group that it
// lacks.
package barneshut
