package coll

import "github.com/hybridtop/hybridtop/cluster"

// This file has the collective calls of a program on a team, as in MPI. Every member makes the same
// calls in the same order with equal lengths. The active thread level decides which thread may
// call. Two threads of a rank must not call on one team at the same time. A team needs no
// preparation: the first call creates a member's data, without messages.
//
// On a fabric with a wall clock whose loads reach all members, the calls use the team's shared
// control block (direct.go). Otherwise they walk schedules of messages: a rank completes the nodes
// one after another. Combining then costs no virtual time, because programs combine short data. A
// Comm charges it.
//
// Both ways combine numbers in the order of a binomial tree that starts at the root. Sums of
// floating-point numbers are therefore bitwise identical everywhere.

// Bcast copies d of the root into d of every other member.
func Bcast(r *cluster.Rank, t *cluster.Team, root int, d cluster.Data) error {
	lib := r.Lib()
	if err := enterRooted(lib, OpBcast, t, root); err != nil {
		return err
	}
	defer lib.Leave(t)
	x := programCall{r: r, lib: lib, team: t, what: OpBcast, root: int32(root), out: d, size: d.Len(), unit: 1}
	return x.do()
}

// Reduce combines in of all members, element by element, into out at the root. There out has the
// length of in and may be in itself. Other members' out is ignored.
func Reduce[T cluster.Number](r *cluster.Rank, t *cluster.Team, root int, op cluster.ReduceOp, in, out []T) error {
	lib := r.Lib()
	if err := enterRooted(lib, OpReduce, t, root); err != nil {
		return err
	}
	defer lib.Leave(t)
	if t.Rank() == root && len(out) != len(in) {
		return lib.Errorf("%s on %s: %d elements into %d: in and out must have the same length at the root", OpReduce,
			t.Name(), len(in), len(out))
	}
	return runReduction(programCall{r: r, lib: lib, team: t, what: OpReduce, root: int32(root)}, op, in, out)
}

// Allreduce is Reduce with the result on every member. All results are bitwise identical to a
// reduction to member 0.
func Allreduce[T cluster.Number](r *cluster.Rank, t *cluster.Team, op cluster.ReduceOp, in, out []T) error {
	lib := r.Lib()
	if err := lib.Member(OpAllreduce.String(), t); err != nil {
		return err
	}
	if len(out) != len(in) {
		return lib.Errorf("%s on %s: %d elements into %d: in and out must have the same length", OpAllreduce, t.Name(),
			len(in), len(out))
	}
	if err := lib.Enter(OpAllreduce.String(), t); err != nil {
		return err
	}
	defer lib.Leave(t)
	return runReduction(programCall{r: r, lib: lib, team: t, what: OpAllreduce}, op, in, out)
}

func runReduction[T cluster.Number](x programCall, op cluster.ReduceOp, in, out []T) (err error) {
	x.combine, err = Combining[T](x.r, x.what.String(), op)
	if err != nil {
		return err
	}
	x.combineAll, err = CombiningAll[T](x.r, x.what.String(), op)
	if err != nil {
		return err
	}
	x.in, x.out = cluster.Of(in), cluster.Of(out)
	x.size, x.unit = x.in.Len(), 1
	if len(in) > 0 {
		x.unit = x.size / int64(len(in))
	}
	return x.do()
}

// Gather collects in of all members, of equal length, into out at the root, in the order of their
// numbers. Other members' out is ignored.
func Gather(r *cluster.Rank, t *cluster.Team, root int, in, out cluster.Data) error {
	lib := r.Lib()
	if err := enterRooted(lib, OpGather, t, root); err != nil {
		return err
	}
	defer lib.Leave(t)
	if t.Rank() == root {
		if err := checkGathered(lib, OpGather, t, in.Len(), out.Len()); err != nil {
			return err
		}
	}
	x := programCall{r: r, lib: lib, team: t, what: OpGather, root: int32(root), in: in, out: out, size: in.Len(), unit: 1}
	return x.do()
}

// Allgather collects in of all members, of equal length, into out on every member, in the order of
// their numbers.
func Allgather(r *cluster.Rank, t *cluster.Team, in, out cluster.Data) error {
	lib := r.Lib()
	if err := lib.Enter(OpAllgather.String(), t); err != nil {
		return err
	}
	defer lib.Leave(t)
	if err := checkGathered(lib, OpAllgather, t, in.Len(), out.Len()); err != nil {
		return err
	}
	x := programCall{r: r, lib: lib, team: t, what: OpAllgather, in: in, out: out, size: in.Len(), unit: 1}
	return x.do()
}

// enterRooted begins a call that has a root.
func enterRooted(lib cluster.Lib, what Collective, t *cluster.Team, root int) error {
	if err := lib.Member(what.String(), t); err != nil {
		return err
	}
	if uint(root) >= uint(t.Size()) {
		return lib.Errorf("%s on %s: root %d: the team has ranks 0 to %d", what, t.Name(), root, t.Size()-1)
	}
	return lib.Enter(what.String(), t)
}

// checkGathered checks that out has room for one block of n bytes per member.
func checkGathered(lib cluster.Lib, what Collective, t *cluster.Team, n, out int64) error {
	if p := int64(t.Size()); out != n*p {
		return lib.Errorf("%s on %s: output of %d B: %d members with %d B each need %d B", what, t.Name(), out, p, n, n*p)
	}
	return nil
}
