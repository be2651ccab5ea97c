package cluster

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Undefined is the color of a member that gets no team.
const Undefined = -1

// Split divides a team by color (MPI_Comm_split). The members with the same color form a new team,
// ordered by key and then by their number in t. A negative color (Undefined) returns a nil team.
// Every member of t calls Split, outside parallel regions.
//
// The first member of the new team assigns its contexts. Each rank has a separate set of contexts
// (its number modulo the number of ranks). Teams without a common member therefore never share a
// context. One allgather of (color, key, next context) is the only communication.
func (r *Rank) Split(t *Team, color, key int) (*Team, error) {
	return r.split("split", t, color, key)
}

// Dup returns a team with the same members in the same order, and separate contexts (MPI_Comm_dup).
func (r *Rank) Dup(t *Team) (*Team, error) {
	return r.dup("dup", t, t.name+" dup")
}

// dup makes a new team of the same members. The first member assigns the contexts and broadcasts
// them.
func (r *Rank) dup(call string, t *Team, name string) (*Team, error) {
	if err := r.mayMake(call, t); err != nil {
		return nil, err
	}
	return r.lead(call, t, name)
}

// lead makes a new team of the same members, which all call it. The first member assigns the
// contexts and sends them in the context of the given team.
func (r *Rank) lead(call string, t *Team, name string) (*Team, error) {
	ctx := [1]int64{int64(r.nextCtx)}
	if err := r.bcast(call, t, Bytes(ctx[:])); err != nil {
		return nil, err
	}
	return r.made(call, t, name, ctx[0], t.membership, 1)
}

// made returns a team of members of t. Its first member has assigned the contexts of n teams.
func (r *Rank) made(call string, t *Team, name string, ctx int64, members *membership, n int) (*Team, error) {
	stride := int64(ctxFanout) * int64(len(r.launch.all)) * int64(n)
	if ctx > math.MaxInt32-stride {
		return nil,
			r.errorf("%s of %s: rank %d has no contexts left for new teams (make teams once, not in a loop)", call, t.name,
				members.ranks[0])
	}
	if members.ranks[0] == r.id {
		r.nextCtx += int32(stride)
	}
	team := newTeam(name, int32(ctx), members, r.id)
	r.port.Team(team.ctx, team.ranks)
	return team, nil
}

// FreeTeam frees a team of Dup, Split or Endpoints and its data in the fabric (MPI_Comm_free).
// Every member calls it, outside parallel regions, when no operation on the team is in progress.
func (r *Rank) FreeTeam(t *Team) error {
	if t == nil {
		return r.errorf("free of a nil team: Split with color Undefined returns no team")
	}
	if t.ctx < ctxGroup+ctxFanout*int32(r.launch.spec.Layout.Groups()) {
		return r.errorf("free of %s: a team of the launch cannot be freed", t.name)
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

// Subteam returns a team of some members of t, in the order of the list of their numbers in t
// (MPI_Comm_create_group). Only these members call it, each with the same list. Teams that follow
// from a rule, such as the rows of a grid, need no gather: their first member assigns the contexts.
// Two members that are in several lists make these calls in the same order.
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
	among := newTeam(t.name, t.ctx, &membership{ranks, indexOf(ranks, len(r.launch.all)), t.mpi}, r.id)
	return r.lead(call, among, t.name+" subteam")
}

// mayMake checks that the caller may make a team from members of t.
func (r *Rank) mayMake(call string, t *Team) error {
	if r.gate != gateOpen && t.me >= 0 {
		return r.errorf("%s of %s: inside a parallel region: make teams before it", call, t.name)
	}
	return r.member(call, t)
}

// splitter is one member's arguments of Split, as all members of the parent receive them.
type splitter struct {
	key, ctx int64
	order    int // number in the parent
	rank     int32
}

func (r *Rank) split(call string, t *Team, color, key int) (*Team, error) {
	return r.splitInto(call, t, color, key, 1)
}

// splitInto is Split for n teams with the same members. It returns the first team; the contexts of
// the others follow at a fixed stride.
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
	return r.made(call, t, fmt.Sprintf("%s color %d", t.name, color), members[0].ctx,
		&membership{ranks, indexOf(ranks, len(r.launch.all)), t.mpi}, n)
}

// Renumber returns the MPI team whose ranks are contiguous in UPC groups, and the number of the
// rank's group, as in paper 1:
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

// master returns the MPI rank of thread 0 of the rank's group.
func (r *Rank) master() (int64, error) {
	r0 := [1]int64{int64(r.world.Rank())}
	err := r.bcast("renumber", r.group, Bytes(r0[:]))
	return r0[0], err
}
