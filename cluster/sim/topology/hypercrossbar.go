package topology

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// hyperCrossbar is a grid of nodes in which each line of nodes, in each dimension, has a separate
// crossbar. Nodes are numbered with the first dimension fastest. A node's router has one link to
// the crossbar of each of its lines, and one link back. A dimension of length 1 has no links.
//
// Routes are in dimension order: over the crossbar of the first dimension to the router with the
// destination's coordinate, then over the crossbar of the second dimension, and so on. Dimensions
// with equal coordinates are skipped. A message passes routers of other nodes and shares their
// links with their messages.
//
// The link of node n out into the d-th dimension with links has number n·2k + 2d, and its link back
// the next number, with k such dimensions. Routers are first the nodes' routers, then the crossbars
// by dimension, each in the order of its first node.
type hyperCrossbar struct {
	nodes uint32
	lines []line // by dimension
	ports uint32 // links of a router, in both directions
}

// line is one dimension.
type line struct {
	length, stride uint32
	port           uint32 // number of the link out; the link back is the next one
	crossbar       uint32 // first crossbar; length 1: none
}

func newHyperCrossbar(t cluster.Topology) (*hyperCrossbar, []float64, error) {
	if len(t.Dims) == 0 {
		return nil, nil, fmt.Errorf("%s: no dims (set the nodes of a line by dimension)", title(t))
	}
	if len(t.Taper) > 0 {
		return nil, nil, fmt.Errorf("%s: a hyper-crossbar has no taper (omit it)", title(t))
	}
	nodes := product(t.Dims...)
	w := &hyperCrossbar{nodes: uint32(nodes)}
	thickness := make([]float64, len(t.Dims))
	stride, routers := 1, nodes
	for i, d := range t.Dims {
		l := line{length: uint32(d), stride: uint32(stride), port: w.ports, crossbar: uint32(routers)}
		stride = product(stride, d)
		if d > 1 {
			w.ports += 2
			routers += nodes / d
		}
		if stride > maxCount || routers > maxCount {
			return nil, nil, tooLarge(t)
		}
		w.lines, thickness[i] = append(w.lines, l), 1
	}
	if product(nodes, max(int(w.ports), 1)) > maxCount {
		return nil, nil, tooLarge(t)
	}
	return w, thickness, nil
}

func (w *hyperCrossbar) capacity() int       { return int(w.nodes) }
func (w *hyperCrossbar) links() int          { return int(w.nodes * w.ports) }
func (w *hyperCrossbar) router(node int) int { return node }

func (w *hyperCrossbar) routers() int {
	n := w.nodes
	for _, l := range w.lines {
		if l.length > 1 {
			n += w.nodes / l.length
		}
	}
	return int(n)
}

func (w *hyperCrossbar) route(from, to int, path []int32) []int32 {
	at := uint32(from)
	f := uint32(from)
	t := uint32(to)
	for i := range w.lines {
		l := &w.lines[i]
		ff, tt := f/l.length, t/l.length
		if x, y := f-ff*l.length, t-tt*l.length; x != y {
			path = append(path, int32(at*w.ports+l.port))
			at += (y - x) * l.stride // modulo 2³²
			path = append(path, int32(at*w.ports+l.port+1))
		}
		f, t = ff, tt
	}
	return path
}

func (w *hyperCrossbar) hops(from, to int) int {
	f := uint32(from)
	t := uint32(to)
	n := 0
	for i := range w.lines {
		l := w.lines[i].length
		if f%l != t%l {
			n += 2
		}
		f, t = f/l, t/l
	}
	return n
}

// plugs returns the parts of a link: its node, its dimension, and whether it leads back from the
// crossbar.
func (w *hyperCrossbar) plugs(link int) (node uint32, dim int, back bool) {
	node, port := uint32(link)/w.ports, uint32(link)%w.ports
	for dim = len(w.lines) - 1; w.lines[dim].length == 1 || w.lines[dim].port > port; dim-- {
	}
	return node, dim, port > w.lines[dim].port
}

func (w *hyperCrossbar) ends(link int) (from, to int) {
	node, dim, back := w.plugs(link)
	l := &w.lines[dim]
	// The number of a line is the node's number without its coordinate on the line.
	crossbar := l.crossbar + node/(l.stride*l.length)*l.stride + node%l.stride
	if back {
		return int(crossbar), int(node)
	}
	return int(node), int(crossbar)
}

func (w *hyperCrossbar) rank(link int) int {
	_, dim, _ := w.plugs(link)
	return dim + 1
}

func (w *hyperCrossbar) name(link int) string {
	node, dim, back := w.plugs(link)
	way := "to"
	if back {
		way = "from"
	}
	position := ""
	for i := range w.lines {
		if i > 0 {
			position += ","
		}
		position += fmt.Sprint(node / w.lines[i].stride % w.lines[i].length)
	}
	return fmt.Sprintf("hyper-crossbar (%s) %s the crossbar of dimension %d", position, way, dim+1)
}

func (w *hyperCrossbar) bisection() int {
	longest := uint32(1)
	for i := range w.lines {
		longest = max(longest, w.lines[i].length)
	}
	return int(w.nodes / longest * (longest / 2))
}
