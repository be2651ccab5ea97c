package domain

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
)

// Octants is what a profile is over whose places are the cells of an oct-tree, level after
// level from the root and in each by Morton number, x in the lowest bits; its values are
// the ranks that have them.
const Octants = "octants"

// Octree is the tree of such a profile: a grid a level, the deepest first, of whose boxes
// not every one is there. It is made for a screen, and travels as the profile.
type Octree struct {
	Boxes
	levels [][]float64 // by grid: the rank that has each cell; NaN: none
}

// OctreeOf returns the tree that a run reports; nil: it reports none.
func OctreeOf(s *engine.Snapshot) *Octree {
	i := slices.IndexFunc(s.Profiles, func(p engine.Profile) bool { return p.Over == Octants })
	if i < 0 {
		return nil
	}
	t, values := &Octree{Boxes: Boxes{Ranks: s.Layout.GroupSize()}}, s.Profiles[i].Values
	for level, n := 0, 1; len(values) > 0; level, n = level+1, 8*n {
		side := 1 << level
		t.Grids = append(t.Grids, Grid{Name: fmt.Sprintf("depth %d", level), Boxes: [3]int{side, side, side}})
		t.levels = append(t.levels, values[:min(n, len(values))])
		values = values[min(n, len(values)):]
	}
	slices.Reverse(t.Grids)
	slices.Reverse(t.levels)
	return t
}

// octant is the Morton number of a cell.
func octant(x, y, z int) int {
	at := 0
	for bit := range 8 {
		at |= (x>>bit&1 | y>>bit&1<<1 | z>>bit&1<<2) << (3 * bit)
	}
	return at
}

// Owner is the rank that has a cell; −1: it is not there.
func (t *Octree) Owner(grid, x, y, z int) int {
	all, at := t.levels[grid], octant(x, y, z)
	if at >= len(all) || all[at] != math.Trunc(all[at]) {
		return -1
	}
	return int(all[at])
}

// Owns reports whether a rank has a cell of a level.
func (t *Octree) Owns(grid, rank int) bool { return slices.Contains(t.levels[grid], float64(rank)) }

// Owners is how many ranks have a cell of a level.
func (t *Octree) Owners(grid int) int {
	n := 0
	for rank := range t.Ranks {
		if t.Owns(grid, rank) {
			n++
		}
	}
	return n
}

// Cells is how many cells a level has, and its first plane with the most of them.
func (t *Octree) Cells(grid int) (all, fullest int) {
	side, most := t.Grids[grid].Boxes[0], 0
	for z := range side {
		n := 0
		for y := range side {
			for x := range side {
				if t.Owner(grid, x, y, z) >= 0 {
					n++
				}
			}
		}
		if all += n; n > most {
			fullest, most = z, n
		}
	}
	return all, fullest
}
