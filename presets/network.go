package presets

import "github.com/hybridtop/hybridtop/cluster"

// maxCapacity is the maximum number of nodes of a network.
const maxCapacity = 1 << 30

// checkTopology rejects a network that is too small for the nodes, and dimensions that its shape
// does not have.
func checkTopology(d *document, m *cluster.Machine) error {
	const dims, taper = "topology.dims", "topology.taper"
	t := &m.Topology
	n := len(t.Dims)
	tapers := 0
	fits := true
	switch t.Shape {
	case cluster.Torus:
		fits = n == 3
	case cluster.Dragonfly:
		fits, tapers = n == 3 || n == 4, n-1
	case cluster.Hyper:
		fits = n > 0
	case cluster.FatTree:
		fits, tapers = n > 0, n-1
	default:
		if n > 0 {
			return d.fail(dims, "a crossbar has none; leave it out, or name another shape")
		}
	}
	switch {
	case !fits:
		return d.fail(dims, "has %d numbers; a %s has %s", n, t.Shape, dimensions[t.Shape])
	case len(t.Taper) > 0 && (t.Shape == cluster.Torus || t.Shape == cluster.Hyper || n == 0):
		return d.fail(taper, "only a fat tree and a dragonfly have it; leave it out")
	case len(t.Taper) > tapers:
		return d.fail(taper, "has %d numbers; this network has %d levels that taper", len(t.Taper), tapers)
	case n == 0:
		return nil
	}
	capacity := 1
	for _, dim := range t.Dims {
		capacity *= dim
		if capacity > maxCapacity {
			return d.fail(dims, "make a network of more than %d nodes; use smaller ones", maxCapacity)
		}
	}
	if m.Nodes > capacity {
		return d.fail(dims, "hold %d nodes, and the machine has %d; use larger ones", capacity, m.Nodes)
	}
	return nil
}

// dimensions describe the dims of a shape.
var dimensions = map[cluster.Shape]string{
	cluster.Torus: "3: its lengths",
	cluster.Hyper: "at least 1: nodes of a line, by dimension",
	cluster.Dragonfly: "4: nodes per router, routers per chassis, chassis per group, groups; or 3: nodes per router, " +
		"routers per group, groups",
	cluster.FatTree: "at least 1: children by level, from the leaves",
}
