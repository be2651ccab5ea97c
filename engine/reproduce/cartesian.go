package reproduce

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/cartesian"
	"github.com/hybridtop/hybridtop/models"
)

// maxCommunication is the largest share of communication for which paper 2, section 9, states the
// extra time of hybrid masteronly.
const maxCommunication = 0.15

// cartesianExchange is the exchange of paper 2's figures 2 to 4 over the message size of a CPU.
var _ = register(&Experiment{
	Name:     "cartesian",
	Workload: "cartesian",
	SetX:     func(s *engine.Scenario, x float64) error { return s.Set("size", fmt.Sprint(int64(x))) },
	Quantities: []Quantity{
		{
			Name: "exchange_time", Unit: "s", Doc: "time of an exchange, inter-node and intra-node",
			Simulated: func(p, _ *Point) float64 { return p.metric("exchange_time") },
			Modelled:  func(p, _ *Point) float64 { return cartesian.Model(&p.Scenario, p.Machine).Time() },
		},
		{
			Name: "time_ratio", Unit: "1", Doc: "T_hybrid/T_pureMPI: time relative to another series", Against: Another,
			Simulated: func(p, pure *Point) float64 { return p.metric("exchange_time") / pure.metric("exchange_time") },
			Modelled: func(p, pure *Point) float64 {
				return cartesian.Model(&p.Scenario, p.Machine).Time() / cartesian.Model(&pure.Scenario, pure.Machine).Time()
			},
		},
		{
			Name: "extra_time", Unit: "1", Doc: "extra run time from the ratio, if pure MPI spends 15 % on communication",
			Against: Another,
			Simulated: func(p, pure *Point) float64 {
				return must(models.ExtraTime(maxCommunication, p.metric("exchange_time")/pure.metric("exchange_time")))
			},
			Modelled: func(p, pure *Point) float64 {
				return must(models.ExtraTime(maxCommunication,
					cartesian.Model(&p.Scenario, p.Machine).Time()/cartesian.Model(&pure.Scenario, pure.Machine).Time()))
			},
		},
		{
			Name: "node_bandwidth", Unit: "B/s", Doc: "inter-node bytes per node over the inter-node time",
			Simulated: func(p, _ *Point) float64 { return p.metric("node_bandwidth") },
			Modelled:  func(p, _ *Point) float64 { return nodeBytes(p) / cartesian.Model(&p.Scenario, p.Machine).InterNode() },
		},
	},
	Terms: func(p *Point) []Term {
		m := cartesian.Model(&p.Scenario, p.Machine)
		far := &p.Machine.Classes[cluster.Remote]
		bytes := nodeBytes(p) / far.Bandwidth / float64(max(far.Adapters, 1))
		starts := nodeStarts(p) * far.Gap.Seconds() / float64(max(far.Adapters, 1))
		inter := p.metric("inter_node_time")
		return []Term{
			{"bytes through all adapters", bytes, bytes},
			{"gaps of all adapters", starts, starts},
			{"adapters left idle", inter - bytes - starts, m.InterNode() - bytes - starts},
			{"inside the node", p.metric("exchange_time") - inter, m.Time() - m.InterNode()},
		}
	},
})

// nodeStarts returns the number of messages that a node's adapters start per round, including RTS
// and CTS of a rendezvous.
func nodeStarts(p *Point) float64 {
	l := p.Scenario.Layout()
	n := 2 * float64(l.RanksPerNode) * float64(p.Scenario.Int("senders"))
	if p.Scenario.Int("size")*int64(l.ThreadsPerRank)/p.Scenario.Int("senders") > p.Machine.EagerLimit {
		n *= 3
	}
	return n
}

// nodeBytes returns the inter-node bytes that a node sends per round.
func nodeBytes(p *Point) float64 {
	l := p.Scenario.Layout()
	return 2 * float64(p.Scenario.Int("size")) * float64(l.RanksPerNode*l.ThreadsPerRank)
}
