// Package cartesian runs the exchange of paper 2's figures 2 to 4. The same data go from node to
// node with pure MPI, and with one communicating thread per node.
//
// In pure MPI, each process has vertical and horizontal neighbours. Its vertical neighbours have
// the same position on the previous and next nodes, which form a ring. Its horizontal neighbours
// are the previous and next processes on its own node, also in a ring. A hybrid process of n
// threads has no horizontal neighbours, and its vertical messages are n times as long. Either the
// master thread sends them, or several sender threads share them in a parallel region. The same
// number of bytes leaves a node either way.
//
// The knob packing makes the vertical data strided (section 7.1). As a derived datatype, each sender
// packs its part inside MPI. For a scratch copy, all threads of the process pack in a parallel loop,
// and the senders then send contiguous data. Receives are contiguous.
//
// The vertical and the horizontal exchange are timed separately and added, as in figure 3
// ("inter-node plus intra-node communication"), or run at the same time.
package cartesian
