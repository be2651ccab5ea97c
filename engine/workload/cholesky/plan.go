package cholesky

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Estimated bytes of an operation in progress on a fabric and of a node of a schedule, and the
// approximate number of different schedules of a team.
const (
	perOperation = 200
	perNode      = 64
	schedules    = 32
)

// maxReal is the maximum number of bytes of a process's numbers.
const maxReal = 1 << 40

func plan(s *engine.Scenario, site *workload.Site) (workload.Plan, error) {
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	l := s.Layout()
	processes := l.N().MPI
	n, nb := s.Int("n"), s.Int("block")
	modes := algorithm.Modes(s)
	g := scenarioGrid(s, processes, 0)
	requested, fits := gridRows(s, processes)
	switch {
	case nb > n:
		return fail("block = %d: larger than the matrix, n = %d; use block = %d or less", nb, n, n)
	case !fits:
		return fail("rows = %d: %d processes do not divide into %d rows; use a divisor, or rows = %s", requested, processes,
			requested, squareGrid)
	case modes.Transfer.OneSided() && l.Model != cluster.Flat && s.Text("handoff") == direct && g.tx > 1:
		return fail("transfer = %s under model = %s: %s, or transfer = %s", modes.Transfer, l.Model, putsEnd, coll.TwoSided)
	case s.Text("lookahead") == on && s.Text("handoff") == direct:
		return fail("lookahead = on with handoff = direct: %s; use handoff = column", aheadOfHandoff)
	case modes.In == coll.NoSync:
		return fail("sync-in = nosync: %s", overwritten)
	case modes.Out == coll.NoSync:
		return fail("sync-out = nosync: %s", notThere)
	}
	if local := word * float64(g.rows.MaxLen()) * float64(g.cols.MaxLen()); local > math.MaxInt {
		return fail("n = %d on %d processes: %s per process exceeds the address space of a %d-bit program; use a "+
			"smaller n or more nodes", n, processes, cluster.SizeText(local), strconv.IntSize)
	}
	rows, columns := sites(site.Machine, site.Kind(), &l, &g)
	tried := algorithm.Tried(s, cells(s, site.Machine, site.Kind(), &l)...)
	var memory workload.Memory
	timed, verified, err := workload.Parts(site.Store(s, g.bytes()),
		func(store cluster.Store, small bool) (extent, error) {
			return extentOf(s, tried, g.part(small), rows, columns, store, &memory)
		})
	if err != nil {
		return workload.Plan{}, err
	}
	of, all := &verified.grid, workload.Plan{}
	memory.Fill(&all)
	if all.Segment > maxReal {
		return fail("n = %d on %d processes: %s per process is too much; use a smaller n or more nodes", n, processes,
			cluster.SizeText(float64(all.Segment)))
	}
	longest := int64(word * (1 + of.nb*of.cols.MaxLen()))
	all.Items = []workload.Item{
		{Name: "messages in progress", Per: workload.PerRank, Bytes: 4 * site.Eager(s, longest)},
		{Name: "operations in progress", Per: workload.PerRank, Bytes: 4 * perOperation * timed.nodes},
		{Name: "schedules", Per: workload.InAll, Bytes: 2 * perNode * timed.nodes * schedules},
		{Name: "packed tiles", Per: workload.PerRank, Bytes: 256 << 10},
		{Name: "grids of teams", Per: workload.PerRank, Bytes: 64 * int64(g.tx+g.ty)},
	}
	if s.Text("matrix") != exact {
		all.Items = append(all.Items,
			workload.Item{Name: "residual matrix", Per: workload.PerRank, Bytes: word * int64(of.rows.MaxLen()*of.rowLength())})
		if of.n <= oracleRows {
			all.Items = append(all.Items,
				workload.Item{Name: "gonum's factor", Per: workload.InAll, Bytes: 8 * word * int64(of.n) * int64(of.n)})
		}
	}
	all.Tries = algorithm.Iterations(s, len(tried))
	return all, nil
}

// An extent is a matrix and the number of nodes in the longest schedule of its broadcasts.
type extent struct {
	grid
	nodes int64
}

// extentOf adds the memory of a matrix to the memory of a rank.
func extentOf(s *engine.Scenario, tried []string, g grid, rows, columns algorithm.Team, store cluster.Store,
	m *workload.Memory) (extent, error) {
	e := extent{grid: g}
	m.Add(cluster.Store{}, wordsOf(g.tx))
	g.allocate(func(n int) array {
		m.Add(store, word*int64(n))
		return array{}
	})
	across, pieces := g.longestMessages()
	for _, team := range []struct {
		site     algorithm.Team
		ranks    int
		maxBytes int64
	}{{rows, g.ty, pieces}, {columns, g.tx, across}} {
		var scratch coll.Room
		for _, name := range tried {
			need, err := scratchOf(team.maxBytes, func(n int64) (coll.Key, error) {
				k, err := chosen(s, team.site, team.ranks, octave(n), name)
				if err == nil {
					e.nodes = max(e.nodes, int64(len(k.Make(0).Nodes)), int64(len(k.Make(k.Ranks-1).Nodes)))
				}
				return k, err
			})
			if err != nil {
				return e, err
			}
			scratch = scratch.Max(need)
		}
		reserve(m, store, scratch)
	}
	return e, nil
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	if snap.Kind == engine.Measured || !m.Emulated {
		return nil
	}
	var all []engine.Metric
	s := &snap.Scenario
	if rate, ok := snap.Metric("flop_rate"); ok && m.Flops > 0 {
		cores := float64(snap.Layout.N().MPI * workload.CoresOf(s, m, &snap.Layout))
		all = append(all,
			engine.Metric{Name: "peak_share", Value: rate.Value / (cores * m.Flops), Unit: "1", Kind: snap.Kind})
	}
	return append(all,
		engine.Metric{Name: "factor_time_model", Value: Model(s, m, snap.Kind), Unit: "s", Kind: engine.Modelled})
}
