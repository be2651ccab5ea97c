package spmv

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Costs are the predicted times of a product in s, from a machine's constants. Unlike equation (2)
// they include that fewer threads may saturate a node's memory.
type Costs struct {
	Comm     float64 // of masteronly: the master exchanges
	Overlap  float64 // of masteronly: all threads compute the part that does not need the halo
	Wait     float64 // all threads compute the part that needs the halo
	Exchange float64 // of the scheme: the reserved threads exchange
	Rest     float64 // of the scheme: the other threads compute the part that does not need the halo
	helps    bool    // the communicating thread computes when it has finished
}

// Masteronly returns the time of a masteronly product.
func (c *Costs) Masteronly() float64 { return c.Comm + c.Overlap + c.Wait }

// Scheme returns the time of a product by the chosen scheme.
func (c *Costs) Scheme() float64 {
	overlapped := max(c.Exchange, c.Rest)
	if c.helps && c.Exchange < c.Rest { // all threads compute the rest
		overlapped = c.Exchange + (1-c.Exchange/c.Rest)*c.Overlap
	}
	return c.Wait + overlapped
}

// Epsilon returns ε, the ratio of the two times.
func (c *Costs) Epsilon() float64 { return c.Masteronly() / c.Scheme() }

// CommCost returns x_comm / x_MVM,overlap (paper 2, equations (11) and (13)).
func (c *Costs) CommCost(planes int) float64 { return c.Comm * float64(planes) / c.Overlap }

// Model predicts the costs of a scenario on a machine.
func Model(s *engine.Scenario, m *cluster.Machine) Costs {
	l := s.Layout()
	grid := mesh{ni: int(s.Int("ni")), nj: int(s.Int("nj")), nk: int(s.Int("local-k"))}
	independent, dependent := grid.shares(s.Text("split"))
	node := 1 // processes of the fullest node
	world := l.World()
	for _, n := range processes(world, &l) {
		node = max(node, n)
	}
	threads := l.ThreadsPerRank
	reserved := 1
	scheme := true
	c := Costs{Comm: commTime(s, m, world, 1), Overlap: computeTime(m, independent, threads, node),
		Wait: computeTime(m, dependent, threads, node)}
	switch s.Threading() {
	case cluster.ThreadFunneled, cluster.ThreadSerialized:
		_, variant := sectionOf(s)
		scheme = variant == sectionOverlapped
	case cluster.ThreadMultiple:
		c.helps = s.Text("reserved") == balanced
		reserved = int(max(s.Int("reserved"), 1))
	default:
		scheme = false
	}
	if !scheme {
		c.Rest = c.Comm + c.Overlap // one after the other
		return c
	}
	c.Exchange, c.Rest = commTime(s, m, world, reserved), computeTime(m, independent, threads-reserved, node)
	return c
}

// processes returns the number of processes on each node.
func processes(world []int32, l *cluster.Layout) []int {
	n := make([]int, l.Nodes)
	for _, r := range world {
		n[l.NodeOf(int(r))]++
	}
	return n
}

// computeTime returns the time of a number of threads per process for a number of rows, while node
// processes per node do the same. It is the maximum of the times for operations, for a core's
// memory path, and for the node's memory.
func computeTime(m *cluster.Machine, rows float64, threads, node int) float64 {
	w := work(1, 1)
	seconds := m.ComputeTime(cluster.Work{Flops: w.Flops * rows / float64(threads),
		Bytes: w.Bytes * rows / float64(threads)}).Seconds()
	if m.NodeRate > 0 {
		seconds = max(seconds, w.Bytes*rows*float64(node)/m.NodeRate)
	}
	return seconds
}

// commTime returns the time of the exchange for the slowest process: the maximum of injection by
// its threads, sending by its node's adapters, and transfers inside the node. Overheads and a
// latency are added, and the handshake above the eager limit. The effect of intra-node messages on
// the memory rate is not included.
func commTime(s *engine.Scenario, m *cluster.Machine, world []int32, threads int) float64 {
	l := s.Layout()
	plane := 8 * float64(s.Int("ni")*s.Int("nj"))
	eager := s.Int("eager-limit")
	if eager < 0 {
		eager = m.EagerLimit
	}
	hands, ways := 2.0, 1.0 // overheads and latencies of a message
	if int64(plane)/int64(threads) > eager {
		hands, ways = 4, 3
		if m.Progress == cluster.ProgressOffload {
			hands = 2
		}
	}
	n := len(world)
	sent := make([]float64, l.Nodes) // planes that leave a node
	for i := range n {
		for _, to := range [2]int{(i + 1) % n, (i + n - 1) % n} {
			if a := int(world[i]); l.ClassOf(a, int(world[to])) == cluster.Remote {
				sent[l.NodeOf(a)]++
			}
		}
	}
	out := &m.Classes[cluster.Remote]
	adapters := float64(max(out.Adapters, 1))
	longest := 0.0
	for i := range n {
		var before, latency, near, far float64
		a := int(world[i])
		for _, to := range [2]int{(i + 1) % n, (i + n - 1) % n} {
			class := l.ClassOf(a, int(world[to]))
			link := &m.Classes[class]
			before += hands * link.Overhead.Seconds()
			latency = max(latency, ways*link.Latency.Seconds())
			switch {
			case class == cluster.Remote:
				far++
			case link.Bandwidth <= 0:
			case class == cluster.InNode: // a core moves one message after another
				near += plane / float64(threads) / link.Bandwidth
			default: // to itself
				near = plane / float64(threads) / link.Bandwidth
			}
		}
		inject := 0.0
		if far > 0 && out.Bandwidth > 0 {
			if out.ThreadRate > 0 && (adapters > 1 || out.ThreadRate < out.Bandwidth) {
				inject = far * plane / float64(threads) / out.ThreadRate
			}
			of := min(adapters, sent[l.NodeOf(a)]*float64(threads)) // adapters that have something to send
			inject = max(inject, sent[l.NodeOf(a)]*plane/(of*out.Bandwidth))
		}
		longest = max(longest, before+latency+max(near, inject))
	}
	return longest
}
