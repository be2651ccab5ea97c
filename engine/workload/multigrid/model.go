package multigrid

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Model predicts the time of a solve in seconds, from the machine's constants. It adds the cells of
// the rank that has the most, and for each exchange across faces the slowest resource: a node's
// adapter, a rank's processor, or the bytes.
func Model(s *engine.Scenario, m *cluster.Machine) float64 {
	a, where := problemOf(s.Int, s.Text), s.Layout()
	l, v := a.layout(where.Ranks()), a.variant
	rate := m.MemoryRate
	if shared := m.NodeRate / float64(where.RanksPerNode); shared > 0 && (rate == 0 || shared < rate) {
		rate = shared
	}
	if rate == 0 {
		rate = 1e18
	}
	far := &m.Classes[cluster.Remote]
	middle, time := where.Ranks()/2, 0.
	for at := range len(l.shapes) - 1 {
		shape, passes := l.shapes[at], float64(at+1)
		cells := float64(shape.slots(where.Ranks()) * shape.side * shape.side * shape.side)
		sweeps := 2 * float64(a.degree)
		time += passes * cells * (sweeps*sweepBytes + residualBytes + meansBytes + spreadBytes) / rate
		var puts, bytes, hops float64
		for _, p := range l.sends(at, faces, middle) {
			n, each := v.messages(linkOf(&where, m, p.from, p.to), &p.of)
			if v.path == cluster.PathAdapter || linkOf(&where, m, p.from, p.to) >= linkRouter {
				puts, hops = puts+float64(n), 1
				bytes += float64(n * each)
			}
			time += passes * (sweeps + 1) * 4 * float64(p.of.Bytes()) / rate
		}
		exchange := max(puts*far.Overhead.Seconds(), puts*float64(where.RanksPerNode)*far.Gap.Seconds())
		if far.Bandwidth > 0 {
			exchange = max(exchange, bytes*float64(where.RanksPerNode)/far.Bandwidth)
		}
		rounds := 0 // of synchronization, in addition to the transfer
		switch {
		case where.Nodes == 1 || v.packs:
		case v.groups:
			rounds = 1
		default:
			rounds = 2 * bits.Len(uint(where.Nodes-1))
		}
		exchange += (hops + float64(rounds)) * (2*far.Overhead + far.Latency).Seconds()
		time += passes * (sweeps + 1) * exchange
	}
	return time
}
