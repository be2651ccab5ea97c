package coll

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// estimation is the state of an estimate. It mirrors the rules of package cluster/sim for messages.
type estimation struct {
	*resources
	isFolded   bool // one node stands for all nodes
	isOneSided bool // messages are puts or gets: no handshake
	fee        cluster.Time
	pulls      cluster.Time // additional latency of a get
	more       cluster.Time
	eager      int64
	network    CollectiveNetwork
	most       int64 // bytes of the longest message

	ranks     []estimatedRank
	deps      []uint16
	list      []transit
	free      []int32
	crossings []crossing     // by transit
	pairs     map[pair]int32 // −1 − node of a posted receive, or an arrived message
	events    []transitEvent
	made      uint32
	todo      []int32 // nodes of rank acting to post
	acting    int32
	isBegin   bool // the acting rank's thread begins the call
	gathered  []transitEvent

	messages, received int
	limit              int // maximum number of messages to receive
	halfReceived       int
	half               cluster.Time
}

// estimatedRank is one rank of a walk.
type estimatedRank struct {
	Place
	deps          int32        // of its first node
	cpu           cluster.Time // time at which its thread, or its progress engine, is free
	begun         cluster.Time // time at which its thread has begun the call, if there is an engine
	mover         cluster.Time // time at which the core that moves its bytes is free
	inject        cluster.Time // time at which its thread has injected its messages
	handshakeFree cluster.Time
	uncopied      int64
}

type transitEvent struct {
	at    cluster.Time
	order uint32
	what  transitStage
	rank  int32
	i     int32 // transit or node
}

type transitStage uint8

const (
	stageBegin transitStage = iota
	stageDepart
	stageLink
	stageReach
	stageArrive
	stageComplete
)

// setTransfer sets the costs of the key's transfer, and returns the additional time of a call.
func (w *estimation) setTransfer(k Key, c *Cost) (more cluster.Time) {
	of, more := k.cost(c)
	w.isOneSided = k.Transfer.OneSided()
	w.fee, w.pulls = of.recvTime(), of.pulls
	if k.In == AllSync || k.Out == AllSync {
		plain := k
		plain.In, plain.Out = MySync, MySync
		_, more = plain.cost(c) // the schedule has the barriers
	}
	return more
}

// begin prepares a walk of a number of ranks.
func (w *estimation) begin(t *team, ranks int32, blocks Blocks) {
	w.reset()
	if w.pairs == nil {
		w.pairs = map[pair]int32{}
	}
	clear(w.pairs)
	w.ranks, w.deps, w.list, w.free = w.ranks[:0], w.deps[:0], w.list[:0], w.free[:0]
	w.events, w.made, w.gathered = w.events[:0], 0, w.gathered[:0]
	w.messages, w.received, w.half = 0, 0, 0
	for r := range ranks {
		s := t.schedule(r)
		w.ranks = append(w.ranks, estimatedRank{Place: Place{Schedule: s, Rel: r, Blocks: blocks}, deps: int32(len(w.deps))})
		w.deps = append(w.deps, s.deps...)
		w.messages += len(s.sends)
		w.push(0, stageBegin, r, 0)
	}
}

// run processes the events in the order of time, and returns the end of the last rank.
func (w *estimation) run() cluster.Time {
	now := cluster.Time(0)
	for len(w.events) > 0 && w.received < w.limit {
		e := w.pop()
		now = e.at
		w.handle(e)
		w.postReady()
		if w.half == 0 && 2*w.received >= w.limit && w.messages > w.limit {
			w.half, w.halfReceived = e.at, w.received
		}
	}
	last := cluster.Time(0)
	for i := range w.ranks {
		last = max(last, w.ranks[i].cpu, w.ranks[i].begun)
	}
	if left := w.messages - w.received; left > 0 && w.half > 0 {
		last = max(last, now+cluster.Time(float64(now-w.half)*float64(left)/float64(max(w.received-w.halfReceived, 1))))
	}
	return last
}

func (w *estimation) handle(e transitEvent) {
	r := &w.ranks[e.rank]
	switch e.what {
	case stageBegin:
		w.acting, w.isBegin = e.rank, true
		w.todo = append(w.todo, r.Schedule.heads...)
		w.postReady()
		w.isBegin = false
		if w.hasEngine { // which has its own clock
			r.begun, r.cpu = r.cpu, 0
		}
	case stageDepart:
		w.depart(e.i, e.at)
	case stageLink:
		w.passLinks(e.i)
	case stageReach:
		w.reach(e.i, e.at)
	case stageArrive:
		w.arrive(e.i, e.at)
	case stageComplete:
		r.cpu = max(r.cpu, e.at)
		w.complete(e.rank, e.i)
	}
}

// complete makes the nodes ready that waited for a node.
func (w *estimation) complete(rank, node int32) {
	r := &w.ranks[rank]
	w.acting = rank
	for _, i := range r.Schedule.Next(int(node)) {
		if d := &w.deps[r.deps+i]; *d == 1 {
			*d = 0
			w.todo = append(w.todo, i)
		} else {
			*d--
		}
	}
}

// postReady posts the ready nodes of the acting rank in order. A node that completes at once makes
// further nodes ready.
func (w *estimation) postReady() {
	for i := 0; i < len(w.todo); i++ {
		w.post(w.acting, w.todo[i])
	}
	w.todo = w.todo[:0]
}

func (w *estimation) post(rank, node int32) {
	r := &w.ranks[rank]
	n := &r.Schedule.Nodes[node]
	switch n.Kind {
	case Send:
		w.send(rank, node, n)
	case Recv:
		w.receive(rank, node, n)
	case Hardware:
		r.cpu += w.classes[cluster.Remote].o
		w.gather(transitEvent{at: r.cpu, rank: rank, i: node}, n)
	default:
		w.compute(r, n)
		w.complete(rank, node)
	}
}

// bytes returns the size of a reference.
func (w *estimation) bytes(r *estimatedRank, of Ref) int64 { return min(r.Bytes(of), w.most) }

// compute copies or combines.
func (w *estimation) compute(r *estimatedRank, n *Node) {
	size := w.bytes(r, n.From)
	ops, bytes := int64(0), 2*size
	if n.Kind != Copy {
		ops, bytes = size/max(r.Blocks.Unit, 1), 3*size
	}
	dt := cluster.Time(float64(max(w.flop.time(ops), w.work.time(bytes))) * w.crowding)
	r.cpu = w.workEnd(w.nodeOf[r.Rel], r.cpu, bytes, dt)
}

// gather adds a node to the call on the collective network, which ends for all with the last one.
func (w *estimation) gather(e transitEvent, n *Node) {
	w.gathered = append(w.gathered, e)
	if len(w.gathered) != int(n.Count) {
		return
	}
	var last cluster.Time
	var size int64
	for _, g := range w.gathered {
		r := &w.ranks[g.rank]
		at := &r.Schedule.Nodes[g.i]
		last, size = max(last, g.at), max(size, w.bytes(r, at.Ref), w.bytes(r, at.From))
	}
	c := Cost{Network: w.network}
	for _, g := range w.gathered {
		w.push(last+c.hardware(size), stageComplete, g.rank, g.i)
	}
	w.gathered = w.gathered[:0]
}

func (w *estimation) push(at cluster.Time, what transitStage, rank, i int32) {
	w.made++
	e := transitEvent{at: at, order: w.made, what: what, rank: rank, i: i}
	w.events = append(w.events, e)
	q, at1 := w.events, len(w.events)-1
	for at1 > 0 {
		up := (at1 - 1) / 2
		if !e.before(&q[up]) {
			break
		}
		q[at1] = q[up]
		at1 = up
	}
	q[at1] = e
}

func (e *transitEvent) before(o *transitEvent) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

func (w *estimation) pop() transitEvent {
	q := w.events
	top, n := q[0], len(q)-1
	e := q[n]
	w.events = q[:n]
	i := 0
	for 2*i+1 < n {
		c := 2*i + 1
		if c+1 < n && q[c+1].before(&q[c]) {
			c++
		}
		if !q[c].before(&e) {
			break
		}
		q[i] = q[c]
		i = c
	}
	if n > 0 {
		q[i] = e
	}
	return top
}
