package live

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// followed is an observed port whose messages are written down as well.
type followed struct {
	*observed
	pending map[cluster.Handle]int32 // context of each receive under way
}

// Post implements cluster.Port.
func (f *followed) Post(op *cluster.Op) cluster.Handle {
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend:
		f.rec.Sent(timeline.Envelope{From: f.e.id, To: op.Peer, Ctx: op.Ctx, Tag: op.Tag}, int32(f.thread), f.Now(), op.Bytes())
	case cluster.KindRecv:
		h := f.observed.Post(op)
		if h != 0 {
			f.pending[h] = op.Ctx
		} else {
			f.arrived(op.Ctx, &op.Done)
		}
		return h
	}
	return f.observed.Post(op)
}

// Test implements cluster.Port.
func (f *followed) Test(h cluster.Handle) (cluster.Done, bool) {
	d, ok := f.observed.Test(h)
	if ok {
		if ctx, is := f.pending[h]; is {
			delete(f.pending, h)
			f.arrived(ctx, &d)
		}
	}
	return d, ok
}

func (f *followed) arrived(ctx int32, d *cluster.Done) {
	if d.Err != cluster.Cancelled {
		f.rec.Received(timeline.Envelope{From: d.Peer, To: f.e.id, Ctx: ctx, Tag: d.Tag}, int32(f.thread), f.Now())
	}
}
