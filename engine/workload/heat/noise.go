package heat

import "github.com/hybridtop/hybridtop/cluster"

// noise is the detours of a processor: so many a second, at times that follow no pattern,
// each of one length. That is the noise that operating systems were measured by, and of few
// long detours the steps have a heavy tail.
type noise struct {
	r      *cluster.Rank
	rate   float64      // detours a second; 0: none
	work   cluster.Work // of a detour
	next   cluster.Time
	chosen bool
}

// newNoise is a rank's.
func newNoise(r *cluster.Rank, rate, length float64) noise {
	n := noise{r: r, rate: rate}
	if m := &r.Spec().Machine; m.Flops > 0 {
		n.work.Flops = length * m.Flops
	} else {
		n.work.Bytes = length * m.MemoryRate
	}
	return n
}

// until takes the detours that are due.
func (n *noise) until(now cluster.Time) {
	if n.rate == 0 {
		return
	}
	if !n.chosen {
		n.chosen, n.next = true, now+n.gap()
	}
	for n.next <= now {
		n.r.Compute(n.work, nil)
		n.next += n.gap()
	}
}

// gap is the time to another detour.
func (n *noise) gap() cluster.Time {
	return max(cluster.FromSeconds(n.r.Rand().ExpFloat64()/n.rate), 1)
}
