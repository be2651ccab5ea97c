package algorithm

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// Nominal is the cost that ranks algorithms if a machine states no costs, such as this host.
// It is only used to choose: no time computed from it is shown.
var Nominal = coll.Cost{
	L: cluster.Microsecond, O: cluster.Microsecond / 4, Gap: cluster.Microsecond / 4, G: cluster.Nanosecond / 8,
	Copy: cluster.Nanosecond / 8, Combine: cluster.Nanosecond / 8,
}

// A Team describes the place of a team. It decides which algorithms the team can run, and their
// cost.
type Team struct {
	Machine *cluster.Machine
	Kind    engine.Kind // of the numbers
	Node    bool        // all ranks are in one node
	PerNode int         // ranks
	Places  coll.Places // of ranks that share a node
	World   bool        // the team has all ranks

	nodes   []int32 // node of each member; of the first team
	placed  uint64  // hash of nodes
	spans   bool    // a team has ranks in several processes
	crowd   int     // ranks per node of the launch
	sharing int     // teams that call at the same time on each node; 0: one
}

// TeamOf returns the Team of the members of t.
func TeamOf(r *cluster.Rank, t *cluster.Team) Team {
	return Among(&r.Spec().Machine, KindOf(r), &r.Spec().Layout, t.Members())
}

// worldKey identifies the team of all ranks. Only the number of processes depends on the machine.
type worldKey struct {
	layout    cluster.Layout
	processes int
}

// World returns the Team of all MPI ranks of a layout. Snapshots need it again and again, and it takes time and
// memory in proportion to the number of ranks, so World remembers the latest Teams.
func World(m *cluster.Machine, kind engine.Kind, l *cluster.Layout) Team {
	at := worldKey{layout: *l}
	if m != nil {
		at.processes = m.Processes
	}
	memory.Lock()
	defer memory.Unlock()
	w, isKnown := memory.worlds[at]
	if !isKnown {
		w = Among(m, kind, l, l.World())
		if memory.worlds == nil || len(memory.worlds) >= maxWorlds {
			memory.worlds = map[worldKey]Team{}
		}
		memory.worlds[at] = w
	}
	w.Machine, w.Kind = m, kind
	return w
}

// Among returns one Team for several teams that must choose the same algorithm, such as the
// rows of a grid. It is inside a node only if each of the teams is. Places is only set if it is
// the same in each.
func Among(m *cluster.Machine, kind engine.Kind, l *cluster.Layout, teams ...[]int32) Team {
	w := Team{Machine: m, Kind: kind, Node: true, PerNode: 1, crowd: l.RanksPerNode}
	world := l.N().MPI
	if len(teams) > 0 {
		w.nodes = make([]int32, 0, len(teams[0]))
	}
	w.placed = 14695981039346656037 // FNV-1a
	for i, ranks := range teams {
		on := make([]int, l.Nodes)
		nodes := 0
		for _, rank := range ranks {
			node := l.NodeOf(int(rank))
			if on[node] == 0 {
				nodes++
			}
			on[node]++
			w.PerNode = max(w.PerNode, on[node])
			if i == 0 {
				w.nodes = append(w.nodes, int32(node))
				w.placed = (w.placed ^ uint64(node)) * 1099511628211
			}
		}
		w.Node = w.Node && nodes < 2
		w.spans = w.spans || spans(m, l, ranks)
		w.World = w.World || len(ranks) == world
		switch at := coll.PlacesAmong(l, ranks); {
		case i == 0:
			w.Places = at
		case at != w.Places:
			w.Places = coll.Places{}
		}
	}
	w.sharing = world / l.Nodes / w.PerNode // all teams of the launch call
	return w
}

// spans reports whether ranks are in several processes.
func spans(m *cluster.Machine, l *cluster.Layout, ranks []int32) bool {
	if m == nil || m.Processes < 2 {
		return false
	}
	return slices.ContainsFunc(ranks, func(r int32) bool {
		return l.ProcessOf(int(r), m.Processes) != l.ProcessOf(int(ranks[0]), m.Processes)
	})
}

// KindOf returns the kind of number of the rank's clock.
func KindOf(r *cluster.Rank) engine.Kind {
	switch {
	case (r.Spec().Clock == cluster.VirtualClock):
		return engine.Simulated
	case r.Spec().Machine.Emulated:
		return engine.Emulated
	}
	return engine.Measured
}

// Reach reports whether each rank can load the memory of all others: on one node, or in one process without
// emulation.
func (w Team) Reach() bool { return w.Node || w.Kind == engine.Measured && !w.spans }

// Networked reports whether the team may use a collective network.
func (w Team) Networked() bool {
	return w.World && w.Kind == engine.Simulated && w.Machine != nil && w.Machine.CollectiveNetwork.Bandwidth > 0
}

// Costs returns the cost terms of the machine's links: between nodes, or inside the node if the
// team has only one. It returns Nominal and false if the machine states none.
func (w Team) Costs() (coll.Cost, bool) {
	m, ok := w.costMachine()
	if !ok {
		return Nominal, false
	}
	c, err := coll.CostOf(m)
	return c, err == nil
}

// Key returns the key of an algorithm with the parameters of the knobs. Its error states why
// the team cannot run it.
func (w Team) Key(s Reader, a *coll.Algorithm, ranks int) (coll.Key, error) {
	if err := w.lacks(a); err != nil {
		return coll.Key{}, err
	}
	k, err := a.Key(w.Parameters(s, a, ranks))
	if err == nil && k.PassesOn() {
		return k, fmt.Errorf("%s by %s: ranks forward data, but transfer %s does not notify them of its arrival (use "+
			"transfer %s)", a.Collective, a.Name, k.Transfer, coll.Put)
	}
	return k, err
}

// lacks returns the reason why the team has not what an algorithm needs, or nil.
func (w Team) lacks(a *coll.Algorithm) error {
	if a.Needs&coll.Reach != 0 && !w.Reach() {
		return fmt.Errorf("%s by %s: needs loads from all ranks, which only work inside one node", a.Collective, a.Name)
	}
	if a.Needs&coll.Network != 0 && !w.Networked() {
		return fmt.Errorf("%s by %s: needs a collective network (simulation of a machine that has one, team of all "+
			"ranks)", a.Collective, a.Name)
	}
	return nil
}

// Parameters returns the knobs' values of the parameters that an algorithm has.
func (w Team) Parameters(s Reader, a *coll.Algorithm, ranks int) coll.Parameters {
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
	if a.UsesPlaces && s.Text("process") == ProcessNode {
		p.Places = w.among(ranks)
	}
	return p
}

// among returns Places for another number of ranks, with as many ranks per node as the team.
func (w Team) among(ranks int) coll.Places {
	at := w.Places
	if at.Places > 0 {
		at.Places = int32(ranks / max(w.PerNode, 1))
		if ranks%max(w.PerNode, 1) != 0 || at.Places < 2 {
			return coll.Places{}
		}
	}
	return at
}

// IsDuplicate reports whether an algorithm is the same as another one: a hierarchical algorithm if no
// ranks share a node.
func IsDuplicate(a *coll.Algorithm, k *coll.Key) bool {
	return a.UsesPlaces && k.Places == (coll.Places{})
}

// Best returns the fastest algorithm by the cost model for n bytes, and its time, without a
// simulation.
func (w Team) Best(s Reader, what coll.Collective, ranks int, n int64) (coll.Key, cluster.Time) {
	all := w.ranked(s, what, ranks, n)
	if len(all) == 0 {
		return coll.Key{}, 0
	}
	return all[0].Key, all[0].Time
}

// ranked returns the algorithms that can run, the fastest by the cost model first.
func (w Team) ranked(s Reader, what coll.Collective, ranks int, n int64) []Choice {
	return w.candidates(s, what, ranks, func(k *coll.Key) cluster.Time {
		time, _ := w.Estimate(s, k, n)
		return time
	})
}

// Chosen returns the key of the algorithm that the knobs request. n is the number of bytes: of
// one block if each member has its own, else of all data.
func (w Team) Chosen(s Reader, what coll.Collective, ranks int, n int64) (coll.Key, error) {
	name := s.Text("algorithm")
	if name == ByModel {
		c, err := w.Choose(s, what, ranks, n)
		return c.Key, err
	}
	if nth := nthOf(name); nth >= 0 {
		return w.nthOfTable(s, what, ranks, n, nth)
	}
	if name == Composed {
		return w.FromComposition(s, what, ranks)
	}
	if name == Online {
		return w.Chosen(As(s, Tried(s, Cell{w, what, ranks, n})[0]), what, ranks, n)
	}
	if IsLibrary(name) {
		c, err := w.FromLibrary(s, name, what, ranks, n)
		return c.Key, err
	}
	a, err := coll.Find(what, name)
	if err != nil {
		return coll.Key{}, err
	}
	k, err := w.Key(s, a, ranks)
	if err != nil {
		return k, fmt.Errorf("%w (use another algorithm or other ranks)", err)
	}
	return k, nil
}

// Describe returns the name of an algorithm with its parameters: "knomial, radix 4".
func Describe(k *coll.Key) string {
	text := k.Algorithm.Name
	if k.Radix != 0 {
		text += fmt.Sprintf(", radix %d", k.Radix)
	}
	if k.Segments > 1 {
		text += fmt.Sprintf(", %d segments", k.Segments)
	}
	switch at := k.Places; {
	case at.Per > 0:
		text += fmt.Sprintf(", %d per node", at.Per)
	case at.Places > 0:
		text += fmt.Sprintf(", distributed over %d nodes", at.Places)
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
