package domain

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
)

// Octants is the Over of a profile over the cells of an oct-tree. Its places are ordered level by
// level from the root, and by Morton number in each level, with x in the lowest bits. Its values
// are the ranks that own the cells.
const Octants = "octants"

// Octree is the tree of such a profile: one grid per level, the deepest first, in which boxes may
// be missing. It is built for a screen; recordings store the profile.
type Octree struct {
	Boxes
	levels [][]float64 // by grid: the rank that has each cell; NaN: none
}

// OctreeOf returns the tree that a run reports, or nil if it reports none.
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

// octant returns the Morton number of a cell.
func octant(x, y, z int) int {
	at := 0
	for bit := range 8 {
		at |= (x>>bit&1 | y>>bit&1<<1 | z>>bit&1<<2) << (3 * bit)
	}
	return at
}

// Owner returns the rank that owns a cell, or −1 if the cell does not exist.
func (t *Octree) Owner(grid, x, y, z int) int {
	all, at := t.levels[grid], octant(x, y, z)
	if at >= len(all) || all[at] != math.Trunc(all[at]) {
		return -1
	}
	return int(all[at])
}

// Owns reports whether a rank has a cell of a level.
func (t *Octree) Owns(grid, rank int) bool { return slices.Contains(t.levels[grid], float64(rank)) }

// Owners returns the number of ranks that own a cell of a level.
func (t *Octree) Owners(grid int) int {
	n := 0
	for rank := range t.Ranks {
		if t.Owns(grid, rank) {
			n++
		}
	}
	return n
}

// Cells returns the number of cells of a level, and the first plane that has the most of them.
func (t *Octree) Cells(grid int) (all, fullest int) {
	side, largest := t.Grids[grid].Boxes[0], 0
	for z := range side {
		n := 0
		for y := range side {
			for x := range side {
				if t.Owner(grid, x, y, z) >= 0 {
					n++
				}
			}
		}
		all += n
		if n > largest {
			fullest, largest = z, n
		}
	}
	return all, fullest
}
