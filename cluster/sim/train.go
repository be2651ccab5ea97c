package sim

import "github.com/hybridtop/hybridtop/cluster"

// beat returns the time between the posts of a train. The adapter posts for free.
func (w *world) beat(m *msg) cluster.Time {
	if m.thread == noThread && w.progress == cluster.ProgressOffload {
		return 0
	}
	o := w.net.ways[m.class].o
	if one := m.size / int64(m.train); m.class == cluster.Remote && w.buffered(one, m.more.from) {
		o += w.net.ways[cluster.Remote].copy.time(one)
	}
	return o
}

// passTrain is pass for a train: all its messages reserve their resources at once. p becomes the
// passage of the last message to arrive.
func (w *world) passTrain(m *msg, at cluster.Time, p *passage) {
	if w.net.isRegular(m.class) {
		w.passEvenly(m, at, p)
		return
	}
	wire := max(m.size/int64(m.train), 1) // bytes of one message
	beat, n := w.beat(m), cluster.Time(m.train)
	var freed cluster.Time // time at which the source may change
	var freedCause int32
	for k := range n {
		one := passage{at: at + k*beat, cause: m.cause}
		if w.trace.on {
			one.cause = w.post(m, m.cause, k)
		}
		w.passOne(m, wire, &one)
		reach := one.start + one.latency
		if w.trace.on {
			w.recordTrain(m, &one)
		}
		if k == 0 {
			m.more.reach = reach
			m.more.first = one.arrival()
		}
		if w.uneven {
			m.more.reaches = append(m.more.reaches, reach)
		}
		if k == 0 || one.arrival() >= p.arrival() {
			*p = one
		}
		if w.fromDevice(m) {
			if one.staged >= freed {
				freed, freedCause = one.staged, one.stagedCause
			}
		} else if one.left >= freed {
			freed = one.left
			freedCause = w.trace.departure(m, &one)
		}
	}
	w.freeSource(m, freed, freedCause)
}

// passOne passes one message of a train through all resources, from its post on.
func (w *world) passOne(m *msg, wire int64, p *passage) {
	p.staged, p.cause = w.fetch(m, p.at, wire, p.cause)
	p.stagedCause = p.cause
	p.served, p.cause = w.net.serve(w.net.nodeOf[m.src], m, p.staged, w.net.server.Send, p.cause, ofServerSend)
	p.begin, p.cause = w.reserveThread(m, p.served, wire, p.cause)
	w.net.pass(m, wire, p)
}
