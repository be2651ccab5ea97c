package multigrid

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
)

// published is what paper 3 gives of a solve on Edison with a box of 128³ a rank, 16
// ranks a node: table I's times, and section VI.B's ratios to bulk messages; 0: it gives
// none, or the number is lost.
var published = []struct {
	ranks        int
	mpi, bulk    float64 // s
	naturalRatio float64
}{
	{8, 0.351, 0.348, 1.44},
	{64, 0.373, 0.366, 2.2},
	{512, 0.387, 0.382, 0},
	{4096, 0.388, 0.385, 0},
	{32768, 0.409, 0, 0},
}

// Published is the paper's time of a solve by a variant at so many ranks, s; NaN: it
// gives none.
func Published(variant string, ranks int) float64 {
	for i := range published {
		p := &published[i]
		x := 0.
		switch variant {
		case "mpi":
			x = p.mpi
		case "bulk":
			x = p.bulk
		case "natural":
			x = p.bulk * p.naturalRatio
		}
		if p.ranks == ranks && x > 0 {
			return x
		}
	}
	return math.NaN()
}

// paperRows are the published points of a scenario that is the paper's.
func paperRows(s *engine.Scenario) (rows []engine.Row) {
	l, a := s.Layout(), askedOf(s.Int, s.Text)
	if n := l.Ranks(); s.Text("machine") != "xc30-edison" || a.side != 128 || a.boxes*a.boxes*a.boxes != n || l.RanksPerNode != min(n, 16) ||
		a.degree != 4 || a.threshold != 8 || a.cycles != 0 {
		return nil
	}
	for i, v := range variants {
		if x := Published(v.name, l.Ranks()); !math.IsNaN(x) {
			cells := make([]float64, len(ladderColumns))
			for k := range cells {
				cells[k] = math.NaN()
			}
			cells[columnSolve], cells[columnRung] = x, float64(i)+0.5
			rows = append(rows, engine.Row{Key: "published " + v.name, Label: v.name + ", paper", Kind: engine.Published, Cells: cells})
		}
	}
	return rows
}
