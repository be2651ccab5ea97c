package clustertest

import (
	"bytes"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// accelerated is the suite on its machine with devices, of which each rank has one.
func (s *suite) accelerated(direct bool) *suite {
	with := *s
	with.machine.Device = cluster.Device{
		Count: 2, Memory: 1 << 20, Rate: 1e10, Flops: 1e10, Direct: direct, Launch: 3 * cluster.Microsecond, Fence: 5 * cluster.Microsecond,
		Link: cluster.Link{Latency: 4 * cluster.Microsecond, Bandwidth: 5e9},
	}
	return &with
}

func (s *suite) testDevices(t *testing.T) {
	d := s.accelerated(false)
	device := cluster.Means{Own: cluster.DeviceMemory, Far: cluster.DeviceMemory}

	d.test(t, "a kernel's body runs once, and in the order of launches", 2, func(p *proc) {
		for range s.times(5) {
			var q [3]cluster.Request
			var order []int
			for i, stream := range []int{0, cluster.Streams - 1, 0} {
				p.ok(p.Launch(&q[i], stream, cluster.Work{Flops: 1000, Bytes: 1000}, func() { order = append(order, i) }))
			}
			p.ok(p.Waitall(q[:], nil))
			p.check(len(order) == 3 && order[0] == 0 && order[1] == 1 && order[2] == 2, "bodies ran in the order %v", order)
			p.ok(p.Launch(&q[0], 1, cluster.Work{}, nil))
			for {
				_, done, err := p.Test(&q[0])
				p.ok(err)
				if done {
					break
				}
			}
		}
	})

	d.test(t, "kernels take the device's time, one after another in a stream and together in several", 2, func(p *proc) {
		if !s.charged() {
			return
		}
		dev, w := p.Spec().Machine.Device, cluster.Work{Flops: 400_000, Bytes: 100_000}
		one := dev.KernelTime(w)
		for _, streams := range [][]int{{0}, {0, 0, 0}, {0, 1, 2}} {
			var q [3]cluster.Request
			at := p.Now()
			for i, stream := range streams {
				p.ok(p.Launch(&q[i], stream, w, func() {}))
			}
			p.ok(p.Waitall(q[:], nil))
			p.took("kernels", p.Now()-at, dev.Launch+dev.Fence+one*cluster.Time(len(streams)))
		}
	})

	t.Run("each stream that ran a kernel has a lane of the timeline", func(t *testing.T) {
		spec := d.spec(2)
		spec.Timeline = timeline.NewRecorder(spec.Layout, false)
		w := cluster.Work{Flops: 400_000}
		d.run(t, spec, func(p *proc) {
			var q [3]cluster.Request
			for i, stream := range []int{0, 4, 0} {
				p.ok(p.Launch(&q[i], stream, w, func() {
					for at := p.Now(); p.Now() == at && !s.oneAtATime; { // where time is the host's own, some passes
					}
				}))
			}
			p.ok(p.Waitall(q[:], nil))
		})
		v := timeline.Of(&spec).View()
		one := d.machine.Device.KernelTime(w)
		for i := range v.Lanes {
			l := &v.Lanes[i]
			covers(t, l, v.To)
			number, ok := l.Stream()
			if at := i - 2*d.threads; at < 0 || !ok {
				if ok != (at >= 0) {
					t.Errorf("lane %d of %d is a stream's: %t", i, len(v.Lanes), ok)
				}
				continue
			}
			sums := l.Sums(v.To, new(timeline.Place))
			want := one
			if number == 0 {
				want *= 2
			}
			if took := sums[timeline.ActivityCompute]; took <= 0 || s.charged() && (took < want-want/100 || took > want+want/100) {
				t.Errorf("kernels of rank %d's stream %d take %v, want %v", l.Rank, number, took, want)
			}
		}
		if n := len(v.Lanes) - 2*d.threads; n != 4 {
			t.Errorf("%d lanes of streams, want two of each rank", n)
		}
	})

	d.test(t, "a rank computes beside its kernel", 2, func(p *proc) {
		if s.fabric.Clock(&s.machine) != cluster.VirtualClock {
			return // how soon a host's thread runs again is not known
		}
		dev, w := p.Spec().Machine.Device, cluster.Work{Flops: 4_000_000}
		var q cluster.Request
		at := p.Now()
		p.ok(p.Launch(&q, 0, w, nil))
		p.Compute(cluster.Work{Flops: 100_000}, nil)
		_, err := p.Wait(&q)
		p.ok(err)
		if took, most := p.Now()-at, dev.Launch+dev.KernelTime(w)+dev.Fence+cluster.Microsecond; took > most {
			p.failf("a kernel and what was computed meanwhile took %v, want %v at most", took, most)
		}
	})

	for _, size := range []int{8, eager + 8, 12_000} {
		for _, direct := range []bool{false, true} {
			name := "staged"
			if direct {
				name = "direct"
			}
			s.accelerated(direct).test(t, name+" bytes of device memory are those that were sent", 4, func(p *proc) {
				link, least := p.Spec().Machine.Device.Link, cluster.Time(0)
				if s.charged() && !direct {
					least = 2 * (link.Latency + cluster.FromSeconds(float64(size-1)/link.Bandwidth))
				}
				to, from := (p.ID()+1)%p.Ranks(), (p.ID()+p.Ranks()-1)%p.Ranks()
				out, in := bytes.Repeat([]byte{byte(p.ID() + 1)}, size), make([]byte, size)
				want := bytes.Repeat([]byte{byte(from + 1)}, size)
				for _, early := range []bool{true, false} { // the receive is posted before the message, or after it
					var q [2]cluster.Request
					at := p.Now()
					p.ok(p.Using(device, func() error {
						if early {
							p.ok(p.Irecv(&q[0], p.World(), from, 1, in))
						}
						p.ok(p.Isend(&q[1], p.World(), to, 1, out))
						if !early {
							p.ok(p.Irecv(&q[0], p.World(), from, 1, in))
						}
						return p.Waitall(q[:], nil)
					}))
					p.check(bytes.Equal(in, want), "other bytes came from rank %d", from)
					p.took("a message between devices", p.Now()-at, least/2) // another one's copy may have begun before
					p.ok(p.Barrier(p.World()))
				}
				at := p.Now()
				p.ok(p.Using(device, func() error {
					p.ok(p.Put(to, 64, out))
					p.took("a put from device to device", p.Now()-at, least)
					p.ok(p.Barrier(p.World()))
					p.check(bytes.Equal(p.Segment()[64:64+size], want), "other bytes were put by rank %d", from)
					at = p.Now()
					p.ok(p.Get(from, 64, in))
					p.took("a get from device to device", p.Now()-at, least)
					return p.Barrier(p.World())
				}))
			})
		}
	}

	d.test(t, "a bad launch is refused", 2, func(p *proc) {
		var q cluster.Request
		for _, stream := range []int{-1, cluster.Streams} {
			p.fails(p.Launch(&q, stream, cluster.Work{}, nil), "launch on stream", "streams 0 to 15")
		}
	})
	s.test(t, "a machine without devices refuses, and a host has a label for one", 2, func(p *proc) {
		var q cluster.Request
		ran := false
		err := p.Launch(&q, 0, cluster.Work{Flops: 1}, func() { ran = true })
		if s.charged() {
			p.fails(err, "has no devices", "use Compute")
			p.check(!ran, "the body ran all the same")
			return
		}
		p.ok(err)
		_, err = p.Wait(&q)
		p.ok(err)
		p.check(ran, "the body did not run")
	})
}
