package cholesky

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

func init() { workload.Register(&cholesky) }

// Values of the knobs.
const (
	squareGrid = "square"
	direct     = "direct"
	column     = "column"
	on         = "on"
	off        = "off"
)

// partMetrics are the metrics of the parts of a step.
var partMetrics = [parts]string{"potrf_time", "trsm_time", "update_time", "round1_time", "round2_time",
	"handoff_time", "round3_time"}

var cholesky = workload.Workload{
	Name:  "cholesky",
	Title: "Cholesky factorization",
	Doc: "Factors a symmetric matrix into UᵀU on a checkerboard of processes. Each step has three rounds of " +
		"broadcasts. " +
		"Change the hand-off to remove a hop, the transfer to compare puts with messages, and lookahead to overlap the " +
		"rounds with the product.",
	Paper: "paper 5, section 6.2",
	Knobs: slices.Concat([]engine.Knob{
		{Name: "n", Label: "n", Doc: "rows of the matrix", Type: engine.Integer, Default: "192", Min: 1, Max: 1 << 20,
			Choices: []string{"64", "192", "512", "1024", "4096", "16384", "32768", "65536", "131072", "262144"},
			Scope:   engine.ScopeBody, Role: engine.Problem,
			Watch: "the share of the rounds: a product grows with the square of the rows left, a panel linearly",
			Paper: "paper 5, section 6.2"},
		{Name: "block", Label: "block", Doc: "rows and columns of a block", Type: engine.Integer, Default: "16", Min: 1,
			Max:     4096,
			Choices: []string{"8", "16", "32", "64", "128", "256", "512"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "large blocks: fewer and longer messages, and more idle processes at the end", Paper: "paper 5, section 6.2"},
		{Name: "rows", Label: "grid rows", Doc: "rows of the grid of processes; square: as near to a square as " +
			"possible, with at most as many rows as columns", Type: engine.Integer, Default: squareGrid, Min: 1, Max: 1 << 20,
			Choices: []string{squareGrid, "1", "2", "4", "8", "16", "32"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of each round: rounds 1 and 3 run along rows of processes, round 2 along columns",
			Paper: "paper 5, section 6.2"},
		{Name: "matrix", Label: "matrix", Doc: "matrix: integers with a factor U known bit for bit (exact), random " +
			"numbers verified by the residual norm (random), or without a factor, which is an error (indefinite)",
			Type: engine.Choice, Default: exact,
			Choices: []string{exact, random, indefinite}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the verification"},
		{Name: "handoff", Label: "hand-off", Doc: "process that starts round 3; direct: it gets the blocks from their " +
			"owner, as in the paper; column: it has them from round 2 (not in the paper)", Type: engine.Choice,
			Default: direct,
			Choices: []string{direct, column}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of the hand-off, a hop between rounds 2 and 3",
			Paper: "paper 5, section 6.2; column is not in the paper"},
		{Name: "lookahead", Label: "lookahead",
			Doc: "overlap of a step's rounds 2 and 3 with the previous step's product; needs handoff = column (not in " +
				"the paper, whose program blocks)", Type: engine.Choice, Default: off,
			Choices: []string{off, on}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the share of waiting, which the product hides"},
		{Name: "slices", Label: "slices", Doc: "number of parts of a product under lookahead; the rounds are polled " +
			"between parts", Type: engine.Integer, Default: "8", Min: 1, Max: 1 << 20,
			Choices: []string{"1", "4", "8", "16", "64"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the share of waiting, on machines where only calls make progress"},
		workload.Cores,
	}, algorithm.Knobs(coll.OpBcast), []engine.Knob{
		workload.Partition,
		workload.RealLimit("131072"),
	}),
	Defaults:  map[string]string{"model": "flat"},
	Question:  "how large is the best block?",
	CostModel: "factor_time_model",
	First:     "block", Panes: []string{"locality", "checkerboard", "tables"}, Serial: true, Idle: idle,
	Kernels: []cluster.Kernel{cluster.Dgemm, cluster.Potrf, cluster.Trsm},
	Metrics: append([]engine.MetricSpec{
		{Name: "factor_time", Phrase: "time of a factorization", Unit: "s", Always: true,
			Doc: "time until the slowest process has finished"},
		{Name: "flop_rate", Phrase: "flop rate", Unit: "1/s", Rate: true, Always: true,
			Doc: "n³/3 + n²/2 + n/6 operations divided by that time, all processes"},
		{Name: "potrf_time", Phrase: "factoring blocks", Unit: "s", Always: true,
			Doc: "time to factor the blocks on the diagonal, mean over processes"},
		{Name: "trsm_time", Phrase: "solving for rows", Unit: "s",
			Doc: "time of triangular solves and packing, mean over processes"},
		{Name: "update_time", Phrase: "product", Unit: "s", Doc: "time of the products, mean over processes"},
		{Name: "round1_time", Phrase: "round 1", Unit: "s",
			Doc: "time of round 1, the diagonal block along a row of processes, waiting included, mean over processes"},
		{Name: "round2_time", Phrase: "round 2", Unit: "s",
			Doc: "time of round 2, a row of U down columns of processes, waiting included, mean over processes"},
		{Name: "handoff_time", Phrase: "hand-off", Unit: "s",
			Doc: "time of the hand-off, the same row to the processes that start round 3, mean over processes"},
		{Name: "round3_time", Phrase: "round 3", Unit: "s",
			Doc: "time of round 3, that row along rows of processes, waiting included, mean over processes"},
		{Name: "wait_share", Phrase: "share of the rounds", Unit: "1", Ranked: true,
			Doc: "share of the time spent in rounds and hand-off, mean over processes"},
		{Name: "residual", Phrase: "residual", Unit: "1",
			Doc: "‖A − UᵀU‖ / (n·ε·‖A‖) of a random matrix, with Frobenius norms and the machine epsilon ε"},
	}, algorithm.Metrics()...),
	Derived: []engine.MetricSpec{
		{Name: "peak_share", Phrase: "share of peak", Unit: "1",
			Doc: "flop rate divided by the peak of all cores used, from the machine file"},
		{Name: "factor_time_model", Phrase: "time of a factorization, model", Unit: "s",
			Doc: "sum over steps of the slowest process's kernels and the broadcasts' cost models, without contention"},
	},
	Tallies: []engine.TallySpec{
		{Name: "steps", Title: "Steps by rows left", Unit: "s", Each: 1e-9,
			Doc: "time of each part of the steps, summed over processes; solve includes the blocks on the diagonal, and " +
				"round 3 the hand-off",
			Shape: engine.Stack, Row: "rows left", Column: "part", Labels: stepLabels},
		algorithm.Tries(func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) []algorithm.Cell {
			l := s.Layout()
			return cells(s, m, kind, &l)
		}),
	},
	Studies:    []*engine.Study{byHandoff, study.Tries},
	Fit:        workload.FitPartition,
	Bars:       refusedChoices,
	Iterations: 1,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// checkerboard returns the grid of a scenario.
func checkerboard(s *engine.Scenario) *dense.Checkerboard {
	l := s.Layout()
	g := scenarioGrid(s, l.N().MPI, 0)
	return &dense.Checkerboard{Rows: g.tx, Cols: g.ty, Steps: g.blocks(), Upper: true}
}

// stepLabels returns the remaining rows at the start of each interval of steps, and the parts.
func stepLabels(s *engine.Scenario, _ *cluster.Machine) (rows, columns []string) {
	l := s.Layout()
	g := scenarioGrid(s, l.N().MPI, 0)
	n := intervals(g.blocks())
	for i := range n {
		rows = append(rows, fmt.Sprint(g.n-g.first((i*g.blocks()+n-1)/n)))
	}
	return rows, stepColumns
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	if why := algorithm.Idle(s, coll.OpBcast, knob); why != "" {
		return why
	}
	l := s.Layout()
	switch {
	case knob == "slices" && s.Text("lookahead") == off:
		return "lookahead = off: nothing is computed during the rounds"
	case knob == "handoff" && l.Validate() == nil && scenarioGrid(s, l.N().MPI, 0).tx == 1:
		return "one row of processes needs no hand-off"
	case knob == "seed" && s.Text("matrix") == exact:
		return "matrix = exact has no random numbers"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	if why := workload.MachineIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}

// refusedChoices returns the choices that cannot be run with the other knobs as they are.
func refusedChoices(s *engine.Scenario, site *workload.Site) map[string]map[string]string {
	all := map[string]map[string]string{}
	bar := func(knob, choice, why string) {
		if all[knob] == nil {
			all[knob] = map[string]string{}
		}
		all[knob][choice] = why
	}
	l := s.Layout()
	p := l.N().MPI
	for _, choice := range []string{"1", "2", "4", "8", "16", "32"} {
		rows := 0
		if fmt.Sscan(choice, &rows); rows > p || p%rows != 0 {
			bar("rows", choice, fmt.Sprintf("%d processes do not divide into %d rows", p, rows))
		}
	}
	if s.Text("lookahead") == on {
		bar("handoff", direct, aheadOfHandoff)
	} else if s.Text("handoff") == direct {
		bar("lookahead", on, aheadOfHandoff)
	}
	if handsOver := scenarioGrid(s, p, 0).tx > 1; handsOver && l.Model != cluster.Flat {
		if s.Text("handoff") == direct {
			for _, transfer := range coll.Transfers()[1:] {
				bar("transfer", transfer, putsEnd)
			}
		}
		if algorithm.Modes(s).Transfer.OneSided() {
			bar("handoff", direct, putsEnd)
		}
	}
	bar("sync-in", coll.NoSync.String(), overwritten)
	bar("sync-out", coll.NoSync.String(), notThere)
	g := scenarioGrid(s, p, 0)
	rows, columns := sites(site.Machine, site.Kind(), &l, &g)
	for _, a := range coll.Of(coll.OpBcast) {
		_, err := rows.Key(s, a, g.ty)
		if err == nil {
			_, err = columns.Key(s, a, g.tx)
		}
		if err != nil {
			bar("algorithm", a.Name, err.Error())
		}
	}
	if _, err := rows.FromComposition(s, coll.OpBcast, g.ty); err != nil {
		bar("algorithm", algorithm.Composed, err.Error())
	} else if _, err := columns.FromComposition(s, coll.OpBcast, g.tx); err != nil {
		bar("algorithm", algorithm.Composed, err.Error())
	}
	if _, err := rows.FromTable(s, coll.OpBcast, g.ty, word); err != nil {
		bar("algorithm", algorithm.ByTable, err.Error())
	}
	return all
}

// Reasons why some choices are refused.
const (
	aheadOfHandoff = "the hand-off between the rounds delays what lookahead hides"
	putsEnd        = "the hand-off is a put, which works only inside a UPC group; use handoff = column"
	overwritten    = "a root could overwrite a panel that is still in use; use mysync or allsync"
	notThere       = "a panel is used as soon as the call returns; use mysync or allsync"
)
