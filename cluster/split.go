package cluster

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Undefined as color gives a member of the parent no team.
const Undefined = -1

// Split parts a team by color (MPI_Comm_split): the members that give the same
// color form a new team, ordered by key, and by their number in t where keys are
// equal. A negative color (Undefined) gives a nil team. Every member of t calls
// it, outside parallel regions.
//
// The new team's contexts come from its first member: each rank has contexts of
// its own to hand out (its number modulo the number of ranks), so that teams that
// share no member, and were split elsewhere, never share a context either. The one
// allgather of (color, key, next context) is all the agreement that this takes.
func (r *Rank) Split(t *Team, color, key int) (*Team, error) {
	return r.split("split", t, color, key)
}

// Dup gives a team of the same members, in the same order, with contexts of its
// own (MPI_Comm_dup).
func (r *Rank) Dup(t *Team) (*Team, error) {
	return r.dup("dup", t, t.name+" dup")
}

// dup makes the new team of the members as they are: its first one hands out the
// contexts, which is all that a broadcast has to carry.
func (r *Rank) dup(call string, t *Team, name string) (*Team, error) {
	if err := r.mayMake(call, t); err != nil {
		return nil, err
	}
	return r.lead(call, t, name)
}

// lead makes a new team of the members as they are, who call it together: the first hands
// out the contexts, in a message by the context that the given team has.
func (r *Rank) lead(call string, t *Team, name string) (*Team, error) {
	ctx := [1]int64{int64(r.nextCtx)}
	if err := r.bcast(call, t, Bytes(ctx[:])); err != nil {
		return nil, err
	}
	return r.made(call, t, name, ctx[0], t.ranks, t.index, 1)
}

// made makes a team of members of t, whose first one handed out the contexts of n teams.
func (r *Rank) made(call string, t *Team, name string, ctx int64, ranks, index []int32, n int) (*Team, error) {
	stride := int64(ctxFanout) * int64(len(r.launch.all)) * int64(n)
	if ctx > math.MaxInt32-stride {
		return nil, r.errorf("%s of %s: rank %d has led as many teams as there are contexts; make teams once, not in a loop", call, t.name, ranks[0])
	}
	if ranks[0] == r.id {
		r.nextCtx += int32(stride)
	}
	team := newTeam(name, int32(ctx), ranks, index, r.id, t.mpi)
	r.port.Team(team.ctx, team.ranks)
	return team, nil
}

// FreeTeam ends a team of Dup, Split or Endpoints (MPI_Comm_free): the fabric forgets
// what it kept for it. Every member calls it, outside parallel regions, with nothing
// under way on the team.
func (r *Rank) FreeTeam(t *Team) error {
	if t == nil {
		return r.errorf("free of no team: who gave Split the color Undefined has none")
	}
	if t.ctx < ctxGroup+ctxFanout*int32(r.launch.spec.Layout.Groups()) {
		return r.errorf("free of %s: it is there from the launch on, and stays", t.name)
	}
	if r.gate != gateOpen {
		return r.errorf("free of %s: inside a parallel region: free teams after it", t.name)
	}
	if err := r.Barrier(t); err != nil {
		return err
	}
	r.port.Team(t.ctx, nil)
	t.me = -1
	return nil
}

// Subteam gives a team of some members of t, in the order of the list, which are numbers
// in t (MPI_Comm_create_group). Only they call it, each with the same list, so that teams
// that follow from a rule, such as the rows of a grid, need no gather: their first member
// hands out the contexts. Two members that are in several lists call for these in one
// order.
func (r *Rank) Subteam(t *Team, members []int) (*Team, error) {
	const call = "subteam"
	if err := r.mayMake(call, t); err != nil {
		return nil, err
	}
	ranks := make([]int32, len(members))
	seen := make(map[int]bool, len(members))
	for i, m := range members {
		if m < 0 || m >= len(t.ranks) || seen[m] {
			return nil, r.errorf("%s of %s: member %d: each of ranks 0 to %d at most once", call, t.name, m, len(t.ranks)-1)
		}
		seen[m] = true
		ranks[i] = t.ranks[m]
	}
	if !seen[int(t.me)] {
		return nil, r.errorf("%s of %s: rank %d is not in the list: only members call it", call, t.name, t.me)
	}
	among := newTeam(t.name, t.ctx, ranks, indexOf(ranks, len(r.launch.all)), r.id, t.mpi)
	return r.lead(call, among, t.name+" subteam")
}

// mayMake checks that the caller may make a team of members of t.
func (r *Rank) mayMake(call string, t *Team) error {
	if r.gate != gateOpen && t.me >= 0 {
		return r.errorf("%s of %s: inside a parallel region: make teams before it", call, t.name)
	}
	return r.member(call, t)
}

// splitter is a member of the new team, as all of the parent learn of it.
type splitter struct {
	key, ctx int64
	order    int // its number in the parent
	rank     int32
}

func (r *Rank) split(call string, t *Team, color, key int) (*Team, error) {
	return r.splitInto(call, t, color, key, 1)
}

// splitInto is split for n teams of the same members: it gives the first, and the
// contexts of the others follow by the stride.
func (r *Rank) splitInto(call string, t *Team, color, key, n int) (*Team, error) {
	if err := r.mayMake(call, t); err != nil {
		return nil, err
	}
	mine := [3]int64{int64(max(color, Undefined)), int64(key), int64(r.nextCtx)}
	flat := make([]int64, len(mine)*len(t.ranks))
	if err := r.allgather(call, t, Bytes(mine[:]), Bytes(flat)); err != nil {
		return nil, err
	}
	var members []splitter
	for i := range t.ranks {
		if w := flat[i*len(mine):]; w[0] == mine[0] {
			members = append(members, splitter{key: w[1], ctx: w[2], order: i, rank: t.ranks[i]})
		}
	}
	if color < 0 {
		return nil, nil
	}
	slices.SortFunc(members, func(a, b splitter) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.order, b.order))
	})
	ranks := make([]int32, len(members))
	for i, m := range members {
		ranks[i] = m.rank
	}
	return r.made(call, t, fmt.Sprintf("%s color %d", t.name, color), members[0].ctx, ranks, indexOf(ranks, len(r.launch.all)), n)
}

// Renumber gives the MPI team whose ranks are contiguous in UPC groups, and the
// number of the own group, as paper 1 finds them:
//
//   - flat (section 3.1): Split(MPI_COMM_WORLD, 0, MYTHREAD) makes the MPI rank
//     equal to the UPC thread; there is one group, 0.
//   - nested-multiple (section 3.2.2): thread 0 of each group shares r0, its MPI
//     rank, with its group; Split(MPI_COMM_WORLD, 0, r0·THREADS + MYTHREAD); the
//     group is the new rank / THREADS. Figure 4 multiplies the new rank by the
//     block of a group (me*B), which leaves the array for every rank from N/B on:
//     a misprint of (me/THREADS)*B.
//   - nested-funneled (section 3.2.1): the MPI rank of thread 0 is the group, and
//     it shares it with the group; MPI_COMM_WORLD stays as it is, and calls of
//     other threads on it are refused.
//
// Every rank calls it.
func (r *Rank) Renumber() (*Team, int, error) {
	threads, me := r.group.Size(), r.group.Rank()
	switch r.launch.spec.Layout.Model {
	case Flat:
		t, err := r.Split(r.world, 0, me)
		return t, 0, err
	case NestedFunneled:
		r0, err := r.master()
		return r.world, int(r0), err
	}
	r0, err := r.master()
	if err != nil {
		return nil, 0, err
	}
	t, err := r.Split(r.world, 0, int(r0)*threads+me)
	if err != nil {
		return nil, 0, err
	}
	return t, t.Rank() / threads, nil
}

// master is the MPI rank of the own group's thread 0, which shares it.
func (r *Rank) master() (int64, error) {
	r0 := [1]int64{int64(r.world.Rank())}
	err := r.bcast("renumber", r.group, Bytes(r0[:]))
	return r0[0], err
}
