// Package topology has the links of a network and the route of each message over them:
//
//	net, err := topology.New(machine.Topology, nodes)
//	busy := make([]cluster.Time, net.Links())
//	for each message:
//		path = net.Route(from, to, path[:0])
//		for _, link := range path { reserve busy[link] for size / net.Rate(link) }
//
// A link joins two routers in one direction; the opposite direction is a separate link. Links have
// numbers from 0. All properties of links and routes are computed from these numbers. No table per
// pair, node or link exists, so a network of 100,000 nodes needs no more memory than a network of
// ten. Routes depend only on the two nodes. A network is immutable, so threads may share it.
//
// The connection of a node to its router is not a link but its adapter, a separate resource. The
// route between two nodes of one router has no links, and neither has a route in a crossbar.
//
//	crossbar   no links: only adapters contend
//	fat tree   up by the destination's number, down the only way (fattree.go)
//	torus      x, then y, then z, each the shorter way round (torus.go)
//	hyper-crossbar  a crossbar for each line of nodes, dimension by dimension
//	           (hypercrossbar.go)
//	dragonfly  inside a group rank 1, then rank 2; between groups one link of
//	           the last rank (dragonfly.go)
package topology
