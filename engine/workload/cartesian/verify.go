package cartesian

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// exchangeOnce does one round, in each way that is timed.
func (c *process) exchangeOnce(atOnce bool) error {
	way := c.vertically
	if atOnce {
		way = c.both
	}
	err := c.forEachWorker(func(w worker) error { return c.runRounds(w, 1, true, way, 0, nil) })
	if err != nil || atOnce {
		return err
	}
	return c.horizontally(c.r, 0)
}

// verify exchanges distinguishable messages, once in each way that is timed.
func (c *process) verify(atOnce bool) error { return c.verifyWith(atOnce, nil) }

// verifySkewed verifies an exchange to which the processes come in random order. It runs after the last
// iteration, so that no time includes it. Only virtual time has skew.
func (c *process) verifySkewed(atOnce bool) error {
	skew := workload.NewSkew(c.r, c.r.World().Size())
	if skew == nil {
		return nil
	}
	for range skewedExchanges {
		if err := c.verifyWith(atOnce, skew); err != nil {
			return err
		}
	}
	return nil
}

// skewedExchanges is the number of exchanges with skew. In each one, half of the processes are late.
const skewedExchanges = 4

func (c *process) verifyWith(atOnce bool, skew *workload.Skew) error {
	me, stamp := c.r.World().Rank(), c.p.Iteration()
	parts := append([]*exchange{c.horizontal}, c.vertical...)
	for _, x := range parts {
		x.fill(me, stamp)
	}
	skew.Delay()
	if err := c.exchangeOnce(atOnce); err != nil {
		return err
	}
	for _, x := range parts {
		if wrong := x.check(c.r.ID(), stamp); wrong != "" {
			c.p.Verify(false, fmt.Sprintf("iteration %d: %s", stamp, wrong))
			return nil
		}
	}
	c.p.Verify(true, "every message of every direction and thread arrived complete")
	return nil
}

// verifyDirections verifies that exchanges inside nodes are timed on their own as the knob directions says. In virtual
// time, they then take more than 0 s.
func (c *process) verifyDirections(intra float64) {
	want := c.p.Text("directions") != directionsTogether && len(c.horizontal.peers) > 0
	if c.r.Spec().Clock == cluster.VirtualClock && len(c.horizontal.peers) > 0 && intra > 0 != want {
		c.p.Verify(false, fmt.Sprintf("iteration %d, directions %s: exchanges with %d neighbours in the node took %g s",
			c.p.Iteration(), c.p.Text("directions"), len(c.horizontal.peers), intra))
	}
}

// verifySizes verifies that the timed messages have the bytes of the knobs.
func (c *process) verifySizes() {
	workload.VerifySize(c.p, "size", int(c.horizontal.size))
	all := int64(0)
	for _, x := range c.vertical {
		all += x.size
	}
	if want := c.p.Int("size") * int64(c.r.Spec().Layout.ThreadsPerRank); all != want {
		c.p.Verify(false, fmt.Sprintf("rank %d sends %d B to a neighbour on another node, want %d B", c.r.ID(), all, want))
	}
}
