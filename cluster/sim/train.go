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
// passage of the last message to arrive. passTrain returns the part of it before the thread ended
// posting.
func (w *world) passTrain(m *msg, at cluster.Time, p *passage) (before cluster.Time) {
	if w.net.regular(m.class) {
		w.passEvenly(m, at, p)
		return 0
	}
	wire := max(m.size/int64(m.train), 1)
	beat, n := w.beat(m), cluster.Time(m.train)
	var freed cluster.Time
	for k := range n {
		one := passage{at: at + k*beat}
		one.staged = w.fetch(m, one.at, wire)
		one.served = w.net.serve(w.net.nodeOf[m.src], m, one.staged, w.net.server.Send)
		one.begin = w.turn(m, one.served, wire)
		w.net.pass(m, wire, &one)
		if k == 0 {
			m.more.first, m.more.reach = one.arrival(), one.start+one.latency
		}
		if w.uneven {
			m.more.reaches = append(m.more.reaches, one.start+one.latency)
		}
		if k == 0 || one.arrival() >= p.arrival() {
			*p, before = one, (n-1-k)*beat
		}
		if w.fromDevice(m) {
			freed = max(freed, one.staged)
		} else {
			freed = max(freed, one.left)
		}
	}
	w.freeSource(m, freed, w.trace.charge(m.cause, freed-at-(n-1)*beat, CauseBytes, m.src))
	return before
}
