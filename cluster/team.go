package cluster

import "fmt"

// Team is an ordered set of ranks with a separate communication context, like an MPI communicator.
// A message sent in one team is never received in another.
type Team struct {
	name string
	ctx  int32 // two-sided context; ctx+1 carries the team's collectives
	me   int32 // number of this rank in the team; −1: not a member
	*membership
	kept  any    // value of the library of collectives
	busy  uint32 // atomic: 1 + the thread of a parallel region that is inside a collective; 0: none
	split uint32 // atomic: 1 from Notify until the rank has waited for its request
}

// membership has the members of a team. The handles of all ranks share it. It does not change.
type membership struct {
	ranks []int32 // cluster ranks by number in the team
	index []int32 // number in the team by cluster rank, −1: not a member; nil: ranks are consecutive
	mpi   bool    // calls on the team are MPI calls
}

// Rank returns the caller's number in the team, or −1 if it is not a member.
func (t *Team) Rank() int { return int(t.me) }

// Size returns the number of members.
func (t *Team) Size() int { return len(t.ranks) }

// Global translates a number in the team to a rank of the cluster.
func (t *Team) Global(i int) int { return int(t.ranks[i]) }

// First returns the cluster rank of member 0 if the members' ranks are consecutive, otherwise −1.
func (t *Team) First() int {
	if t.index != nil || len(t.ranks) == 0 {
		return -1
	}
	return int(t.ranks[0])
}

// Local translates a rank of the cluster to its number in the team, or −1 if it is not a member.
func (t *Team) Local(rank int) int {
	if t.index == nil {
		if len(t.ranks) == 0 || uint(rank-int(t.ranks[0])) >= uint(len(t.ranks)) {
			return -1
		}
		return rank - int(t.ranks[0])
	}
	if uint(rank) >= uint(len(t.index)) {
		return -1
	}
	return int(t.index[rank])
}

// Members returns the cluster ranks by number in the team; read only.
func (t *Team) Members() []int32 { return t.ranks }

// MPI reports whether calls on the team are MPI calls.
func (t *Team) MPI() bool { return t.mpi }

// Name returns the name of the team, for errors and screens.
func (t *Team) Name() string { return t.name }

// newTeam returns a team of the given members, as seen by rank.
func newTeam(name string, ctx int32, members *membership, rank int32) *Team {
	t := &Team{name: name, ctx: ctx, membership: members, me: -1}
	t.me = int32(t.Local(int(rank)))
	return t
}

// indexOf inverts a list of ranks among p. It returns nil if the ranks are consecutive.
func indexOf(ranks []int32, p int) []int32 {
	if follow(ranks) {
		return nil
	}
	index := make([]int32, p)
	for i := range index {
		index[i] = -1
	}
	for i, r := range ranks {
		index[r] = int32(i)
	}
	return index
}

func follow(ranks []int32) bool {
	for i, r := range ranks {
		if r != ranks[0]+int32(i) {
			return false
		}
	}
	return true
}

// peer checks that the caller may use the team for a call, and translates a
// number in it to a rank of the cluster. way is the preposition for errors.
func (r *Rank) peer(call, way string, t *Team, to int) (int32, error) {
	if err := r.member(call, t); err != nil {
		return 0, err
	}
	if uint(to) >= uint(len(t.ranks)) {
		return 0, r.errorf("%s %s rank %d: team %s has ranks 0 to %d", call, way, to, t.name, len(t.ranks)-1)
	}
	return t.ranks[to], nil
}

// member checks that the caller may use the team for a call.
func (r *Rank) member(call string, t *Team) error {
	if t.me >= 0 {
		return nil
	}
	if l := &r.launch.spec.Layout; t.mpi && !l.MayCallMPI(int(r.id)) {
		return r.errorf("%s: UPC thread %d of group %d may not call MPI in nested-funneled: only UPC thread 0 of a "+
			"group has an MPI rank; let it make the call, or use nested-multiple",
			call, l.UPCOf(int(r.id)), l.GroupOf(int(r.id)))
	}
	return r.errorf("%s: not a member of team %s", call, t.name)
}

// errorf returns an error that names the rank, and the thread if it is not the first.
func (r *Rank) errorf(format string, args ...any) error {
	if r.thread != 0 {
		return fmt.Errorf("rank %d thread %d: %w", r.id, r.thread, fmt.Errorf(format, args...))
	}
	return fmt.Errorf("rank %d: %w", r.id, fmt.Errorf(format, args...))
}
