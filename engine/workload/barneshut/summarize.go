package barneshut

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// A census counts the leaves below a rank's cells, and sums the numbers of their bodies and the
// squares of these numbers. The sums are known if every body is counted once.
type census [3]float64

func (c *census) count(body float64) {
	c[0]++
	c[1] += body
	c[2] += body * body
}

// isComplete reports whether the census is correct for a tree of n bodies.
func (c *census) isComplete(n int) bool {
	k := float64(n)
	return c[0] == k && c[1] == k*(k-1)/2 && near(c[2], (k-1)*k*(2*k-1)/6, 1e-15)
}

// summarize computes the summaries of all cells from the lowest level up. Each thread does its own
// cells and adds the children in order, so that all groups compute the same bits.
func (t *tree) summarize(s *simulation) error {
	group := t.r.Group()
	if err := t.r.Barrier(group); err != nil {
		return err
	}
	lowest := []int64{-1}
	for _, level := range t.levels {
		lowest[0] = max(lowest[0], int64(level))
	}
	if err := coll.Allreduce(t.r, group, cluster.Max, lowest, lowest); err != nil {
		return err
	}
	s.census = census{}
	for level := int(lowest[0]); level >= 0; level-- {
		for i, at := range t.levels {
			if int(at) != level {
				continue
			}
			if err := t.sum(i, level, s); err != nil {
				return err
			}
		}
		if err := t.r.Barrier(group); err != nil {
			return err
		}
	}
	return nil
}

// sum computes the summary of this thread's cell i from the summaries of its children.
func (t *tree) sum(i, level int, s *simulation) error {
	sum := t.ownSummary(cellRef(t.me, i))
	*sum = summary{}
	for _, w := range t.ownChildren(i) {
		if w == 0 {
			continue
		}
		var c summary
		if err := t.read(ref(w), &c); err != nil {
			return err
		}
		if ref(w).leaf() {
			s.census.count(c[summaryBody])
		}
		sum.add(&c)
	}
	sum.centre()
	sum[summaryHalf] = s.order.cube.half(level)
	return nil
}
