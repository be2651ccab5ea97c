package cluster

// Charge is a number of reads of the memory of a group's threads: Ops[i] reads of thread i's
// memory, of Bytes bytes each.
type Charge struct {
	Ops   []int64
	Bytes int64
}

// Charger is a port that can add the time of many accesses to its clock at once.
type Charger interface {
	// Charge adds the time of consecutive blocking gets from the group's threads, given by rank,
	// without contention. It returns the node whose adapters send most of the bytes charged at a
	// time, and the fraction of that time for which they send. It is an error on a machine where an
	// uncontended get does not always take the same time.
	Charge(members []int32, what []Charge) (node int, share float64, err error)
}

// maxCharged is the maximum fraction of an adapter's time. Above it, accesses charged at once
// would have waited for each other.
const maxCharged = 0.5

// ChargeAccesses counts reads of the memory of the group's threads, and adds the time of the same
// number of consecutive, uncontended gets. The program has read the data in another way. It is an
// error if the clock is not virtual. It is also an error if an owner's adapters would be busy for
// more than half of the time, because gets would then wait for each other.
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
	if share > maxCharged {
		return r.errorf("charge of accesses: the adapters of node %d would send for %.0f %% of the time, so accesses "+
			"would wait for each other (make each access)", node, 100*share)
	}
	return nil
}
