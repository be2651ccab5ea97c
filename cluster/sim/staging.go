package sim

import "github.com/hybridtop/hybridtop/cluster"

// fromDevice reports whether a message's bytes must be copied to host memory before they can leave.
func (w *world) fromDevice(m *msg) bool {
	return w.staged && m.more != nil && m.more.from == cluster.DeviceMemory && m.carriesData()
}

// stage copies bytes between device memory and host memory, over the rank's path to its device, and
// returns the end and its cause.
func (w *world) stage(rank int32, at cluster.Time, n int64, cause int32) (cluster.Time, int32) {
	r := &w.ranks[rank]
	carry := w.device.carry(n)
	if tr := &w.trace; tr.on {
		tr.ofRank(orderDevicePath, rank, uint64(n))
		cause = tr.wait(at, cause, r.device, tr.paths[rank], DevicePath, rank)
		cause = tr.charge(cause, carry, ofBandwidth.class(onDevice), rank)
		tr.paths[rank] = cause
		cause = tr.charge(cause, w.device.l, ofLatency.class(onDevice), rank)
	}
	r.device = max(at, r.device) + carry
	return r.device + w.device.l, cause
}

// fetch copies the bytes of a message to host memory, and returns the end and its cause. Matchable
// messages keep their order.
func (w *world) fetch(m *msg, at cluster.Time, wire int64, cause int32) (cluster.Time, int32) {
	if !w.staged {
		return at, cause
	}
	if w.fromDevice(m) {
		at, cause = w.stage(m.src, at, wire, cause)
	}
	if m.kind != msgEager && m.kind != msgRTS {
		return at, cause
	}
	t := w.ranks[m.src].engine
	if m.thread >= 0 {
		t = w.threads[m.thread]
	}
	if tr := &w.trace; tr.on {
		by := tr.stagedBy(m)
		cause = tr.wait(at, cause, t.stagedUntil, *by, DevicePath, m.src)
		*by = cause
	}
	t.stagedUntil = max(t.stagedUntil, at)
	return t.stagedUntil, cause
}

// toDevice completes a receive when its bytes, which are in host memory at a time, have been copied
// to device memory.
func (r *rank) toDevice(id uint32, at cluster.Time, size int64, cause int32) {
	w, s := r.w, &r.slots.list[id]
	var end cluster.Time
	end, s.cause = w.stage(r.id, at, max(min(size, s.size), 1), cause)
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
	cause := m.cause
	if n := int64(m.train); n > 1 { // each at its arrival; the last one arrived now
		end, cause = w.stageTrain(m, n)
	} else {
		end, cause = w.stage(m.dst, w.now, m.wire(), cause)
	}
	if end == w.now {
		return false
	}
	m.cause = cause
	w.push(end, evArrive, i)
	return true
}

// stageTrain copies the bytes of a packet train of n messages to device memory, and returns the end
// and its cause.
func (w *world) stageTrain(m *msg, n int64) (cluster.Time, int32) {
	r, wire := &w.ranks[m.dst], max(m.size/n, 1)
	one := w.device.carry(wire)
	all := max(r.device, m.more.first) + cluster.Time(n)*one
	cause := m.cause
	if tr := &w.trace; tr.on {
		why := ofBandwidth.class(onDevice)
		if all > w.now+one {
			cause = tr.wait(m.more.first, m.more.firstCause, r.device, tr.paths[m.dst], DevicePath, m.src)
			cause = tr.charge(cause, cluster.Time(n)*one, why, m.dst)
		} else {
			cause = tr.charge(cause, one, why, m.dst)
		}
		tr.paths[m.dst] = cause
		cause = tr.charge(cause, w.device.l, ofLatency.class(onDevice), m.dst)
	}
	r.device = max(all, w.now+one)
	return r.device + w.device.l, cause
}
