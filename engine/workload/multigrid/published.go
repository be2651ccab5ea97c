package multigrid

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
)

// published holds paper 3's results for a solve on Edison with a box of 128³ per rank and 16 ranks
// per node: the times of table I, and section VI.B's ratios to bulk messages. 0 means that the
// paper has no number, or that the number is lost.
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

// Published returns the paper's time of a solve by a variant on this number of ranks, in s. It
// returns NaN if the paper has none.
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

// paperRows returns the published points of a scenario that equals the paper's.
func paperRows(s *engine.Scenario) (rows []engine.Row) {
	l, a := s.Layout(), problemOf(s.Int, s.Text)
	if n := l.Ranks(); s.Text("machine") != "xc30-edison" || a.side != 128 || a.boxes*a.boxes*a.boxes != n ||
		l.RanksPerNode != min(n, 16) ||
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
			rows = append(rows,
				engine.Row{Key: "published " + v.name, Label: v.name + ", paper", Kind: engine.Published, Cells: cells})
		}
	}
	return rows
}
