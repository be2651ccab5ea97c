package coll

import "slices"

// shape is a tree of ranks, as data. Numbers are in preorder: a vertex is followed by its subtree.
// The blocks of a subtree are therefore one range, and vertices with equal subtrees form one class.
type shape struct {
	name       string
	doc, paper string
	radix      int32 // default radix; 0: the shape has no radix
	least      int32
	vertex     func(p, radix, rel int32) vertex
	far        bool // a broadcast serves the farthest child first; otherwise the child with the largest subtree
}

// vertex is a rank in the tree.
type vertex struct {
	up       int32  // distance to the parent; 0: the root
	size     int32  // size of the subtree, with this vertex
	children []edge // nearest first
}

// edge leads to a child.
type edge struct{ d, size int32 }

var shapes = []shape{
	{name: "knomial", doc: "a k-nomial tree: a rank's children are at multiples of all powers of the radix below the " +
		"rank's own power", paper: "paper 5, section 3.2", radix: 2, vertex: knomial},
	{name: "kary", doc: "a k-ary tree: each rank divides the following ranks among its children; the radix is " +
		"their number", paper: "paper 5, section 3.2", radix: 2, vertex: kary},
	{name: "chain", doc: "a chain: each rank has the next one as its only child", paper: "paper 5, section 3.2",
		vertex: chain},
	{name: "flat", doc: "the root has all others as its children", paper: "paper 5, section 3.2", vertex: flat},
	{name: "fork", doc: "a fork: ranks form a grid, whose number of dimensions is the radix, with a chain along the " +
		"first dimension and from each of its ranks a fork in the others", paper: "paper 5, section 3.2", radix: 3,
		least: 1, vertex: fork},
}

// knomial returns the vertex of a k-nomial tree. The lowest nonzero digit of a rank determines its
// parent.
func knomial(p, k, rel int32) vertex {
	var v vertex
	w := int64(1) // the power of the radix that bounds the subtree
	if rel == 0 {
		v.size = p
		for ; w < int64(p); w *= int64(k) {
		}
	} else {
		for ; int64(rel)%(w*int64(k)) == 0; w *= int64(k) {
		}
		v.up = int32(int64(rel) / w % int64(k) * w)
		v.size = int32(min(w, int64(p-rel)))
	}
	for at := int64(1); at < w; at *= int64(k) {
		for d := at; d < at*int64(k) && d < int64(v.size); d += at {
			v.children = append(v.children, edge{int32(d), int32(min(at, int64(v.size)-d))})
		}
	}
	return v
}

// kary returns the vertex of a k-ary tree. It descends from the root. The first children have the
// larger subtrees.
func kary(p, k, rel int32) vertex {
	v := vertex{size: p}
	for at := int32(0); ; {
		v.children = v.children[:0]
		each, longer := (v.size-1)/k, (v.size-1)%k
		d := int32(1)
		for i := range min(k, v.size-1) {
			n := each
			if i < longer {
				n++
			}
			v.children = append(v.children, edge{d, n})
			d += n
		}
		if at == rel {
			return v
		}
		for _, c := range v.children {
			if rel < at+c.d+c.size {
				at += c.d
				v.up, v.size = c.d, c.size
				break
			}
		}
	}
}

func chain(p, _, rel int32) vertex {
	v := vertex{up: min(rel, 1), size: p - rel}
	if v.size > 1 {
		v.children = []edge{{1, v.size - 1}}
	}
	return v
}

func flat(p, _, rel int32) vertex {
	if rel > 0 {
		return vertex{up: rel, size: 1}
	}
	v := vertex{size: p}
	for d := int32(1); d < p; d++ {
		v.children = append(v.children, edge{d, 1})
	}
	return v
}

// fork returns the vertex of a fork. It numbers a grid of equal sides row by row. The last nonzero
// coordinate determines the dimension to the parent.
func fork(p, dims, rel int32) vertex {
	side := int64(1)
	for power(side, dims) < int64(p) {
		side++
	}
	v := vertex{size: p}
	w := int64(p) // distance of neighbours along the rank's dimension, or p
	if rel > 0 {
		for w = 1; int64(rel)%(w*side) == 0; w *= side {
		}
		v.up = int32(w)
		row := w * side
		v.size = int32(min(int64(rel)/row*row+row, int64(p)) - int64(rel))
	}
	for at := int64(1); at <= w && at < int64(v.size); at *= side {
		limit := int64(v.size) // along its own dimension all following ranks; along later dimensions up to its next row
		if rel == 0 || at < w {
			limit = min(limit, at*side)
		}
		if at < limit {
			v.children = append(v.children, edge{int32(at), int32(limit - at)})
		}
	}
	return v
}

// power returns side to the power of dims, or a number above every team size.
func power(side int64, dims int32) int64 {
	n := int64(1)
	for ; dims > 0 && n <= MaxRanks; dims-- {
		n *= side
	}
	return n
}

// largest returns the children of a vertex, the largest subtree first.
func (v *vertex) largest() []edge {
	bySize := func(a, b edge) int { return int(b.size - a.size) }
	if slices.IsSortedFunc(v.children, bySize) {
		return v.children
	}
	order := slices.Clone(v.children)
	slices.SortStableFunc(order, bySize)
	return order
}

// subtreeClass returns the class of a rank in schedules with blocks of its subtree.
func (s *shape) subtreeClass(k Key, rel int32) int64 {
	v := s.vertex(k.Ranks, k.Radix, rel)
	return int64(v.up)<<32 | int64(v.size)
}

// childClass returns the class of a rank in schedules that depend only on its children.
func (s *shape) childClass(k Key, rel int32) int64 {
	if s.name == "chain" {
		v := chain(k.Ranks, 0, rel)
		return int64(v.up)<<32 | int64(min(v.size, 2))
	}
	return s.subtreeClass(k, rel)
}
