package heat

import "github.com/hybridtop/hybridtop/cluster"

// noise generates the OS noise of a processor: detours (interruptions) at a mean rate, at random
// times, all of the same length. Benchmarks of operating systems measure noise in this form. A few
// long detours give the steps a heavy tail.
type noise struct {
	r      *cluster.Rank
	rate   float64      // detours per second; 0: none
	work   cluster.Work // of a detour
	next   cluster.Time
	chosen bool
}

// newNoise returns the noise of a rank.
func newNoise(r *cluster.Rank, rate, length float64) noise {
	n := noise{r: r, rate: rate}
	if m := &r.Spec().Machine; m.Flops > 0 {
		n.work.Flops = length * m.Flops
	} else {
		n.work.Bytes = length * m.MemoryRate
	}
	return n
}

// runDetours runs the detours that are due.
func (n *noise) runDetours(now cluster.Time) {
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

// gap returns the time to the next detour.
func (n *noise) gap() cluster.Time {
	return max(cluster.FromSeconds(n.r.Rand().ExpFloat64()/n.rate), 1)
}
