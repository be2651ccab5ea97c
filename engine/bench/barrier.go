package bench

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// barrierCases returns barriers of more ranks than cores. The targets were measured on two cores,
// where the plain barrier takes 9.4 µs for 64 goroutines and 130-200 µs for 1,024.
func barrierCases() []Case {
	barrier := func(ranks int, target float64, why string) Case {
		return Case{Name: fmt.Sprintf("barrier%d", ranks), Doc: fmt.Sprintf("Rank.Barrier of %d ranks", ranks), Unit: seconds,
			Limit: "condition-variable barrier of as many goroutines", Target: target, Why: why, Ranks: ranks,
			least: 10, valueOps: 1, limitOps: 1, sides: barrierSides}
	}
	return []Case{
		barrier(64, 1.6, "15 µs where the plain barrier takes 9.4 µs"),
		barrier(1024, 2.4, "400 µs where the plain barrier takes 165 µs"),
	}
}

func barrierSides(r *cluster.Rank, c *common) (value, limit side, err error) {
	all := r.All()
	value = func(n int) error {
		for range n {
			if err := r.Barrier(all); err != nil {
				return err
			}
		}
		return nil
	}
	limit = func(n int) error {
		for range n {
			if err := c.gate.pass(); err != nil {
				return err
			}
		}
		return nil
	}
	return value, limit, nil
}
