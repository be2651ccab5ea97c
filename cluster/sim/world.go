package sim

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// world is one run: its four parts, the costs of CPUs, and the ranks. It embeds the kernel and the
// protocol, because all actions of a rank use the clock and the messages. The network and the trace
// are fields.
type world struct {
	kernel
	protocol
	net     network
	devices devices
	charged chargedAccesses // accesses of ChargeAccesses
	trace   trace
	costs
	spec          cluster.Spec
	ranks         []rank
	stepper       *rank         // rank whose step runs now
	inline        []pendingStep // due continuations of stepper, and of the ranks whose steps it runs in
	detours       detours
	vcis          int // of each rank
	alike         alike
	perNode       int32          // ranks per node
	sums          []uint64       // by node: see hash.go
	locks         []cluster.Time // by rank and VCI: the time at which the last call of a parallel region left it
	contenders    []int32        // by rank and VCI: threads that wait for its lock
	treeFree      cluster.Time   // time at which the collective network is free
	continuations int            // operations of all ranks with a continuation
	exceedsCache  bool           // the data of ranks or messages exceed the cache
}

// costs has the costs of CPUs. It does not change during a run.
type costs struct {
	flops               rate
	kernels             [cluster.Kernels]rate // rates of a core
	memRate             rate
	loopTime            cluster.Time
	cores, ranksPerNode int64 // per node; 0 cores: unknown
	compNoise           int64
	atomicTime          cluster.Time
	handlerTime         cluster.Time
	pollTime            cluster.Time
	clockTime           cluster.Time
	lockTime            cluster.Time
	forkTime            cluster.Time
	meetTime            cluster.Time
}

// minPoll is the cost of a poll if the machine has none, because a loop of free polls would never
// end. A free read of the clock also costs it, if no time has passed since the thread's last read.
const minPoll = 10 * cluster.Nanosecond

func costsOf(m *cluster.Machine, l *cluster.Layout) costs {
	c := costs{flops: rateOf(m.Flops), memRate: rateOf(m.MemoryRate), loopTime: min(m.LoopTime, end),
		cores:        int64(m.CoresPerNode),
		ranksPerNode: int64(l.RanksPerNode),
		compNoise:    partsOf(m.ComputeNoise), atomicTime: m.AtomicTime, handlerTime: m.HandlerTime, pollTime: m.PollTime,
		lockTime: m.LockTime, forkTime: m.ForkTime, meetTime: m.ThreadBarrierTime}
	for k := range c.kernels {
		c.kernels[k] = rateOf(m.KernelRate(cluster.Kernel(k)))
	}
	if c.pollTime <= 0 {
		c.pollTime = minPoll
	}
	c.clockTime = c.pollTime
	if m.ClockTime != nil {
		c.clockTime = min(max(*m.ClockTime, 0), end)
	}
	return c
}

// vcisOf returns the number of VCIs of each rank.
func vcisOf(m *cluster.Machine) int { return max(1, min(m.VCIs, cluster.MaxVCIs)) }

func newWorld(spec cluster.Spec, c *control) (*world, error) {
	m, l := &spec.Machine, &spec.Layout
	net, err := newNetwork(m, l, spec.Seed)
	if err != nil {
		return nil, err
	}
	interruptions, err := newDetours(m, spec.Seed)
	if err != nil {
		return nil, err
	}
	w := &world{kernel: newKernel(c, l.Ranks()), protocol: newProtocol(&spec, &net), net: net,
		devices: newDevices(&spec), costs: costsOf(m, l), detours: interruptions, spec: spec, vcis: vcisOf(m), perNode: int32(l.RanksPerNode), sums: make([]uint64, l.Nodes)}
	if w.net.isUniform() {
		w.reached = 0
	}
	w.locks = make([]cluster.Time, l.Ranks()*w.vcis)
	w.contenders = make([]int32, l.Ranks()*w.vcis)
	w.ranks, w.exceedsCache = make([]rank, l.Ranks()), l.Ranks() > manyRanks
	mains := make([]thread, l.Ranks())
	for i := range w.ranks {
		r := &w.ranks[i]
		r.w = w
		r.id = int32(i)
		r.main = &mains[i]
		w.threads[i] = r.main
		*r.main = thread{w: w, r: r, id: int32(i), cause: noCause, clockRead: never}
	}
	w.alike.possible = w.hasEqualNodes()
	return w, nil
}

// controlPeriod is the number of events between checks of requests from other goroutines.
const controlPeriod = 512

// loop runs the world until every body has returned, or no body can continue.
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

// run processes events until none is left. Steps and RPC bodies run on the loop's stack; a panic in
// one of them aborts the run.
func (w *world) run() {
	returned := false
	defer func() { w.caught(recover(), returned, w.acting) }()
	for w.err == nil {
		if w.queue.len() == 0 {
			if w.ended < len(w.ranks) {
				w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: w.waits(nil, math.MaxInt)})
			}
			break
		}
		if w.events%firstSurvey == firstSurvey-1 && !w.alike.merged && w.surveyed(w.events+1) { // with the next event still in the queue
			if stuck := w.stuck(); len(stuck) > 0 {
				w.abort(&cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1, Waits: stuck})
				break
			}
		}
		e := w.queue.pop()
		if w.exceedsCache {
			w.prefetch()
		}
		w.advance(e)
		kind, ref := e.kind(), e.ref()
		if w.events%controlPeriod == 0 {
			if w.control.serveRequests(w) {
				w.cancel()
				break
			}
		}
		if kind != evPoll {
			w.realEvents--
			w.idleBefore, w.idlePolls = w.idlePolls, 0
		}
		switch kind {
		case evResume, evPoll:
			w.dueThread = w.threads[ref]
		case evInject:
			w.proceed(ref)
		case evReach:
			w.reach(ref)
		case evArrive:
			w.arrive(ref)
		case evComplete:
			w.complete(ref)
		case evLink:
			w.link(ref)
		case evBarrier:
			w.release(w.threads[ref], w.now)
		}
		if t := w.dueThread; t != nil {
			w.dueThread = nil
			w.prepareSwitch(t)
			t.next()
			w.running = nil
		}
	}
	returned = true
}

// cancel ends a cancelled run.
func (w *world) cancel() {
	w.abort(&cluster.Abort{Reason: cluster.ReasonCancelled, Rank: -1, Cause: w.control.reason(), Waits: w.waits(nil, maxCancelled)})
}
