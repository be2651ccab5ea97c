// Package cartesian is the exchange of paper 2's figures 2 to 4: the same data go
// from node to node with pure MPI, and with one communicating thread a node.
//
// In pure MPI each process exchanges vertically with the process of its place on
// the node before and on the node after, nodes in a ring, and horizontally with the
// processes before and after it on its own node, in a ring as well. A hybrid
// process of n threads has no horizontal neighbours, and its vertical messages are
// n times as long; the master thread sends them alone, or senders threads share
// them in a parallel region. As many bytes leave a node either way.
//
// The vertical and the horizontal exchange are timed apart and added up, as figure
// 3 does ("inter-node plus intra-node communication"), or go on together.
package cartesian
