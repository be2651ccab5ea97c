package engine

// Domain is how grids are shared out among ranks: boxes in lexicographic order, x first,
// and rank ⌊ranks · box / boxes⌋ has a box.
type Domain struct {
	Ranks int
	Grids []Grid // the finest first
}

// Grid is cut into boxes.
type Grid struct {
	Name  string // "256³"
	Boxes [3]int // along each dimension
	Cells [3]int // of a box
}

// Count is how many boxes a grid has.
func (g *Grid) Count() int { return g.Boxes[0] * g.Boxes[1] * g.Boxes[2] }

// Owner is the rank that has a box of a grid.
func (d *Domain) Owner(grid, x, y, z int) int {
	g := &d.Grids[grid]
	return int(int64(d.Ranks) * int64(x+g.Boxes[0]*(y+g.Boxes[1]*z)) / int64(g.Count()))
}

// Owners is how many ranks have a box of a grid: the others are idle.
func (d *Domain) Owners(grid int) int { return min(d.Ranks, d.Grids[grid].Count()) }

// Owns reports whether a rank has a box of a grid.
func (d *Domain) Owns(grid, rank int) bool {
	n := int64(d.Grids[grid].Count())
	first := (int64(rank)*n + int64(d.Ranks) - 1) / int64(d.Ranks)
	return first*int64(d.Ranks) < int64(rank+1)*n
}

// Domain is how the run shares its grids out; nil: it does not tell.
func (s *Snapshot) Domain() *Domain {
	for i := range s.Studies {
		if d := s.Studies[i].Domain; d != nil {
			return d
		}
	}
	return nil
}
