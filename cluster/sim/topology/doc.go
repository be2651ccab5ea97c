// Package topology knows the links of a network and the route of each message
// over them:
//
//	net, err := topology.New(machine.Topology, nodes)
//	busy := make([]cluster.Time, net.Links())
//	for each message:
//		path = net.Route(from, to, path[:0])
//		for _, link := range path { reserve busy[link] for size / net.Rate(link) }
//
// A link joins two routers in one direction; the way back is a link of its own.
// Links have numbers from 0, and everything about a link or a route is arithmetic
// on numbers: nothing is stored for a pair, a node or a link, so that a network of
// 100,000 nodes takes no more memory than one of ten. Routes depend on the two
// nodes alone. A network is never written to, so that threads may share it.
//
// What joins a node to its router is no link here: that is its adapter, which is
// a resource of its own. So two nodes of one router have a route without links,
// and so have any two nodes of a crossbar.
//
//	crossbar   no links: only adapters contend
//	fat tree   up by the destination's number, down the only way (fattree.go)
//	torus      x, then y, then z, each the shorter way round (torus.go)
//	hyper-crossbar  a crossbar for each line of nodes, dimension by dimension
//	           (hypercrossbar.go)
//	dragonfly  inside a group rank 1, then rank 2; between groups one link of
//	           the last rank (dragonfly.go)
package topology
