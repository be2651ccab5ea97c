package cluster

// Charge is reads of the memory of a group's threads: Ops[i] of thread i's, of some bytes
// each.
type Charge struct {
	Ops   []int64
	Bytes int64
}

// Charger is a port whose clock can be charged with many accesses at once.
type Charger interface {
	// Charge takes the time of blocking gets from the group's threads, given by rank, one
	// after another, as if nobody else were on the way. It gives the node whose adapters
	// send the most of what is charged so at a time, and for what share of that time they
	// do. It is an error on a machine where a get that is alone does not always take the
	// same time.
	Charge(members []int32, what []Charge) (node int, share float64, err error)
}

// mostCharged is the share of an adapter's time beyond which accesses that are charged at
// once would have waited for each other.
const mostCharged = 0.5

// ChargeAccesses counts reads of the memory of the group's threads, and takes the time of
// as many gets one after another, each alone. The program has looked at the data in
// another way. It is refused where an owner's adapters would be busy with what ranks
// charge at a time for more than half of it, for then gets wait for each other, and where
// the clock is not virtual.
func (r *Rank) ChargeAccesses(what ...Charge) error {
	c, ok := r.port.(Charger)
	if !ok {
		return r.errorf("charge of accesses: the clock is not virtual: make each access")
	}
	for _, w := range what {
		if len(w.Ops) != r.group.Size() || w.Bytes < 1 {
			return r.errorf("charge of accesses of %d B to %d threads: the group has %d", w.Bytes, len(w.Ops), r.group.Size())
		}
		for i, n := range w.Ops {
			if n < 0 {
				return r.errorf("charge of %d accesses to thread %d: must not be negative", n, i)
			}
			r.Account(r.group.Global(i), n, n*w.Bytes)
		}
	}
	node, share, err := c.Charge(r.group.ranks, what)
	if err != nil {
		return r.errorf("charge of accesses: %w: make each access", err)
	}
	if share > mostCharged {
		return r.errorf("charge of accesses: the adapters of node %d would send for %.0f %% of the time, and accesses would wait for each other: make each access", node, 100*share)
	}
	return nil
}
