// Package barneshut runs the gravitational n-body simulation of paper 1 (section 4.2) with the
// algorithm of Barnes and Hut.
//
// Each step builds an oct-tree of all bodies in the shared memory of a UPC group and computes
// the mass and centre of each cell from the leaves up. The force on a body is computed by a walk
// from the root, which opens cells that are too near. Cells and leaves are records in the memory
// of the thread that created them, and each read of a record is a shared access. If there are
// several groups, each group has a replica of the tree and computes a share of the bodies
// (hybrid.go).
//
//	for p.Next() {
//		arrange   // order.go: Morton order; the bodies that each rank inserts
//		build     // insert.go: by compare-and-swap, or outline.go: from the order
//		summarize // summarize.go: centres of mass, level by level
//		force     // force.go: the timed part; reads.go and cache.go count its reads
//		verify    // verify.go, judge.go
//		advance   // run.go
//		gather    // list.go, hybrid.go: all ranks get all new bodies
//	}
//
// With charge = bulk, one tree in the memory of the simulator stands for the trees of all groups
// (image.go): its reads are counted, and charged together.
//
// Algorithm 1 as printed inserts only a group's own bodies, so the other groups' bodies are
// missing in its tree. Here each group inserts all bodies. The masters' MPI_Allgather has unequal
// shares, and a barrier of the group follows it, which algorithm 1 lacks.
package barneshut
