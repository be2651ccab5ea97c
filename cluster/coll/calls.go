package coll

import "github.com/hybridtop/hybridtop/cluster"

// The calls of a program on a team, as MPI has them. Every member makes the same calls in
// the same order, on equal lengths, each by whichever thread the thread level in force
// lets call; two threads of a rank may not be in calls of one team at once. A team needs
// no preparation: what a member keeps for the calls is made by its first one, and for
// that nothing is sent.
//
// Where loads reach all members and cost what they cost the host, the calls go by the
// team's board (direct.go). Elsewhere they are schedules of messages that are walked: a
// rank does the nodes one after another, each to its end. Combining takes no virtual time
// there: a call's cost is that of its messages, and what programs combine is short. A Comm
// charges it.
//
// The order in which numbers are combined is that of a binomial tree from the root on,
// on either way: sums of floating-point numbers have the same bits everywhere.

// Bcast copies the root's d into every other member's.
func Bcast(r *cluster.Rank, t *cluster.Team, root int, d cluster.Data) error {
	lib := r.Lib()
	if err := rooted(lib, OpBcast, t, root); err != nil {
		return err
	}
	defer lib.Leave()
	x := calling{r: r, lib: lib, team: t, what: OpBcast, root: int32(root), out: d, size: d.Len(), unit: 1}
	return x.do()
}

// Reduce combines the members' in, element by element, into out at the root, where out is
// as long as in (and may be in itself); elsewhere out is not read.
func Reduce[T cluster.Number](r *cluster.Rank, t *cluster.Team, root int, op cluster.ReduceOp, in, out []T) error {
	lib := r.Lib()
	if err := rooted(lib, OpReduce, t, root); err != nil {
		return err
	}
	defer lib.Leave()
	if t.Rank() == root && len(out) != len(in) {
		return lib.Errorf("%s on %s: %d elements into %d: in and out must be equally long at the root", OpReduce, t.Name(), len(in), len(out))
	}
	return reducing(calling{r: r, lib: lib, team: t, what: OpReduce, root: int32(root)}, op, in, out)
}

// Allreduce is Reduce whose result every member gets: all have the same bits, those of a
// reduction to member 0.
func Allreduce[T cluster.Number](r *cluster.Rank, t *cluster.Team, op cluster.ReduceOp, in, out []T) error {
	lib := r.Lib()
	if err := lib.Member(OpAllreduce.String(), t); err != nil {
		return err
	}
	if len(out) != len(in) {
		return lib.Errorf("%s on %s: %d elements into %d: in and out must be equally long", OpAllreduce, t.Name(), len(in), len(out))
	}
	if err := lib.Enter(OpAllreduce.String(), t); err != nil {
		return err
	}
	defer lib.Leave()
	return reducing(calling{r: r, lib: lib, team: t, what: OpAllreduce}, op, in, out)
}

func reducing[T cluster.Number](x calling, op cluster.ReduceOp, in, out []T) (err error) {
	if x.two, err = Combining[T](x.r, x.what.String(), op); err != nil {
		return err
	}
	if x.all, err = CombiningAll[T](x.r, x.what.String(), op); err != nil {
		return err
	}
	x.in, x.out = cluster.Of(in), cluster.Of(out)
	if x.size, x.unit = x.in.Len(), 1; len(in) > 0 {
		x.unit = x.size / int64(len(in))
	}
	return x.do()
}

// Gather collects the members' in, all equally long, into out at the root, in the order of
// their numbers; elsewhere out is not read.
func Gather(r *cluster.Rank, t *cluster.Team, root int, in, out cluster.Data) error {
	lib := r.Lib()
	if err := rooted(lib, OpGather, t, root); err != nil {
		return err
	}
	defer lib.Leave()
	if t.Rank() == root {
		if err := collected(lib, OpGather, t, in.Len(), out.Len()); err != nil {
			return err
		}
	}
	x := calling{r: r, lib: lib, team: t, what: OpGather, root: int32(root), in: in, out: out, size: in.Len(), unit: 1}
	return x.do()
}

// Allgather collects the members' in, all equally long, into everyone's out, in the order
// of their numbers.
func Allgather(r *cluster.Rank, t *cluster.Team, in, out cluster.Data) error {
	lib := r.Lib()
	if err := lib.Enter(OpAllgather.String(), t); err != nil {
		return err
	}
	defer lib.Leave()
	if err := collected(lib, OpAllgather, t, in.Len(), out.Len()); err != nil {
		return err
	}
	x := calling{r: r, lib: lib, team: t, what: OpAllgather, in: in, out: out, size: in.Len(), unit: 1}
	return x.do()
}

// rooted lets a call that has a root in.
func rooted(lib cluster.Lib, what Collective, t *cluster.Team, root int) error {
	if err := lib.Member(what.String(), t); err != nil {
		return err
	}
	if uint(root) >= uint(t.Size()) {
		return lib.Errorf("%s on %s: root %d: the team has ranks 0 to %d", what, t.Name(), root, t.Size()-1)
	}
	return lib.Enter(what.String(), t)
}

// collected checks that out holds one block of n bytes a member.
func collected(lib cluster.Lib, what Collective, t *cluster.Team, n, out int64) error {
	if p := int64(t.Size()); out != n*p {
		return lib.Errorf("%s on %s: %d B of output: %d members with %d B each need %d B", what, t.Name(), out, p, n, n*p)
	}
	return nil
}
