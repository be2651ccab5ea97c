package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// again is a continuation that posts its receive again, up to a number of times.
type again struct {
	from int32
	left int
	done cluster.Handle
	op   cluster.Op
}

func (s *again) receive(p cluster.Poster) {
	s.op = cluster.Op{Kind: cluster.KindRecv, Ctx: 1 << 20, Peer: s.from, Tag: 1, Size: 8, Then: s}
	p.Post(&s.op)
}

func (s *again) Step(p cluster.Poster, _ int32, _ cluster.Done) {
	if s.left--; s.left == 0 {
		cluster.FireOn(p, s.done)
		return
	}
	s.receive(p)
}

// An operation with a continuation does not allocate after the same number of operations was in
// progress before.
func TestStepsDoNotAllocate(t *testing.T) {
	const n = 2000
	simulated(t, clustertest.Spec(clustertest.Priced(), 2, 1), func(r *cluster.Rank) error {
		send := cluster.Op{Kind: cluster.KindSend, Ctx: 1 << 20, Peer: 1, Tag: 1, Size: 8}
		s := &again{}
		round := func() {
			if r.ID() == 0 {
				for range n {
					r.Lib().Port().Post(&send)
				}
			} else {
				s.left, s.done = n, r.Lib().Port().Post(&cluster.Op{Kind: cluster.KindEvent, Arg: 1})
				s.receive(r.Lib().Port())
				r.Lib().Port().Wait([]cluster.Handle{s.done}, 1)
				r.Lib().Test(s.done)
			}
			if err := r.Barrier(r.All()); err != nil {
				t.Error(err)
			}
		}
		round()
		if r.ID() == 0 {
			for range 4 {
				round()
			}
			return nil
		}
		if got := testing.AllocsPerRun(3, round); got > n/10 { // including the other rank and the loop
			t.Errorf("%.0f allocations for %d receives with a step", got, n)
		}
		return nil
	})
}

// TestReceivesCostOverheadWithEveryProgressEngine tests that a receive costs the receiver o with each
// progress engine. If n short messages have
// arrived, n continuations that receive them one after another take n o. If they arrive meanwhile,
// the last receive ends at o + L + n o.
func TestReceivesCostOverheadWithEveryProgressEngine(t *testing.T) {
	const ns, n = cluster.Nanosecond, 64
	for _, p := range progresses {
		m := cluster.Machine{Name: "tested", Progress: p, EagerLimit: 8 << 10, Flops: 1e9}
		m.Classes[cluster.Remote] = cluster.Link{Latency: 2500 * ns, Overhead: 1500 * ns, Gap: 10 * ns, Bandwidth: 1e12}
		for _, arrived := range []bool{false, true} {
			want, end := 4000*ns+n*1500*ns, cluster.Time(0)
			simulated(t, clustertest.Spec(m, 1+n, 1), func(r *cluster.Rank) error {
				port := r.Lib().Port()
				if r.ID() > 0 {
					port.Post(&cluster.Op{Kind: cluster.KindSend, Ctx: 1 << 20, Peer: 0, Tag: 1, Size: 1})
					return nil
				}
				if arrived {
					r.Compute(cluster.Work{Flops: 1e6}, nil)
					port.Post(&cluster.Op{Kind: cluster.KindIprobe, Ctx: 1 << 20, Peer: cluster.AnySource, Tag: 1})
					want = sim.Clock(port) + n*1500*ns
				}
				s := &again{from: cluster.AnySource, left: n, done: port.Post(&cluster.Op{Kind: cluster.KindEvent, Arg: 1})}
				s.receive(port)
				port.Wait([]cluster.Handle{s.done}, 1)
				end = sim.Clock(port)
				return nil
			})
			if end != want {
				t.Errorf("%s, messages arrived %t: %d receives end at %s, want %s", p, arrived, n, nanoseconds(end),
					nanoseconds(want))
			}
		}
	}
}
