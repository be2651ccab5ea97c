package reproduce

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// Experiments without runs: the papers' formulas with the papers' numbers.

// unknown returns NaN, for a value without a formula.
func unknown(*Point, *Point) float64 { return math.NaN() }

// formula returns a quantity that is only modelled.
func formula(name, unit, doc string, value func(p *Point) float64) Quantity {
	return Quantity{Name: name, Unit: unit, Doc: doc, Modelled: func(p, _ *Point) float64 { return value(p) }}
}

// onKnob returns a function for SetX that sets a knob to the position on the x axis.
func onKnob(name string) func(s *engine.Scenario, x float64) error {
	return func(s *engine.Scenario, x float64) error { return s.Set(name, strconv.FormatFloat(x, 'f', -1, 64)) }
}

// real returns a real-valued knob of a formula.
func real(name, doc, value string, maxValue float64) engine.Knob {
	return engine.Knob{Name: name, Label: name, Doc: doc, Type: engine.Real, Default: value, Max: maxValue}
}

// threadKnobs are m and n.
var threadKnobs = []engine.Knob{
	real("reserved", "m, communication threads", "1", 1024),
	{Name: "threads", Label: "threads", Doc: "n, threads per process", Type: engine.Integer, Default: "8", Min: 1,
		Max: 1024},
}

func reservedOf(p *Point) models.Reserved {
	return models.Reserved{M: p.Scenario.Float("reserved"), N: int(p.Scenario.Int("threads"))}
}

func limitsOf(p *Point) models.Limits {
	return must(models.LimitsOf(reservedOf(p), p.Scenario.Float("non-overlap")))
}

// overlapping is ε over f_comm (paper 2, section 7.2.1, figure 5).
var _ = register(&Experiment{
	Name: "epsilon",
	Knobs: append([]engine.Knob{
		real("comm", "f_comm", "0", 1),
		real("non-overlap", "f_comp,non", "0", 1),
		real("ratio", "T_hybrid/T_MPP while the other threads are idle", "1.6", 1000),
	}, threadKnobs...),
	SetX: onKnob("comm"),
	Quantities: []Quantity{
		formula("epsilon", "1", "ε by equation (3)", func(p *Point) float64 {
			f := must(models.Split(p.Scenario.Float("comm"), p.Scenario.Float("non-overlap")))
			return must(models.Epsilon(reservedOf(p), f)).Value
		}),
		formula("epsilon_max", "1", "equation (5)", func(p *Point) float64 { return limitsOf(p).Max }),
		formula("epsilon_min", "1", "equation (9)", func(p *Point) float64 { return limitsOf(p).Min }),
		formula("comm_best", "1", "f_comm,best, equation (6)", func(p *Point) float64 { return limitsOf(p).CommBest }),
		formula("comm_equiv", "1", "f_comm,equiv", func(p *Point) float64 { return limitsOf(p).CommEquiv }),
		formula("upper", "1", "1 + m(1 − 1/n), equation (7)", func(p *Point) float64 { return limitsOf(p).Upper }),
		formula("lower", "1", "1 − m/n, equation (9)", func(p *Point) float64 { return limitsOf(p).Lower }),
		formula("overlapped_ratio", "1", "T_hybrid/T_MPP while the other threads compute", func(p *Point) float64 {
			return must(models.OverlappedRatio(p.Scenario.Float("ratio"), reservedOf(p)))
		}),
	},
})

// planes is ε over local planes by equation (14).
var _ = register(&Experiment{
	Name: "epsilon-planes",
	Knobs: append([]engine.Knob{
		{Name: "planes", Label: "planes", Doc: "n_k, local planes", Type: engine.Integer, Default: "1", Min: 1, Max: 1 << 20},
		real("comm-cost", "x_comm/x_MVM,overlap", fmt.Sprint(models.PaperCommFitted), 1e6),
	}, threadKnobs...),
	SetX: onKnob("planes"),
	Quantities: []Quantity{
		formula("epsilon", "1", "ε by equation (14), x_MVM,non/x_MVM,overlap = 1/6", func(p *Point) float64 {
			x := models.SparseCosts{Comm: p.Scenario.Float("comm-cost"), NonOverlap: models.PaperSplit, Overlap: 1}
			return must(x.Epsilon(reservedOf(p), int(p.Scenario.Int("planes")))).Value
		}),
		formula("comm_at_crossover", "1", "x_comm/x_MVM,overlap at which ε = 1", func(p *Point) float64 {
			return must(models.CommAtCrossover(reservedOf(p), p.X))
		}),
	},
})

// remoteAccess is table 2 over bytes: methods of loading remote memory into a register.
var _ = register(&Experiment{
	Name: "access",
	Knobs: []engine.Knob{
		{Name: "size", Label: "size", Doc: "requested bytes", Type: engine.Integer, Default: "8", Min: 1, Max: 1 << 40},
		real("word-latency", "T_lat of a word, s", fmt.Sprint(models.PaperAccess.WordLatency), 1),
	},
	SetX: onKnob("size"),
	Quantities: append(append(
		waysOf("bandwidth", "B/s", "requested bytes over the time", func(a models.Access) float64 { return a.Value }),
		waysOf("copies", "1", "memory copies on the path", func(a models.Access) float64 { return float64(a.Copies) })...),
		formula("page_over_prefetch", "1", "bandwidth of page transfers relative to prefetch", func(p *Point) float64 {
			return wayOf(p, "page").Value / wayOf(p, "prefetch").Value
		}),
	),
})

// waysOf returns a quantity for each method of table 2.
func waysOf(name, unit, doc string, of func(models.Access) float64) []Quantity {
	var all []Quantity
	for _, a := range must(models.PaperAccess.Accesses(1)) {
		all = append(all,
			formula(name+"_"+a.Name, unit, a.Title+": "+doc, func(p *Point) float64 { return of(wayOf(p, a.Name)) }))
	}
	return all
}

func wayOf(p *Point, name string) models.Access {
	costs := models.PaperAccess
	costs.WordLatency = p.Scenario.Float("word-latency")
	for _, a := range must(costs.Accesses(int(p.Scenario.Int("size")))) {
		if a.Name == name {
			return a
		}
	}
	panic("reproduce: table 2 has no way " + name)
}

// groupGain is the gain from groups by the locality law of paper 1, section 4.3.1, over the rate
// of the operations per element. It makes no run, and uses only the machine's latencies.
var _ = register(&Experiment{
	Name: "group-gain",
	Knobs: []engine.Knob{
		{Name: "processors", Label: "processors", Doc: "processors of the cluster", Type: engine.Integer, Default: "256",
			Min: 1, Max: 1 << 20},
		{Name: "per-node", Label: "processors per node", Doc: "cores per node", Type: engine.Integer, Default: "4", Min: 1,
			Max: 1 << 10},
		{Name: "span", Label: "nodes per group", Doc: "nodes that a group spans", Type: engine.Integer, Default: "2",
			Min: 1, Max: 1 << 10},
		{Name: "operations", Label: "operations", Doc: "operations per element", Type: engine.Integer, Default: "1000",
			Max: 1 << 30},
		real("rate", "operations per second of a core", "1e9", 1e15),
	},
	SetX: func(s *engine.Scenario, x float64) error { return onKnob("rate")(s, x) },
	Quantities: []Quantity{formula("gain", "1", "speedup over the baseline, a single group", func(p *Point) float64 {
		s := &p.Scenario
		ranks, perNode := int(s.Int("processors")), int(s.Int("per-node"))
		node := func(r int) int { return r / perNode }
		group := perNode * int(s.Int("span"))
		computing := float64(s.Int("operations")) / s.Float("rate")
		at := func(c cluster.Class) float64 { return p.Machine.AccessTime(c, element).Seconds() }
		levels := models.Levels{Rank: at(cluster.InRank), Node: at(cluster.InNode), Remote: at(cluster.Remote)}
		base := models.PlacedShares(ranks, node, func(int) int { return 0 })
		groups := models.PlacedShares(ranks, node, func(r int) int { return r / group })
		return (levels.Average(base) + computing) / (levels.Average(groups) + computing)
	})},
})
