package coll

import "unsafe"

// isSizeOnly reports whether a call moves no bytes. A call without data is size-only if the space
// for one-sided transfers is.
func (c *Comm) isSizeOnly(call *Call) bool {
	if call.In.SizeOnly() || call.Out.SizeOnly() {
		return true
	}
	return c.space.slotSize.Store.SizeOnly() && call.In.Len()+call.Out.Len() == 0
}

// refuse returns an error that names the collective and the team.
func (c *Comm) refuse(call *Call, format string, args ...any) error {
	names := []any{call.Key.Algorithm.Collective, c.team.Name()}
	return c.lib.Errorf("%s on %s: "+format, append(names, args...)...)
}

// refuseWay is refuse, and names the algorithm or the transfer, too.
func (c *Comm) refuseWay(call *Call, way any, format string, args ...any) error {
	names := []any{call.Key.Algorithm.Collective, way, c.team.Name()}
	return c.lib.Errorf("%s by %s on %s: "+format, append(names, args...)...)
}

// check returns an error if the team or the algorithm does not permit the call. It is one function,
// because it runs in every call.
func (c *Comm) check(call *Call) error {
	a, p := call.Key.Algorithm, int(call.Key.Ranks)
	switch {
	case c.lib.Parallel() && !call.isProgramCall:
		return c.refuse(call, "inside a parallel region: start it outside")
	case p != len(c.members):
		return c.refuse(call, "schedules for %d ranks, the team has %d", p, len(c.members))
	case uint(call.Root) >= uint(p), call.Root > 0 && !a.Collective.Rooted():
		return c.refuse(call, "root %d: the team has ranks 0 to %d", call.Root, p-1)
	case a.Needs&EvenBlocks != 0 && (call.Blocks.Displ != nil || call.Into != nil):
		return c.refuseWay(call, a.Name, "the algorithm needs blocks of equal size (use another algorithm)")
	case call.Combine == nil && a.Collective.Combines() && !call.isSizeOnly:
		return c.refuse(call, "no Combine function")
	case a.Needs&Reach != 0 && !c.Reaches():
		return c.refuseWay(call, a.Name, "loads do not reach all ranks (use an algorithm with messages)")
	case a.Needs&Network != 0 && !c.Networked():
		return c.refuseWay(call, a.Name,
			"needs a team of all ranks on a simulated machine with a collective network (use an algorithm with messages)")
	}
	return nil
}

// callerBuffers has the names of the caller's buffers.
var callerBuffers = [temps]string{In: "in", Out: "out"}

// checkBuffers returns an error if the blocks or the caller's buffers do not fit the schedule.
// One-sided transfers set a missing buffer from its address first.
func (x *Run) checkBuffers(call *Call) error {
	c, what := x.comm, call.Key.Algorithm.Collective
	parts := x.Schedule.Parts
	if call.Blocks.Parts != parts || call.Into != nil && call.Into.Parts != parts {
		return c.refuse(call, "%d blocks for schedules of %d", call.Blocks.Parts, parts)
	}
	if x.isOneSided {
		if err := x.checkOneSided(call); err != nil {
			return err
		}
	}
	x.bound = x.boundOf(x.plan)
	usesIn, usesOut := what.uses(In, x.Rel), what.uses(Out, x.Rel)
	if usesIn {
		if err := x.checkLength(call, In, call.In.Len(), call.in); err != nil {
			return err
		}
	}
	if usesOut {
		if err := x.checkLength(call, Out, call.Out.Len(), call.out); err != nil {
			return err
		}
	}
	if usesIn && usesOut && !call.isProgramCall && overlap(call.in, call.out) {
		return c.refuse(call, "in and out overlap (use separate buffers, or a copy of in)")
	}
	return nil
}

// checkLength returns an error if a buffer of the caller does not have the length of its blocks.
func (x *Run) checkLength(call *Call, b Buf, size int64, bytes []byte) error {
	have := max(size, int64(len(bytes))) // bytes may be set from the address
	if have == 0 && call.isSizeOnly {    // the caller omits the size
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

// checkOneSided returns an error if one-sided transfers do not reach the buffers of a call. It sets
// missing buffers from their addresses.
func (x *Run) checkOneSided(call *Call) error {
	c, k := x.comm, &call.Key
	if err := x.checkSpace(call); err != nil {
		return err
	}
	switch {
	case call.Into != nil:
		return c.refuseWay(call, k.Transfer, "sizes differ by member, so others do not know their offsets (use %s)", TwoSided)
	case x.Schedule.passesOn(k.Modes) >= 0:
		return c.refuseWay(call, k.Transfer, "%s passes on received bytes (use %s)", k.Algorithm.Name, Put)
	case k.Address == Bounced: // the addresses are not used
		return nil
	}
	if err := x.checkAddress(call, In, call.InAt, &call.in); err != nil {
		return err
	}
	return x.checkAddress(call, Out, call.OutAt, &call.out)
}

// checkSpace returns an error if the Comm's slots in the segments are too small for a call.
func (x *Run) checkSpace(call *Call) error {
	c, transfer := x.comm, call.Key.Transfer
	need := x.slotSize(call.Key.Address == Bounced)
	have := c.space.slotSize
	switch {
	case c.space.runs == nil:
		return c.refuseWay(call, transfer,
			"no space in the segments: Reserve at least %d words and %d B per call, and some slots", need.Words, need.Bytes)
	case need.Words > have.Words || need.Bytes > have.Bytes:
		return c.refuseWay(call, transfer, "slots of %d words and %d B, the call needs %d and %d: Reserve more",
			have.Words, have.Bytes, need.Words, need.Bytes)
	case have.Store.SizeOnly() && !call.isSizeOnly:
		return c.refuseWay(call, transfer, "slots without bytes for a call with bytes: Reserve slots with bytes")
	}
	return nil
}

// checkAddress returns an error if the address of a caller's buffer is invalid, or if the buffer is
// not at this address. It sets a missing buffer.
func (x *Run) checkAddress(call *Call, b Buf, at *At, buf *[]byte) error {
	c, k := x.comm, &call.Key
	if at == nil {
		return nil
	}
	if at.Of != nil && (k.Address == Local || len(at.Of) != int(k.Ranks)) {
		return c.refuseWay(call, k.Transfer,
			"%d addresses in mode %s: want one for each of %d members in Single, one in Local", len(at.Of), k.Address, k.Ranks)
	}
	if call.isSizeOnly || !k.Algorithm.Collective.uses(b, x.Rel) {
		return nil
	}
	segment := c.r.Segment()
	off := at.offset(int32(c.team.Rank()))
	n := x.Size(b)
	if off < 0 || n > int64(len(segment)) || off > int64(len(segment))-n {
		return c.refuseWay(call, k.Transfer, "%s of %d B at %d: the segment has %d B", callerBuffers[b], n, off, len(segment))
	}
	target := segment[off : off+n : off+n]
	switch {
	case *buf == nil:
		*buf = target
	case n > 0 && !isSame(*buf, target):
		return c.refuseWay(call, k.Transfer, "%s is not at its address: set only one of them", callerBuffers[b])
	}
	return nil
}

// isSame reports whether two slices are the same bytes of memory.
func isSame(a, b []byte) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}
