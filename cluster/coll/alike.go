package coll

import "github.com/hybridtop/hybridtop/cluster"

// alikeKey is the key of a launch's alike calls.
type alikeKey struct{}

// alikeCall has the Runs of a call that all ranks of a launch make alike, by rank.
type alikeCall struct {
	runs     []*Run
	schedule *Schedule // of the first rank that joined
	joined   int
}

// DoAlike is Do for a call of all ranks of the launch that they begin at the same time. After the call, they
// enter a barrier before one of them uses the network. A fabric may then run the call on one node for all
// nodes, if all nodes are equal and the ranks have equal schedules. The data are moved separately.
func (c *Comm) DoAlike(call Call) error {
	x, err := c.take(&call)
	if err != nil {
		return err
	}
	port, ok := c.lib.Port().(cluster.AlikePort)
	if !ok || !x.isAlike() {
		return x.do()
	}
	all := c.lib.Shared(alikeKey{}, func() any { return &alikeCall{} }).(*alikeCall)
	role := port.BeginAlike(all.join(x, c.team.Size()))
	switch role {
	case cluster.MakesCall:
		err = x.do()
	case cluster.Represents:
		all.move()
		x.call.isSizeOnly = true
		err = x.do()
	case cluster.IsRepresented:
		x.represented()
	}
	if err != nil {
		return err // the run ends
	}
	port.EndAlike()
	return nil
}

// do runs the call to its end.
func (x *Run) do() error {
	if x.Schedule.isInline {
		return x.perform()
	}
	if err := x.start(); err != nil {
		return err
	}
	return x.Wait()
}

// isAlike reports whether the members send messages of the same sizes to the same distances. All members agree.
func (x *Run) isAlike() bool {
	c, b := x.comm, &x.Blocks
	return x.Schedule.isAlike && x.plan.key.Algorithm.Class == nil && !x.isOneSided && c.isWorld && c.firstRank == 0 &&
		len(c.inProgress) == 0 && x.Into == nil && b.Displ == nil && b.Elems%int64(b.Parts) == 0
}

// represented ends a call that a rank of another node has made for this one.
func (x *Run) represented() {
	c := x.comm
	c.nextCall = (c.nextCall + 1) % maxCalls
	x.accountAll()
	x.free()
}

// join adds the Run of a rank, and returns the signature of its call. The first rank begins another call. A rank
// with another schedule has another signature.
func (a *alikeCall) join(x *Run, ranks int) (signature uint64) {
	if a.joined == 0 || a.joined == ranks {
		if len(a.runs) != ranks {
			a.runs = make([]*Run, ranks)
		}
		a.joined = 0
	}
	if a.joined == 0 {
		a.schedule = x.Schedule
	}
	a.runs[x.comm.me] = x
	a.joined++
	signature = signatureOf(x.plan.key.Algorithm, x.Root, x.Blocks.Bytes())
	if x.call.isSizeOnly {
		signature = ^signature
	}
	if x.Schedule != a.schedule {
		signature++
	}
	return signature
}

// move moves the data of all members, unless this has been done. It runs the nodes of the schedule one after
// another, each on all members. A message is copied when both of its ends could start.
func (a *alikeCall) move() {
	if a.joined == 0 {
		return
	}
	a.joined = 0
	x := a.runs[0]
	if x.call.isSizeOnly {
		return
	}
	s := x.Schedule
	partners := x.comm.cache.partners(x.plan.key, x.Rel, s)
	for _, r := range a.runs {
		r.needLoads()
		r.allocTemps()
	}
	left := append([]uint16(nil), s.deps...)
	ready := append([]int32(nil), s.heads...)
	waiting := make([]bool, len(s.Nodes)) // ends of messages whose other end could not start yet
	complete := func(i int32) {
		for _, next := range s.Next(int(i)) {
			if left[next]--; left[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	var some deliveries
	for k := 0; k < len(ready); k++ {
		i := ready[k]
		n := &s.Nodes[i]
		switch n.Kind {
		case Send, Recv:
			j := partners[i]
			if !waiting[j] {
				waiting[i] = true
				continue
			}
			d := delivery{send: i, recv: j}
			if n.Kind == Recv {
				d = delivery{send: j, recv: i}
			}
			if !some.add(x, d) {
				a.copy(&some)
				some.add(x, d)
			}
			complete(j)
		default:
			a.copy(&some)
			for _, r := range a.runs {
				at := r.stridesOf(n)
				r.runLocal(n, &at)
			}
		}
		complete(i)
	}
	a.copy(&some)
	if len(ready) != len(s.Nodes) {
		panic("coll: a schedule has nodes that no member can start")
	}
}

// delivery is the two nodes of a message.
type delivery struct{ send, recv int32 }

// deliveries are messages between all members that can be copied in any order, because none of them reads a
// buffer that another one writes.
type deliveries struct {
	list          []delivery
	read, written uint64 // sets of buffers
	inBlocks      bool   // each message is one block of a buffer of the caller
}

// mostDeliveries is the maximum number of messages of a member that are copied together. The cache lines that they
// write fit in a core's cache.
const mostDeliveries = 1 << 10

// add adds a message. It returns false if the list must be copied first.
func (l *deliveries) add(x *Run, d delivery) bool {
	from, to := &x.Schedule.Nodes[d.send].Ref, &x.Schedule.Nodes[d.recv].Ref
	read, written := l.read|setOf(from.Buf), l.written|setOf(to.Buf)
	if len(l.list) > 0 && (len(l.list) == mostDeliveries || read&written != 0) {
		return false
	}
	l.inBlocks = (l.inBlocks || len(l.list) == 0) && x.isBlock(from) && x.isBlock(to)
	l.list, l.read, l.written = append(l.list, d), read, written
	return true
}

// setOf returns the set of a buffer. Buffers with high numbers share one.
func setOf(b Buf) uint64 { return 1 << min(b, 63) }

// isBlock reports whether a reference is one block of a buffer of the caller with the blocks of all ranks.
func (p *Place) isBlock(r *Ref) bool {
	w := p.Schedule.window(r.Buf)
	return r.N == 1 && r.Run == 0 && r.Base != Aligned && r.Buf < temps && w.Base == Fixed && w.Lo == 0 && w.N == p.Schedule.Parts
}

// copy copies messages from each member to its peers, and empties the list.
func (a *alikeCall) copy(l *deliveries) {
	x := a.runs[0]
	nodes := x.Schedule.Nodes
	each := x.Blocks.size(0)
	for _, from := range a.runs {
		x.comm.lib.Port().Peek(0) // ends here if the run is cancelled
		for _, d := range l.list {
			send, recv := &nodes[d.send], &nodes[d.recv]
			to := a.runs[from.Peer(send.Peer)]
			if !l.inBlocks {
				to.unpack(recv.Ref, from.messageBytes(send, d.send))
				continue
			}
			source := from.buffer(send.Ref.Buf)[int64(from.first(&send.Ref, from.Rel, from.Rel))*each:]
			target := to.buffer(recv.Ref.Buf)[int64(to.first(&recv.Ref, to.Rel, to.Rel))*each:]
			copy(target[:each], source)
		}
	}
	*l = deliveries{list: l.list[:0]}
}
