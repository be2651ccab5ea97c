package barneshut

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/domain"
)

// Number of levels of the tree in the picture, and the maximum number of their cells.
const (
	shown      = 4
	shownCells = (1<<(3*shown) - 1) / 7
)

// owners is the profile of the first tree of a run: the rank that created each cell.
var owners = engine.ProfileSpec{
	Name: "owners", Title: "Owners of cells", Unit: "1", Over: domain.Octants, Places: shownCells,
	Doc: "rank that created each cell of the first group's tree in the first step, by level and along the space-filling curve",
}

// picture reports the cells that this rank created. It reads no shared records.
func (s *simulation) picture() {
	if s.r.ID() >= s.threads || s.steps > 0 {
		return
	}
	s.ownCells(func(sum *summary) {
		level := int(math.Round(math.Log2(s.order.cube.side/sum[summaryHalf]))) - 1
		if level < shown {
			first := (1<<(3*level) - 1) / 7 // cells of the levels above
			s.p.Place(owners.Name, first+int(s.order.cube.key(sum[:3])>>(3*(depth-level))), float64(s.r.ID()))
		}
	})
}

// ownCells calls do for each cell that this rank's thread created, in place.
func (s *simulation) ownCells(do func(sum *summary)) {
	if !s.bulk {
		for i := range s.tree.levels {
			do(s.tree.ownSummary(cellRef(s.tree.me, i)))
		}
		return
	}
	m, end := s.image, len(s.image.links)
	if s.thread+1 < len(m.cells) {
		end = m.cells[s.thread+1]
	}
	for i := m.cells[s.thread]; i < end; i++ {
		do(&m.summaries[len(m.order.bodies)+i])
	}
}
