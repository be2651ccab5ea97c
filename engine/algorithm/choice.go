package algorithm

import (
	"fmt"
	"slices"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// A Choice is an algorithm, and how the cost model chose it.
type Choice struct {
	Key       coll.Key
	Time      cluster.Time // by the cost model
	Simulated int          // number of candidates that were simulated
}

// Words describes how the algorithm was chosen.
func (c *Choice) Words() string {
	if c.Simulated > 0 {
		return fmt.Sprintf("chosen by simulation of %d candidates", c.Simulated)
	}
	return "chosen by the cost model"
}

const (
	// modelError is the ratio of two times by the model up to which either may be the shorter one:
	// 95 % of the estimates are within 30 % (TestEstimates).
	modelError = 1.3

	// The budget of a choice: the maximum number of messages and ranks that it simulates. It does
	// not depend on the host, so that all processes choose the same algorithm.
	simulatedMessages = 1 << 15
	simulatedRanks    = 1 << 10
)

// choiceKey identifies a choice.
type choiceKey struct {
	site       siteKey
	what       coll.Collective
	bytes      int64
	parameters coll.Parameters
	isRank     bool // hierarchical algorithms treat a rank as a node
	reach, net bool // the team's candidates
}

// memory has the estimators, the choices and the teams of all ranks of the process. A choice depends only on its key: all
// ranks and all processes choose the same algorithm.
var memory struct {
	sync.Mutex
	sites     map[siteKey]*knownSite
	siteRanks int // of all sites
	choices   map[choiceKey]Choice
	worlds    map[worldKey]Team
}

// Limits of the memory. A full map is cleared.
const (
	maxSites     = 32
	maxSiteRanks = 1 << 20
	maxChoices   = 1 << 12
	maxWorlds    = 8 // each has a list of its ranks
)

// Choose returns the algorithm that the cost model chooses for n bytes, with the parameters of the
// knobs. If two candidates are within the model's error, it simulates both, within a budget.
func (w Team) Choose(s Reader, what coll.Collective, ranks int, n int64) (Choice, error) {
	m, ok := w.costMachine()
	if !ok {
		k, time := w.Best(s, what, ranks, n)
		return Choice{Key: k, Time: time}, w.missing(s, what, ranks, &k)
	}
	at := choiceKey{
		site: w.siteKey(m, s, ranks), what: what, bytes: n, reach: w.Reach(), net: w.Networked(),
		isRank: s.Text("process") == ProcessRank,
		parameters: coll.Parameters{Radix: int(s.Int("radix")), Segments: int(s.Int("segments")), Modes: Modes(s),
			Places: w.Places},
	}
	memory.Lock()
	defer memory.Unlock()
	if c, isKnown := memory.choices[at]; isKnown {
		return c, nil
	}
	all := w.candidates(s, what, ranks, func(k *coll.Key) cluster.Time { return w.time(m, at.site, k, n) })
	if len(all) == 0 {
		return Choice{}, w.missing(s, what, ranks, &coll.Key{})
	}
	c := all[0]
	if len(all) > 1 && float64(all[1].Time) <= modelError*float64(c.Time) {
		c = w.simulated(m, at, all[:2])
	}
	if memory.choices == nil || len(memory.choices) >= maxChoices {
		memory.choices = map[choiceKey]Choice{}
	}
	memory.choices[at] = c
	return c, nil
}

// missing returns the reason if there is no algorithm.
func (w Team) missing(s Reader, what coll.Collective, ranks int, k *coll.Key) error {
	if k.Algorithm != nil {
		return nil
	}
	_, err := w.Key(s, coll.Of(what)[0], ranks)
	return fmt.Errorf("no algorithm can run: %w (change ranks, transfer or synchronization)", err)
}

// candidates returns the algorithms that can run, the fastest first.
func (w Team) candidates(s Reader, what coll.Collective, ranks int, time func(*coll.Key) cluster.Time) []Choice {
	var all []Choice
	for _, a := range coll.Of(what) {
		k, err := w.Key(s, a, ranks)
		if err != nil || IsDuplicate(a, &k) {
			continue
		}
		all = append(all, Choice{Key: k, Time: time(&k)})
	}
	slices.SortStableFunc(all, func(a, b Choice) int { return int(min(max(a.Time-b.Time, -1), 1)) })
	return all
}

// simulated returns the faster one of two candidates in a simulation. It returns the first one if
// the simulation exceeds the budget, or cannot have the team's layout and modes.
func (w Team) simulated(m *cluster.Machine, at choiceKey, two []Choice) Choice {
	l, ok := w.layout(at.site.ranks)
	if !ok || at.site.ranks > simulatedRanks || at.parameters.Modes != (coll.Modes{}) {
		return two[0]
	}
	messages, e := 0, w.site(m, at.site)
	for i := range two {
		if two[i].Key.Segments > coll.MaxSegmentsEstimated {
			return two[0]
		}
		messages += e.Messages(two[i].Key)
	}
	if messages > simulatedMessages {
		return two[0]
	}
	spec := &cluster.Spec{Machine: *m, Layout: l, EagerLimit: at.site.eager}
	best, least := 0, cluster.Time(0)
	for i := range two {
		time, err := Simulate(spec, two[i].Key, at.bytes, element(at.what))
		if err != nil {
			return two[0]
		}
		if i == 0 || time < least {
			best, least = i, time
		}
	}
	two[best].Simulated = len(two)
	return two[best]
}

// layout returns the layout in which a simulation has the team's ranks; false: there is none.
func (w Team) layout(ranks int) (cluster.Layout, bool) {
	l := cluster.Layout{Nodes: 1, RanksPerNode: ranks, ThreadsPerRank: 1, Model: cluster.Flat, Group: ranks,
		Ranking: cluster.Sequential}
	switch {
	case len(w.nodes) != ranks || w.sharing > 1 || ranks%w.PerNode != 0:
		return l, false
	case w.oneNode():
		return l, true
	}
	l.Nodes, l.RanksPerNode = ranks/w.PerNode, w.PerNode
	if w.Places.Places > 0 {
		l.Ranking = cluster.RoundRobin
	}
	for i, node := range w.nodes {
		if l.NodeOf(i) != int(node) {
			return l, false
		}
	}
	return l, true
}

// element returns the bytes of an element: reductions add numbers of 8 bytes.
func element(what coll.Collective) int64 {
	if what.Combines() {
		return 8
	}
	return 1
}
