package cluster

import (
	"fmt"
	"math/rand/v2"
)

// Model is a hybrid MPI+UPC execution model (paper 1, section 3, figure 1).
type Model string

// The execution models.
const (
	Flat           Model = "flat"            // one UPC execution, every process has an MPI rank
	NestedFunneled Model = "nested-funneled" // UPC groups; UPC thread 0 of each has an MPI rank
	NestedMultiple Model = "nested-multiple" // UPC groups; every process has an MPI rank
)

// Models and Rankings list the choices.
var (
	Models   = []Model{Flat, NestedFunneled, NestedMultiple}
	Rankings = []Ranking{Sequential, RoundRobin, PerSocket, Cubes}
)

// MaxRanks is the maximum number of ranks in a layout, checked before memory is allocated.
const MaxRanks = 1 << 22

// Layout places ranks on nodes and in groups. A rank's number in the cluster is its position in
// launch order. A group is a run of Group consecutive numbers.
type Layout struct {
	Nodes          int
	RanksPerNode   int
	ThreadsPerRank int
	Ranking        Ranking
	Model          Model
	Group          int // ranks per group; the flat model has one group of all ranks

	// WorldSeed numbers MPI_COMM_WORLD: 0 in launch order, otherwise in an order drawn from the
	// seed. MPI does not know UPC's numbering, so a program must renumber (paper 1, sections 3.1
	// and 3.2.2).
	WorldSeed uint64
}

// Triple is ⟨group, UPC, MPI⟩: the numbers of one process (ID) or the sizes (N) (paper 1, section
// 3). MPI is −1 for a process without an MPI rank.
type Triple struct{ Group, UPC, MPI int }

// String formats a triple as ⟨group, upc, mpi⟩.
func (t Triple) String() string { return fmt.Sprintf("⟨%d, %d, %d⟩", t.Group, t.UPC, t.MPI) }

// Ranks returns the number of ranks.
func (l *Layout) Ranks() int { return l.Nodes * l.RanksPerNode }

// GroupSize returns the number of ranks in a UPC group, UPC's THREADS.
func (l *Layout) GroupSize() int {
	if l.Model == Flat {
		return l.Ranks()
	}
	return l.Group
}

// Groups returns the number of UPC groups.
func (l *Layout) Groups() int { return l.Ranks() / l.GroupSize() }

// GroupOf returns the UPC group of a rank.
func (l *Layout) GroupOf(rank int) int { return rank / l.GroupSize() }

// UPCOf returns a rank's number in its group, UPC's MYTHREAD.
func (l *Layout) UPCOf(rank int) int { return rank % l.GroupSize() }

// MayCallMPI reports whether the process has an MPI rank in the execution model.
func (l *Layout) MayCallMPI(rank int) bool {
	return l.Model != NestedFunneled || l.UPCOf(rank) == 0
}

// ClassOf returns the locality class of an access from one rank to another's memory.
func (l *Layout) ClassOf(from, to int) Class {
	switch {
	case from == to:
		return InRank
	case l.NodeOf(from) == l.NodeOf(to):
		return InNode
	}
	return Remote
}

// World returns the processes that have an MPI rank, in the order of MPI_COMM_WORLD.
func (l *Layout) World() []int32 {
	w := make([]int32, 0, l.Ranks())
	for r := range l.Ranks() {
		if l.MayCallMPI(r) {
			w = append(w, int32(r))
		}
	}
	if l.WorldSeed != 0 {
		rng := rand.New(rand.NewPCG(l.WorldSeed, 0x6d7069))
		rng.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	}
	return w
}

// N returns the sizes ⟨groups, UPC threads per group, MPI ranks⟩.
func (l *Layout) N() Triple {
	n := Triple{Group: l.Groups(), UPC: l.GroupSize(), MPI: l.Ranks()}
	if l.Model == NestedFunneled {
		n.MPI = n.Group
	}
	return n
}

// Validate returns an error with a hint if the layout is impossible.
func (l *Layout) Validate() error {
	switch {
	case l.Nodes < 1:
		return fmt.Errorf("nodes = %d: a cluster needs at least one node", l.Nodes)
	case l.RanksPerNode < 1:
		return fmt.Errorf("ranks per node = %d: a node needs at least one rank", l.RanksPerNode)
	case l.ThreadsPerRank < 1:
		return fmt.Errorf("threads per rank = %d: a rank needs at least one thread", l.ThreadsPerRank)
	case l.Nodes > MaxRanks || l.RanksPerNode > MaxRanks/l.Nodes:
		return fmt.Errorf("%d nodes × %d ranks: want at most %d ranks (use fewer nodes or ranks per node)", l.Nodes, l.RanksPerNode, MaxRanks)
	}
	if _, err := l.placing(); err != nil {
		return err
	}
	switch l.Model {
	case Flat:
		return nil
	case NestedFunneled, NestedMultiple:
	default:
		return fmt.Errorf("model %q: want flat, nested-funneled or nested-multiple", l.Model)
	}
	switch p := l.Ranks(); {
	case l.Group < 1:
		return fmt.Errorf("group = %d: a group needs at least one rank", l.Group)
	case l.Group > p:
		return fmt.Errorf("group = %d: want at most the number of ranks, %d", l.Group, p)
	case p%l.Group != 0:
		return fmt.Errorf("group = %d does not divide %d ranks: use %d or %d", l.Group, p, divisor(p, l.Group, -1),
			divisor(p, l.Group, 1))
	}
	return nil
}

// divisor returns the divisor of n nearest to g, in steps of 1 or −1.
func divisor(n, g, step int) int {
	for ; n%g != 0; g += step {
	}
	return g
}
