package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// rangerName is the machine that some claims of paper 5 compare with.
const rangerName = "ranger"

// collectives is a collective of paper 5, section 5, over the bytes per call (per block, if the
// blocks differ by member), with one rank per core. Its time lasts from the moment when the last
// member starts, after a barrier, until the last one ends. For several algorithms it is the best
// time, as in the paper.
var collectives = register(&Experiment{
	Name: "collective",
	Knobs: []engine.Knob{
		{Name: "collective", Label: "collective", Doc: "collective operation", Type: engine.Choice, Default: "bcast",
			Choices: []string{"bcast", "exchange"}},
		{Name: "algorithm", Label: "algorithm", Doc: "algorithm, or a set of which the best counts", Type: engine.Choice,
			Default: "trees", Choices: []string{"trees", "flat", "dissemination"}},
		{Name: "cores", Label: "cores", Doc: "cores of the partition, one rank per core", Type: engine.Integer,
			Default: "64", Min: 2, Max: 1 << 15},
		{Name: "partition", Label: "partition",
			Doc: "network: own (the nodes of the run, nearly a cube) or whole (the whole machine)", Type: engine.Choice,
			Default: "own", Choices: []string{"own", "whole"}},
		{Name: "size", Label: "size", Doc: "bytes per call or per block", Type: engine.Size, Default: "8", Min: 0,
			Max: 1 << 30},
		{Name: "calls", Label: "calls", Doc: "successive calls that the time is averaged over", Type: engine.Integer,
			Default: "1", Min: 1, Max: 10000},
		{Name: "overhead", Label: "overhead", Doc: "overhead o and gap g per message, instead of the machine's",
			Type: engine.Real, Unit: "µs", Default: "0", Min: 0, Max: 1000},
		{Name: "transfer", Label: "transfer", Doc: "transfer of bytes between members", Type: engine.Choice,
			Default: "two-sided", Choices: coll.Transfers()},
		{Name: "address", Label: "address", Doc: "which buffer addresses a member knows", Type: engine.Choice,
			Default: "single", Choices: coll.Addresses()},
		{Name: "sync-in", Label: "sync in", Doc: "when a call may access data", Type: engine.Choice, Default: "mysync",
			Choices: coll.Syncs()},
		{Name: "sync-out", Label: "sync out", Doc: "when the program may access data", Type: engine.Choice,
			Default: "mysync", Choices: coll.Syncs()},
	},
	SetX:       onKnob("size"),
	Quantities: callQuantities,
	Terms:      callTerms,
	Trials:     callHash,
})

// overheads is the same over the processor's cost per message. No source states this cost: a claim
// that depends on it holds in a range.
var _ = register(&Experiment{Name: "collective-overhead", Knobs: collectives.Knobs, SetX: onKnob("overhead"),
	Quantities: callQuantities, Terms: callTerms, Trials: callHash})

var (
	callQuantities = []Quantity{
		{
			Name: "time", Unit: "s", Doc: "time of a call until the last member ends",
			Simulated: func(p, _ *Point) float64 { return callOf(p, p.Machine).seconds },
			Modelled:  func(p, _ *Point) float64 { return predictTime(p, p.Machine) },
		},
		{
			Name: "time_ratio", Unit: "1", Doc: "time relative to another series", Against: Another,
			Simulated: func(p, o *Point) float64 {
				return callOf(p, p.Machine).seconds / callOf(o, o.Machine).seconds
			},
			Modelled: func(p, o *Point) float64 { return predictTime(p, p.Machine) / predictTime(o, o.Machine) },
		},
		{
			Name: "penalty", Unit: "s", Doc: "time minus the time of another series", Against: Another,
			Simulated: func(p, o *Point) float64 {
				return callOf(p, p.Machine).seconds - callOf(o, o.Machine).seconds
			},
			Modelled: func(p, o *Point) float64 { return predictTime(p, p.Machine) - predictTime(o, o.Machine) },
		},
		{
			Name: "penalty_over_ranger", Unit: "1",
			Doc: "time minus the time of another series, relative to the Sun Constellation with as many cores", Against: Another,
			Simulated: func(p, o *Point) float64 {
				r := rangerMachine()
				return (callOf(p, p.Machine).seconds - callOf(o, o.Machine).seconds) / (callOf(p, r).seconds - callOf(o, r).seconds)
			},
			Modelled: func(p, o *Point) float64 {
				r := rangerMachine()
				return (predictTime(p, p.Machine) - predictTime(o, o.Machine)) / (predictTime(p, r) - predictTime(o, r))
			},
		},
	}
	callTerms = func(p *Point) []Term {
		result := callOf(p, p.Machine)
		var all []Term
		for why := range sim.Causes {
			all = append(all, Term{Name: sim.Cause(why).String(), Simulated: result.path[why], Modelled: 0})
		}
		return all
	}
)

func callHash(p *Point) uint64 { return callOf(p, p.Machine).hash }

func rangerMachine() *cluster.Machine { m := must(presets.Machine(rangerName)); return &m }

// callResult is the result of the fastest of several algorithms.
type callResult struct {
	seconds float64
	path    [sim.Causes]float64 // of the chain of causes that ends last
	hash    uint64              // of the run of all algorithms
}

// calls caches the results by scenario and machine. It needs no lock, because figures are judged
// one after another.
var calls = map[string]callResult{}

// candidates returns the keys of a point's algorithms on its number of ranks.
func candidates(p *Point) ([]coll.Key, error) {
	what, err := coll.CollectiveOf(p.Scenario.Text("collective"))
	if err != nil {
		return nil, err
	}
	var m coll.Modes
	m.Transfer, err = coll.TransferOf(p.Scenario.Text("transfer"))
	if err != nil {
		return nil, err
	}
	m.Address, err = coll.AddressOf(p.Scenario.Text("address"))
	if err != nil {
		return nil, err
	}
	m.In, err = coll.SyncOf(p.Scenario.Text("sync-in"))
	if err != nil {
		return nil, err
	}
	m.Out, err = coll.SyncOf(p.Scenario.Text("sync-out"))
	if err != nil {
		return nil, err
	}
	base := coll.Parameters{Ranks: int(p.Scenario.Int("cores")), Modes: m}
	var all []coll.Key
	add := func(name string, radix, segments int) error {
		a, err := coll.Find(what, name)
		if err != nil {
			return err
		}
		params := base
		params.Radix, params.Segments = radix, segments
		k, err := a.Key(params)
		all = append(all, k)
		return err
	}
	switch p.Scenario.Text("algorithm") {
	case "flat":
		err = add("flat", 0, 0)
	case "dissemination": // paper 5, section 5.3: radices 2, 4 and 8
		for _, radix := range []int{2, 4, 8} {
			if e := add("bruck", radix, 0); e != nil {
				err = e
			}
		}
	default: // section 3.2: a search over tree geometries
		for _, radix := range []int{2, 4, 8} {
			if e := add("knomial", radix, 0); e != nil {
				err = e
			}
			if p.Scenario.Int("size") >= segmentable {
				if e := add("knomial", radix, 8); e != nil {
					err = e
				}
			}
		}
	}
	return all, err
}

// segmentable is the minimum number of bytes for which segmented trees are tried.
const segmentable = 16 << 10

// partitionOf returns the machine of a point: its partition, with the requested overhead.
func partitionOf(p *Point, m *cluster.Machine) (cluster.Machine, cluster.Layout, error) {
	cores, per := int(p.Scenario.Int("cores")), max(m.CoresPerNode, 1)
	if cores < per {
		per = cores
	}
	part := *m
	l := cluster.Layout{Nodes: cores / per, RanksPerNode: per, ThreadsPerRank: 1, Ranking: cluster.Sequential,
		Model: cluster.Flat}
	if l.Ranks() != cores {
		return part, l, fmt.Errorf("%d cores do not fill nodes of %d", cores, per)
	}
	if p.Scenario.Text("partition") == "own" {
		part.Topology = workload.PartOf(part.Topology, l.Nodes)
		part.Nodes = max(l.Nodes, part.Topology.Nodes())
	}
	if o := p.Scenario.Float("overhead"); o > 0 {
		r := &part.Classes[cluster.Remote]
		r.Overhead = cluster.FromSeconds(o * 1e-6)
		r.Gap = r.Overhead
	}
	return part, l, nil
}

// predictTime returns the best cost by the algorithms' own models, as if each rank had its own node
// and there were no contention.
func predictTime(p *Point, m *cluster.Machine) float64 {
	keys, err := candidates(p)
	if err != nil {
		return math.NaN()
	}
	part, _, err := partitionOf(p, m)
	if err != nil {
		return math.NaN()
	}
	cost, err := coll.CostOf(&part)
	if err != nil {
		return math.NaN()
	}
	best := math.Inf(1)
	for _, k := range keys {
		best = min(best, k.Predict(&cost, p.Scenario.Int("size")).Seconds())
	}
	return best
}

// callOf runs a point on a machine. The time is NaN if it could not run.
func callOf(p *Point, m *cluster.Machine) callResult {
	bare := *m
	bare.Source = nil
	at := fmt.Sprintf("%s %+v", p.key, bare)
	if result, done := calls[at]; done {
		return result
	}
	result := callResult{seconds: math.NaN()}
	if keys, err := candidates(p); err == nil {
		if all, err := runKeys(p, m, keys); err == nil {
			for _, one := range all {
				if !(one.seconds >= result.seconds) {
					result = one
				}
			}
		}
	}
	calls[at] = result
	return result
}

// startDelay is the delay before each algorithm, so that all members can start at the same time.
const startDelay = cluster.Millisecond

// runKeys runs several algorithms one after another, with size-only buffers.
func runKeys(p *Point, m *cluster.Machine, keys []coll.Key) ([]callResult, error) {
	part, layout, err := partitionOf(p, m)
	if err != nil {
		return nil, err
	}
	size, rows := p.Scenario.Int("size"), int(p.Scenario.Int("calls"))
	slots := int64(4)
	if rows > 1 {
		slots = 64
	}
	var scratch coll.Room
	buffer := int64(1)
	for _, k := range keys {
		blocks := k.Blocks(size, 1)
		scratch, buffer = scratch.Max(k.Room(blocks)), max(buffer, blocks.Bytes())
	}
	scratch.Store = cluster.Bytewise(false)
	spec := cluster.Spec{Machine: part, Layout: layout, EagerLimit: -1, Segment: 8*slots*(scratch.Words+8) + 256}
	spec.Modelled = spec.Segment + slots*(scratch.Bytes+64) + 2*buffer + 128
	at := spec.Modelled - 2*buffer
	began, ended := make([]cluster.Time, len(keys)), make([]cluster.Time, len(keys))
	traced := layout.Ranks() <= maxTraced
	launch, err := cluster.Start(context.Background(), &sim.Fabric{Trace: traced}, spec, func(r *cluster.Rank) error {
		c, err := coll.New(r, r.World())
		if err == nil && keys[0].Transfer.OneSided() {
			err = c.Reserve(scratch, int(slots))
		}
		for i, k := range keys {
			if err != nil {
				return err
			}
			begin, err := syncStart(r)
			if err != nil {
				return err
			}
			call := k.Sized(r.ID() == 0, size, 1)
			call.InAt, call.OutAt = &coll.At{Off: at}, &coll.At{Off: at + buffer}
			for range rows {
				if err := c.Do(call); err != nil {
					return err
				}
			}
			began[i], ended[i] = begin, max(ended[i], r.Now())
			if err := r.Barrier(r.World()); err != nil {
				return err
			}
		}
		return err
	})
	if err == nil {
		err = launch.Wait()
	}
	if err != nil {
		return nil, err
	}
	all := make([]callResult, len(keys))
	for i := range all {
		all[i].hash = launch.(cluster.Virtual).Hash()
		all[i].seconds = (ended[i] - began[i]).Seconds() / float64(rows)
	}
	for _, s := range launch.(interface{ Path() sim.Path }).Path().Segments {
		for i := range all {
			if s.Start >= began[i] && s.Start < ended[i] {
				all[i].path[s.Constant.Cause()] += s.Span.Seconds()
			}
		}
	}
	return all, nil
}

// maxTraced is the maximum number of ranks for which a run records causes.
const maxTraced = 1024

// syncStart lets all ranks continue at the same time, and returns this time.
func syncStart(r *cluster.Rank) (cluster.Time, error) {
	now := []int64{int64(r.Now())}
	if err := coll.Allreduce(r, r.World(), cluster.Max, now, now); err != nil {
		return 0, err
	}
	begin := cluster.Time(now[0]) + startDelay
	r.Compute(cluster.Work{Until: begin}, nil)
	return begin, nil
}
