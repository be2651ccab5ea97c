package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/multigrid"
	"github.com/hybridtop/hybridtop/presets"
)

// multigridSim is a simulated program of multigrid on paper 3's machine.
type multigridSim struct {
	name, doc, limit, want, unit string
	ranks                        int
	rounds                       int
	side                         int // of a rank's box; 0: rank 0 puts trains
}

func multigridSims() []multigridSim {
	const events = "only one event per message and a coroutine switch every six"
	return []multigridSim{
		{"mg_sim_64", "F-cycles by bulk messages, size-only boxes of 128³ per rank, events per second", events,
			"1.5 M events/s on one core", perSecond, 64, 5, 128},
		{"mg_sim_4096", "an F-cycle by bulk messages, size-only boxes of 128³ per rank, events per second", events,
			"0.5 M events/s on one core, at 32,768 ranks", perSecond, 4096, 1, 128},
		{"mg_train", "a size-only train of 16,384 puts of 8 B, simulated: the host's time", "as many stores into []uint64",
			"at most 5 µs", seconds, 32, 5, 0},
	}
}

// measure runs a program's rounds, each with its limit.
func (k *multigridSim) measure(ctx context.Context, o *Options) (Row, error) {
	var values, limits, ratios []float64
	for range min(k.rounds, o.Rounds) {
		runtime.GC()
		value, limit := 0.0, 0.0
		if k.side > 0 {
			n, took, err := simulatedSolve(ctx, k.ranks, k.side)
			if err != nil {
				return Row{}, err
			}
			value, limit = float64(n)/took.Seconds(), bareRate(k.ranks)
		} else {
			took, err := simulatedTrains(ctx, k.ranks)
			if err != nil {
				return Row{}, err
			}
			value, limit = took.Seconds(), storeTrains().Seconds()
		}
		values = append(values, value)
		limits = append(limits, limit)
		ratios = append(ratios, value/limit)
	}
	for _, v := range [][]float64{values, limits, ratios} {
		slices.Sort(v)
	}
	return Row{
		Name: k.name, Value: quantile(values, 0.5), Unit: k.unit, Kind: engine.Measured,
		Limit: quantile(limits, 0.5), LimitName: k.limit,
		Ratio: quantile(ratios, 0.5), RatioLow: quantile(ratios, 0.25), RatioHigh: quantile(ratios, 0.75),
		Want: k.want, Ranks: k.ranks, Note: k.doc,
	}, nil
}

// edison returns paper 3's machine with a number of ranks, 16 per node.
func edison(ranks int) (cluster.Spec, error) {
	m, err := presets.Machine("xc30-edison")
	return cluster.Spec{
		Machine: m,
		Layout: cluster.Layout{Nodes: (ranks + 15) / 16, RanksPerNode: min(ranks, 16), ThreadsPerRank: 1,
			Ranking: cluster.Sequential, Model: cluster.Flat},
		EagerLimit: -1, Seed: 1,
	}, err
}

// simulatedSolve returns the number of events of F-cycles, and the host's time for them after all
// ranks have their boxes.
func simulatedSolve(ctx context.Context, ranks, side int) (events uint64, took time.Duration, err error) {
	spec, err := edison(ranks)
	if err != nil {
		return 0, 0, err
	}
	boxes := 1
	for boxes*boxes*boxes < ranks {
		boxes++
	}
	sizes := cluster.Bytewise(false)
	spec.Segment, spec.Modelled = multigrid.Memory(sizes, boxes, side, ranks, "bulk")
	run, err := cluster.Start(ctx, sim.New(), spec, func(r *cluster.Rank) error {
		solve, err := multigrid.Solver(r, sizes, boxes, side, "bulk")
		if err != nil {
			return err
		}
		if err := r.Barrier(r.All()); err != nil {
			return err
		}
		begun := time.Now()
		for range max(1, 512/ranks) {
			if err := solve(); err != nil {
				return err
			}
		}
		if err := r.Barrier(r.All()); err != nil {
			return err
		}
		if r.ID() == 0 {
			took = time.Since(begun)
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	if err := run.Wait(); err != nil {
		return 0, 0, err
	}
	virtual, ok := run.(cluster.Virtual)
	if !ok {
		return 0, 0, fmt.Errorf("the run of the fabric sim has no virtual clock")
	}
	return virtual.Events(), took, nil
}

// Trains per round, and puts per train.
const (
	trains    = 2000
	trainPuts = 128 * 128
)

// simulatedTrains returns the host's time for a train from one node to another.
func simulatedTrains(ctx context.Context, ranks int) (took time.Duration, err error) {
	spec, err := edison(ranks)
	if err != nil {
		return 0, err
	}
	of := cluster.Column(0, 8*130, 8, trainPuts)
	spec.Modelled = of.Far.Stride[0] * trainPuts
	err = cluster.Launch(ctx, sim.New(), spec, func(r *cluster.Rank) error {
		if err := r.Barrier(r.All()); err != nil || r.ID() > 0 {
			return err
		}
		var q cluster.Request
		begun := time.Now()
		for range trains {
			if err := r.PutWith(&cluster.Put{To: cluster.At(ranks-1, 0), Data: cluster.Sized(of.Bytes()), Shape: of,
				Train: true}, &q, nil); err != nil {
				return err
			}
			if _, err := r.Wait(&q); err != nil {
				return err
			}
		}
		took = time.Since(begun) / trains
		return nil
	})
	return took, err
}

// storeTrains returns the time of as many stores as a train has puts.
func storeTrains() time.Duration {
	words := make([]uint64, wordMask+1)
	begun := time.Now()
	for range trains {
		store(words, trainPuts)
	}
	return time.Since(begun) / trains
}
