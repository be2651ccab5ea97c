package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// observed is a port whose thread writes down why its time passes. It tells the
// thread what call it is in; spend and until do the rest.
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

// note writes down that the last dt of a thread's time passed for a reason.
func (t *thread) note(dt cluster.Time, why Cause) {
	t.waited(t.now - dt)
	switch why {
	case CauseCompute, CauseNoise:
		t.lane.Until(t.now, timeline.ActivityCompute, cluster.KindNone, timeline.NoPeer)
	case CauseMemory: // its node's memory serves others, or one atomic after another
		t.lane.Until(t.now, timeline.ActivityWait, t.call, t.peer)
	case CauseLock:
		t.lane.Until(t.now, timeline.ActivityLock, t.call, t.peer)
	case CauseLatency, CauseBytes: // a load or a store of its own
		t.lane.Until(t.now, timeline.ActivityCopy, t.call, t.peer)
	case CauseSync: // among the threads of a region
		a := timeline.ActivitySleep
		if t.call == cluster.KindDraw {
			a = timeline.ActivityLock
		}
		t.lane.Until(t.now, a, t.call, timeline.NoPeer)
	default:
		t.lane.Until(t.now, timeline.ActivityCommunicate, t.call, t.peer)
	}
}

// waited writes down that the thread stood still until a time.
func (t *thread) waited(until cluster.Time) {
	switch {
	case t.state == threadEnded:
		t.lane.Until(until, timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
	case t.call == cluster.KindMeet:
		t.lane.Until(until, timeline.ActivitySleep, cluster.KindMeet, timeline.NoPeer)
	default:
		t.lane.Until(until, timeline.ActivityWait, t.call, t.peer)
	}
}

// names says what the time of a thread passes for from now on.
func (t *thread) names(call cluster.Kind, peer int32) {
	if !call.HasPeer() {
		peer = timeline.NoPeer
	}
	t.call, t.peer = call, peer
}

// arrow writes down a message that arrives at a time.
func (w *world) arrow(m *msg, p *passage) {
	if m.kind != msgEager && m.kind != msgData {
		return
	}
	a := timeline.Arrow{From: m.src, To: m.dst, Sent: p.at, Received: p.arrival(), Bytes: m.size, Tag: m.tag}
	if m.thread >= 0 {
		a.FromThread = int32(w.threads[m.thread].number)
	}
	if m.kind == msgData {
		a.ToThread = w.ranks[m.dst].slots.list[m.recv].waiter
	}
	w.trace.recorder.Message(a)
}

// Post implements cluster.Port.
func (o observed) Post(op *cluster.Op) cluster.Handle {
	o.names(op.Kind, op.Peer)
	return o.thread.Post(op)
}

// Wait implements cluster.Port.
func (o observed) Wait(hs []cluster.Handle, need int) {
	a := timeline.ActivityWait
	if o.call == cluster.KindMeet {
		a = timeline.ActivitySleep
	}
	o.lane.Now(a, o.call, o.peer)
	o.thread.Wait(hs, need)
	o.lane.Unknown()
}

// Compute implements cluster.Port.
func (o observed) Compute(work cluster.Work, body func()) {
	o.names(cluster.KindNone, timeline.NoPeer)
	o.thread.Compute(work, body)
}

// Fork implements cluster.Port. Threads sleep before their region, and from the end
// of their own part of it.
func (o observed) Fork(n int, body func(cluster.Port, int)) {
	lanes := o.w.trace.recorder.Team(o.ID(), n)
	o.names(cluster.KindMeet, timeline.NoPeer)
	o.thread.Fork(n, func(p cluster.Port, number int) {
		t := p.(*thread)
		if t.lane == nil {
			t.lane = lanes[number]
			t.lane.Until(t.now, timeline.ActivitySleep, cluster.KindNone, timeline.NoPeer)
		}
		t.names(cluster.KindNone, timeline.NoPeer)
		t.lane.Unknown()
		body(observed{t}, number)
		t.names(cluster.KindMeet, timeline.NoPeer)
		t.lane.Now(timeline.ActivitySleep, cluster.KindMeet, timeline.NoPeer)
	})
	o.names(cluster.KindNone, timeline.NoPeer)
	o.lane.Unknown()
}
