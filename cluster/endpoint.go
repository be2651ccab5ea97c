package cluster

import "fmt"

// Endpoints makes n teams with the members of t, one per thread of a parallel region: endpoint i is
// the address of thread i. Messages to different endpoints of a rank match in separate queues.
// Threads that use only their own endpoint share neither queues nor the library's lock. Any thread
// may use any endpoint, for instance to send to thread i of another rank. The rules of a team apply
// inside one endpoint.
//
// Every member of t calls it with the same n, outside parallel regions. Like Dup, it agrees on
// contexts by an allgather; one allgather covers all endpoints.
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

// Series returns the number of a context in the layout's launch. Contexts that one rank assigns in
// sequence, by Dup, Split or Endpoints, have consecutive numbers. A fabric distributes contexts
// over a few locks by this number. Both contexts of a team have the same number.
func (l *Layout) Series(ctx int32) int {
	n, fixed := int(ctx)/ctxFanout, ctxGroup/ctxFanout+l.Groups()
	if n < fixed {
		return n
	}
	ranks := l.Ranks()
	return (n-fixed)/ranks + (n-fixed)%ranks
}
