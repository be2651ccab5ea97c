package heat

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// The sentence compares with the fastest other variant of the same layout. The ideal line starts at
// the fewest nodes.
func TestExplanation(t *testing.T) {
	snap := &engine.Snapshot{Scenario: heat.Scenario([]string{"demo"}), Kind: engine.Simulated}
	snap.Layout = cluster.Layout{Nodes: 4, RanksPerNode: 4, ThreadsPerRank: 1, Ranking: cluster.Sequential,
		Model: cluster.Flat}
	row := func(label, series string, nodes, time float64) engine.Row {
		return engine.Row{Key: label, Label: label, Series: series, Kind: engine.Simulated, Cells: []float64{
			columnNodes: nodes, columnTime: time, columnModel: math.NaN(), columnMedian: time, columnSpread: 0,
			columnCompute: time / 2, columnExchange: time / 4, columnReduce: time / 4,
		}}
	}
	v := &engine.StudyView{Form: byVariant.Form, Now: 0, Rows: []engine.Row{
		row("4×4, two-sided", "two-sided", 4, 12e-6), row("4×4, put-rpc", "put-rpc", 4, 10e-6),
		row("4×4, put-signal", "put-signal", 4, 8e-6),
		row("8×4, put-signal", "put-signal", 8, 2e-6), row("2×4, two-sided", "two-sided", 2, 20e-6),
	}}
	complete(v, snap)
	const want = "4×4, two-sided: 12.0 µs per step. The exchange of 4 faces of 600 B takes 25% of it, reductions " +
		"take 25%. With put-signal a step is 1.5× faster (simulated)."
	if v.Why != want {
		t.Errorf("why %q, want %q", v.Why, want)
	}
	line := v.Plots[1].Lines[0]
	if len(line.X) != 2 || line.X[0] != 2 || line.Y[0] != 20e-6 || line.X[1] != 4 || line.Y[1] != 10e-6 {
		t.Errorf("the ideal line is %v, %v", line.X, line.Y)
	}
	for i := range v.Rows {
		if best := v.Rows[i].Flag == engine.Best; best != strings.HasPrefix(v.Rows[i].Label, "4×4, put-signal") {
			t.Errorf("%s: flag %q", v.Rows[i].Label, v.Rows[i].Flag)
		}
	}
}
