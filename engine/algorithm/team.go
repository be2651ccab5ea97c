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
	Places  coll.Places // which of them share a node
	World   bool        // it is the team of all ranks
}

// TeamOf is where the ranks of a team are.
func TeamOf(r *cluster.Rank, t *cluster.Team) Team {
	return Among(&r.Spec().Machine, KindOf(r), &r.Spec().Layout, t.Members())
}

// Among is where teams of the cluster's ranks are that choose alike, as the rows of a
// grid: in a node only if each of them is in one, and with ranks that share a node only
// if these are the same in each.
func Among(m *cluster.Machine, kind engine.Kind, l *cluster.Layout, teams ...[]int32) Team {
	w := Team{Machine: m, Kind: kind, Node: true, PerNode: 1}
	world := l.N().MPI
	for i, ranks := range teams {
		on := map[int]int{}
		for _, rank := range ranks {
			node := l.NodeOf(int(rank))
			on[node]++
			w.PerNode = max(w.PerNode, on[node])
		}
		w.Node = w.Node && len(on) < 2
		w.World = w.World || len(ranks) == world
		switch at := coll.PlacesAmong(l, ranks); {
		case i == 0:
			w.Places = at
		case at != w.Places:
			w.Places = coll.Places{}
		}
	}
	return w
}

// KindOf is what the rank's clock gives.
func KindOf(r *cluster.Rank) engine.Kind {
	switch {
	case (r.Spec().Clock == cluster.VirtualClock):
		return engine.Simulated
	case r.Spec().Machine.Emulated:
		return engine.Emulated
	}
	return engine.Measured
}

// Reach reports whether loads get from each rank to all others: inside a node, and on
// this host's own memory everywhere.
func (w Team) Reach() bool { return w.Node || w.Kind == engine.Measured }

// Networked reports whether the team may use a collective network.
func (w Team) Networked() bool {
	return w.World && w.Kind == engine.Simulated && w.Machine != nil && w.Machine.CollectiveNetwork.Bandwidth > 0
}

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
	if a.Needs&coll.Network != 0 && !w.Networked() {
		return coll.Key{}, fmt.Errorf("%s by %s: only simulations of a machine with a collective network have one, for a team of all ranks", a.Collective, a.Name)
	}
	k, err := a.Key(w.Asked(s, a, ranks))
	if err == nil && k.PassesOn() {
		return k, fmt.Errorf("%s by %s: ranks pass on what comes, and %s does not tell them that it has; use transfer %s", a.Collective, a.Name, k.Transfer, coll.Put)
	}
	return k, err
}

// Asked are the parameters that the knobs ask of an algorithm; it takes only those that
// it has.
func (w Team) Asked(s Reader, a *coll.Algorithm, ranks int) coll.Parameters {
	p := coll.Parameters{Ranks: ranks}
	if a.Collective != coll.OpBarrier {
		p.Modes = Modes(s)
	}
	if radix := s.Int("radix"); a.Radix != 0 && radix > 0 {
		p.Radix = int(radix)
	}
	if a.Segmented {
		p.Segments = int(s.Int("segments"))
	}
	if a.Housed && s.Text("process") == ProcessNode {
		p.Places = w.among(ranks)
	}
	return p
}

// among is which of so many ranks would share nodes that hold as many as the team's do.
func (w Team) among(ranks int) coll.Places {
	at := w.Places
	if at.Places > 0 {
		if at.Places = int32(ranks / max(w.PerNode, 1)); ranks%max(w.PerNode, 1) != 0 || at.Places < 2 {
			return coll.Places{}
		}
	}
	return at
}

// Twin reports whether an algorithm is another one under a second name: a hierarchical
// one where no ranks share a node.
func Twin(a *coll.Algorithm, k *coll.Key) bool { return a.Housed && k.Places == (coll.Places{}) }

// Best is the algorithm that takes least by the model, on n bytes among so many ranks.
func (w Team) Best(s Reader, what coll.Collective, c *coll.Cost, ranks int, n int64) (coll.Key, cluster.Time) {
	var least coll.Key
	time := cluster.Time(math.MaxInt64)
	for _, a := range coll.Of(what) {
		k, err := w.Key(s, a, ranks)
		if err != nil || Twin(a, &k) {
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
	switch at := k.Places; {
	case at.Per > 0:
		text += fmt.Sprintf(", %d a node", at.Per)
	case at.Places > 0:
		text += fmt.Sprintf(", dealt to %d nodes", at.Places)
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
