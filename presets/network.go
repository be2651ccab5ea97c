package presets

import "github.com/hybridtop/hybridtop/cluster"

// maxPlaces bounds the nodes that a network has room for.
const maxPlaces = 1 << 30

// checkTopology refuses a network without room for the nodes, and dimensions that
// its shape does not have.
func checkTopology(d *document, m *cluster.Machine) error {
	const dims, taper = "topology.dims", "topology.taper"
	t := &m.Topology
	want, ranks := len(t.Dims), 0
	switch t.Shape {
	case cluster.Torus:
		want = 3
	case cluster.Dragonfly:
		want, ranks = 4, 3
	case cluster.FatTree:
		want, ranks = max(want, 1), len(t.Dims)
	default:
		want = 0
	}
	switch {
	case len(t.Dims) != want && want == 0:
		return d.fail(dims, "a crossbar has none; leave it out, or name another shape")
	case len(t.Dims) != want:
		return d.fail(dims, "has %d numbers; a %s has %s", len(t.Dims), t.Shape, dimensions[t.Shape])
	case len(t.Taper) > ranks && ranks == 0:
		return d.fail(taper, "only a fat tree and a dragonfly have it; leave it out")
	case len(t.Taper) > ranks:
		return d.fail(taper, "has %d numbers; this network has %d levels", len(t.Taper), ranks)
	}
	if want == 0 {
		return nil
	}
	places := 1
	for _, n := range t.Dims {
		if places *= n; places > maxPlaces {
			return d.fail(dims, "make a network of more than %d nodes; use smaller ones", maxPlaces)
		}
	}
	if m.Nodes > places {
		return d.fail(dims, "hold %d nodes, and the machine has %d; use larger ones", places, m.Nodes)
	}
	return nil
}

// dimensions say what a shape's dims are.
var dimensions = map[cluster.Shape]string{
	cluster.Torus:     "3: its lengths",
	cluster.Dragonfly: "4: nodes a router, routers a chassis, chassis a group, groups",
	cluster.FatTree:   "at least 1: children by level, from the leaves",
}
