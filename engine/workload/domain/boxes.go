package domain

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

func init() { engine.RegisterDrawing[Boxes]("domain") }

// Boxes are the boxes of grids and the ranks that own them. Boxes are in lexicographic order,
// x first, and rank ⌊ranks · box / boxes⌋ owns a box.
type Boxes struct {
	Ranks int
	Grids []Grid // the finest first
}

// A Grid is cut into boxes.
type Grid struct {
	Name  string // "256³"
	Boxes [3]int // along each dimension
	Cells [3]int // of a box
}

// Count returns the number of boxes of a grid.
func (g *Grid) Count() int { return g.Boxes[0] * g.Boxes[1] * g.Boxes[2] }

// Owner returns the rank that owns a box of a grid.
func (d *Boxes) Owner(grid, x, y, z int) int {
	g := &d.Grids[grid]
	return int(int64(d.Ranks) * int64(x+g.Boxes[0]*(y+g.Boxes[1]*z)) / int64(g.Count()))
}

// Owners returns the number of ranks that own a box of a grid. The others are idle.
func (d *Boxes) Owners(grid int) int { return min(d.Ranks, d.Grids[grid].Count()) }

// Owns reports whether a rank owns a box of a grid.
func (d *Boxes) Owns(grid, rank int) bool {
	n := int64(d.Grids[grid].Count())
	first := (int64(rank)*n + int64(d.Ranks) - 1) / int64(d.Ranks)
	return first*int64(d.Ranks) < int64(rank+1)*n
}

var grids = codec.PartOf((*Grid).fields)

// Fields walks over all fields.
func (d *Boxes) Fields(c *codec.Walk) {
	if codec.Integer(c, &d.Ranks); d.Ranks < 0 || d.Ranks > maxOwners {
		c.Fail(fmt.Errorf("domain: number of ranks out of range: %d", d.Ranks))
	}
	codec.List(c, &d.Grids, grids)
}

// The maximum number of boxes of a grid along a dimension, and of ranks.
const (
	maxBoxes  = 1 << 12
	maxOwners = 1 << 24
)

func (g *Grid) fields(c *codec.Walk) {
	codec.Text(c, &g.Name)
	for i := range g.Boxes {
		codec.Integer(c, &g.Boxes[i])
		codec.Integer(c, &g.Cells[i])
		if n := g.Boxes[i]; n < 0 || n > maxBoxes {
			c.Fail(fmt.Errorf("grid %q: number of boxes along a dimension out of range: %d", g.Name, n))
		}
	}
}
