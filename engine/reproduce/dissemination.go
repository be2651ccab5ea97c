package reproduce

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// dissemination counts the messages and bytes of an exchange over the nodes (paper 5,
// section 3.4), of a block of 8 B: those of the schedules, beside the sums.
var _ = register(&Experiment{
	Name: "dissemination",
	Knobs: []engine.Knob{
		{Name: "nodes", Label: "nodes", Doc: "N, of one thread each", Type: engine.Integer, Default: "8", Min: 2, Max: 4096},
		{Name: "radix", Label: "radix", Doc: "k of the dissemination; 0: flat", Type: engine.Integer, Default: "2", Min: 0, Max: 4096},
	},
	Place: onKnob("nodes"),
	Quantities: []Quantity{
		{
			Name: "messages", Unit: "1", Doc: "of a node",
			Simulated: func(p, _ *Point) float64 { m, _ := counted(p); return m },
			Modelled: func(p, _ *Point) float64 {
				sum := 0.0
				each(p, func(_, _ int) { sum++ })
				return sum
			},
		},
		{
			Name: "bytes", Unit: "B", Doc: "that a node sends",
			Simulated: func(p, _ *Point) float64 { _, b := counted(p); return b },
			Modelled: func(p, _ *Point) float64 {
				n, k := int(p.Scenario.Int("nodes")), int(p.Scenario.Int("radix"))
				sum := 0.0
				each(p, func(w, d int) {
					for b := range n {
						if k == 0 && b == d || k > 0 && b/w%k == d {
							sum += exchanged
						}
					}
				})
				return sum
			},
		},
	},
})

// exchanged is the bytes between two threads.
const exchanged = 8

// each calls for each message of a node: its round's distance and its digit; of a flat
// exchange, 1 and how far it goes.
func each(p *Point, message func(w, d int)) {
	n, k := int(p.Scenario.Int("nodes")), int(p.Scenario.Int("radix"))
	if k == 0 {
		for d := 1; d < n; d++ {
			message(1, d)
		}
		return
	}
	for w := 1; w < n; w *= k {
		for d := 1; d <= min(k-1, (n-1)/w); d++ {
			message(w, d)
		}
	}
}

// counted is what a node of the schedules sends. NaN: there are none.
func counted(p *Point) (messages, bytes float64) {
	name, radix := "bruck", int(p.Scenario.Int("radix"))
	if radix == 0 {
		name = "flat"
	}
	a, err := coll.Find(coll.Exchange, name)
	if err != nil {
		return math.NaN(), math.NaN()
	}
	k, err := a.Key(coll.Parameters{Ranks: int(p.Scenario.Int("nodes")), Radix: radix})
	if err != nil {
		return math.NaN(), math.NaN()
	}
	t, err := coll.Steps(k, 0, k.Blocks(exchanged, 1))
	if err != nil {
		return math.NaN(), math.NaN()
	}
	n := float64(k.Ranks)
	return float64(len(t.Messages)) / n, float64(t.Bytes()) / n
}
