package topology

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// torus is a grid of nodes whose rows are rings, with one router per node. Nodes are numbered with
// x fastest. A router's outgoing links are in the order +x -x +y -y +z -z. A ring of two has only
// the plus link, because both directions are the same, and a ring of one has none.
//
// Routes are in dimension order: all steps in x, then in y, then in z, in the shorter direction of
// each ring. If both directions are equal, the direction is plus.
type torus struct {
	length [3]uint32
	port   [3]uint32 // number of the plus link; the minus link is the next one
	ports  uint32    // outgoing links of a router
}

func newTorus(t cluster.Topology) (*torus, []float64, error) {
	if len(t.Dims) != 3 {
		return nil, nil, fmt.Errorf("%s: want 3 lengths for a torus (use 1 for missing ones)", title(t))
	}
	if len(t.Taper) > 0 {
		return nil, nil, fmt.Errorf("%s: a torus has no taper (omit it)", title(t))
	}
	var w torus
	for i, d := range t.Dims {
		w.length[i] = uint32(d)
		w.port[i] = w.ports
		w.ports += uint32(min(d, 3) - 1)
	}
	if product(append([]int{max(int(w.ports), 1)}, t.Dims...)...) > maxCount {
		return nil, nil, tooLarge(t)
	}
	return &w, []float64{1, 1, 1}, nil
}

func (w *torus) capacity() int       { return int(w.length[0] * w.length[1] * w.length[2]) }
func (w *torus) links() int          { return w.capacity() * int(w.ports) }
func (w *torus) routers() int        { return w.capacity() }
func (w *torus) router(node int) int { return node }

func (w *torus) route(from, to int, path []int32) []int32 {
	at := int32(from)
	f := uint32(from)
	t := uint32(to)
	stride := int32(1)
	for i, l := range w.length {
		ff, tt := f/l, t/l
		x, d := int32(f-ff*l), int32(t-tt*l)-int32(f-ff*l)
		f, t = ff, tt
		length := int32(l)
		if d < 0 {
			d += length
		}
		port, ports := int32(w.port[i]), int32(w.ports)
		if d <= length-d {
			for range d {
				path = append(path, at*ports+port)
				at += stride
				if x++; x == length {
					x = 0
					at -= length * stride
				}
			}
		} else {
			for range length - d {
				path = append(path, at*ports+port+1)
				if x == 0 {
					x = length
					at += length * stride
				}
				x--
				at -= stride
			}
		}
		stride *= length
	}
	return path
}

func (w *torus) hops(from, to int) int {
	f := uint32(from)
	t := uint32(to)
	n := uint32(0)
	for _, l := range w.length {
		d := t%l + l - f%l
		if d >= l {
			d -= l
		}
		n += min(d, l-d)
		f, t = f/l, t/l
	}
	return int(n)
}

// leaves returns the router, dimension and direction of a link.
func (w *torus) leaves(link int) (node, dim int, minus bool) {
	node, port := link/int(w.ports), uint32(link)%w.ports
	for dim = 2; w.port[dim] > port || w.length[dim] == 1; dim-- {
	}
	return node, dim, port > w.port[dim]
}

func (w *torus) ends(link int) (from, to int) {
	node, dim, minus := w.leaves(link)
	stride := 1
	for _, l := range w.length[:dim] {
		stride *= int(l)
	}
	length := int(w.length[dim])
	x := node / stride % length
	next := (x + 1) % length
	if minus {
		next = (x + length - 1) % length
	}
	return node, node + (next-x)*stride
}

func (w *torus) rank(link int) int {
	_, dim, _ := w.leaves(link)
	return dim + 1
}

func (w *torus) name(link int) string {
	node, dim, minus := w.leaves(link)
	sign := '+'
	if minus {
		sign = '-'
	}
	x, y := int(w.length[0]), int(w.length[1])
	return fmt.Sprintf("torus %c%c at (%d,%d,%d)", sign, 'x'+rune(dim), node%x, node/x%y, node/x/y)
}

func (w *torus) bisection() int {
	longest := int(max(w.length[0], w.length[1], w.length[2]))
	return min(longest-1, 2) * (w.capacity() / longest)
}
