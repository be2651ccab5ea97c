package sim_test

import (
	"math"
	"os"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// A number of a machine that a test multiplies: a time or a rate.
type number struct {
	key  string
	time func(m *cluster.Machine) *cluster.Time
	rate func(m *cluster.Machine) *float64
}

// numbersOf lists the numbers of a drawn machine.
func numbersOf() []number {
	all := []number{
		{key: "flops_per_core", rate: func(m *cluster.Machine) *float64 { return &m.Flops }},
		{key: "memory_rate_per_core_bytes_per_s", rate: func(m *cluster.Machine) *float64 { return &m.MemoryRate }},
		{key: "memory_rate_per_node_bytes_per_s", rate: func(m *cluster.Machine) *float64 { return &m.NodeRate }},
		{key: "copy_rate_per_thread_bytes_per_s", rate: func(m *cluster.Machine) *float64 { return &m.CopyRate }},
		{key: "atomic_time_s", time: func(m *cluster.Machine) *cluster.Time { return &m.AtomicTime }},
		{key: "handler_time_s", time: func(m *cluster.Machine) *cluster.Time { return &m.HandlerTime }},
		{key: "lock_time_s", time: func(m *cluster.Machine) *cluster.Time { return &m.LockTime }},
		{key: "poll_time_s", time: func(m *cluster.Machine) *cluster.Time { return &m.PollTime }},
		{key: "topology.hop_latency_s", time: func(m *cluster.Machine) *cluster.Time { return &m.Topology.HopLatency }},
		{key: "topology.link_bandwidth_bytes_per_s", rate: func(m *cluster.Machine) *float64 { return &m.Topology.LinkBandwidth }},
		{key: "message_server.send_s", time: func(m *cluster.Machine) *cluster.Time { return &m.Server.Send }},
		{key: "message_server.receive_s", time: func(m *cluster.Machine) *cluster.Time { return &m.Server.Receive }},
		{key: "message_server.handshake_s", time: func(m *cluster.Machine) *cluster.Time { return &m.Server.Handshake }},
	}
	links := map[string]func(m *cluster.Machine) *cluster.Link{
		"in_rank":     func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.InRank] },
		"in_node":     func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.InNode] },
		"remote":      func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.Remote] },
		"in_socket":   func(m *cluster.Machine) *cluster.Link { return &m.Socket },
		"device.link": func(m *cluster.Machine) *cluster.Link { return &m.Device.Link },
	}
	for _, name := range []string{"in_rank", "in_node", "remote", "in_socket", "device.link"} {
		at := links[name]
		time := func(key string, of func(l *cluster.Link) *cluster.Time) {
			all = append(all, number{key: name + "." + key, time: func(m *cluster.Machine) *cluster.Time { return of(at(m)) }})
		}
		rate := func(key string, of func(l *cluster.Link) *float64) {
			all = append(all, number{key: name + "." + key + "_bytes_per_s",
				rate: func(m *cluster.Machine) *float64 { return of(at(m)) }})
		}
		time("latency_s", func(l *cluster.Link) *cluster.Time { return &l.Latency })
		time("overhead_s", func(l *cluster.Link) *cluster.Time { return &l.Overhead })
		time("gap_s", func(l *cluster.Link) *cluster.Time { return &l.Gap })
		rate("bandwidth", func(l *cluster.Link) *float64 { return &l.Bandwidth })
		rate("thread_rate", func(l *cluster.Link) *float64 { return &l.ThreadRate })
		rate("thread_receive_rate", func(l *cluster.Link) *float64 { return &l.ReceiveRate })
		time("handshake_gap_s", func(l *cluster.Link) *cluster.Time { return &l.HandshakeGap })
		time("access_s", func(l *cluster.Link) *cluster.Time { return &l.Access })
		rate("access_rate", func(l *cluster.Link) *float64 { return &l.AccessRate })
		time("inline.latency_s", func(l *cluster.Link) *cluster.Time { return &l.Inline.Latency })
		time("inline.overhead_s", func(l *cluster.Link) *cluster.Time { return &l.Inline.Overhead })
		rate("eager_copy_rate", func(l *cluster.Link) *float64 { return &l.EagerCopy })
		rate("single_copy_rate", func(l *cluster.Link) *float64 { return &l.SingleCopy })
		rate("uncached.copy_rate", func(l *cluster.Link) *float64 { return &l.Uncached.Copy })
	}
	return all
}

// times multiplies the time of a number: a rate is divided. It reports whether the machine has the
// number, and returns the ratio of the new time to the old one.
func (n *number) times(m *cluster.Machine, by float64) (ratio float64, ok bool) {
	if n.time != nil {
		t := n.time(m)
		old := *t
		*t = cluster.Time(math.Round(float64(old) * by))
		return float64(*t) / float64(old), old > 0
	}
	x := n.rate(m)
	old := math.Round(*x)
	*x = math.Round(old / by)
	return old / *x, old > 0
}

// spentOn returns the time on a path by number of the machine.
func spentOn(p *sim.Path, m *cluster.Machine) map[string]cluster.Time {
	spent := map[string]cluster.Time{}
	for c, span := range p.Spans {
		if span != 0 {
			for _, key := range sim.Constant(c).Keys(m) {
				spent[key] += span
			}
		}
	}
	return spent
}

// TestQuotients checks that the time on a number is the derivative of the total time. It is
// compared with the difference quotients of two simulations in which the number differs by ±0.1 % and
// all choices are the same. The quotients equal the derivative up to the rounding of each piece, if
// all three paths have the same one. Otherwise another chain is longer after the change. As the total
// time is convex, each quotient is then between the derivatives at its two ends.
func TestQuotients(t *testing.T) {
	seeds := uint64(6)
	if os.Getenv("CONFORM") != "" {
		seeds = 500
	}
	pairs, same, kinks := 0, 0, 0
	numbers := numbersOf()
	for seed := range seeds {
		m := burdened(seed)
		nodes := []int{6, 3, 2}[seed%3]
		p := generate(seed, &m)
		path := func(m cluster.Machine) sim.Path {
			run := traced(t, p.Spec(clustertest.Spec(m, nodes, 6/nodes)), clustertest.NewPlay(p).Body)
			if err := wholePath(run); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			return run.Path()
		}
		base := path(m)
		spent := spentOn(&base, &m)
		for i := range numbers {
			n := &numbers[i]
			less, more := m, m
			down, ok := n.times(&less, 0.999)
			if !ok {
				continue
			}
			up, _ := n.times(&more, 1.001)
			if up == down {
				continue
			}
			a, b := path(less), path(more)
			pairs++
			if a.Choices != base.Choices || b.Choices != base.Choices {
				continue
			}
			same++
			want := float64(spent[n.key])
			rounding := float64(len(base.Segments)+10) / min(up-1, 1-down)
			left, right := float64(base.Total-a.Total)/(1-down), float64(b.Total-base.Total)/(up-1)
			before := float64(spentOn(&a, &less)[n.key]) / down
			after := float64(spentOn(&b, &more)[n.key]) / up
			if left < before-rounding || left > want+rounding || right < want-rounding || right > after+rounding {
				t.Errorf("seed %d: %s: paths have %g, %g and %g ps, the quotients are %g and %g, ± %g", seed, n.key, before, want,
					after, left, right, rounding)
			}
			if math.Abs(want-left) > rounding || math.Abs(want-right) > rounding {
				kinks++
			}
		}
	}
	t.Logf("%d pairs, %d with the same choices, %d of these with another path at 0.1 %%", pairs, same, kinks)
	if 200*kinks > same {
		t.Errorf("%d of %d pairs have another path, want at most 0.5 %%", kinks, same)
	}
	if 100*same < 85*pairs {
		t.Errorf("%d of %d pairs have the same choices, want at least 85 %%", same, pairs)
	}
}
