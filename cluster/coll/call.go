package coll

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Call describes one collective: its algorithm, its root and its data.
type Call struct {
	Key    Key
	Root   int
	In     cluster.Data // contribution of the member; a broadcast has none, because its root sends Out
	Out    cluster.Data // result; must not overlap In. All members pass bytes, or all only sizes
	Blocks Blocks       // the same at every member
	Into   *Blocks      // blocks of Out, if an exchange has other sizes there

	// InAt and OutAt are the positions of In and Out in the segments. One-sided transfers need them
	// to move bytes directly. nil: not in a segment.
	InAt, OutAt *At

	// Combine computes acc = acc op in, on whole elements. CombineAll is optional. It combines many
	// inputs into out at once, in the order of a binomial tree.
	Combine    func(acc, in []byte)
	CombineAll func(out []byte, in [][]byte)

	in, out    []byte // bytes of In and Out
	isSizeOnly bool   // size-only

	isProgramCall bool // a call of calls.go: permitted in a parallel region, and a reduction's In may be its Out
}

// At has the offsets of the members' buffers in their segments.
type At struct {
	Off int64   // of every member; in mode Local of this member
	Of  []int64 // by member, if the offsets differ; otherwise nil
}

// isSizeOnly reports whether a call moves no bytes. A call without data is size-only if the space
// for one-sided transfers is.
func (c *Comm) isSizeOnly(call *Call) bool {
	if call.In.SizeOnly() || call.Out.SizeOnly() {
		return true
	}
	return c.space.slotSize.Store.SizeOnly() && call.In.Len()+call.Out.Len() == 0
}

// refuse returns an error that names the collective.
func (c *Comm) refuse(call *Call, format string, args ...any) error {
	names := []any{call.Key.Algorithm.Collective, c.team.Name()}
	return c.lib.Errorf("%s on %s: "+format, append(names, args...)...)
}

// refuseAlgorithm returns an error that names the collective and its algorithm.
func (c *Comm) refuseAlgorithm(call *Call, format string, args ...any) error {
	a := call.Key.Algorithm
	names := []any{a.Collective, a.Name, c.team.Name()}
	return c.lib.Errorf("%s by %s on %s: "+format, append(names, args...)...)
}

// checkCaller returns an error if the call is not for this team, or not permitted on this thread.
func (c *Comm) checkCaller(call *Call) error {
	p := int(call.Key.Ranks)
	switch {
	case c.lib.Parallel() && !call.isProgramCall:
		return c.refuse(call, "inside a parallel region: start it outside")
	case p != len(c.members):
		return c.refuse(call, "schedules for %d ranks, the team has %d", p, len(c.members))
	case call.Root < 0 || call.Root >= p || call.Root > 0 && !call.Key.Algorithm.Collective.Rooted():
		return c.refuse(call, "root %d: the team has ranks 0 to %d", call.Root, p-1)
	}
	return nil
}

// checkArguments returns an error if the algorithm needs other blocks, or a function to combine
// them.
func (c *Comm) checkArguments(call *Call) error {
	a := call.Key.Algorithm
	isUneven := call.Blocks.Displ != nil || call.Into != nil
	switch {
	case a.Needs&EvenBlocks != 0 && isUneven:
		return c.refuseAlgorithm(call, "the algorithm needs blocks of equal size (use another algorithm)")
	case a.Collective.Combines() && call.Combine == nil && !call.isSizeOnly:
		return c.refuse(call, "no Combine function")
	}
	return nil
}

// checkReach returns an error if the algorithm needs loads or a collective network that the team
// does not have.
func (c *Comm) checkReach(call *Call) error {
	needs := call.Key.Algorithm.Needs
	switch {
	case needs&Reach != 0 && !c.Reaches():
		return c.refuseAlgorithm(call, "loads do not reach all ranks (use an algorithm with messages)")
	case needs&Network != 0 && !c.Networked():
		return c.refuseAlgorithm(call,
			"needs a team of all ranks on a simulated machine with a collective network (use an algorithm with messages)")
	}
	return nil
}

// checkParts returns an error if the data do not have the number of blocks of the schedule.
func (c *Comm) checkParts(call *Call, parts int32) error {
	if call.Blocks.Parts != parts || call.Into != nil && call.Into.Parts != parts {
		return c.refuse(call, "%d blocks for schedules of %d", call.Blocks.Parts, parts)
	}
	return nil
}

// callerBuffers has the names of the caller's buffers.
var callerBuffers = [temps]string{In: "in", Out: "out"}

// checkBuffers returns an error if the caller's buffers do not fit the schedule. One-sided
// transfers set a missing buffer from its address first.
func (x *Run) checkBuffers(call *Call) error {
	c := x.comm
	if x.isOneSided {
		if err := c.checkOneSided(call, x.plan, &x.Place); err != nil {
			return err
		}
	}
	x.bound = x.boundOf(x.plan)
	have := [temps]int64{
		In:  max(call.In.Len(), int64(len(call.in))),
		Out: max(call.Out.Len(), int64(len(call.out))),
	}
	for b := In; b < temps; b++ {
		if err := x.checkLength(call, b, have[b]); err != nil {
			return err
		}
	}
	what := call.Key.Algorithm.Collective
	if !call.isProgramCall && what.uses(In, x.Rel) && what.uses(Out, x.Rel) && overlap(call.in, call.out) {
		return c.refuse(call, "in and out overlap (use separate buffers, or a copy of in)")
	}
	return nil
}

// checkLength returns an error if a buffer of the caller does not have the length of its blocks.
func (x *Run) checkLength(call *Call, b Buf, have int64) error {
	if !call.Key.Algorithm.Collective.uses(b, x.Rel) {
		return nil
	}
	if call.isSizeOnly && have == 0 { // the caller omits the size
		return nil
	}
	var want int64
	if x.bound != nil {
		want = x.bound.sizes[b]
	} else {
		want = x.Size(b)
	}
	if have != want {
		return x.comm.refuse(call, "%s of %d B, want %d", callerBuffers[b], have, want)
	}
	return nil
}

// overlap reports whether two buffers share bytes.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	p, q := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return p < q+uintptr(len(b)) && q < p+uintptr(len(a))
}

// offsetIn returns the offset of a buffer in a segment, or −1 if it is outside.
func offsetIn(segment, buf []byte) int64 {
	if !overlap(segment, buf) {
		return -1
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(buf))) - uintptr(unsafe.Pointer(unsafe.SliceData(segment))))
}

// Pointer is the location of data, like a pointer-to-shared.
type Pointer interface {
	Rank() int // number in the cluster
	Offset() int64
}

// Root returns the member that a pointer-to-shared points to, and the position in its segment. A
// call on data of such a pointer has that root (paper 5, section 1).
func (c *Comm) Root(p Pointer) (root int, at *At, err error) {
	root = c.team.Local(p.Rank())
	if root < 0 {
		return 0, nil, c.lib.Errorf("a pointer to rank %d, which is not a member of %s", p.Rank(), c.team.Name())
	}
	return root, &At{Off: p.Offset()}, nil
}

// uses reports whether a member has the buffer.
func (c Collective) uses(b Buf, rel int32) bool {
	switch c {
	case OpBarrier:
		return false
	case OpBcast:
		return b == Out
	case OpScatter:
		return b == Out || rel == 0
	case OpGather, OpReduce:
		return b == In || rel == 0
	}
	return true
}
