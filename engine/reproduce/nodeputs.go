package reproduce

import (
	"context"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
)

// nodePuts is paper 3's microbenchmark of figure 7: successive puts between two processes of one
// node, by loads and stores or by the path to other nodes.
var _ = register(&Experiment{
	Name: "node-puts",
	Knobs: []engine.Knob{
		{Name: "size", Label: "size", Doc: "bytes per put", Type: engine.Size, Unit: "B", Default: "8", Min: 1, Max: 1 << 24},
		{Name: "path", Label: "path", Doc: "transfer path of puts inside the node", Type: engine.Choice, Default: "loads",
			Choices: []string{"loads", "adapter"}},
		{Name: "wait", Label: "wait", Doc: "wait for each put, or once after the last put", Type: engine.Choice,
			Default: "each", Choices: []string{"each", "last"}},
	},
	SetX: onKnob("size"),
	Quantities: []Quantity{
		{Name: "put_time", Unit: "s", Doc: "time of a put, mean over a sequence", Modelled: unknown,
			Simulated: func(p, _ *Point) float64 { return putTime(p) }},
		{Name: "put_over", Unit: "1", Doc: "time of a put relative to another series", Against: Another, Modelled: unknown,
			Simulated: func(p, other *Point) float64 { return putTime(p) / putTime(other) }},
	},
})

// putTime returns the time of a put, or NaN if it could not run.
func putTime(p *Point) float64 {
	const puts = 256
	size := p.Scenario.Int("size")
	means := cluster.Means{}
	if p.Scenario.Text("path") == "adapter" {
		means.Path = cluster.PathAdapter
	}
	spec := cluster.Spec{
		Machine: *p.Machine, Segment: size, EagerLimit: -1,
		Layout: cluster.Layout{Nodes: 1, RanksPerNode: 2, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat},
	}
	var took cluster.Time
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		if err := r.Barrier(r.All()); err != nil || r.ID() != 0 {
			return err
		}
		b := make([]byte, size)
		begun := r.Now()
		err := r.Using(means, func() error {
			put := cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(b)}
			if p.Scenario.Text("wait") == "last" {
				put.Until = cluster.Later
			}
			for range puts {
				if err := r.PutWith(&put, nil, nil); err != nil {
					return err
				}
			}
			return r.Quiet()
		})
		took = r.Now() - begun
		return err
	})
	if err != nil {
		return math.NaN()
	}
	return took.Seconds() / puts
}
