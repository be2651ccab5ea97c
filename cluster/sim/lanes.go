package sim

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// lanes keeps the messages of a rank to another in order: none that a receive can
// match comes before one that left earlier, neither with its first byte nor with its
// last one, though it is shorter, or found another adapter, a link that is free or
// luck with the noise. The first bytes count because the target's adapters take
// messages in as these come.
type lanes struct {
	under []arrival    // those under way, and a few that have arrived
	reach cluster.Time // the latest first byte of all
	last  cluster.Time // the latest arrival of all
}

// heads are those of a rank's messages that have not come to the first link of a network,
// and a few that have.
type heads []departure

type departure struct {
	dst int32
	at  cluster.Time
}

// embark gives the time at which the head of a message to dst comes to the first link,
// which it could at such a time. On the same way behind it none passes another.
func (h *heads) embark(dst int32, at, now cluster.Time) cluster.Time {
	left := (*h)[:0]
	for _, d := range *h {
		if d.dst == dst {
			at = max(at, d.at)
		} else if d.at > now {
			left = append(left, d)
		}
	}
	if *h = left; at > now {
		*h = append(left, departure{dst, at})
	}
	return at
}

type arrival struct {
	dst       int32
	reach, at cluster.Time
}

// arrive gives the times at which the first and the last byte of a message to dst are
// there that could be at such times.
func (l *lanes) arrive(dst int32, reach, at, now cluster.Time) (cluster.Time, cluster.Time) {
	if reach < l.reach || at < l.last {
		for _, a := range l.under {
			if a.dst == dst {
				reach, at = max(reach, a.reach), max(at, a.at)
			}
		}
	}
	l.reach, l.last = max(l.reach, reach), max(l.last, at)
	if n := cap(l.under); len(l.under) == n {
		l.under = slices.DeleteFunc(l.under, func(a arrival) bool { return a.at < now })
		if len(l.under) > n/2 {
			l.under = slices.Grow(l.under, n)
		}
	}
	l.under = append(l.under, arrival{dst, reach, at})
	return reach, at
}
