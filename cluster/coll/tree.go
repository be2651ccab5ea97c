package coll

import "slices"

// shape is a tree over ranks: data, not code. A vertex is followed by its whole
// subtree (the numbers are a preorder), so that what a subtree has is one run of
// blocks, and vertices with equal subtrees are one class.
type shape struct {
	name       string
	doc, paper string
	radix      int32 // unless told; 0: the shape has none
	least      int32
	vertex     func(p, radix, rel int32) vertex
	far        bool // a broadcast serves the child farthest away first; else the one with the largest subtree
}

// vertex is a rank in the tree.
type vertex struct {
	up   int32  // how far behind it its parent is; 0: it is the root
	size int32  // of its subtree, itself included
	kids []limb // nearest first
}

// limb leads to a child.
type limb struct{ d, size int32 }

var shapes = []shape{
	{name: "knomial", doc: "a k-nomial tree: a rank's children are at multiples of powers of the radix below the one where it hangs", paper: "paper 5, section 3.2", radix: 2, vertex: knomial},
	{name: "kary", doc: "a k-ary tree: each rank divides what follows it among as many children as the radix says", paper: "paper 5, section 3.2", radix: 2, vertex: kary},
	{name: "chain", doc: "a chain: each rank has the next one as its only child", paper: "paper 5, section 3.2", vertex: chain},
	{name: "flat", doc: "the root has all others as its children", paper: "paper 5, section 3.2", vertex: flat},
	{name: "fork", doc: "a fork: ranks in a grid of as many dimensions as the radix says, a chain along the first, and from each of its ranks a fork in the others", paper: "paper 5, section 3.2", radix: 3, least: 1, vertex: fork},
}

// knomial: the lowest digit that is not 0 says where a rank hangs.
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
			v.kids = append(v.kids, limb{int32(d), int32(min(at, int64(v.size)-d))})
		}
	}
	return v
}

// kary descends to the rank; of the children's subtrees the first are the longer.
func kary(p, k, rel int32) vertex {
	v := vertex{size: p}
	for at := int32(0); ; {
		v.kids = v.kids[:0]
		each, longer := (v.size-1)/k, (v.size-1)%k
		d := int32(1)
		for i := range min(k, v.size-1) {
			n := each
			if i < longer {
				n++
			}
			v.kids = append(v.kids, limb{d, n})
			d += n
		}
		if at == rel {
			return v
		}
		for _, c := range v.kids {
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
		v.kids = []limb{{1, v.size - 1}}
	}
	return v
}

func flat(p, _, rel int32) vertex {
	if rel > 0 {
		return vertex{up: rel, size: 1}
	}
	v := vertex{size: p}
	for d := int32(1); d < p; d++ {
		v.kids = append(v.kids, limb{d, 1})
	}
	return v
}

// fork counts in a grid of equal sides, row by row: the last place that is not 0 says
// along which dimension a rank hangs.
func fork(p, dims, rel int32) vertex {
	side := int64(1)
	for power(side, dims) < int64(p) {
		side++
	}
	v := vertex{size: p}
	w := int64(p) // ranks that a step along the rank's own dimension passes, or all
	if rel > 0 {
		for w = 1; int64(rel)%(w*side) == 0; w *= side {
		}
		v.up = int32(w)
		row := w * side
		v.size = int32(min(int64(rel)/row*row+row, int64(p)) - int64(rel))
	}
	for at := int64(1); at <= w && at < int64(v.size); at *= side {
		limit := int64(v.size) // along its own dimension all that follows; along the later ones up to its next row
		if rel == 0 || at < w {
			limit = min(limit, at*side)
		}
		if at < limit {
			v.kids = append(v.kids, limb{int32(at), int32(limit - at)})
		}
	}
	return v
}

// power is side to the power of dims, or more than any team has.
func power(side int64, dims int32) int64 {
	n := int64(1)
	for ; dims > 0 && n <= MostRanks; dims-- {
		n *= side
	}
	return n
}

// largest is the order in which a vertex serves its children: the largest subtree
// first.
func (v *vertex) largest() []limb {
	order := slices.Clone(v.kids)
	slices.SortStableFunc(order, func(a, b limb) int { return int(b.size - a.size) })
	return order
}

// subtree is the class of a rank in schedules that name its subtree's blocks.
func (s *shape) subtree(k Key, rel int32) int64 {
	v := s.vertex(k.Ranks, k.Radix, rel)
	return int64(v.up)<<32 | int64(v.size)
}

// place is the class where only the children count.
func (s *shape) place(k Key, rel int32) int64 {
	if s.name == "chain" {
		v := chain(k.Ranks, 0, rel)
		return int64(v.up)<<32 | int64(min(v.size, 2))
	}
	return s.subtree(k, rel)
}
