package algorithm

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// Nominal is what algorithms are compared by where a machine states no costs, as this
// host: it chooses between them, and no time of it is shown.
var Nominal = coll.Cost{
	L: cluster.Microsecond, O: cluster.Microsecond / 4, Gap: cluster.Microsecond / 4, G: cluster.Nanosecond / 8,
	Copy: cluster.Nanosecond / 8, Combine: cluster.Nanosecond / 8,
}

// Team is where a team runs, as far as it decides which algorithms it can run and what
// they cost.
type Team struct {
	Machine *cluster.Machine
	Kind    engine.Kind // of the numbers
	Node    bool        // all ranks are in one node
	PerNode int         // ranks
}

// TeamOf is where the ranks of a team are.
func TeamOf(r *cluster.Rank, t *cluster.Team) Team {
	return Among(&r.Spec().Machine, KindOf(r), r.Layout(), t.Members())
}

// Among is where teams of the cluster's ranks are that choose alike, as the rows of a
// grid: in a node only if each of them is in one.
func Among(m *cluster.Machine, kind engine.Kind, l *cluster.Layout, teams ...[]int32) Team {
	w := Team{Machine: m, Kind: kind, Node: true, PerNode: 1}
	for _, ranks := range teams {
		on := map[int]int{}
		for _, rank := range ranks {
			node := l.NodeOf(int(rank))
			on[node]++
			w.PerNode = max(w.PerNode, on[node])
		}
		w.Node = w.Node && len(on) < 2
	}
	return w
}

// KindOf is what the rank's clock gives.
func KindOf(r *cluster.Rank) engine.Kind {
	switch {
	case r.Phantoms():
		return engine.Simulated
	case r.Spec().Machine.Emulated:
		return engine.Emulated
	}
	return engine.Measured
}

// Reach reports whether loads get from each rank to all others: inside a node, and on
// this host's own memory everywhere.
func (w Team) Reach() bool { return w.Node || w.Kind == engine.Measured }

// Costs are the terms that the machine's links between nodes give, or where there is one
// node those inside it; false: there are none.
func (w Team) Costs() (coll.Cost, bool) {
	m := *w.Machine
	if w.Node {
		m.Classes[cluster.Remote] = m.Classes[cluster.InNode]
	}
	c, err := coll.CostOf(&m)
	if err != nil || w.Kind == engine.Measured {
		return Nominal, false
	}
	if w.Kind == engine.Emulated {
		c.O = 0 // the live fabric's overheads are the host's own
	}
	return c, true
}

// Key is an algorithm's, as the knobs ask for it, among so many ranks.
func (w Team) Key(s Reader, a *coll.Algorithm, ranks int) (coll.Key, error) {
	if a.Needs&coll.Reach != 0 && !w.Reach() {
		return coll.Key{}, fmt.Errorf("%s by %s: loads reach the ranks of one node only", a.Collective, a.Name)
	}
	k, err := a.Key(Asked(s, a, ranks))
	if err == nil && k.Transfer == coll.PutOnly && passesOn(k) {
		return k, fmt.Errorf("%s by %s: ranks pass on what comes, and %s does not tell them that it has; use transfer %s", a.Collective, a.Name, k.Transfer, coll.Put)
	}
	return k, err
}

// passesOn reports whether a rank has something to do once a message has come.
func passesOn(k coll.Key) bool {
	for _, rel := range []int32{0, 1, k.Ranks / 2, k.Ranks - 1} {
		if rel >= k.Ranks {
			continue
		}
		schedule := k.Make(rel)
		for i := range schedule.Nodes {
			if schedule.Nodes[i].Kind == coll.Recv && len(schedule.Next(i)) > 0 {
				return true
			}
		}
	}
	return false
}

// Best is the algorithm that takes least by the model, on n bytes among so many ranks.
func (w Team) Best(s Reader, what coll.Collective, c *coll.Cost, ranks int, n int64) (coll.Key, cluster.Time) {
	var least coll.Key
	time := cluster.Time(math.MaxInt64)
	for _, a := range coll.Of(what) {
		k, err := w.Key(s, a, ranks)
		if err != nil {
			continue
		}
		if t := k.Predict(c, n); t < time {
			least, time = k, t
		}
	}
	return least, time
}

// Chosen are the schedules that the knobs ask for, of a collective on n bytes (of a block,
// where blocks go by member) among so many ranks.
func (w Team) Chosen(s Reader, what coll.Collective, ranks int, n int64) (coll.Key, error) {
	name := s.Text("algorithm")
	if name == ByModel {
		c, _ := w.Costs()
		if k, _ := w.Best(s, what, &c, ranks, n); k.Algorithm != nil {
			return k, nil
		}
		_, err := w.Key(s, coll.Of(what)[0], ranks)
		return coll.Key{}, fmt.Errorf("no algorithm can run: %w; use other ranks, or other transfers and synchronization", err)
	}
	if name == ByTable {
		k, err := w.FromTable(s, what, ranks, n)
		if err != nil {
			return k, fmt.Errorf("%w; use another algorithm", err)
		}
		return k, nil
	}
	a, err := coll.Find(what, name)
	if err != nil {
		return coll.Key{}, fmt.Errorf("%w; use one of these", err)
	}
	k, err := w.Key(s, a, ranks)
	if err != nil {
		return k, fmt.Errorf("%w; use another algorithm or other ranks", err)
	}
	return k, nil
}

// Called names schedules: "knomial, radix 4".
func Called(k *coll.Key) string {
	text := k.Algorithm.Name
	if k.Radix != 0 {
		text += fmt.Sprintf(", radix %d", k.Radix)
	}
	if k.Segments > 1 {
		text += fmt.Sprintf(", %d segments", k.Segments)
	}
	if k.Transfer != coll.TwoSided {
		text += ", " + k.Transfer.String()
	}
	if k.Address != coll.Single {
		text += ", " + k.Address.String()
	}
	if k.In != coll.MySync || k.Out != coll.MySync {
		text += ", " + k.In.String() + " to " + k.Out.String()
	}
	return text
}
