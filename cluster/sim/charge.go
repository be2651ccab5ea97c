package sim

import (
	"errors"

	"github.com/hybridtop/hybridtop/cluster"
)

// chargedAccesses has the sending time of each node's adapters for the accesses that are charged at
// once and still in progress.
type chargedAccesses struct {
	begin, end cluster.Time
	busy       []cluster.Time // by node
}

// Charge implements cluster.Charger.
func (t *thread) Charge(members []int32, what []cluster.Charge) (worst int, share float64, err error) {
	t.check()
	w, n := t.w, &t.w.net
	if n.served || n.slow != nil {
		return 0, 0, errors.New("the machine has message servers or slow parts, so accesses would wait for each other")
	}
	c := &w.charged
	if c.busy == nil {
		c.busy = make([]cluster.Time, len(n.memories))
	}
	if t.now >= c.end {
		c.begin, c.end = t.now, t.now
		clear(c.busy)
	}
	c.begin = min(c.begin, t.now)
	remote := &n.ways[cluster.Remote]
	for _, some := range what {
		sends := remote.g + remote.bandwidth.time(some.Bytes-1)
		for i, k := range some.Ops {
			if k == 0 {
				continue
			}
			t.gets(members[i], cluster.Time(k), some.Bytes)
			if node := n.nodeOf[members[i]]; node != n.nodeOf[t.r.id] {
				c.busy[node] += cluster.Time(k) * sends / cluster.Time(n.adapters)
			}
		}
	}
	c.end = max(c.end, t.now)
	for node, busy := range c.busy {
		if s := float64(busy) / float64(max(c.end-c.begin, 1)); s > share {
			worst, share = node, s
		}
	}
	return worst, share, nil
}

// gets charges the time of blocking gets from a rank, without contention.
func (t *thread) gets(from int32, times cluster.Time, bytes int64) {
	n := &t.w.net
	class := n.class(t.r.id, from)
	way := &n.ways[class]
	memory := n.memories[0].rate.time(bytes)
	if class != cluster.Remote && t.w.hasLoads && way.access > 0 {
		beyond := way.accessRate.time(bytes - cluster.AccessLine)
		if way.access+beyond >= memory {
			t.spend(times*way.access, ofAccess.class(class))
			t.spend(times*beyond, ofAccessRate.class(class))
		} else {
			t.spend(times*memory, ofNodeRate)
		}
		return
	}
	t.spend(times*way.o, ofOverhead.class(class))
	if class == cluster.Remote {
		trip := n.roundTrip(t.r.id, from, bytes)
		t.spend(times*trip.latency, ofLatency.class(class))
		t.spend(times*trip.hops, ofHop)
		t.spend(times*trip.bytes, trip.why)
		return
	}
	carry, why := way.bandwidth.time(bytes-1), ofBandwidth.class(class)
	if memory > carry {
		carry, why = memory, ofNodeRate
	}
	t.spend(times*way.l, ofLatency.class(class))
	t.spend(times*carry, why)
}

// trip is the time of a request to another node and of the returned bytes.
type trip struct {
	latency, hops, bytes cluster.Time
	why                  Constant // of the bytes
}

// roundTrip returns the time of a request to another node and of the returned bytes, without
// contention.
func (n *network) roundTrip(from, to int32, bytes int64) trip {
	way := &n.ways[cluster.Remote]
	t := trip{latency: 2 * way.l, bytes: way.bandwidth.time(bytes - 1), why: ofBandwidth.class(cluster.Remote)}
	if n.shape != nil {
		for _, ends := range [2][2]int32{{from, to}, {to, from}} {
			path := n.shape.Route(int(n.nodeOf[ends[0]]), int(n.nodeOf[ends[1]]), nil)
			t.hops += n.hop * cluster.Time(max(len(path)-1, 0))
			if ends[0] == to {
				for _, l := range path {
					if x := n.linkRate[l].time(bytes - 1); x > t.bytes {
						t.bytes, t.why = x, ofLink
					}
				}
			}
		}
	}
	return t
}
