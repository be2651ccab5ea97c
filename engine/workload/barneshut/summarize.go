package barneshut

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// census counts the leaves under the own cells, and adds up the numbers of their bodies
// and the squares of these: all bodies once give the known sums.
type census [3]float64

func (c *census) count(body float64) {
	c[0]++
	c[1] += body
	c[2] += body * body
}

// right reports whether the census of a whole tree is that of n bodies.
func (c *census) right(n int) bool {
	k := float64(n)
	return c[0] == k && c[1] == k*(k-1)/2 && near(c[2], (k-1)*k*(2*k-1)/6, 1e-15)
}

// summarize sums the tree up from its lowest level, each thread its own cells, children
// in their order so that every group comes to the same bits.
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
			sum := t.own(cellRef(t.me, i))
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
		}
		if err := t.r.Barrier(group); err != nil {
			return err
		}
	}
	return nil
}
