package collective

import "github.com/hybridtop/hybridtop/cluster"

// busy is the computation of a rank during a call: x = x·a + b over numbers that fit into a cache.
type busy struct {
	r      *cluster.Rank
	slices int
	work   cluster.Work // per slice
	each   int64        // numbers per slice
	x      []float64
}

// newBusy returns a computation over the given numbers in the given slices, or nil if there are no
// numbers.
func newBusy(r *cluster.Rank, numbers, slices int64) *busy {
	if numbers == 0 {
		return nil
	}
	b := &busy{r: r, slices: int(min(slices, numbers))}
	b.each = numbers / int64(b.slices)
	b.work = cluster.Work{Flops: 2 * float64(b.each)}
	if !(r.Spec().Clock == cluster.VirtualClock) {
		b.x = make([]float64, busyNumbers)
	}
	return b
}

// busyNumbers is the length of x, which is used repeatedly.
const busyNumbers = 1 << 10

// slice computes one slice. In virtual time, only the time passes.
func (b *busy) slice() {
	b.r.Compute(b.work, func() {
		if b.x == nil {
			return
		}
		for left := b.each; left > 0; left -= busyNumbers {
			x := b.x[:min(left, busyNumbers)]
			for i := range x {
				x[i] = x[i]*0.5 + 1
			}
		}
	})
}
