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
// passage of the last message to arrive. passTrain returns the part of it that the thread has
// already paid for, because it was still posting.
func (w *world) passTrain(m *msg, at cluster.Time, p *passage) (paid cluster.Time) {
	if w.net.isRegular(m.class) {
		w.passEvenly(m, at, p)
		return 0
	}
	wire := max(m.size/int64(m.train), 1) // bytes of one message
	beat, n := w.beat(m), cluster.Time(m.train)
	var freed cluster.Time // time at which the source may change
	for k := range n {
		one := passage{at: at + k*beat}
		w.passOne(m, wire, &one)
		reach := one.start + one.latency
		if k == 0 {
			m.more.reach = reach
			m.more.first = one.arrival()
		}
		if w.uneven {
			m.more.reaches = append(m.more.reaches, reach)
		}
		if k == 0 || one.arrival() >= p.arrival() {
			*p = one
			paid = (n - 1 - k) * beat
		}
		if w.fromDevice(m) {
			freed = max(freed, one.staged)
		} else {
			freed = max(freed, one.left)
		}
	}
	w.freeSource(m, freed, w.trace.charge(m.cause, freed-at-(n-1)*beat, CauseBytes, m.src))
	return paid
}

// passOne passes one message of a train through all resources, from its post on.
func (w *world) passOne(m *msg, wire int64, p *passage) {
	p.staged = w.fetch(m, p.at, wire)
	p.served = w.net.serve(w.net.nodeOf[m.src], m, p.staged, w.net.server.Send)
	p.begin = w.reserveThread(m, p.served, wire)
	w.net.pass(m, wire, p)
}
