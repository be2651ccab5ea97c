package cluster

import "fmt"

// Endpoints parts a team into n teams of the same members, one for each thread of
// a parallel region: endpoint i is thread i's address. Messages to different
// endpoints of a rank match in queues of their own, so that threads which keep to
// their own endpoint share neither queues nor the library's lock. Any thread may
// still use any endpoint, to send to thread i of another rank for instance, and
// inside one endpoint the rules of a team hold.
//
// Every member of t calls it with the same n, outside parallel regions. Like Dup
// it agrees on contexts by an allgather, one for all of them.
func (r *Rank) Endpoints(t *Team, n int) ([]*Team, error) {
	if n < 1 {
		return nil, r.errorf("endpoints: %d of team %s: want at least one", n, t.name)
	}
	first, err := r.splitInto("endpoints", t, 0, 0, n)
	if err != nil {
		return nil, err
	}
	teams := make([]*Team, n)
	for i := range teams {
		e := *first
		e.ctx += int32(i) * ctxFanout * int32(len(r.launch.all))
		e.name = fmt.Sprintf("%s endpoint %d", t.name, i)
		if i > 0 {
			r.port.Team(e.ctx, e.ranks)
		}
		teams[i] = &e
	}
	return teams, nil
}

// Series numbers the contexts of a layout's launch so that those which one rank
// hands out one after the other, to Dup, Split or Endpoints, have numbers that
// follow each other. A fabric that deals contexts to a few locks deals them by it.
// Both contexts of a team have one number.
func (l *Layout) Series(ctx int32) int {
	n, fixed := int(ctx)/ctxFanout, ctxGroup/ctxFanout+l.Groups()
	if n < fixed {
		return n
	}
	ranks := l.Ranks()
	return (n-fixed)/ranks + (n-fixed)%ranks
}
