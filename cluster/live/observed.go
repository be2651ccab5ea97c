package live

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// observed is a port that records the activity of its thread. It reads the clock at the begin and
// the end of a wait, and between computing and posting. The time between two waits counts as
// communication if anything was posted or put in place, otherwise as the program's code. Loads and
// stores of single words in other segments also count as the program's code.
type observed struct {
	*port
	lane *timeline.Lane
	rec  *timeline.Recorder

	call            cluster.Kind // last post since the clock was read; KindNone: none
	peer            int32
	posted          bool  // something was posted since then
	computing       bool  // Compute was called since then, or a region is running
	inThreadBarrier bool  // a thread barrier was posted and is not complete
	waiting         bool  // inside a wait, for call and peer
	kernel          int32 // stream + 1 of the kernel whose body is next, if devices are labels
	wrapper         cluster.Port
}

// copyBytes is the minimum number of bytes of a post whose time is measured: a copy that takes some
// µs.
const copyBytes = 32 << 10

// observe wraps the bodies of a launch whose timeline is recorded.
func (w *world) observe(body func(cluster.Port) error) func(cluster.Port) error {
	rec := timeline.Of(&w.spec)
	if rec == nil {
		return body
	}
	rec.Clock(w.clock)
	return func(p cluster.Port) error {
		lanes := rec.Team(p.ID(), 1)
		if lanes == nil {
			return body(p)
		}
		o := newObserved(p.(*port), lanes[0], rec)
		o.e.observer = o
		o.lane.Now(timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
		defer o.lane.Now(timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
		err := body(o.wrapped())
		o.endActivity(o.Now())
		return err
	}
}

// clock returns the fabric's time, for observers.
func (w *world) clock() cluster.Time {
	return w.transport.machineTime(w.now())
}

func newObserved(p *port, lane *timeline.Lane, rec *timeline.Recorder) *observed {
	o := &observed{port: p, lane: lane, rec: rec, peer: timeline.NoPeer}
	p.observer = o
	return o
}

// wrapped returns the port for the thread's program.
func (o *observed) wrapped() cluster.Port {
	if o.wrapper == nil {
		o.wrapper = o
		if o.rec.Arrows() {
			o.wrapper = &followed{observed: o, pending: make(map[cluster.Handle]int32)}
		}
	}
	return o.wrapper
}

// endActivity ends, at t, the activity since the clock was read.
func (o *observed) endActivity(t cluster.Time) {
	if o.posted {
		o.lane.Until(t, timeline.ActivityCommunicate, o.call, o.peer)
	} else {
		o.lane.Until(t, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
	}
	o.call = cluster.KindNone
	o.peer = timeline.NoPeer
	o.posted = false
	o.computing = false
	o.inThreadBarrier = false
}

// Post implements cluster.Port.
func (o *observed) Post(op *cluster.Op) cluster.Handle {
	if op.Kind != o.call || op.Peer != o.peer || len(op.Buf) >= copyBytes {
		return o.postOther(op)
	}
	if e := o.e; e.lockless && !e.w.aborted.Load() { // the same as port.Post, with one call less
		return e.post(op)
	}
	return o.port.Post(op)
}

// postOther posts an operation that differs from the previous one, or is long.
func (o *observed) postOther(op *cluster.Op) cluster.Handle {
	switch op.Kind {
	case cluster.KindThreadBarrier:
		return o.meet(op)
	case cluster.KindDraw, cluster.KindEnter, cluster.KindLeave:
		return o.port.Post(op)
	}
	o.kernel = 0
	if op.Kind == cluster.KindLaunch {
		return o.launch(op)
	}
	if o.computing {
		o.endActivity(o.Now())
	}
	peer := timeline.NoPeer
	if op.Kind.HasPeer() {
		peer = op.Peer
	}
	if !o.posted { // recorded at the begin of the next wait
		o.posted, o.peer = true, peer
	}
	if peer != o.peer {
		o.peer = timeline.NoPeer
	}
	o.call = op.Kind
	if copiesInPost(op, o.e.w) {
		o.endActivity(o.Now())
		h := o.port.Post(op)
		o.lane.Until(o.Now(), timeline.ActivityCopy, op.Kind, op.Peer)
		o.posted = true
		o.call = op.Kind
		o.peer = op.Peer
		return h
	}
	return o.port.Post(op)
}

// meet enters a thread barrier and records the wait. Post itself may spin until the barrier is
// complete.
func (o *observed) meet(op *cluster.Op) cluster.Handle {
	o.endActivity(o.Now())
	o.lane.Now(timeline.ActivitySleep, op.Kind, timeline.NoPeer)
	h := o.port.Post(op)
	o.lane.Until(o.Now(), timeline.ActivitySleep, op.Kind, timeline.NoPeer)
	if o.inThreadBarrier = h != 0; !o.inThreadBarrier {
		o.lane.Now(timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
	}
	return h
}

// launch posts a kernel, which counts as the program's computation.
func (o *observed) launch(op *cluster.Op) cluster.Handle {
	if o.posted {
		o.endActivity(o.Now())
	}
	if o.e.w.transport.inPlace() {
		o.kernel = op.Tag + 1
	}
	o.computing = true
	o.call = op.Kind
	o.peer = timeline.NoPeer
	return o.port.Post(op)
}

// copiesInPost reports whether posting an operation copies many bytes at once.
func copiesInPost(op *cluster.Op, w *world) bool {
	if len(op.Buf) < copyBytes {
		return false
	}
	switch op.Kind {
	case cluster.KindSend:
		return int64(len(op.Buf)) <= w.eager
	case cluster.KindPut:
		return true // to a segment, or into a parcel
	case cluster.KindGet:
		return w.transport.inPlace()
	}
	return false
}

// lockToPost takes an engine's lock to post. If the timeline is recorded, it records the wait for
// another thread in the library.
func (p *port) lockToPost(l *engine) {
	if l.mu.TryLock() {
		return
	}
	if p.observer == nil {
		l.lock()
		return
	}
	o := p.observer
	begin := o.Now()
	call := o.call
	peer := o.peer
	o.endActivity(begin)
	o.lane.Now(timeline.ActivityLock, call, peer)
	l.lock()
	o.lane.Until(p.e.w.clock(), timeline.ActivityLock, call, peer) // with the lock held nothing may unwind
	o.lane.Now(timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
	o.posted = true
	o.call = call
	o.peer = peer
}

// Wait implements cluster.Port.
func (o *observed) Wait(hs []cluster.Handle, need int) {
	if need <= 0 {
		o.port.Wait(hs, need)
		return
	}
	a := timeline.ActivityWait
	call := o.call
	peer := o.peer
	if o.inThreadBarrier {
		a = timeline.ActivitySleep
		call = cluster.KindThreadBarrier
		peer = timeline.NoPeer
	}
	o.endActivity(o.Now())
	o.lane.Now(a, call, peer)
	o.call = call
	o.peer = peer
	o.waiting = a == timeline.ActivityWait
	o.port.Wait(hs, need)
	if o.waiting && !o.e.w.transport.inPlace() {
		if came, ok := o.lastPeerArrival(hs); ok {
			o.lane.Until(min(came, o.Now()), a, call, peer)
			a = timeline.ActivityCommunicate
		}
	}
	o.lane.Until(o.Now(), a, call, peer)
	o.call = cluster.KindNone
	o.peer = timeline.NoPeer
	o.waiting = false
	o.lane.Now(timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
}

// lastPeerArrival returns the arrival of the other side of the last message of a wait; false: the
// wait was not only for messages. One-sided operations do not wait for another rank.
func (o *observed) lastPeerArrival(hs []cluster.Handle) (last cluster.Time, ok bool) {
	o.enter()
	defer o.leave()
	for _, h := range hs {
		if h == 0 {
			continue
		}
		if h&barrierBit != 0 {
			return 0, false
		}
		s := o.e.slotOf(h)
		switch s.kind {
		case cluster.KindPut, cluster.KindGet, cluster.KindAtomic:
		default:
			if s.peerArrival == 0 {
				return 0, false
			}
			last = max(last, o.e.w.transport.machineTime(time.Duration(s.peerArrival)))
		}
		ok = true
	}
	return last, ok
}

// copyRendezvous copies a rendezvous from its sender's buffer.
func (o *observed) copyRendezvous(to, from []byte, peer int32) {
	if o.waiting {
		o.lane.Until(o.Now(), timeline.ActivityWait, o.call, o.peer)
	} else {
		o.endActivity(o.Now())
		o.posted = true
		o.call = cluster.KindRecv
		o.peer = peer
	}
	copy(to, from)
	o.lane.Until(o.Now(), timeline.ActivityCopy, cluster.KindRecv, peer)
}

// Move implements cluster.Mover.
func (o *observed) Move(kind cluster.Kind, peer int, segment, buf []byte) {
	long := len(buf) >= copyBytes
	if o.computing || long {
		o.endActivity(o.Now())
	}
	if !o.posted {
		o.posted, o.peer = true, int32(peer)
	}
	o.call = kind
	if o.peer != int32(peer) {
		o.peer = timeline.NoPeer
	}
	if kind == cluster.KindPut {
		copy(segment, buf)
	} else {
		copy(buf, segment)
	}
	if long {
		o.lane.Until(o.Now(), timeline.ActivityCopy, kind, int32(peer))
	}
}

// Compute implements cluster.Port.
func (o *observed) Compute(work cluster.Work, body func()) {
	if o.posted {
		o.endActivity(o.Now())
		o.lane.Now(timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
	}
	o.computing = true
	if o.kernel > 0 && work == (cluster.Work{}) {
		begin := o.Now()
		o.port.Compute(work, body)
		o.rec.Kernel(int32(o.ID()), o.kernel-1, begin, begin, o.Now())
		o.kernel = 0
		return
	}
	o.port.Compute(work, body)
}

// Fork implements cluster.Port. Threads sleep before the region and after the end of their own
// part.
func (o *observed) Fork(n int, body func(cluster.Port, int)) {
	lanes := o.rec.Team(o.ID(), n)
	o.endActivity(o.Now())
	o.port.Fork(n, func(p cluster.Port, thread int) {
		q := o
		if thread > 0 {
			q = newObserved(p.(*port), lanes[thread], o.rec)
			q.lane.Until(q.Now(), timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
		}
		q.lane.Now(timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
		defer q.lane.Now(timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
		q.computing = true
		body(q.wrapped(), thread)
		q.endActivity(q.Now())
	})
	o.lane.Until(o.Now(), timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
	o.lane.Now(timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
}
