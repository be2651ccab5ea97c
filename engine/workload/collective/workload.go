package collective

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/network"
)

func init() { workload.Register(&collective) }

// rotating is the knob value for another root in each call.
const rotating = "rotating"

// parameters are the knobs of all algorithms: first radix and segments, then the transfer.
var parameters = algorithm.Parameters()

var collective = workload.Workload{
	Name:  "collective",
	Title: "Collectives",
	Doc: "Runs one collective operation by one algorithm, for example a broadcast down a tree or an exchange by " +
		"dissemination, and verifies each result. " +
		"Change the algorithm while it runs to see the tree or the rounds change. Change the size to see where another " +
		"algorithm is faster.",
	Paper:   "paper 5, section 3",
	Aliases: aliases(),
	Knobs: slices.Concat([]engine.Knob{
		{Name: "collective", Label: "collective", Doc: "collective operation", Type: engine.Choice,
			Default: coll.OpBcast.String(),
			Choices: collectives(), Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the messages: from a root down a tree, up a tree to a root, or between all ranks",
			Paper: "paper 5, section 2"},
		{Name: "algorithm", Label: "algorithm",
			Doc: "algorithm of the collective; model: the fastest by the cost model (close ones are simulated); " +
				"tuned: from a table (--table); online: the fastest of those near the best, tried in the run",
			Type: engine.Choice, Default: algorithm.ByModel,
			Choices: algorithms(), By: "collective", Offers: offers(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the drawing of messages, the steps, and the time compared with the cost model",
			Paper: "paper 5, sections 3.2 to 3.5"},
	}, []engine.Knob{algorithm.Composition(every()...)}, parameters[:2], []engine.Knob{
		{Name: "size", Label: "size", Doc: "bytes of each rank's block if each rank has its own block, else bytes " +
			"of the data", Type: engine.Size, Unit: "B", Default: "8", Min: 0, Max: 1 << 30,
			Choices: []string{"0", "8", "64", "512", "4096", "32768", "262144", "1048576", "4194304"}, Scope: engine.ScopeBody,
			Role:  engine.Problem,
			Watch: "the fastest algorithm: few messages for short data, few bytes for long data",
			Paper: "paper 5, figures 2 to 8"},
		{Name: "root", Label: "root", Doc: "rank that sends or receives the data; rotating: another rank in each call",
			Type: engine.Integer, Default: "0", Min: 0, Max: coll.MaxRanks - 1,
			Choices: []string{"0", "1", rotating}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "no change on a uniform machine: schedules are relative to the root"},
	}, parameters[2:], []engine.Knob{
		workload.Partition,
		{Name: "calls", Label: "calls", Doc: "calls per iteration, each after a barrier", Type: engine.Integer,
			Default: "4", Min: 1, Max: 1e6,
			Choices: []string{"1", "4", "16", "64", "256"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the run time of an iteration; the time of a call does not change"},
		{Name: "overlap", Label: "overlap", Doc: "computation during a second, nonblocking call: numbers per rank, with " +
			"a multiplication and an addition each; 0: no second call", Type: engine.Integer, Default: "0", Min: 0, Max: 1 << 30,
			Choices: []string{"0", "1000", "10000", "100000", "1000000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the hidden share of the call, which depends on the machine's progress engine",
			Paper: "paper 5, section 2.3"},
		{Name: "slices", Label: "slices", Doc: "number of parts of that computation; the call is tested between parts",
			Type: engine.Integer, Default: "1", Min: 1, Max: 1e6,
			Choices: []string{"1", "4", "16", "64"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the hidden share, on machines where only calls make progress", Paper: "paper 5, section 2.3"},
		workload.RealLimit("65536"),
		{Name: "check-modes", Label: "check modes",
			Doc: "on: one more call per iteration, with writes directly before it and reads directly after it; " +
				"verification fails if the synchronization modes do not allow this", Type: engine.Choice, Default: "off",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.View,
			Watch: "verification: with nosync it fails and reports the stale or torn value that a rank has read",
			Paper: "paper 5, section 2.2"},
	}),
	Defaults:  map[string]string{"model": "flat"},
	Question:  "which algorithm is fastest for this size?",
	CostModel: "call_time_model",
	First:     "algorithm", Panes: []string{"collectives"}, Serial: true, Steady: true, Idle: idle,
	Metrics: append([]engine.MetricSpec{
		{Name: "call_time", Phrase: "time of a call", Unit: "s", Doc: "time of one call on the slowest rank"},
		{Name: "mean_time", Phrase: "mean time of a call", Unit: "s", Doc: "time of one call, mean over ranks"},
		{Name: "compute_time", Phrase: "time of computation", Unit: "s",
			Doc: "time of the computation alone, on the slowest rank"},
		{Name: "overlapped_time", Phrase: "time of both", Unit: "s",
			Doc: "time of call and computation together, on the slowest rank"},
		{Name: "hidden_share", Phrase: "share of the call hidden", Unit: "1",
			Doc: "(call + computation − both) / the shorter of call and computation"},
	}, algorithm.Metrics()...),
	Derived: []engine.MetricSpec{
		{Name: "call_time_model", Phrase: "time of a call, model", Unit: "s",
			Doc: "the algorithm's LogGP cost on the machine's inter-node links (L latency, o overhead, g gap, G time per " +
				"byte): all ranks start together, no contention"},
	},
	Samples: []engine.MetricSpec{
		{Name: "member_time", Phrase: "time of a rank's call", Unit: "s", Doc: "time of a call on each rank"},
	},
	Tallies: []engine.TallySpec{
		{Name: "progress", Unit: "ns", Doc: "time from the start of the first rank until a rank has finished, summed " +
			"over calls, and the number of these calls", Row: "ranks", Column: "of", Labels: progressLabels},
		algorithm.Tries(cells),
	},
	Studies:    []*engine.Study{overSizes, network.Links("a call", messagesOf), study.Tries},
	Fit:        workload.FitPartition,
	Bars:       refusedChoices,
	Iterations: 3,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// every returns all collectives.
func every() (all []coll.Collective) {
	for c := range coll.Collective(coll.Collectives) {
		all = append(all, c)
	}
	return all
}

// collectives returns the names of all collectives.
func collectives() []string {
	var all []string
	for c := range coll.Collective(coll.Collectives) {
		all = append(all, c.String())
	}
	return all
}

// algorithms returns the names of the algorithms of all collectives.
func algorithms() []string {
	all := []string{algorithm.ByModel}
	for _, a := range coll.All() {
		if !slices.Contains(all, a.Name) {
			all = append(all, a.Name)
		}
	}
	all = append(all, algorithm.Libraries()...)
	return append(all, algorithm.ByTable, algorithm.Online, algorithm.Composed)
}

func offers() []engine.Offer {
	var all []engine.Offer
	for c := range coll.Collective(coll.Collectives) {
		all = append(all, engine.Offer{Value: c.String(), Choices: algorithm.Names(c)})
	}
	return all
}

// aliases returns one alias per collective, and MPI's name if it differs.
func aliases() []workload.Alias {
	var all []workload.Alias
	add := func(name string, c coll.Collective) {
		all = append(all, workload.Alias{Name: name, Title: titles[c], Knob: "collective", Value: c.String()})
	}
	for c := range coll.Collective(coll.Collectives) {
		add(c.String(), c)
		if c == coll.OpExchange {
			add("alltoall", c)
		}
	}
	return all
}

// titles describe each collective.
var titles = [coll.Collectives]string{
	coll.OpBcast:         "sends the root's data to all ranks",
	coll.OpScatter:       "sends one block of the root to each rank",
	coll.OpGather:        "sends one block of each rank to the root",
	coll.OpReduce:        "sums the data of all ranks at the root",
	coll.OpAllgather:     "sends one block of each rank to all ranks",
	coll.OpExchange:      "sends one block from each rank to each rank (all-to-all)",
	coll.OpReduceScatter: "sums the data of all ranks, one block at each rank",
	coll.OpAllreduce:     "sums the data of all ranks at every rank",
	coll.OpScan:          "sums the data of all ranks up to each rank",
	coll.OpBarrier:       "waits until all ranks have arrived",
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	c := of(s)
	if why := algorithm.Idle(s, c, knob); why != "" {
		return why
	}
	switch {
	case knob == "size" && c == coll.OpBarrier:
		return "a barrier moves no data"
	case knob == "root" && !c.Rooted():
		return c.String() + " has no root"
	case knob == "slices" && s.Int("overlap") == 0:
		return "overlap = 0: nothing is computed during a call"
	case knob == "check-modes" && c == coll.OpBarrier:
		return "a barrier moves no data"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	if why := workload.MachineIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}

// refusedChoices returns the algorithms that the team cannot run.
func refusedChoices(s *engine.Scenario, site *workload.Site) map[string]map[string]string {
	l := s.Layout()
	all, w := map[string]string{}, teamSiteOn(s, site)
	if _, err := w.FromTable(s, of(s), l.N().MPI, length(s)); err != nil {
		all[algorithm.ByTable] = err.Error()
	}
	w.RefusedLibraries(s, of(s), l.N().MPI, length(s), all)
	if _, err := w.FromComposition(s, of(s), l.N().MPI); err != nil {
		all[algorithm.Composed] = err.Error()
	}
	for _, a := range coll.Of(of(s)) {
		if _, err := w.Key(s, a, l.N().MPI); err != nil {
			all[a.Name] = strings.TrimPrefix(err.Error(), fmt.Sprintf("%s by %s: ", a.Collective, a.Name))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return map[string]map[string]string{"algorithm": all}
}

// cells returns the collective of a scenario, for online tuning.
func cells(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) []algorithm.Cell {
	l := s.Layout()
	return []algorithm.Cell{teamSiteIn(&l, m, kind).cell(s, l.N().MPI)}
}

// of returns the collective of a scenario.
func of(s algorithm.Reader) coll.Collective {
	c, err := coll.CollectiveOf(s.Text("collective"))
	if err != nil {
		panic(err) // impossible: the knob has only valid choices
	}
	return c
}
