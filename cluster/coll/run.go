package coll

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Run is a call in progress: a schedule, and the open dependencies of its nodes. The fabric's
// progress engine advances it, with one continuation per completed node.
//
// The fields for messages come first, because with many ranks each continuation finds its Run out
// of every cache.
type Run struct {
	Place
	comm        *Comm
	plan        *plan
	firstRank   int32    // cluster rank of member 0; −1: the members' ranks are not consecutive
	networkCall int32    // number of the call on the collective network
	depsLeft    []uint16 // by node
	ready       []int32
	done        cluster.Handle // an event; 0: already waited for
	err         error
	openNodes   int32 // number of incomplete nodes
	tag         int32
	ctx         int32            // context of messages
	isOneSided  bool             // transfers are one-sided
	depsMemory  [fewNodes]uint16 // memory of depsLeft for a short schedule
	readyMemory [fewReady]int32  // memory of ready for a narrow schedule
	op          cluster.Op       // the next operation to post
	nextFree    *Run             // next free Run

	call        arguments
	tempBytes   []byte
	tempOffsets []int64          // offsets of the temporary buffers
	staged      map[int32][]byte // packed bytes of messages that are not contiguous
	tempMemory  []uint64         // memory of the temporary buffers
	bound       *bound           // positions of an inline call; nil: not computed

	*loads    // nil: the calls of this Run had only messages
	*transfer // of one-sided transfers; otherwise nil
}

// arguments are the fields of a Call that neither the plan nor the Place of its Run has.
type arguments struct {
	in, out     []byte
	inAt, outAt *At
	combine     func(acc, in []byte)
	combineAll  func(out []byte, in [][]byte)
	isSizeOnly  bool
}

// loads is the state of a call with nodes that are not messages. A Run gets it when such a node or call first needs
// it, because a broadcast by messages does not.
type loads struct {
	scratch []uint64
	ranges  []byteRange
	strides strides

	// The fields below are for the shared control block.
	boardSlot                  int    // slot of the shared control block
	doneBefore, arrivalsBefore uint64 // values of the slot's flags after its earlier calls
	callsBefore                uint64 // sum of the marks of these calls
	signature                  uint64 // encoding of this member's call
	loadedBytes                int64  // bytes of the last load or fold
	sources                    [][]byte
}

// needLoads allocates the state of nodes that are not messages, unless the Run has it.
func (x *Run) needLoads() {
	if x.loads == nil {
		x.loads = &loads{}
	}
}

// transfer is the state of a call with one-sided transfers.
type transfer struct {
	spaceSlot     int
	flagsOff      int64   // offset of the slot's flags, on every member
	buffersOff    int64   // offset of the slot's buffers
	round         uint64  // number of earlier uses of the slot
	waitingPuts   []int32 // sends waiting for an address
	clearedPuts   int     // number of these that have an address
	targetOffsets []int64 // addresses from CTS flags, by node; −1: not arrived yet
	spans         []cluster.Span
}

// fewNodes is the maximum number of nodes of a short schedule: a dissemination among 65,536 ranks.
const fewNodes = 40

// fewReady is the maximum number of ready nodes of a narrow schedule.
const fewReady = 4

// Arguments of continuations that do not belong to a node.
const (
	argBegin    = -1 - iota // posts the first nodes inside the fabric, so that no two continuations run at the same time
	argArrivals             // the messages that share a flag have arrived
	argAcks                 // the messages with a common acknowledgement have been received
)

// start begins the call.
func (x *Run) start() error {
	c := x.comm
	tag := int32(c.nextCall+1) << channelBits
	c.awaitCall(tag)
	if x.isOneSided {
		if err := c.claimSlot(x); err != nil {
			return err
		}
	}
	if x.plan.key.Algorithm.Needs&Network != 0 { // members without a part count the call, too
		c.networkCallCount++
		x.networkCall = c.networkCallCount
	}
	x.tag = tag | int32(x.Schedule.Collective)<<(channelBits-collectiveBits)
	c.inProgress = append(c.inProgress, x)
	c.nextCall = (c.nextCall + 1) % maxCalls
	x.ctx, x.firstRank = c.ctx, c.firstRank
	x.openAll()
	x.accountAll()
	if x.Schedule.Marks == 0 {
		x.allocTemps()
	}
	x.postBegin()
	return nil
}

// awaitCall waits for the call in progress whose number is in a tag, if there is one.
func (c *Comm) awaitCall(tag int32) {
	for i, x := range c.inProgress {
		if x.tag>>channelBits == tag>>channelBits {
			c.inProgress = slices.Delete(c.inProgress, i, i+1)
			x.await()
			return
		}
	}
}

// openAll makes all nodes of the schedule incomplete. Nodes without dependencies are ready.
func (x *Run) openAll() {
	s := x.Schedule
	x.openNodes = int32(len(s.Nodes))
	if x.depsLeft == nil && len(s.Nodes) <= fewNodes {
		x.depsLeft = x.depsMemory[:0]
	}
	if x.ready == nil {
		x.ready = x.readyMemory[:0]
	}
	x.depsLeft = append(x.depsLeft[:0], s.deps...)
	x.ready = append(x.ready[:0], s.heads...)
}

// accountAll counts the traffic of the call in the counters of the rank.
func (x *Run) accountAll() {
	s := x.Schedule
	switch {
	case s.Marks > 0:
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == Load || n.Kind == Fold {
				x.strides = x.stridesOf(n)
				x.accountLoads(n, &x.strides)
			}
		}
	case x.isOneSided:
		for i := range s.Nodes {
			if n := &s.Nodes[i]; n.Kind == Send || n.Kind == Recv {
				x.accountMessage(n, int32(i))
			}
		}
	default:
		for _, i := range s.sends {
			n := &s.Nodes[i]
			x.comm.r.Account(int(x.global(n.Peer)), 1, x.Bytes(n.Ref))
		}
	}
}

// postBegin posts the operation whose continuation posts the first nodes. A call on the shared
// control block first waits until all members have ended the earlier calls of its slot.
func (x *Run) postBegin() {
	c := x.comm
	o := c.spare.takeOp() // not the Op of continuations: another thread may run them before Post returns
	*o = cluster.Op{}     // its fields are set one by one: a literal would be a copy on the stack
	o.Kind, o.Arg = cluster.KindEvent, 1
	x.op = cluster.Op{}
	x.done = c.lib.Port().Post(o)
	*o = cluster.Op{}
	o.Kind = cluster.KindWork
	if x.Schedule.Marks > 0 {
		x.takeSlot()
		if x.isLastOfGroup() {
			x.endCalls(c.board.takeUncounted()) // this call is open, so the group is, too
		}
		x.flagOp(o, cluster.KindFlagWait, c.board.doneFlag(x.boardSlot), x.doneBefore)
	}
	o.Then, o.ThenArg = x, argBegin
	c.lib.Port().Post(o)
	o.Then = nil
	c.spare.giveOp(o)
}

// allocTemps allocates the temporary buffers.
func (x *Run) allocTemps() {
	var total int64
	x.tempOffsets, total = x.tempLayout(x.tempOffsets)
	x.allocTempBytes(total)
}

// tempLayout returns the offset of each temporary buffer, and their total size.
func (p *Place) tempLayout(memory []int64) (offsets []int64, total int64) {
	offsets = memory[:0]
	for i := range p.Schedule.Temps {
		offsets = append(offsets, total)
		total += aligned8(p.Size(temps + Buf(i)))
	}
	return offsets, total
}

// allocTempBytes allocates the memory of the temporary buffers.
func (x *Run) allocTempBytes(total int64) {
	s := x.Schedule
	switch {
	case x.plan.key.Transfer.OneSided():
		if x.plan.key.usesCTS() {
			x.targetOffsets = x.targetOffsets[:0]
			for range s.Nodes {
				x.targetOffsets = append(x.targetOffsets, -1)
			}
		}
		x.waitingPuts, x.clearedPuts = x.waitingPuts[:0], 0
		if !x.call.isSizeOnly {
			x.tempBytes = x.comm.r.Segment()[x.buffersOff:]
		}
	case x.call.isSizeOnly || total == 0 || !s.writesTemps:
	case s.Marks > 0:
		x.allocScratch(total)
	default:
		if int(total/8) > len(x.tempMemory) {
			x.tempMemory = make([]uint64, total/8)
		}
		x.tempBytes = cluster.Bytes(x.tempMemory)
	}
}

// Wait blocks until the call is complete on this member. The Run must not be used afterwards.
func (x *Run) Wait() error {
	x.await()
	return x.finish()
}

// Test reports whether the call is complete on this member. A complete Run must not be used any
// more.
func (x *Run) Test() (bool, error) {
	if x.done != 0 {
		if !x.comm.lib.Test(x.done) {
			return false, nil
		}
		x.done = 0
	}
	return true, x.finish()
}

func (x *Run) await() {
	if x.done != 0 {
		x.comm.lib.Await(x.done)
		x.done = 0
	}
}

// finish frees the Run.
func (x *Run) finish() error {
	c, err := x.comm, x.err
	if i := slices.Index(c.inProgress, x); i >= 0 {
		c.inProgress = slices.Delete(c.inProgress, i, i+1)
	}
	if x.plan.key.Transfer.OneSided() {
		if c.space.runs[x.spaceSlot] == x {
			c.space.runs[x.spaceSlot] = nil
		}
		x.tempBytes = nil
	}
	if err == nil { // otherwise operations are still in progress
		clear(x.staged)
		x.free()
	}
	return err
}

// free makes the Run available for another call.
func (x *Run) free() {
	x.call, x.tempBytes = arguments{}, nil
	s := x.comm.spare
	x.nextFree, s.runs = s.runs, x
}

// Step implements cluster.Step: a node is complete.
func (x *Run) Step(p cluster.Poster, node int32, d cluster.Done) {
	switch {
	case node == argBegin:
		if x.Schedule.Marks > 0 {
			x.allocTemps()
		}
		if x.isOneSided && x.plan.key.Transfer.lands() {
			x.sendAllCTS(p)
		}
	case x.isOneSided:
		x.advance(p, node, d)
	default:
		x.complete(node, d)
	}
	for i := 0; i < len(x.ready) && x.err == nil; i++ {
		x.post(p, x.ready[i])
	}
	x.ready = x.ready[:0]
	if node == argBegin && x.isOneSided {
		x.awaitSharedFlags(p)
	}
	if x.openNodes == 0 || x.err != nil && x.openNodes > 0 {
		x.signalDone(p)
	}
}

// signalDone ends the call on this member and signals its event.
func (x *Run) signalDone(p cluster.Poster) {
	if x.Schedule.Marks > 0 && x.endCalls(1) {
		p.Post(x.flagOp(&x.op, cluster.KindFlagAdd, x.comm.board.doneFlag(x.boardSlot), 1))
	}
	x.openNodes = -1           // ignore operations in progress of a failed call
	fire := &x.comm.spare.fire // not the Op of the call: after the call, its thread may use it for the next call
	fire.Kind, fire.Event = cluster.KindFire, x.done
	p.Post(fire)
}

// complete continues the nodes that waited for a node.
func (x *Run) complete(node int32, d cluster.Done) {
	n := &x.Schedule.Nodes[node]
	switch {
	case n.Kind == Recv && !x.isOneSided:
		if d.Err != cluster.OK || d.Size != x.Bytes(n.Ref) {
			x.failSize(n, d.Size)
		} else if !x.call.isSizeOnly {
			if b := x.staged[node]; b != nil {
				x.unpack(n.Ref, b)
			}
		}
	case n.Kind == Hardware:
		x.fetch(n)
	case d.Err != cluster.OK:
		x.fail("%s to rank %d failed (code %d)", n.Kind, x.Peer(n.Peer), d.Err)
	}
	x.openNodes--
	for _, i := range x.Schedule.Next(int(node)) {
		if x.depsLeft[i]--; x.depsLeft[i] == 0 {
			x.ready = append(x.ready, i)
		}
	}
}

// failSize fails a call that has received a message of another size.
func (x *Run) failSize(n *Node, size int64) {
	x.fail("rank %d sent %d B, want %d: every member must pass the same sizes", x.Peer(n.Peer), size, x.Bytes(n.Ref))
}

// Next returns the nodes that wait for a node, for recorders.
func (x *Run) Next(node int) []int32 { return x.Schedule.Next(node) }

func (x *Run) fail(format string, args ...any) {
	if x.err == nil {
		c, a := x.comm, x.plan.key.Algorithm
		x.err = c.lib.Errorf("%s by %s on %s: %w", x.Schedule.Collective, a.Name, c.team.Name(), fmt.Errorf(format, args...))
	}
}

// post starts a node.
func (x *Run) post(p cluster.Poster, node int32) {
	n := &x.Schedule.Nodes[node]
	o := &x.op
	switch n.Kind {
	case Send, Recv:
		if x.isOneSided {
			x.startMessage(p, n, node)
			return
		}
		o.Kind = cluster.KindSend
		if n.Kind == Recv {
			o.Kind = cluster.KindRecv
		}
		o.Ctx, o.Tag = x.ctx, x.tag^int32(n.Channel)
		o.Peer = x.global(n.Peer)
		o.Size = x.Bytes(n.Ref)
		o.Buf = nil
		if !x.call.isSizeOnly && o.Size > 0 {
			o.Buf = x.messageBytes(n, node)
		}
	case Hardware:
		x.contribute(n)
		o.Kind = cluster.KindTree
		o.Ctx = x.comm.lib.BoardContext(x.comm.team)
		o.Tag = x.networkCall
		o.A = uint64(n.Count)
		o.Buf = nil
		o.Size = max(x.Bytes(n.Ref), x.Bytes(n.From))
	case Mark:
		x.publish(&n.Ref)
		x.flagOp(o, cluster.KindFlagAdd, arrivalFlag(x.boardSlot), 1)
	case Meet:
		x.flagOp(o, cluster.KindFlagWait, arrivalFlag(x.boardSlot), x.arrivalsBefore+uint64(n.Count))
	default:
		x.needLoads()
		x.strides = x.stridesOf(n)
		x.runInline(n, &x.strides)
		x.charge(n)
	}
	o.Then, o.ThenArg = x, node
	p.Post(o)
}

// global returns a peer's rank in the cluster. Tables of large teams do not fit in a cache.
func (x *Run) global(to Peer) int32 {
	at := x.Peer(to)
	if x.firstRank >= 0 {
		return x.firstRank + at
	}
	return x.comm.members[at]
}
