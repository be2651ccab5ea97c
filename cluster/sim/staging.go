package sim

import "github.com/hybridtop/hybridtop/cluster"

// fromDevice reports whether a message's bytes must be copied to host memory before they can leave.
func (w *world) fromDevice(m *msg) bool {
	return w.staged && m.more != nil && m.more.from == cluster.DeviceMemory && m.carriesData()
}

// stage copies bytes between device memory and host memory, over the rank's path to its device, and
// returns the end.
func (w *world) stage(rank int32, at cluster.Time, n int64) cluster.Time {
	r := &w.ranks[rank]
	begin := max(at, r.device)
	r.device = begin + w.device.carry(n)
	return r.device + w.device.l
}

// fetch copies the bytes of a message to host memory, and returns the end. Matchable messages keep
// their order.
func (w *world) fetch(m *msg, at cluster.Time, wire int64) cluster.Time {
	if !w.staged {
		return at
	}
	if w.fromDevice(m) {
		at = w.stage(m.src, at, wire)
	}
	if m.kind != msgEager && m.kind != msgRTS {
		return at
	}
	t := w.ranks[m.src].engine
	if m.thread >= 0 {
		t = w.threads[m.thread]
	}
	t.stagedUntil = max(t.stagedUntil, at)
	return t.stagedUntil
}

// toDevice completes a receive when its bytes, which are in host memory at a time, have been copied
// to device memory.
func (r *rank) toDevice(id uint32, at cluster.Time, size int64, cause int32) {
	w, s := r.w, &r.slots.list[id]
	end := w.stage(r.id, at, max(min(size, s.size), 1))
	s.cause = w.trace.charge(cause, end-at, CauseMemory, r.id)
	w.completeAt(end, r.id, id)
}

// stageAtTarget copies the bytes of a message to device memory, and reports whether the message
// must arrive once more for that.
func (w *world) stageAtTarget(i int32) bool {
	m := &w.msgs[i]
	if !w.staged || m.more.to != cluster.DeviceMemory || m.staged {
		return false
	}
	m.staged = true
	var end cluster.Time
	if n := int64(m.train); n > 1 { // each at its arrival; the last one arrived now
		r, wire := &w.ranks[m.dst], max(m.size/n, 1)
		one := w.device.carry(wire)
		r.device = max(max(r.device, m.more.first)+cluster.Time(n)*one, w.now+one)
		end = r.device + w.device.l
	} else {
		end = w.stage(m.dst, w.now, m.wire())
	}
	if end == w.now {
		return false
	}
	m.cause = w.trace.charge(m.cause, end-w.now, CauseMemory, m.dst)
	w.push(end, evArrive, i)
	return true
}
