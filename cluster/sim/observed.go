package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// observed is a port whose thread records the causes of its time. It sets the thread's current
// call; spend and until record the time.
type observed struct{ *thread }

// observe wraps the bodies of a launch whose timeline is recorded.
func (w *world) observe(body func(cluster.Port) error) func(cluster.Port) error {
	rec := w.trace.recorder
	if rec == nil {
		return body
	}
	return func(p cluster.Port) error {
		t := p.(*thread)
		lanes := rec.Team(t.ID(), 1)
		if lanes == nil {
			return body(p)
		}
		t.lane = lanes[0]
		t.lane.Unknown()
		err := body(observed{t})
		t.lane.Now(timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
		return err
	}
}

// recordSpent records the cause of the last dt of a thread's time.
func (t *thread) recordSpent(dt cluster.Time, why Constant) {
	t.recordWait(t.now - dt)
	switch why.Cause() {
	case CauseCompute:
		t.lane.Until(t.now, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
	case CauseMemory: // waits for the node's memory or for other atomics
		a := timeline.ActivityWait
		if t.call == cluster.KindDraw {
			a = timeline.ActivityLock
		}
		t.lane.Until(t.now, a, t.call, t.peer)
	case CauseLock:
		t.lane.Until(t.now, timeline.ActivityLock, t.call, t.peer)
	case CauseLatency, CauseBytes, CauseCopy, CauseLink: // its own load or store, or a copy of an eager buffer
		t.lane.Until(t.now, timeline.ActivityCopy, t.call, t.peer)
	case CauseSync: // among the threads of a region
		t.lane.Until(t.now, timeline.ActivitySleep, t.call, timeline.NoPeer)
	default:
		a := timeline.ActivityCommunicate
		if t.call == cluster.KindLaunch { // starts a kernel or detects its end
			a = timeline.ActivityCompute
		}
		t.lane.Until(t.now, a, t.call, t.peer)
	}
}

// recordWait records that the thread did nothing until a time. It waits until the other side has
// arrived, and communicates from then on.
func (t *thread) recordWait(until cluster.Time) {
	switch {
	case t.state == threadEnded:
		t.lane.Until(until, timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
	case t.call == cluster.KindThreadBarrier:
		t.lane.Until(until, timeline.ActivitySleep, cluster.KindThreadBarrier, timeline.NoPeer)
	default:
		if t.peerReady == 0 || t.peerReady > until {
			t.peerReady = until
		}
		t.lane.Until(t.peerReady, timeline.ActivityWait, t.call, t.peer)
		t.lane.Until(until, timeline.ActivityCommunicate, t.call, t.peer)
		t.peerReady = 0
	}
}

// setCall sets the call for the following time of a thread.
func (t *thread) setCall(call cluster.Kind, peer int32) {
	if !call.HasPeer() {
		peer = timeline.NoPeer
	}
	t.call, t.peer = call, peer
}

// voyage has the times of bytes that a thread waits for.
type voyage struct {
	begin   cluster.Time // arrival of the later side
	arrow   timeline.Arrow
	message bool // a receive whose message has not been taken yet
}

// recordDeparture records that a message's bytes leave, for its receiver and, in a rendezvous, for
// its sender.
func (w *world) recordDeparture(i int32, p *passage) {
	m := &w.msgs[i]
	if m.kind != msgEager && m.kind != msgData {
		return
	}
	v := voyage{begin: p.at, message: true}
	v.arrow = timeline.Arrow{From: m.src, To: m.dst, Sent: p.at, Bytes: m.size, Tag: m.tag}
	if m.thread >= 0 {
		v.arrow.FromThread = w.threads[m.thread].number
	}
	if m.kind == msgData {
		v.begin = w.bothReady(m)
		*w.ranks[m.src].voyage(m.req) = voyage{begin: v.begin}
	}
	*entryOf(&w.trace.voyages, int(i)) = v
}

// recordPull records that a thread copies a rendezvous from its sender's memory.
func (w *world) recordPull(m *msg, t *thread) {
	w.recordBothReady(m, t)
	v := voyage{begin: w.bothReady(m)}
	*w.ranks[m.src].voyage(m.req) = v
	v.message = true
	v.arrow = timeline.Arrow{From: m.src, To: m.dst, Sent: t.now, Bytes: m.size, Tag: m.tag}
	if m.thread >= 0 {
		v.arrow.FromThread = w.threads[m.thread].number
	}
	*w.ranks[m.dst].voyage(m.recv) = v
}

// bothReady returns the arrival time of the later side of a rendezvous.
func (w *world) bothReady(m *msg) cluster.Time {
	from, to := m.src, m.dst
	if m.kind == msgCTS {
		from, to = to, from
	}
	return max(w.ranks[w.local(from)].slots.list[m.req].at, w.ranks[w.local(to)].slots.list[m.recv].at)
}

// recordBothReady records that a thread continues a rendezvous whose sides have both arrived.
func (w *world) recordBothReady(m *msg, t *thread) {
	if t != nil && t.lane != nil && (m.kind == msgRTS || m.kind == msgCTS || m.kind == msgData) {
		t.peerReady = max(w.bothReady(m), 1)
	}
}

// recordArrival records that message i has reached a receive.
func (w *world) recordArrival(r *rank, recv uint32, i int32) {
	if w.trace.recorder != nil {
		w.copyVoyage(r, recv, i)
	}
}

//go:noinline
func (w *world) copyVoyage(r *rank, recv uint32, i int32) {
	*r.voyage(recv) = *entryOf(&w.trace.voyages, int(i))
}

// recordFound records that a thread finds an operation complete, and the end of its wait for
// another rank. One-sided operations never wait for another rank.
func (t *thread) recordFound(s *slot, i uint32) {
	t.setCall(s.kind, s.peer)
	switch s.kind {
	case cluster.KindSend, cluster.KindSsend, cluster.KindRecv, cluster.KindMrecv:
		t.peerReady = t.r.voyage(i).begin
	case cluster.KindPut, cluster.KindGet, cluster.KindAtomic:
		t.peerReady = max(t.lane.End(), 1)
	}
}

// recordTaken records that a thread has taken the message of a receive, or has found its own
// message sent.
func (r *rank) recordTaken(v *voyage, thread int32, at cluster.Time) {
	if v.message && r.w.trace.arrows {
		v.arrow.ToThread, v.arrow.Received = thread, at
		r.w.trace.recorder.Message(v.arrow)
	}
	*v = voyage{}
}

// entryOf returns an entry of a table, which grows if needed.
func entryOf[T any](table *[]T, i int) *T {
	for i >= len(*table) {
		*table = append(*table, *new(T))
	}
	return &(*table)[i]
}

// voyage returns the voyage of an operation's message.
func (r *rank) voyage(slot uint32) *voyage { return entryOf(&r.w.trace.bySlot[r.id], int(slot)) }

// Post implements cluster.Port.
func (o observed) Post(op *cluster.Op) cluster.Handle {
	o.setCall(op.Kind, op.Peer)
	return o.thread.Post(op)
}

// Wait implements cluster.Port.
func (o observed) Wait(hs []cluster.Handle, need int) {
	a := timeline.ActivityWait
	if o.call == cluster.KindThreadBarrier {
		a = timeline.ActivitySleep
	}
	o.lane.Now(a, o.call, o.peer)
	o.thread.Wait(hs, need)
	o.lane.Unknown()
}

// Compute implements cluster.Port.
func (o observed) Compute(work cluster.Work, body func()) {
	o.setCall(cluster.KindNone, timeline.NoPeer)
	o.thread.Compute(work, body)
}

// Fork implements cluster.Port. Threads sleep before the region and after the end of their own
// part.
func (o observed) Fork(n int, body func(cluster.Port, int)) {
	lanes := o.w.trace.recorder.Team(o.ID(), n)
	o.setCall(cluster.KindThreadBarrier, timeline.NoPeer)
	o.thread.Fork(n, func(p cluster.Port, number int) {
		t := p.(*thread)
		if t.lane == nil {
			t.lane = lanes[number]
			t.lane.Until(t.now, timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
		}
		t.setCall(cluster.KindNone, timeline.NoPeer)
		t.lane.Unknown()
		body(observed{t}, number)
		t.setCall(cluster.KindThreadBarrier, timeline.NoPeer)
		t.lane.Now(timeline.ActivitySleep, cluster.KindThreadBarrier, timeline.NoPeer)
	})
	o.setCall(cluster.KindNone, timeline.NoPeer)
	o.lane.Unknown()
}
