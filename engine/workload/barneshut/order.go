package barneshut

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// depth is the number of times that the cube is halved along each dimension, and so the bits of a
// Morton number per dimension. Bodies that are still in the same cell share a list of cells below
// it.
const depth = 21

// A cube contains all bodies.
type cube struct {
	low  [3]float64
	side float64
}

func cubeOf(state []float64) cube {
	low, high := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for b := 0; b < len(state); b += bodySize {
		for k := range 3 {
			low[k], high[k] = min(low[k], state[b+k]), max(high[k], state[b+k])
		}
	}
	c := cube{low: low}
	for k := range 3 {
		c.side = max(c.side, high[k]-low[k])
	}
	if c.side == 0 {
		c.side = 1
	}
	return c
}

// key returns the Morton number of a position: three bits per level, the top level first.
func (c *cube) key(x []float64) uint64 {
	key := uint64(0)
	for k := range 3 {
		i := min(uint64((x[k]-c.low[k])/c.side*(1<<depth)), 1<<depth-1)
		key |= spread(i) << k
	}
	return key
}

// spread inserts two zeros above each of 21 bits.
func spread(x uint64) uint64 {
	x = (x | x<<32) & 0x1f00000000ffff
	x = (x | x<<16) & 0x1f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	return (x | x<<2) & 0x1249249249249249
}

// octant returns which of the eight parts of a cell at a level contains a body.
func octant(key uint64, level int) int { return int(key >> (3 * (depth - 1 - level)) & 7) }

// half returns half of the side of a cell at a level.
func (c *cube) half(level int) float64 { return math.Ldexp(c.side, -min(level, depth)-1) }

// An order has the bodies along the space-filling curve, and divides them among ranks.
type order struct {
	cube   cube
	bodies []int32   // numbers of bodies, by Morton number
	keys   []uint64  // Morton numbers of bodies
	sums   []float64 // prefix sums of the costs; empty: all bodies have the same cost
}

func (o *order) arrange(state []float64, byCost bool) {
	n := len(state) / bodySize
	o.cube = cubeOf(state)
	type sortKey struct {
		key  uint64
		body int32
	}
	sorted := make([]sortKey, n)
	for b := range sorted {
		sorted[b] = sortKey{o.cube.key(state[b*bodySize:]), int32(b)}
	}
	slices.SortFunc(sorted, func(a, b sortKey) int {
		if c := cmp.Compare(a.key, b.key); c != 0 {
			return c
		}
		return cmp.Compare(a.body, b.body)
	})
	if o.bodies == nil {
		o.bodies, o.keys = make([]int32, n), make([]uint64, n)
	}
	for i, p := range sorted {
		o.bodies[i], o.keys[i] = p.body, p.key
	}
	if o.sums = o.sums[:0]; byCost {
		sum := 0.
		o.sums = append(o.sums, 0)
		for _, b := range o.bodies {
			sum += state[int(b)*bodySize+bodyCost]
			o.sums = append(o.sums, sum)
		}
	}
}

// A span is a range of the order.
type span struct{ lo, hi int }

func (s span) len() int { return s.hi - s.lo }

// part returns part k of a span that is divided into parts of equal cost.
func (o *order) part(s span, k, parts int) span {
	return span{o.cut(s, k, parts), o.cut(s, k+1, parts)}
}

func (o *order) cut(s span, k, parts int) int {
	switch {
	case k == 0:
		return s.lo
	case k == parts:
		return s.hi
	case len(o.sums) == 0:
		return s.lo + int(int64(s.len())*int64(k)/int64(parts))
	}
	want := o.sums[s.lo] + (o.sums[s.hi]-o.sums[s.lo])*float64(k)/float64(parts)
	return s.lo + sort.Search(s.len(), func(i int) bool { return o.sums[s.lo+i] >= want })
}

// all returns the whole order.
func (o *order) all() span { return span{0, len(o.bodies)} }

// inserted returns the bodies that thread t of a group inserts into the tree.
func (o *order) inserted(t, threads int) span { return o.part(o.all(), t, threads) }
