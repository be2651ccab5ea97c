package sim

import "github.com/hybridtop/hybridtop/cluster"

// hold is the time at which a resource becomes free: a time with a cause, and spans after it. Its
// records are made when something waits for it.
type hold struct {
	cause       int32
	rank        int32
	gap, bytes  cluster.Time
	parts       uint64 // slowdown of both; 0: none
	whyGap, why Constant
}

// adapterHold has the causes of an adapter's times.
type adapterHold struct{ free, handshakeFree, handshakeNext hold }

// holders has the causes of the times at which resources become free, and the hashes of the orders
// in which they were used.
type holders struct {
	out, in      []adapterHold
	links        []hold
	servers      []hold
	movers       []hold
	memories     []hold
	devices      []hold
	injections   []int32 // by thread
	handshakes   []int32 // by thread
	staged       []int32 // by thread, then by rank of progress engines
	engineStaged []int32
	paths        []int32 // to devices, by rank
	atomics      []int32 // by rank
	locks        []int32 // by rank and VCI
	delayed      []int32 // by rank
	streams      []int32 // by rank and stream
	tree         int32
	reaches      []int32 // by message: cause of the arrival of its first byte
	reason       Note    // of the next message that a handler sends
	handledIn    int     // the order in which messages are handled: with the rank's calls if these progress

	calls [][]int32 // calls that are alike: causes at the begin, by rank

	orders []uint64 // hashes: nodes (out, in, memory, server), ranks (4), links, tree
	ranks  int
	nodes  int
}

func newHolders(s *cluster.Spec, n *network) holders {
	l := &s.Layout
	ranks := l.Ranks()
	h := holders{out: make([]adapterHold, len(n.out)), in: make([]adapterHold, len(n.in)), links: make([]hold, len(n.linkFree)),
		servers: make([]hold, l.Nodes), movers: make([]hold, ranks), memories: make([]hold, l.Nodes),
		engineStaged: make([]int32, ranks), paths: make([]int32, ranks), atomics: make([]int32, ranks),
		locks: make([]int32, ranks*vcisOf(&s.Machine)), delayed: make([]int32, ranks), tree: noCause, ranks: ranks, nodes: l.Nodes}
	h.handledIn = orderHandled
	if s.Machine.Progress == cluster.ProgressCall {
		h.handledIn = orderPosts
	}
	h.orders = make([]uint64, orderKinds*(ranks+l.Nodes)+len(h.links)+1)
	return h
}

// The hashes of a rank and of a node.
const (
	orderHandled = iota
	orderSegment
	orderPosts
	orderLock
	orderMoved
	orderDevicePath
	orderInjected
	orderDetours // detours of a computation
	orderKinds
)
const (
	orderOut = iota
	orderIn
	orderMemory
	orderServer
	orderDevice
)

// ofRank records a choice at a rank.
func (t *trace) ofRank(kind int, rank int32, x uint64) {
	combine(&t.orders[int(rank)*orderKinds+kind], x)
}

// ofNode records a choice at a node.
func (t *trace) ofNode(kind int, node int32, x uint64) {
	combine(&t.orders[(t.ranks+int(node))*orderKinds+kind], x)
}

// ofLink records a choice at a link.
func (t *trace) ofLink(link int32, x uint64) {
	combine(&t.orders[orderKinds*(t.ranks+t.nodes)+int(link)], x)
}

// choices returns the hash of all choices: the order in which each resource was used, and the
// branches that depend on time.
func (t *trace) choices() uint64 {
	h := uint64(14695981039346656037)
	for _, x := range t.orders {
		combine(&h, x)
	}
	return h
}

// settle makes the records of a hold and returns the last one.
func (t *trace) settle(h *hold) int32 {
	if h.gap|h.bytes != 0 {
		h.cause = t.slowed(h.cause, h.bytes, h.parts, h.why, h.rank)
		h.cause = t.slowed(h.cause, h.gap, h.parts, h.whyGap, h.rank)
		h.gap, h.bytes = 0, 0
	}
	return h.cause
}

// slowed records a span that a slow part multiplies.
func (t *trace) slowed(before int32, span cluster.Time, parts uint64, why Constant, rank int32) int32 {
	before = t.charge(before, span, why, rank)
	if parts != 0 {
		before = t.extra(before, scale(span, parts)-span, why, NoteSlow, rank)
	}
	return before
}

// adapter records that a message takes an adapter that it reaches at a time, and returns the cause
// of its start. x has the message's gap and bytes.
func (t *trace) adapter(h *adapterHold, a *adapter, at cluster.Time, cause int32, m *msg, x hold, of Resource) int32 {
	if m.isHandshake() {
		switch start := max(at, a.handshakeFree, a.handshakeNext); {
		case start == at:
		case start == a.handshakeFree:
			cause, at = t.held(t.settle(&h.handshakeFree), of, m.src), start
		default:
			cause, at = t.held(t.settle(&h.handshakeNext), of, m.src), start
		}
		x.cause, x.bytes = cause, 0
		h.handshakeNext, h.handshakeFree = x, x
		if a.free > at {
			x.cause = t.settle(&h.free)
		}
		h.free = x
		return cause
	}
	if a.free > at {
		cause = t.held(t.settle(&h.free), of, m.src)
	}
	x.cause = cause
	h.free = x
	x.bytes = 0
	h.handshakeNext = x
	if !m.isInterruptible() {
		h.handshakeFree = h.free
	}
	return cause
}

// gapOf returns the constant of a message's gap at an adapter.
func (n *network) gapOf(m *msg) Constant {
	if m.isHandshake() && n.handshakeGap {
		return ofHandshakeGap.class(cluster.Remote)
	}
	return ofGap.class(cluster.Remote)
}

// causeIn returns an entry of a table of causes, which grows if needed.
func causeIn(table *[]int32, i int32) *int32 { return entryOf(table, int(i)) }

// wait returns the cause of a time that is the later one of a chain's and a resource's.
func (t *trace) wait(at cluster.Time, cause int32, free cluster.Time, by int32, of Resource, rank int32) int32 {
	if free > at {
		return t.held(by, of, rank)
	}
	return cause
}

// memoryUse is a thread's or a message's use of a node's memory or of a device, which others share.
type memoryUse struct {
	server *server
	free   cluster.Time // when the server became free before
	at     moment       // begin
	need   cluster.Time // of the server
}

// useMemory begins a use.
func (t *thread) useMemory(s *server) memoryUse {
	return memoryUse{server: s, free: s.Free(), at: moment{t.now, t.cause}}
}

// endMemory ends a thread's use of its node's memory at a time. The thread has already spent its own
// time.
func (t *thread) endMemory(u *memoryUse, done cluster.Time) {
	if u.server == nil {
		return
	}
	tr := &t.w.trace
	cause := t.cause
	if tr.on {
		node := t.w.net.nodeOf[t.r.id]
		cause = tr.shared(&tr.memories[node], u, moment{t.now, t.cause}, done, ofNodeRate, t.r.id, Memory,
			tr.order(orderMemory, node))
	}
	if done <= t.now {
		return
	}
	before := t.now
	t.now = done
	if uint64(t.now) > uint64(end) {
		t.w.overflow()
		t.now = end
	}
	if tr.on {
		t.cause = cause
		tr.waitIn(t, done-before, cause)
	}
	if t.lane != nil {
		t.recordSpent(t.now-before, ofNodeRate)
	}
}

// shared records a use of a server that ends at a time, and returns the cause of that time. own is
// the end that the use has without others.
func (t *trace) shared(h *hold, u *memoryUse, own moment, done cluster.Time, why Constant, rank int32, of Resource,
	order *uint64) int32 {
	x := hold{cause: u.at.cause, rank: rank, bytes: u.need, why: why}
	switch grown := u.server.Free() - u.free; {
	case u.free <= u.at.at:
		*h = x
	case grown > 0: // part of the use may be in idle times, and only the rest extends the server's time
		x.cause, x.bytes = t.held(t.settle(h), of, rank), grown
		*h = x
	}
	branch := uint64(0)
	result := own.cause
	switch {
	case done <= own.at:
	case done == u.server.Free():
		branch, result = 1, t.settle(h)
	default: // it alternates with longer pieces
		branch, result = 2, t.charge(u.at.cause, done-u.at.at, why, rank)
	}
	combine(order, uint64(rank)<<2|branch&2)
	return result
}

// order returns the hash of a node's choices.
func (t *trace) order(kind int, node int32) *uint64 {
	return &t.orders[(t.ranks+int(node))*orderKinds+kind]
}

func (t *trace) atomicBy(rank int32) int32 {
	if !t.on {
		return noCause
	}
	return t.atomics[rank]
}

func (t *trace) setAtomic(rank, cause, by int32) {
	if t.on {
		t.atomics[rank] = cause
		t.ofRank(orderSegment, rank, uint64(by)+1)
	}
}

// takeReason returns why a message is handled only now, and records the order.
func (t *trace) takeReason(m *msg, rank int32) Note {
	t.ofRank(t.handledIn, rank, m.taker())
	reason := t.reason
	t.reason = NoNote
	if reason == NoNote {
		return NoteContinue
	}
	return reason
}

// giveReason returns the cause of a message that a handler sends.
func (t *trace) giveReason(cause int32, usual Note, rank int32) int32 {
	reason := t.reason
	t.reason = NoNote
	if reason == NoNote || usual == NoteReply && reason == NoteContinue {
		reason = usual
	}
	if reason == NoNote {
		return cause
	}
	return t.because(cause, reason, NoResource, rank)
}

// stagedBy returns the cause of the time at which the last message of a message's thread was in host
// memory.
func (t *trace) stagedBy(m *msg) *int32 {
	if m.thread < 0 {
		return &t.engineStaged[m.src]
	}
	return causeIn(&t.staged, m.thread)
}
