package multigrid

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&multigrid) }

// maxCycles is the maximum number of V-cycles after the F-cycle.
const maxCycles = 20

// maxOdd is the longest side of a coarsest grid that BiCGStab may have to solve.
const maxOdd = 11

// maximum is the maximum of a residual over all ranks.
var maximum = algorithm.Main{What: coll.OpAllreduce, All: true,
	Bytes: func(algorithm.Reader, *cluster.Layout) int64 { return 8 }}

var multigrid = workload.Workload{
	Name:  "multigrid",
	Title: "Geometric multigrid",
	Doc: "The full multigrid cycle of HPGMG-FV, with the variants of paper 3. The program packs messages, or it puts " +
		"each row directly to its destination (8 bytes at a time if the row's cells are not contiguous). " +
		"Change the variant to see fewer messages on the network: loads and stores inside a node, strided puts between " +
		"nodes, and synchronization with neighbours only.",
	Paper: "paper 3",
	Knobs: slices.Concat([]engine.Knob{
		{Name: "variant", Label: "variant", Doc: "method of communication; mpi, bulk: one packed message per neighbour, " +
			"sent or put; natural: one put per row, through the adapter even inside a node. Each further choice adds to " +
			"the one before; shm: shared memory inside a node; local: plain loads and stores there; vis: one strided put " +
			"per face between nodes; groupsync: synchronize with neighbours only", Type: engine.Choice, Default: "bulk",
			Choices: []string{"mpi", "bulk", "natural", "shm", "local", "vis", "groupsync"}, Scope: engine.ScopeBody,
			Role:  engine.Scheme,
			Watch: "the messages that no longer use the adapter at each step of the ladder, and the remaining time",
			Paper: "paper 3, figure 6"},
		{Name: "boxes", Label: "boxes per side",
			Doc:  "boxes of the finest grid along each dimension; if there are more ranks than boxes, some are idle",
			Type: engine.Integer, Default: "4", Min: 1, Max: 64,
			Choices: []string{"1", "2", "3", "4", "8", "16", "32"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "idle ranks, and weak scaling: increase the boxes with the ranks", Paper: "paper 3, section III.A"},
		{Name: "box", Label: "box", Doc: "cells of the finest grid along each side of a box (a power of two)",
			Type: engine.Integer, Default: "8", Min: 4, Max: 512,
			Choices: []string{"4", "8", "16", "32", "64", "128"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "computing compared with messages: cells grow by eight when faces grow by four",
			Paper: "paper 3, section VI.A"},
		{Name: "vcycles", Label: "V-cycles", Doc: "maximum number of V-cycles after the F-cycle; they end when the " +
			"residual is 10⁻¹⁰ of f", Type: engine.Integer, Default: "0", Min: 0, Max: maxCycles,
			Choices: []string{"0", "1", "8", "20"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the residual falls about thirtyfold per cycle; the error stays, because the grid determines it"},
		{Name: "smoother-degree", Label: "degree", Doc: "sweeps of a Chebyshev pass (an even number)", Type: engine.Integer,
			Default: "4", Min: 2, Max: 12,
			Choices: []string{"2", "4", "6", "8"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the number of exchanges compared with the residual"},
		{Name: "agglomerate", Label: "agglomerate at",
			Doc: "side of a box at which eight boxes become one on a coarser level (a power of two)", Type: engine.Integer,
			Default: "8", Min: 2, Max: 128,
			Choices: []string{"4", "8", "16", "32"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "coarse levels on fewer ranks, with fewer and longer messages"},
		workload.RealLimit("589824"),
	}, maximum.Knobs()),
	Defaults: map[string]string{"model": "flat"},
	Question: "do few large messages beat many small ones?",
	First:    "variant", Panes: []string{"locality", "boxes", "tables"}, Steady: true, Masteronly: true, Idle: idle,
	Metrics: append([]engine.MetricSpec{
		{Name: "solve_time", Phrase: "time of a solve", Unit: "s", Always: true,
			Doc: "time of a solve, from one barrier of all ranks to the next"},
		{Name: "unknowns_rate", Phrase: "unknowns per second", Unit: "1/s", Rate: true, Always: true,
			Doc: "cells of the finest grid / time of a solve"},
		{Name: "residual", Phrase: "residual over f", Unit: "1", Always: true, Doc: "largest residual / largest f, after the last cycle"},
		{Name: "error", Phrase: "error", Unit: "1", Always: true, Doc: "largest difference between u and the exact solution"},
		{Name: "adapter_messages", Phrase: "messages per node", Unit: "1",
			Doc: "messages that a node's ranks send through its adapter in a solve, mean over nodes"},
		{Name: "time_smooth", Phrase: "time of smoothing", Unit: "s", Always: true,
			Doc: "sweeps and residuals of a solve, mean over ranks"},
		{Name: "time_move", Phrase: "time of moving", Unit: "s", Doc: "packing and transfers of a solve, mean over ranks"},
		{Name: "time_sync", Phrase: "time of synchronizing", Unit: "s", Always: true, Ranked: true,
			Doc: "barriers and synchronization with neighbours in a solve, mean over ranks"},
	}, algorithm.Metrics()...),
	Shapes: &workload.Shapes{Problem: map[string]string{"boxes": "16", "box": "32"},
		Small: map[string]string{"boxes": "16", "box": "4"}, Time: "solve_time"},
	Tallies: []engine.TallySpec{
		{Name: "messages", Title: "Messages by size and link", Unit: "1",
			Doc:   "messages by size and by the farthest link that they cross, for each level",
			Shape: engine.Heat, Layer: "level", Layers: levelNames, Row: "size", Column: "link", Labels: sizeLabels},
		{Name: "level_time", Title: "Time per level", Unit: "s", Each: 1e-12,
			Doc: "time of all ranks by level and part of a solve", Shape: engine.Stack, Row: "level", Column: "part",
			Labels: func(s *engine.Scenario, m *cluster.Machine) (rows, columns []string) {
				return levelNames(s, m), partNames[:]
			}},
		maximum.Tally(),
	},
	Profiles: []engine.ProfileSpec{
		{Name: "residuals", Title: "Residual over f", Unit: "1",
			Doc: "largest residual / largest f after the F-cycle, and after each V-cycle", Over: "V-cycles",
			Places: maxCycles + 1},
	},
	Derived: []engine.MetricSpec{
		{Name: "adapter_time", Phrase: "time of a node's adapter", Unit: "s",
			Doc: "time of a node's messages at its adapter: their number times the machine's gap"},
	},
	Studies:    []*engine.Study{ladder, convergence, study.Tries},
	Bars:       refusedChoices,
	Iterations: 1,
	Plan:       plan,
	Run:        run,
	Comparison: compareSequential,
	Finish:     finish,
}

// problem is the problem that the knobs choose.
type problem struct {
	boxes, side, threshold, degree, cycles int
	variant                                *variant
}

func problemOf(number func(string) int64, text func(string) string) problem {
	return problem{
		boxes: int(number("boxes")), side: int(number("box")), threshold: int(number("agglomerate")),
		degree: int(number("smoother-degree")),
		cycles: int(number("vcycles")), variant: variantOf(text("variant")),
	}
}

func (a *problem) layout(ranks int) *layout {
	return newLayout(shapes(a.boxes, a.side, a.threshold), ranks, a.variant.packs && a.variant.puts)
}

// bytes returns the bytes of the finest grid's cells on the rank that has the most: all
// vectors, without ghosts.
func (a *problem) bytes(ranks int) int64 {
	slots := int64(shape{a.boxes, a.side}.slots(ranks))
	return 8 * vectors * slots * int64(a.side) * int64(a.side) * int64(a.side)
}

// The small problem that is verified next to a size-only one has every step of a cycle, and
// enough boxes to distinguish them.
const (
	smallBoxes = 4
	smallSide  = 4
)

// part returns the problem itself, or the small one.
func (a problem) part(small bool) problem {
	if small {
		a.boxes = min(a.boxes, smallBoxes)
		a.side = smallSide
		a.threshold = 8
	}
	return a
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	if err := workload.CheckThreads(s); err != nil {
		return workload.Plan{}, err
	}
	l := s.Layout()
	a := problemOf(s.Int, s.Text)
	switch {
	case bits.OnesCount(uint(a.side)) != 1:
		return fail("box = %d: want a power of two, because boxes are halved (use %d or %d)", a.side,
			1<<(bits.Len(uint(a.side))-1), 1<<bits.Len(uint(a.side)))
	case bits.OnesCount(uint(a.threshold)) != 1:
		return fail("agglomerate = %d: want a power of two", a.threshold)
	case a.degree%2 != 0:
		return fail("smoother-degree = %d: want an even number, so that a pass ends in u (use %d or %d)", a.degree,
			a.degree-1, a.degree+1)
	case l.Groups() > 1:
		return fail("model = %s with %d groups: a put cannot reach a rank of another group (use model = flat, or "+
			"one group)", l.Model, l.Groups())
	}
	if odd := a.boxes >> bits.TrailingZeros(uint(a.boxes)); odd > maxOdd {
		return fail("boxes = %d: the coarsest grid has %d cells per side, want at most %d on one rank (use a smaller "+
			"odd factor, such as boxes = %d)",
			a.boxes, odd, maxOdd, 1<<(bits.Len(uint(a.boxes))-1))
	}
	var memory workload.Memory
	_, verified, _ := workload.Parts(on.Store(s, a.bytes(l.Ranks())),
		func(store cluster.Store, small bool) (*layout, error) {
			of := a.part(small)
			part := of.layout(l.Ranks())
			memory.Add(cluster.Store{}, part.flags)
			memory.Add(store, part.data)
			return part, nil
		})
	shape := verified.shapes[0]
	image := 8 * int64(shape.slots(l.Ranks())) * int64(shape.side*shape.side*shape.side)
	n := int64(shape.cells())
	p := workload.Plan{Items: []workload.Item{
		{Name: "images of boxes", Per: workload.PerRank, Bytes: 2 * image},
		{Name: "message buffers", Per: workload.PerRank, Bytes: 8 * shape.vectorBytes() * int64(shape.slots(l.Ranks()))},
		{Name: "messages of steps", Per: workload.PerRank, Bytes: 64 << 10},
		{Name: "sequential solution", Per: workload.InAll, Bytes: 8 * n * n * n * (vectors + 3)},
	}}
	p.Tries = maximum.Iterations(s, on.Machine, on.Kind())
	memory.Fill(&p)
	return p, nil
}

func refusedChoices(s *engine.Scenario, on *workload.Site) map[string]map[string]string {
	return map[string]map[string]string{"algorithm": maximum.Refused(s, on.Machine, on.Kind())}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	if why := maximum.Idle(s, knob); why != "" {
		return why
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}

// sizeLabels returns the possible sizes of messages, and the links.
func sizeLabels(*engine.Scenario, *cluster.Machine) (rows, columns []string) {
	for k := range sizes {
		rows = append(rows, cluster.SizeText(float64(int64(8)<<k)))
	}
	return rows, linkNames[:]
}

// levelNames returns the names of the grids of all levels, the finest first.
func levelNames(s *engine.Scenario, _ *cluster.Machine) (names []string) {
	a := problemOf(s.Int, s.Text)
	for _, shape := range shapes(a.boxes, a.side, a.threshold) {
		names = append(names, fmt.Sprintf("%d³", shape.cells()))
	}
	return names
}
