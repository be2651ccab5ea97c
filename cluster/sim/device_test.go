package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Kernels to the picosecond: consecutive launches, a stream in order, streams that share a device,
// ranks that share a device, and concurrent computation.
func TestKernels(t *testing.T) {
	const us = cluster.Microsecond
	w := func(n cluster.Time) cluster.Work { return cluster.Work{Flops: float64(n / us * 1000)} } // 1 Gflop/s
	for _, c := range []struct {
		name  string
		ranks int // of one device
		body  func(r *cluster.Rank, q []cluster.Request)
		want  cluster.Time
	}{
		{"one", 1, func(r *cluster.Rank, q []cluster.Request) { _ = r.Launch(&q[0], 0, w(100*us), nil) }, (3 + 100 + 5) * us},
		{"two in a stream", 1, func(r *cluster.Rank, q []cluster.Request) {
			_ = r.Launch(&q[0], 0, w(100*us), nil)
			_ = r.Launch(&q[1], 0, w(10*us), nil)
		}, (3 + 100 + 10 + 5) * us}, // the first fence overlaps with the second kernel
		{"one fence for several", 1, func(r *cluster.Rank, q []cluster.Request) {
			_ = r.Launch(&q[0], 0, w(10*us), nil)
			_ = r.Launch(&q[1], 1, w(11*us), nil)
		}, (3 + 21 + 5) * us},
		{"a short one beside a long one", 1, func(r *cluster.Rank, q []cluster.Request) {
			_ = r.Launch(&q[0], 0, w(100*us), nil)
			_ = r.Launch(&q[1], 1, w(10*us), nil)
			_, _ = r.Wait(&q[1])
		}, (6 + 20 + 5) * us}, // they alternate; the second launch overlaps with the first kernel
		{"the CPU computes concurrently", 1, func(r *cluster.Rank, q []cluster.Request) {
			_ = r.Launch(&q[0], 0, w(100*us), nil)
			r.Compute(cluster.Work{Flops: 80_000}, nil)
		}, (3 + 100 + 5) * us},
		{"two ranks of a device", 2, func(r *cluster.Rank, q []cluster.Request) { _ = r.Launch(&q[0], 0, w(100*us), nil) },
			(3 + 200 + 5) * us},
	} {
		m := cluster.Machine{Name: "kernels", Flops: 1e9,
			Device: cluster.Device{Count: 1, Flops: 1e9, Launch: 3 * us, Fence: 5 * us}}
		free := cluster.Time(0)
		m.ClockTime = &free
		var last cluster.Time
		simulated(t, clustertest.Spec(m, 1, c.ranks), func(r *cluster.Rank) error {
			q := make([]cluster.Request, 2)
			c.body(r, q)
			short := c.name == "a short one beside a long one"
			if !short {
				if err := r.Waitall(q, nil); err != nil {
					return err
				}
			}
			last = max(last, r.Now())
			return r.Waitall(q, nil)
		})
		if last < c.want || last > c.want+us/100 { // reading a clock that has not moved takes a poll
			t.Errorf("%s: ends at %v, want %v", c.name, last, c.want)
		}
	}
}

// A message from or to device memory has an overhead at both ends if adapters reach that memory; a
// put has none.
func TestMessageOverheadOfDevices(t *testing.T) {
	const o = 7 * cluster.Microsecond
	took := func(kind cluster.Memory, put bool) (end cluster.Time) {
		m := clustertest.Priced()
		m.Device = cluster.Device{Count: 1, Direct: true, MessageOverhead: o}
		simulated(t, clustertest.Spec(m, 2, 1), func(r *cluster.Rank) error {
			means := cluster.Means{Own: kind, Far: kind}
			return r.Using(means, func() error {
				b := make([]byte, 64)
				if put && r.ID() == 0 {
					err := r.Put(cluster.At(1, 0), cluster.Of(b))
					end = r.Now()
					return err
				}
				if put {
					return nil
				}
				var err error
				if r.ID() == 0 {
					return r.Send(r.World(), 1, 0, cluster.Of(b))
				}
				_, err = r.Recv(r.World(), 0, 0, cluster.Of(b))
				end = r.Now()
				return err
			})
		})
		return end
	}
	// both ends pay at the same time
	if host, device := took(cluster.HostMemory, false), took(cluster.DeviceMemory, false); device != host+o {
		t.Errorf("a message takes %v from host to host, %v from device to device; want %v more", host, device, o)
	}
	if host, device := took(cluster.HostMemory, true), took(cluster.DeviceMemory, true); device != host {
		t.Errorf("a put takes %v from host to host, %v from device to device; want the same", host, device)
	}
}
