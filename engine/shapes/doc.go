// Package shapes compares the ways to fill the cores of a node with ranks and threads, for one problem.
//
// A shape is a number of ranks per node and of threads per rank. All shapes use all cores of the node, and solve
// the same problem: a size that counts per rank changes with the ranks. Each shape also runs a small problem with
// bytes, whose results must be equal.
//
//	r, err := shapes.Compare(ctx, shapes.Request{Scenario: scenario, Options: options})
//	for _, s := range r.Shapes {
//		fmt.Println(s.Ranks, s.Threads, s.Time, s.Checksum)
//	}
package shapes
