package coll

import "github.com/hybridtop/hybridtop/cluster"

// crossing is the way of a transit over the links between two nodes. Its head reserves each link
// when it reaches it.
type crossing struct {
	path        []int32
	next        int
	head        cluster.Time // time at which the head reaches the next link
	carry, left cluster.Time // time of the bytes; time at which the last byte has left the adapter
	passed      cluster.Time // time at which the last byte has passed the links, without hops
	latency     cluster.Time
}

// enterLinks starts the crossing of a transit that leaves its adapter at a time.
func (w *estimation) enterLinks(i int32, start, carry, left, latency cluster.Time) {
	for int(i) >= len(w.crossings) {
		w.crossings = append(w.crossings, crossing{})
	}
	f, c := &w.list[i], &w.crossings[i]
	path := w.links.Route(int(w.nodes[w.nodeOf[f.from]]), int(w.nodes[w.nodeOf[f.to]]), c.path[:0])
	*c = crossing{path: path, head: start, carry: carry, left: left, latency: latency}
	switch {
	case len(path) == 0:
		f.last = left + latency
		w.push(start+latency, stageReach, f.to, i)
	case w.isQuiet(start):
		w.passLinks(i)
	default:
		w.push(start, stageLink, f.to, i)
	}
}

// passLinks passes the links of a transit until another event is earlier.
func (w *estimation) passLinks(i int32) {
	f, c := &w.list[i], &w.crossings[i]
	for {
		l, hops := c.path[c.next], w.hop*cluster.Time(c.next)
		if w.linkRate[l] < 0 {
			w.linkRate[l] = perByteOf(float64(w.links.Rate(int(l))))
		}
		at := max(c.head, w.linkFree[l])
		if w.linkFree[l] == 0 {
			w.busy = append(w.busy, l)
		}
		wire := f.wire()
		w.linkFree[l] = at + w.linkRate[l].time(wire)
		c.passed = max(c.passed, at-hops+w.linkRate[l].time(wire-1))
		if c.next++; c.next == len(c.path) {
			f.last = max(at-hops+c.carry, c.left, c.passed) + c.latency + hops
			w.push(at+c.latency, stageReach, f.to, i)
			return
		}
		c.head = at + w.hop
		if !w.isQuiet(c.head) {
			w.push(c.head, stageLink, f.to, i)
			return
		}
	}
}
