package sim

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// eventKind says what happens.
type eventKind uint8

const (
	evResume   eventKind = iota // ref: thread: it goes on
	evPoll                      // likewise, and it only looks
	evInject                    // ref: message: it asks for the adapter
	evReach                     // ref: message: its first byte is at its target's node
	evArrive                    // ref: message: its last byte is there
	evComplete                  // ref: message: the operation that it names is complete
	evBarrier                   // ref: thread: a barrier lets it go
)

// end is the latest time that a run may reach, an eighth of what a Time holds,
// so that sums of a few times cannot overflow.
const end = cluster.Time(math.MaxInt64 / 8)

// world is one run.
type world struct {
	spec  cluster.Spec
	queue queue
	now   cluster.Time
	hash  uint64

	ranks    []rank
	threads  []*thread
	nodeOf   []int32   // by rank
	out, in  []adapter // of all nodes, adapters of each in a row
	adapters int       // of a node, each way
	memories []server  // by node
	msgs     []msg
	lasts    []cluster.Time // when the last byte of a message is there, if nothing holds it up
	comes    []cluster.Time // by rank: when the last message arrives that a receive can match and whose bytes are coming in
	freeMsgs []int32        // not in msgs' own lines, which are cold by the time they are taken
	buffers  buffers
	barriers map[int32]*barrier

	ways                [cluster.Classes + 1]way // by class, and within a socket
	sockets             bool
	device              way
	staged              bool         // device memory is reached by way of the host's
	calls               bool         // only calls progress
	quickest            cluster.Time // between a message's post and its arrival at another rank, at least
	loads               bool         // ranks of a node reach each other's memory by load and store
	delays              bool         // bytes may not be ready for their adapter when they are posted
	lockTime            cluster.Time
	slow                *slowness
	network             *topology.Network
	linkFree            []cluster.Time
	linkRate            []rate
	path                []int32
	hop                 cluster.Time
	eager               int64
	flops               rate
	memRate             rate
	cores, ranksPerNode int64 // of a node; no cores: unknown
	atomicTime          cluster.Time
	handlerTime         cluster.Time
	pollTime            cluster.Time
	forkTime            cluster.Time
	meetTime            cluster.Time
	progress            cluster.Progress
	uneven              bool // the messages of a train may come unevenly
	overtaking          bool // a message could pass an earlier one to the same rank on another node
	compNoise           int64
	linkNoise           int64
	linkRand            noise

	wide     bool    // what the ranks hold is more than a cache has
	running  *thread // whose coroutine runs now
	due      *thread // who runs as soon as the event has been dealt with
	acting   int32   // the rank whose step or body ran last
	ended    int     // threads of the first kind that have returned
	quiet    int     // polls since anything but polls happened
	before   int     // what quiet was before this event
	real     int     // events in the queue that are not polls
	begun    bool
	err      error
	trace    *trace
	watched  bool               // a timeline or a path is asked for
	arrows   bool               // and which messages travel
	recorder *timeline.Recorder // nil: nothing is recorded
	control  *control
	events   uint64
}

// leastPoll is what a poll costs where the machine does not say: a poll that cost
// nothing would never end.
const leastPoll = 10 * cluster.Nanosecond

func newWorld(spec cluster.Spec, c *control) (*world, error) {
	m, l := &spec.Machine, &spec.Layout
	w := &world{spec: spec, control: c, barriers: map[int32]*barrier{}, eager: spec.Eager(),
		flops: rateOf(m.Flops), memRate: rateOf(m.MemoryRate),
		atomicTime: m.AtomicTime, handlerTime: m.HandlerTime, pollTime: m.PollTime, forkTime: m.ForkTime, meetTime: m.MeetTime, progress: m.Progress,
		compNoise: partsOf(m.ComputeNoise), linkNoise: partsOf(m.LinkNoise), linkRand: newNoise(spec.Seed, math.MaxUint64),
		hash: 14695981039346656037}
	w.calls, w.quickest = m.Progress == cluster.ProgressCall, quickest(m, l)
	w.cores, w.ranksPerNode = int64(m.CoresPerNode), int64(l.RanksPerNode)
	if w.pollTime <= 0 {
		w.pollTime = leastPoll
	}
	for i := range m.Classes {
		w.ways[i] = wayOf(m.Classes[i])
	}
	if m.Sockets > 1 && m.Socket != (cluster.Link{}) {
		w.sockets, w.ways[sameSocket] = true, wayOf(m.Socket)
		if m.Socket.Access == 0 {
			w.ways[sameSocket].access = w.ways[cluster.InNode].access
		}
	}
	w.loads = w.ways[cluster.InRank].access > 0 || w.ways[cluster.InNode].access > 0 || w.ways[sameSocket].access > 0
	w.device, w.staged, w.lockTime = wayOf(m.Device.Link), m.Device.Count > 0 && !m.Device.Direct, m.LockTime
	w.delays = w.staged || w.ways[cluster.Remote].threadRate > 0
	slow, err := newSlowness(m.Slow, l.Nodes)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	w.slow = slow
	shape := m.Topology.Shape
	if shape != "" && shape != cluster.Crossbar {
		net, err := topology.New(m.Topology, l.Nodes)
		if err != nil {
			return nil, fmt.Errorf("machine %s: %w", m.Name, err)
		}
		w.network = net
		w.linkFree = make([]cluster.Time, net.Links())
		w.linkRate = make([]rate, net.Links())
		for i := range w.linkRate {
			w.linkRate[i] = rate(net.Rate(i))
		}
		w.hop = m.Topology.HopLatency
	}
	w.adapters = max(1, w.ways[cluster.Remote].adapters)
	w.out, w.in = make([]adapter, l.Nodes*w.adapters), make([]adapter, l.Nodes*w.adapters)
	w.memories = make([]server, l.Nodes)
	for i := range w.memories {
		w.memories[i].rate = rateOf(m.NodeRate)
	}
	w.overtaking = w.adapters > 1 || w.network != nil || w.linkNoise > 0 || l.ThreadsPerRank > 1
	w.uneven = w.adapters > 1 || w.slow != nil || w.network != nil || w.linkNoise > 0
	if n := l.Ranks() * usual; n <= 1<<20 {
		w.msgs, w.lasts, w.freeMsgs = make([]msg, 0, n), make([]cluster.Time, 0, n), make([]int32, 0, n)
	}
	w.ranks, w.wide = make([]rank, l.Ranks()), l.Ranks() > wide
	w.nodeOf, w.comes = make([]int32, l.Ranks()), make([]cluster.Time, l.Ranks())
	w.threads = make([]*thread, l.Ranks())
	mains := make([]thread, l.Ranks())
	perSocket := l.RanksPerNode
	if m.Sockets > 1 {
		perSocket = (l.RanksPerNode + m.Sockets - 1) / m.Sockets
	}
	placed := make([]int32, l.Nodes)
	for i := range w.ranks {
		n := l.NodeOf(i)
		r := &w.ranks[i]
		w.nodeOf[i] = int32(n)
		r.w, r.id, r.socket = w, int32(i), placed[n]/int32(perSocket)
		placed[n]++
		r.main = &mains[i]
		w.threads[i] = r.main
		*r.main = thread{w: w, r: r, id: int32(i), cause: noCause}
	}
	return w, nil
}

// abort ends the run; the first reason stands.
func (w *world) abort(err error) {
	if w.err == nil {
		w.err = err
	}
}

// cancel ends a run that was cancelled from outside.
func (w *world) cancel() {
	w.abort(&cluster.Abort{Reason: cluster.ReasonCancelled, Rank: -1, Cause: w.control.reason(), Waits: w.waits(nil)})
}

// overflow ends a run whose clock goes too far.
func (w *world) overflow() {
	w.abort(fmt.Errorf("virtual time overflow: more than %v; look for a size or a cost with too many digits", end))
}

// push makes an event.
func (w *world) push(at cluster.Time, kind eventKind, ref int32) {
	if uint64(at) > uint64(end) {
		w.overflow()
		at = end
	}
	if kind != evPoll {
		w.real++
	}
	w.queue.push(at, kind, ref)
}

// completeAt lets an operation of a rank, whose slot knows its result, complete.
func (w *world) completeAt(at cluster.Time, rank int32, slot uint32) {
	i, m := w.newMsg()
	m.src, m.dst, m.recv = rank, rank, slot
	w.push(at, evComplete, i)
}

// controlPeriod is how many events pass between looks at what the outside wants.
const controlPeriod = 512

// loop runs the world until every body has returned, or none can go on.
func (w *world) loop() {
	if !w.begun {
		w.begun = true
		for _, t := range w.threads {
			w.push(0, evResume, t.id)
		}
		w.run()
	}
	w.unwind()
}

// run takes events until none is left; a panic in a step or an RPC body, which
// run on the loop's own stack, aborts the run.
func (w *world) run() {
	returned := false
	defer func() { w.caught(recover(), returned, w.acting) }()
	for w.err == nil {
		if w.queue.len() == 0 {
			if w.ended < len(w.ranks) {
				w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: w.waits(nil)})
			}
			break
		}
		if w.events%firstSurvey == firstSurvey-1 && surveyed(w.events+1) { // with the next event still in the queue
			if stuck := w.stuck(); len(stuck) > 0 {
				w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: stuck})
				break
			}
		}
		e := w.queue.pop()
		if w.wide {
			w.ahead()
		}
		w.now = cluster.Time(e.at)
		kind, ref := e.kind(), e.ref()
		w.hash = (w.hash ^ e.at) * 1099511628211
		w.hash = (w.hash ^ e.what) * 1099511628211
		w.events++
		if w.events%controlPeriod == 0 {
			if w.control.look(w) {
				w.cancel()
				break
			}
		}
		if kind != evPoll {
			w.real--
			w.before, w.quiet = w.quiet, 0
		}
		switch kind {
		case evResume, evPoll:
			w.due = w.threads[ref]
		case evInject:
			if m := &w.msgs[ref]; m.kind == msgAtomic && m.more.again {
				w.overlook()
			}
			w.inject(ref, w.now)
		case evReach:
			w.reach(ref)
		case evArrive:
			w.arrive(ref)
		case evComplete:
			m := &w.msgs[ref]
			r, slot := &w.ranks[m.dst], m.recv
			w.dropMsg(ref)
			w.due = r.released(slot, w.now, r.slots.list[slot].cause)
		case evBarrier:
			w.release(w.threads[ref], w.now)
		}
		if t := w.due; t != nil {
			w.due = nil
			w.ready(t)
			t.next()
			w.running = nil
		}
	}
	returned = true
}

// ready prepares the switch to a thread.
func (w *world) ready(t *thread) {
	t.now = max(t.now, w.now)
	t.state = threadRuns
	w.running = t
	if t.next == nil {
		t.next, t.stop = iter.Pull(t.life)
	}
}

// resume switches to a thread until it waits again.
func (w *world) resume(t *thread) {
	before := w.running
	w.ready(t)
	t.next()
	w.running = before
}

// unwind ends every coroutine that is left.
func (w *world) unwind() {
	if w.err == nil {
		w.err = errEnded // no coroutine goes on from here
		defer func() { w.err = nil }()
	}
	for _, t := range w.threads {
		if t.stop != nil {
			t.stop()
		}
	}
}

var errEnded = errors.New("the run has ended")
