package reproduce

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/fft"
)

// NAS FT over cores, with 2²⁰ points per core (paper 5, section 6.3, figures 16 to 18). There is
// one process per node, which computes on four cores: a node then sends the messages of its cores
// together. Cores are TY × TZ, with 16 planes each. The two grids of 32,768 cores that match
// messages of 128 KB and of 8 KB are 128 × 256 and 256 × 128.
var (
	_ = register(transforms("fft", false))
	_ = register(transforms("fft-tall", true))
)

// perNode is the number of cores of a process, neighbours along TY.
const perNode = 4

// pointsOf and planesOf are the numbers of points and planes per core.
const (
	pointsOf = 20 // as a power of two
	planesOf = 16
)

func transforms(name string, tall bool) *Experiment {
	return &Experiment{
		Name:     name,
		Workload: "fft",
		SetX: func(s *engine.Scenario, x float64) error {
			k := bits.Len64(uint64(x)) - 1
			if k < 6 || x != float64(uint64(1)<<k) {
				return fmt.Errorf("%v cores: want a power of two, at least 64", x)
			}
			ty, tz := k/2, k-k/2
			if tall {
				ty, tz = tz, ty
			}
			plane := k + pointsOf - tz - bits.Len(planesOf) + 1 // log₂ of the points per plane
			for knob, value := range map[string]int64{
				"nodes": int64(x) / perNode, "ranks-per-node": 1, "cores": perNode, "rows": 1 << ty / perNode,
				"nx": 1 << ((plane + 1) / 2), "ny": 1 << (plane / 2), "nz": planesOf << tz,
			} {
				if err := s.Set(knob, fmt.Sprint(value)); err != nil {
					return err
				}
			}
			return s.Set("class", "own")
		},
		Quantities: []Quantity{
			{
				Name: "flop_rate", Unit: "1/s", Doc: "5·N·log₂ N flops over the time per step; the model is the bisection " +
					"estimate, where half of the points cross in both exchanges",
				Simulated: func(p, _ *Point) float64 { return p.metric("flop_rate") },
				Modelled:  func(p, _ *Point) float64 { return boundOf(p, 0).Half },
			},
			{
				Name: "gain", Unit: "1", Doc: "speedup over another series", Against: Another,
				Simulated: func(p, o *Point) float64 { return o.metric("step_time") / p.metric("step_time") }, Modelled: unknown,
			},
			{
				Name: "bound_share", Unit: "1", Doc: "share of the bisection estimate, where half of the points cross in both exchanges",
				Simulated: func(p, _ *Point) float64 { return p.metric("flop_rate") / boundOf(p, 0).Half }, Modelled: unknown,
			},
			{
				Name: "route_share", Unit: "1", Doc: "share of the limit by the busiest link of the routes",
				Simulated: func(p, _ *Point) float64 { return p.metric("flop_rate") / boundOf(p, math.MaxInt).Busiest },
				Modelled:  unknown,
			},
			{
				Name: "crossing_share", Unit: "1", Doc: "share of the bytes of both exchanges per step that cross the " +
					"bisection on their routes",
				Modelled: func(p, _ *Point) float64 {
					b := boundOf(p, math.MaxInt)
					return (b.Share[0] + b.Share[1]) / 2
				},
			},
			{
				Name: "explained", Unit: "1", Doc: "communication that only the other series waits for, over the difference " +
					"of the step times", Against: Another,
				Simulated: func(p, o *Point) float64 {
					return (o.metric("time_comm") - p.metric("time_comm")) / (o.metric("step_time") - p.metric("step_time"))
				}, Modelled: unknown,
			},
		},
		Terms: func(p *Point) []Term {
			var all []Term
			for _, t := range [][2]string{{"local transforms", "time_fft"}, {"communication", "time_comm"},
				{"packing", "time_memory"}, {"evolve and checksum", "time_other"}, {"barrier", "time_barrier"}} {
				all = append(all, Term{Name: t[0], Simulated: p.metric(t[1]), Modelled: math.NaN()})
			}
			return all
		},
	}
}

// boundOf returns the bound by the network of a point's partition, using the routes of up to pairs
// pairs of ranks.
func boundOf(p *Point, pairs int) fft.Bound {
	s := &p.Scenario
	m, l := *p.Machine, s.Layout()
	m.Topology = workload.PartOf(m.Topology, l.Nodes)
	rows := int(s.Int("rows"))
	return fft.BoundOf([3]int{int(s.Int("nx")), int(s.Int("ny")), int(s.Int("nz"))}, rows, l.Nodes*l.RanksPerNode/rows,
		&l, &m, pairs)
}
