package live

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// followed is an observed port that also records messages, including messages of continuations.
type followed struct {
	*observed
	pending map[cluster.Handle]int32 // context of each pending receive
}

// Post implements cluster.Port.
func (f *followed) Post(op *cluster.Op) cluster.Handle {
	if op.Then != nil {
		return f.postDetached(f.observed, op, f.Now())
	}
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend:
		f.recordSent(op, f.Now())
	case cluster.KindRecv:
		h := f.observed.Post(op)
		if h != 0 {
			f.pending[h] = op.Ctx
		} else {
			f.recordReceived(op.Ctx, &op.Done, f.Now())
		}
		return h
	}
	return f.observed.Post(op)
}

// Test implements cluster.Port.
func (f *followed) Test(h cluster.Handle, d *cluster.Done) bool {
	ok := f.observed.Test(h, d)
	if ok {
		if ctx, is := f.pending[h]; is {
			delete(f.pending, h)
			f.recordReceived(ctx, d, f.Now())
		}
	}
	return ok
}

func (f *followed) recordSent(op *cluster.Op, now cluster.Time) {
	f.rec.Sent(timeline.Envelope{From: f.e.id, To: op.Peer, Ctx: op.Ctx, Tag: op.Tag}, int32(f.thread), now, op.Bytes())
}

func (f *followed) recordReceived(ctx int32, d *cluster.Done, now cluster.Time) {
	if d.Err != cluster.Cancelled {
		f.rec.Received(timeline.Envelope{From: d.Peer, To: f.e.id, Ctx: ctx, Tag: d.Tag}, int32(f.thread), now)
	}
}

// postDetached posts an operation whose continuation is also followed.
func (f *followed) postDetached(to cluster.Poster, op *cluster.Op, now cluster.Time) cluster.Handle {
	then := op.Then
	s := &followedStep{f: f, then: then, ctx: op.Ctx}
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend:
		f.recordSent(op, now)
	case cluster.KindRecv:
		s.receives = true
	}
	op.Then = s
	h := to.Post(op)
	op.Then = then
	return h
}

// followedStep is the continuation of an operation on a followed port.
type followedStep struct {
	f        *followed
	then     cluster.Step
	ctx      int32
	receives bool
}

// Step implements cluster.Step. Locks may be held here, so nothing may unwind. Reading the port's
// clock would unwind in an aborted run.
func (s *followedStep) Step(p cluster.Poster, arg int32, d cluster.Done) {
	if s.receives {
		s.f.recordReceived(s.ctx, &d, s.f.e.w.clock())
	}
	s.then.Step(followedPoster{Poster: p, f: s.f}, arg, d)
}

// followedPoster is the Poster of a followed continuation.
type followedPoster struct {
	cluster.Poster
	f *followed
}

// Post implements cluster.Poster. An operation without a continuation is not a message, because no
// one could wait for it.
func (p followedPoster) Post(op *cluster.Op) cluster.Handle {
	if op.Then == nil {
		return p.Poster.Post(op)
	}
	return p.f.postDetached(p.Poster, op, p.f.e.w.clock())
}
