package beff

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// load is the work of the busiest process and the busiest node in a round.
type load struct {
	messages [cluster.Classes]float64 // sent by a process, by class
	node     float64                  // messages that leave a node
}

// loads returns the load of a pattern with known neighbours.
func loads(t *pattern, world []int32, l *cluster.Layout) load {
	var busiest load
	nodes := make([]float64, l.Nodes)
	for i, exchanges := range t.exchanges {
		var of load
		from := int(world[i])
		for _, e := range exchanges {
			c := l.ClassOf(from, int(world[e.to]))
			of.messages[c]++
			if c == cluster.Remote {
				nodes[l.NodeOf(from)]++
			}
		}
		for c := range of.messages {
			busiest.messages[c] = max(busiest.messages[c], of.messages[c])
		}
	}
	for _, n := range nodes {
		busiest.node = max(busiest.node, n)
	}
	return busiest
}

// randomLoad returns the mean load of a pattern whose two neighbours are random other processes.
func randomLoad(processes int, nodes int) load {
	a := float64(processes) / float64(nodes) // processes per node
	near := (a - 1) / float64(processes-1)
	var of load
	of.messages[cluster.InNode], of.messages[cluster.Remote] = 2*near, 2*(1-near)
	of.node = a * of.messages[cluster.Remote]
	return of
}

// Model returns b_eff in B/s, average and at Lmax, of all processes together, as a machine's
// constants predict it. The time of a round is the longest of four parts: the injection by one
// thread, the intra-node copies by one core, the node's adapters, and its message server. The
// overheads of the messages and one latency come on top, and the handshake above the eager limit.
func Model(s *engine.Scenario, m *cluster.Machine) (average, atLmax float64) {
	l := s.Layout()
	world := l.World()
	p := len(world)
	lengths := sizes(s.Text("sizes"), lmax(s.Text("lmax"), s.Int("lmax"), m, &l))
	eager := s.Int("eager-limit")
	if eager < 0 {
		eager = m.EagerLimit
	}
	all := patterns(s.Text("pattern"), p, nil, func() pattern { return grid(world, &l) })
	var roundLoads []load
	for i := range all {
		roundLoads = append(roundLoads, loads(&all[i], world, &l))
	}
	if s.Text("pattern") == patternBeff {
		all = append(all, pattern{random: true, messages: 2 * p})
		roundLoads = append(roundLoads, randomLoad(p, l.Nodes))
	}
	b := effective(all, len(lengths), func(i, k int) float64 {
		return float64(all[i].messages) * float64(lengths[k]) / roundLoads[i].seconds(m, lengths[k], lengths[k] > eager)
	})
	return b.average, b.atLmax
}

// seconds returns the time of a round with messages of n bytes.
func (of *load) seconds(m *cluster.Machine, n int64, handshake bool) float64 {
	near, far := &m.Classes[cluster.InNode], &m.Classes[cluster.Remote]
	cost := func(bandwidth float64) float64 {
		if bandwidth <= 0 {
			return 0
		}
		return float64(n) / bandwidth
	}
	core := of.messages[cluster.InNode] * (near.Gap.Seconds() + cost(near.Bandwidth))
	thread := of.messages[cluster.Remote] * max(cost(far.ThreadRate), cost(far.Bandwidth))
	adapters := of.node * (far.Gap.Seconds() + cost(far.Bandwidth)) / float64(max(far.Adapters, 1))
	before := 0.0
	latency := 0.0
	for c := range of.messages {
		link := &m.Classes[c]
		hands, times := 2.0, 1.0 // o at both ends; L
		if handshake {
			hands, times = 4, 3
			if m.Progress == cluster.ProgressOffload {
				hands = 2
			}
		}
		before += of.messages[c] * hands * link.Overhead.Seconds()
		if of.messages[c] > 0 {
			latency = max(latency, times*link.Latency.Seconds())
		}
	}
	server, alone := m.Server.Takes(of.node, handshake)
	if of.node > 0 { // the first message out and the last one in delay no other message
		latency += alone
		server -= alone
	}
	return before + latency + max(core, thread, adapters, server)
}
