package collective

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/network"
)

func init() { workload.Register(&collective) }

// rotating roots: each call has the next one.
const rotating = "rotating"

// parameters are the knobs of any algorithm: its own two, then how bytes move.
var parameters = algorithm.Parameters()

var collective = workload.Workload{
	Name:  "collective",
	Title: "Collectives",
	Doc: "One collective operation by one algorithm: a broadcast down a tree, an exchange by dissemination, and so on, each checked against what it has to give. " +
		"Switch the algorithm while it runs and watch the tree or the rounds change, and turn the size to see where another one wins.",
	Paper:   "paper 5, section 3",
	Aliases: aliases(),
	Knobs: slices.Concat([]engine.Knob{
		{Name: "collective", Label: "collective", Doc: "what the ranks do together", Type: engine.Choice, Default: coll.OpBcast.String(),
			Choices: collectives(), Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the messages: down a tree from a root, up it, or between all", Paper: "paper 5, section 2"},
		{Name: "algorithm", Label: "algorithm", Doc: "how they do it; model: the one that the model finds best; tuned: the one that a table has (--table)", Type: engine.Choice, Default: algorithm.ByModel,
			Choices: algorithms(), By: "collective", Offers: offers(), Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the drawing of messages, the steps, and the time beside the model's", Paper: "paper 5, sections 3.2 to 3.5"},
	}, parameters[:2], []engine.Knob{
		{Name: "size", Label: "size", Doc: "bytes: of each rank's block where blocks go by rank, else of the data", Type: engine.Size, Unit: "B", Default: "8", Min: 0, Max: 1 << 30,
			Choices: []string{"0", "8", "64", "512", "4096", "32768", "262144", "1048576", "4194304"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "which algorithm wins: few messages for short data, few bytes for long", Paper: "paper 5, figures 2 to 8"},
		{Name: "root", Label: "root", Doc: "rank that the data comes from or goes to; rotating: each call the next one", Type: engine.Integer, Default: "0", Min: 0, Max: coll.MostRanks - 1,
			Choices: []string{"0", "1", rotating}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "nothing, on an even machine: schedules count from the root"},
	}, parameters[2:], []engine.Knob{
		workload.Partition,
		{Name: "calls", Label: "calls", Doc: "calls in an iteration, a barrier before each", Type: engine.Integer, Default: "4", Min: 1, Max: 1e6,
			Choices: []string{"1", "4", "16", "64", "256"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "how long an iteration takes; the time of a call stays"},
		{Name: "overlap", Label: "overlap", Doc: "numbers that each rank computes during a second, nonblocking call, a multiplication and an addition each; 0: there is none", Type: engine.Integer, Default: "0", Min: 0, Max: 1 << 30,
			Choices: []string{"0", "1000", "10000", "100000", "1000000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the share of the call that is hidden: who goes on with it while ranks compute is the machine's progress", Paper: "paper 5, section 2.3"},
		{Name: "slices", Label: "slices", Doc: "parts of that computing, with a test of the call between two", Type: engine.Integer, Default: "1", Min: 1, Max: 1e6,
			Choices: []string{"1", "4", "16", "64"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the hidden share, on machines where only calls make progress", Paper: "paper 5, section 2.3"},
		workload.RealLimit("65536"),
		{Name: "check-modes", Label: "check modes", Doc: "make one more call an iteration, before which each rank writes its data and after which it reads them, with no barrier between; where a synchronization mode does not promise that, verification fails with the rank, the data and the mode", Type: engine.Choice, Default: "off",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.View,
			Watch: "verified: with nosync it fails, and says what stale or torn value a rank has read", Paper: "paper 5, section 2.2"},
	}),
	Defaults: map[string]string{"model": "flat"},
	First:    "algorithm", Panes: []string{"collectives"}, Serial: true, Steady: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "call_time", Phrase: "time of a call", Unit: "s", Doc: "one call, of the rank that takes longest"},
		{Name: "mean_time", Phrase: "of it, mean over ranks", Unit: "s", Doc: "the same, mean over ranks"},
		{Name: "compute_time", Phrase: "time of computing", Unit: "s", Doc: "the computing alone, of the rank that takes longest"},
		{Name: "overlapped_time", Phrase: "time of both", Unit: "s", Doc: "the call and the computing together, of the rank that takes longest"},
		{Name: "hidden_share", Phrase: "share of the call hidden", Unit: "1", Doc: "(call + computing − both) / the shorter of call and computing"},
	},
	Derived: []engine.MetricSpec{
		{Name: "call_time_model", Phrase: "time of a call, model", Unit: "s", Doc: "the algorithm's formula on the machine's links between nodes: all ranks start at once, nothing is in each other's way"},
	},
	Samples: []engine.MetricSpec{
		{Name: "member_time", Phrase: "time of a rank's call", Unit: "s", Doc: "each rank's own time of a call"},
	},
	Tallies: []engine.TallySpec{
		{Name: "progress", Unit: "ns", Doc: "time from the start of the first rank until ranks are done, summed over calls, and the calls of all these ranks", Row: "ranks", Column: "of", Labels: progressLabels},
	},
	Studies:    []*engine.Study{overSizes, network.Links("a call", messagesOf)},
	Fit:        workload.FitMachine,
	Bars:       bars,
	Iterations: 3,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// collectives are all of them, by name.
func collectives() []string {
	var all []string
	for c := range coll.Collective(coll.Collectives) {
		all = append(all, c.String())
	}
	return all
}

// algorithms are the names of those of any collective.
func algorithms() []string {
	all := []string{algorithm.ByModel, algorithm.ByTable}
	for _, a := range coll.All() {
		if !slices.Contains(all, a.Name) {
			all = append(all, a.Name)
		}
	}
	return all
}

func offers() []engine.Offer {
	var all []engine.Offer
	for c := range coll.Collective(coll.Collectives) {
		all = append(all, engine.Offer{Value: c.String(), Choices: algorithm.Names(c)})
	}
	return all
}

// aliases are a name for each collective, and MPI's where it is another.
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

// titles say what each collective does.
var titles = [coll.Collectives]string{
	coll.OpBcast:         "the root's data to all",
	coll.OpScatter:       "a block of the root's to each",
	coll.OpGather:        "a block of each to the root",
	coll.OpReduce:        "the data of all, added up, to the root",
	coll.OpAllgather:     "a block of each to all",
	coll.OpExchange:      "a block of each for each (all-to-all)",
	coll.OpReduceScatter: "the data of all, added up, a block of it to each",
	coll.OpAllreduce:     "the data of all, added up, to all",
	coll.OpScan:          "the data of all ranks up to the own one, added up",
	coll.OpBarrier:       "nobody goes on before all have come",
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
		return "nothing is computed during a call: overlap is 0"
	case knob == "check-modes" && c == coll.OpBarrier:
		return "a barrier moves no data"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	if why := workload.Unmachined(kind, knob); why != "" {
		return why
	}
	return workload.Ungrouped(s, knob)
}

// bars are the algorithms that the team cannot run.
func bars(s *engine.Scenario, site *workload.Site) map[string]map[string]string {
	l := s.Layout()
	if l.Validate() != nil {
		return nil
	}
	all, w := map[string]string{}, on(s, site)
	if _, err := w.FromTable(s, of(s), len(l.World()), length(s)); err != nil {
		all[algorithm.ByTable] = err.Error()
	}
	for _, a := range coll.Of(of(s)) {
		if _, err := w.Key(s, a, len(l.World())); err != nil {
			all[a.Name] = strings.TrimPrefix(err.Error(), fmt.Sprintf("%s by %s: ", a.Collective, a.Name))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return map[string]map[string]string{"algorithm": all}
}

// of is the collective that a scenario asks for.
func of(s algorithm.Reader) coll.Collective {
	c, err := coll.CollectiveOf(s.Text("collective"))
	if err != nil {
		panic(err) // the knob has them for choices
	}
	return c
}
