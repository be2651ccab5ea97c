package reproduce

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// dissemination counts the inter-node messages and bytes of an exchange of 8 B blocks (paper 5,
// section 3.4): from the schedules, compared with the sums.
var _ = register(&Experiment{
	Name: "dissemination",
	Knobs: []engine.Knob{
		{Name: "nodes", Label: "nodes", Doc: "N", Type: engine.Integer, Default: "8", Min: 2, Max: 4096},
		{Name: "threads", Label: "threads", Doc: "threads t per node, one of which sends for all", Type: engine.Integer,
			Default: "1", Min: 1, Max: 64},
		{Name: "radix", Label: "radix", Doc: "radix k of the dissemination; 0: flat", Type: engine.Integer, Default: "2",
			Min: 0, Max: 4096},
	},
	SetX: onKnob("nodes"),
	Quantities: []Quantity{
		{
			Name: "messages", Unit: "1", Doc: "messages per node",
			Simulated: func(p, _ *Point) float64 { m, _ := countSent(p); return m },
			Modelled: func(p, _ *Point) float64 {
				sum := 0.0
				eachMessage(p, func(_, _ int) { sum++ })
				return sum
			},
		},
		{
			Name: "bytes", Unit: "B", Doc: "bytes sent per node",
			Simulated: func(p, _ *Point) float64 { _, b := countSent(p); return b },
			Modelled: func(p, _ *Point) float64 {
				n := int(p.Scenario.Int("nodes"))
				k := int(p.Scenario.Int("radix"))
				t := float64(p.Scenario.Int("threads"))
				sum := 0.0
				eachMessage(p, func(w, d int) {
					for b := range n {
						if k == 0 && b == d || k > 0 && b/w%k == d {
							sum += t * t * exchanged
						}
					}
				})
				return sum
			},
		},
	},
})

// exchanged is the number of bytes between two threads.
const exchanged = 8

// eachMessage calls message for each message of a node, with its round's distance and its digit.
// For a flat exchange these are 1 and the distance.
func eachMessage(p *Point, message func(w, d int)) {
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

// countSent returns the number of messages and bytes that a node of the schedules sends to others,
// or NaN if there are no schedules.
func countSent(p *Point) (messages, bytes float64) {
	nodes := p.Scenario.Int("nodes")
	threads := p.Scenario.Int("threads")
	radix := int(p.Scenario.Int("radix"))
	name := "bruck"
	if radix == 0 {
		name = "flat"
	}
	params := coll.Parameters{Ranks: int(nodes * threads), Radix: radix}
	if threads > 1 {
		params.Places = coll.Places{Per: int32(threads)}
		name = "hierarchical"
		if radix > 0 {
			name = "hierarchical-bruck"
		}
	}
	a, err := coll.Find(coll.OpExchange, name)
	if err != nil {
		return math.NaN(), math.NaN()
	}
	k, err := a.Key(params)
	if err != nil {
		return math.NaN(), math.NaN()
	}
	t, err := coll.Steps(k, 0, k.Blocks(exchanged, 1))
	if err != nil {
		return math.NaN(), math.NaN()
	}
	for i := range t.Messages {
		if m := &t.Messages[i]; int64(m.From)/threads != int64(m.To)/threads {
			messages++
			bytes += float64(m.Bytes)
		}
	}
	return messages / float64(nodes), bytes / float64(nodes)
}
