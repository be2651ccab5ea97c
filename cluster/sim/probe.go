package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// unmatched holds messages that matched probes took, by number.
type unmatched struct {
	held []int32 // message index + 1; 0: free
}

func (r *rank) findMessage(take bool, ctx, src, tag int32) (cluster.Done, bool) {
	find := r.queues.Peek
	if take {
		find = r.queues.Take
	}
	i, ok := find(ctx, src, tag)
	if !ok {
		return cluster.Done{}, false
	}
	m := &r.w.msgs[i]
	d := cluster.Done{Peer: m.src, Tag: m.tag, Size: m.size, Found: true}
	if take {
		k := 0
		for k < len(r.unmatched.held) && r.unmatched.held[k] != 0 {
			k++
		}
		if k == len(r.unmatched.held) {
			r.unmatched.held = append(r.unmatched.held, 0)
		}
		r.unmatched.held[k] = int32(i) + 1
		d.A = uint64(k) + 1
	}
	return d, true
}

func (t *thread) startProbe(op *cluster.Op) cluster.Handle {
	take := op.Kind == cluster.KindMprobe || op.Kind == cluster.KindImprobe
	now := op.Kind == cluster.KindIprobe || op.Kind == cluster.KindImprobe
	if t.id >= 0 && !t.r.stepping {
		t.poll()
	}
	d, ok := t.r.findMessage(take, op.Ctx, op.Peer, op.Tag)
	if ok || now {
		return t.finish(op, d)
	}
	_, id := t.takeSlot(op)
	t.r.probes = append(t.r.probes, id)
	return t.postResult(op, id)
}

// mrecv receives a message that a matched probe took.
func (t *thread) mrecv(op *cluster.Op) cluster.Handle {
	k := op.A - 1
	if op.A == 0 || k >= uint64(len(t.r.unmatched.held)) || t.r.unmatched.held[k] == 0 {
		return t.finish(op, cluster.Done{Err: cluster.NoMessage})
	}
	if op.From == cluster.DeviceMemory {
		t.pay(t.w.devices.messageTime, ofDeviceMessage)
	}
	if t.w.staged && op.From == cluster.DeviceMemory && t.id >= 0 && !t.r.stepping {
		t.sync(evResume)
	}
	i := t.r.unmatched.held[k] - 1
	t.r.unmatched.held[k] = 0
	return t.claim(op, i)
}

// checkProbes completes the probes that a message satisfies. Each completion may
// resume a thread, which may probe and receive.
func (r *rank) checkProbes(cause int32) {
	for k := 0; k < len(r.probes); {
		id := r.probes[k]
		s := &r.slots.list[id]
		d, ok := r.findMessage(s.kind == cluster.KindMprobe, s.ctx, s.peer, s.tag)
		if !ok {
			k++
			continue
		}
		r.probes = append(r.probes[:k], r.probes[k+1:]...)
		r.complete(id, r.w.now, d, cause)
		k = 0
	}
}
