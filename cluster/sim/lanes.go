package sim

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// lanes keeps the messages of a rank to another in order: none that a receive can
// match arrives before one that left earlier, though it is shorter, or found
// another adapter, a link that is free or luck with the noise.
type lanes struct {
	under []arrival    // those under way, and a few that have arrived
	last  cluster.Time // the latest arrival of all
}

type arrival struct {
	dst int32
	at  cluster.Time
}

// arrive gives the time at which a message to dst arrives that could at a time.
func (l *lanes) arrive(dst int32, at, now cluster.Time) cluster.Time {
	if at < l.last {
		for _, a := range l.under {
			if a.dst == dst {
				at = max(at, a.at)
			}
		}
	}
	l.last = max(l.last, at)
	if n := cap(l.under); len(l.under) == n {
		l.under = slices.DeleteFunc(l.under, func(a arrival) bool { return a.at < now })
		if len(l.under) > n/2 {
			l.under = slices.Grow(l.under, n)
		}
	}
	l.under = append(l.under, arrival{dst, at})
	return at
}
