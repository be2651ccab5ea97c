package gemm

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// teamOf returns the team of a scenario's rows or columns, for numbers of a kind. The ranks of a
// row have consecutive numbers.
func teamOf(m *cluster.Machine, kind engine.Kind, l *cluster.Layout, g shape, line int) algorithm.Team {
	world := l.World()
	members, _ := g.members(line, 0)
	ranks := make([]int32, len(members))
	for i, member := range members {
		ranks[i] = world[member]
	}
	return algorithm.Among(m, kind, l, ranks)
}

// cellsOf returns the broadcasts of a product, for online tuning.
func cellsOf(s algorithm.Reader, m *cluster.Machine, kind engine.Kind, l *cluster.Layout) []algorithm.Cell {
	g, err := shapeOf(s.Int("rows"), l.N().MPI)
	if err != nil {
		return nil
	}
	of := problem{shape: g, n: int(s.Int("n")), block: int(s.Int("block"))}
	var all []algorithm.Cell
	for line := range lines {
		if of.size(line) > 1 {
			all = append(all, algorithm.Cell{Team: teamOf(m, kind, l, g, line), What: coll.OpBcast, Ranks: of.size(line),
				Bytes: of.maxPanelBytes(line)})
		}
	}
	return all
}

// problemOf returns the product of a scenario.
func problemOf(s *engine.Scenario) (problem, error) {
	l := s.Layout()
	g, err := shapeOf(s.Int("rows"), l.N().MPI)
	return problem{shape: g, n: int(s.Int("n")), block: int(s.Int("block"))}, err
}

// Model predicts the time of a product and its computing part in s, from the machine's constants.
// It assumes that all ranks are in step and that broadcasts do not disturb each other. Prefetched
// broadcasts are hidden while a step computes. If only calls make progress, a rank forwards a panel
// only inside a call: as many successive hops are hidden as there are calls until the panel is
// needed. ok reports whether the machine states costs.
func Model(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) (all, compute float64, ok bool) {
	of, err := problemOf(s)
	if err != nil {
		return 0, 0, false
	}
	rows, cols := of.along(of.rows).MaxLen(), of.along(of.cols).MaxLen()
	l := s.Layout()
	work := cluster.Work{Flops: dense.GemmFlops(rows, cols, of.n), Kernel: cluster.Dgemm,
		Cores: workload.CoresOf(s, m, &l)}
	threads, fork := l.ThreadsPerRank, 0.0
	if threads > 1 {
		work.Flops, work.Cores, fork = work.Flops/float64(threads), max(work.Cores/threads, 1), m.ForkTime.Seconds()
	}
	compute = m.ComputeTime(work).Seconds()
	var panel, pack, exposed float64
	calls := float64(aheadOf(s)) * float64(s.Int("slices"))
	onlyCalls := workload.ProgressOf(m, kind) == cluster.ProgressCall
	for line := range lines {
		w := teamOf(m, kind, &l, of.shape, line)
		c, stated := w.Costs()
		if !stated {
			return 0, 0, false
		}
		maxBytes := of.maxPanelBytes(line)
		k, err := w.Chosen(s, coll.OpBcast, of.size(line), maxBytes)
		if err != nil {
			return 0, 0, false
		}
		if of.size(line) > 1 {
			one := k.Predict(&c, maxBytes).Seconds()
			panel += one
			if hops := float64(k.Predict(&coll.Cost{L: 1}, maxBytes)); onlyCalls && hops > calls {
				exposed += one * (hops - calls) / hops
			}
		}
		moved := cluster.Work{Bytes: 2 * float64(maxBytes)}
		one := m.ComputeTime(moved).Seconds() / float64(threads)
		if m.NodeRate > 0 && kind == engine.Simulated {
			one = max(one, moved.Bytes/m.NodeRate)
		}
		pack += one / float64(of.size(line))
	}
	steps := float64(of.steps())
	compute += steps * float64(s.Int("slices")) * fork
	if aheadOf(s) == 0 {
		return compute + steps*(panel+pack), compute, true
	}
	each := compute / steps
	return panel + steps*max(each+pack+exposed, panel), compute, true
}
