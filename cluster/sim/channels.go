package sim

import "github.com/hybridtop/hybridtop/cluster"

// channels keep the messages from one rank to another in order. A message that a receive can match
// does not arrive before an earlier one, neither with its first nor with its last byte. This also
// holds if it is shorter, or if another adapter, a free link or the noise would make it faster. The
// first bytes matter because the target's adapters receive messages in the order of their first
// bytes.
type channels struct {
	inFlight []arrival    // messages in flight, and a few that have arrived
	reach    cluster.Time // the latest first byte of all
	last     cluster.Time // the latest arrival of all
}

// linkOrder are a rank's messages that have not reached the first link of a network, and a few that
// have.
type linkOrder []departure

type departure struct {
	dst   int32
	at    cluster.Time
	cause int32
}

// enter returns the time at which the head of a message to dst reaches the first link, at the
// earliest at, and its cause. Behind that link, messages on the same path do not overtake.
func (h *linkOrder) enter(dst int32, at, now cluster.Time, cause int32) (cluster.Time, int32) {
	left := (*h)[:0]
	for _, d := range *h {
		if d.dst == dst {
			if d.at > at {
				at, cause = d.at, d.cause
			}
		} else if d.at > now {
			left = append(left, d)
		}
	}
	if at > now {
		left = append(left, departure{dst: dst, at: at, cause: cause})
	}
	*h = left
	return at, cause
}

type arrival struct {
	dst               int32
	reach, at         cluster.Time
	reachCause, cause int32 // if traced
}

// blame returns the causes of an arrival, and stores them. If an earlier message delays it, they are
// the causes of that message.
func (c *channels) blame(t *trace, dst, rank int32, reach, at cluster.Time, reachCause, cause int32) (int32, int32) {
	last := &c.inFlight[len(c.inFlight)-1]
	for _, a := range c.inFlight[:len(c.inFlight)-1] {
		if a.dst != dst {
			continue
		}
		if a.reach == last.reach && a.reach > reach {
			reachCause, reach = t.held(a.reachCause, MessageOrder, rank), a.reach
		}
		if a.at == last.at && a.at > at {
			cause, at = t.held(a.cause, MessageOrder, rank), a.at
		}
	}
	last.reachCause, last.cause = reachCause, cause
	return reachCause, cause
}

// arrive returns the arrival times of the first and the last byte of a message to dst, given their
// earliest times.
func (c *channels) arrive(dst int32, reach, at, now cluster.Time) (cluster.Time, cluster.Time) {
	if reach < c.reach || at < c.last {
		for _, a := range c.inFlight {
			if a.dst == dst {
				reach, at = max(reach, a.reach), max(at, a.at)
			}
		}
	}
	c.reach, c.last = max(c.reach, reach), max(c.last, at)
	if len(c.inFlight) == cap(c.inFlight) {
		c.forget(now)
	}
	c.inFlight = append(c.inFlight, arrival{dst: dst, reach: reach, at: at})
	return reach, at
}

// forget removes the messages that have arrived, and makes space for more.
//
//go:noinline
func (c *channels) forget(now cluster.Time) {
	n, left := cap(c.inFlight), 0
	for i := range c.inFlight {
		if c.inFlight[i].at >= now {
			c.inFlight[left] = c.inFlight[i]
			left++
		}
	}
	c.inFlight = c.inFlight[:left]
	if left > n/2 {
		more := make([]arrival, left, 2*n)
		copy(more, c.inFlight)
		c.inFlight = more
	}
}
