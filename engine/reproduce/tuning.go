package reproduce

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine/tuner"
)

// tuning is the tuner's search for one size of a collective (paper 5, section 5.4): the time of
// one call of each choice that its model does not exclude, and the memory of the result.
var _ = register(&Experiment{
	Name:  "tuning",
	Knobs: collectives.Knobs,
	SetX:  onKnob("size"),
	Quantities: []Quantity{
		{
			Name: "tuning_time", Unit: "s", Doc: "time of one call of each choice that is tried",
			Simulated: func(p, _ *Point) float64 { return runSearch(p).seconds },
			Modelled:  tuningModel,
		},
		{
			Name: "entry_bytes", Unit: "B", Doc: "bytes per entry of a table of 64 teams and 64 sizes",
			Modelled: func(_, _ *Point) float64 { return entryBytes() },
		},
	},
	Trials: func(p *Point) uint64 { return runSearch(p).hash },
})

// searches caches the results by scenario.
var searches = map[string]callResult{}

// triedKeys returns the keys of the choices that a search tries.
func triedKeys(p *Point) ([]coll.Key, error) {
	what, err := coll.CollectiveOf(p.Scenario.Text("collective"))
	if err != nil {
		return nil, err
	}
	transfer, err := coll.TransferOf(p.Scenario.Text("transfer"))
	if err != nil {
		return nil, err
	}
	in, err := coll.SyncOf(p.Scenario.Text("sync-in"))
	if err != nil {
		return nil, err
	}
	_, layout, err := partitionOf(p, p.Machine)
	if err != nil {
		return nil, err
	}
	site := tuner.Site{Fabric: sim.New(), Machine: *p.Machine}
	at := coll.Tuple{Collective: what, Ranks: int32(p.Scenario.Int("cores")), PerNode: int32(layout.RanksPerNode),
		Bytes: p.Scenario.Int("size"), Modes: coll.Modes{In: in}}
	choices, err := site.Pruned(at, transfer)
	if err != nil {
		return nil, err
	}
	var keys []coll.Key
	for _, c := range choices {
		k, err := c.Placed(coll.Places{Per: at.PerNode}).Key(at.Ranks)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// runSearch runs a search. The time is NaN if it could not run.
func runSearch(p *Point) callResult {
	if result, done := searches[p.Machine.Name+p.key]; done {
		return result
	}
	result := callResult{seconds: math.NaN()}
	if keys, err := triedKeys(p); err == nil {
		if all, err := runKeys(p, p.Machine, keys); err == nil {
			result = callResult{hash: all[0].hash}
			for i := range all {
				result.seconds += all[i].seconds
			}
		}
	}
	searches[p.Machine.Name+p.key] = result
	return result
}

// tuningModel returns the sum of the costs by the algorithms' own models.
func tuningModel(p, _ *Point) float64 {
	keys, err := triedKeys(p)
	if err != nil {
		return math.NaN()
	}
	part, _, err := partitionOf(p, p.Machine)
	if err != nil {
		return math.NaN()
	}
	cost, err := coll.CostOf(&part)
	if err != nil {
		return math.NaN()
	}
	sum := cluster.Time(0)
	for _, k := range keys {
		sum += k.Predict(&cost, p.Scenario.Int("size"))
	}
	return sum.Seconds()
}

// entryBytes returns the bytes of an entry, including its share of the rest of the table.
func entryBytes() float64 {
	a, err := coll.Find(coll.OpBcast, "knomial")
	if err != nil {
		return math.NaN()
	}
	var rules []coll.Rule
	for team := range int32(64) {
		for size := range int64(64) {
			choice := coll.Choice{Algorithm: a, Parameters: coll.Parameters{Radix: 2 + int(size)%7, Segments: 1}}
			rules = append(rules,
				coll.Rule{Tuple: coll.Tuple{Collective: coll.OpBcast, Ranks: 2 + team, PerNode: 1, Bytes: 64 * size},
					Choices: []coll.Choice{choice}})
		}
	}
	table, err := coll.NewTable(rules)
	if err != nil {
		return math.NaN()
	}
	return float64(table.Memory()) / float64(table.Len())
}
