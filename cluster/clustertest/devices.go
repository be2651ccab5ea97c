package clustertest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

var deviceCases = []testCase{
	{"the body of a kernel runs once, in the order of launches", accelerated(false, onRanks(2, kernelsRunInOrder))},
	{"kernels of a stream run in turn, kernels of several streams at once",
		accelerated(false, ifCharged(onRanks(2, kernelsTakeTime)))},
	{"each stream that ran a kernel has a lane of the timeline", accelerated(false, (*suite).streamsHaveLanes)},
	{"a rank computes while its kernel runs", accelerated(false, onRanks(2, computeBesideKernel))},
	{"transfers of device memory are correct, staged by the host", accelerated(false, (*suite).transferDeviceMemory)},
	{"transfers of device memory are correct, direct", accelerated(true, (*suite).transferDeviceMemory)},
	{"an invalid stream is refused", accelerated(false, onRanks(2, refuseStreams))},
	{"a machine without devices refuses a launch, and a host runs it", onRanks(2, launchWithoutDevice)},
}

// accelerated is a test on the suite's machine with devices, of which each rank has one.
func accelerated(direct bool, test func(*suite, *testing.T)) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		with := *s
		with.machine.Device = cluster.Device{
			Count: 2, Memory: 1 << 20, Rate: 1e10, Flops: 1e10, Direct: direct, Launch: 3 * cluster.Microsecond,
			Fence: 5 * cluster.Microsecond,
			Link:  cluster.Link{Latency: 4 * cluster.Microsecond, Bandwidth: 5e9},
		}
		test(&with, t)
	}
}

func kernelsRunInOrder(p *proc) {
	for range p.times(5) {
		var q [3]cluster.Request
		var order []int
		for i, stream := range []int{0, cluster.Streams - 1, 0} {
			p.ok(p.Launch(&q[i], stream, cluster.Work{Flops: 1000, Bytes: 1000}, func() { order = append(order, i) }))
		}
		p.ok(p.Waitall(q[:], nil))
		p.check(slices.Equal(order, []int{0, 1, 2}), "bodies ran in the order %v", order)
		p.ok(p.Launch(&q[0], 1, cluster.Work{}, nil))
		for !p.is(p.Test(&q[0])) {
		}
	}
}

func kernelsTakeTime(p *proc) {
	dev, w := p.Spec().Machine.Device, cluster.Work{Flops: 400_000, Bytes: 100_000}
	for _, streams := range [][]int{{0}, {0, 0, 0}, {0, 1, 2}} {
		var q [3]cluster.Request
		at := p.Now()
		for i, stream := range streams {
			p.ok(p.Launch(&q[i], stream, w, func() {}))
		}
		p.ok(p.Waitall(q[:], nil))
		p.took("kernels", p.Now()-at, dev.Launch+dev.Fence+dev.KernelTime(w)*cluster.Time(len(streams)))
	}
}

func (s *suite) streamsHaveLanes(t *testing.T) {
	spec := s.spec(2)
	spec.Timeline = timeline.NewRecorder(spec.Layout, false)
	w := cluster.Work{Flops: 400_000}
	s.run(t, spec, func(p *proc) {
		var q [3]cluster.Request
		for i, stream := range []int{0, 4, 0} {
			p.ok(p.Launch(&q[i], stream, w, func() {
				for at := p.Now(); p.Now() == at && !s.oneAtATime; { // the host's own time passes
				}
			}))
		}
		p.ok(p.Waitall(q[:], nil))
	})
	v := timeline.Of(&spec).View()
	if n := len(v.Lanes) - 2*s.threads; n != 4 {
		t.Errorf("%d lanes of streams, want two of each rank", n)
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		covers(t, l, v.To)
		number, ok := l.Stream()
		if ok != (i >= 2*s.threads) {
			t.Errorf("lane %d of %d is a stream's: %t", i, len(v.Lanes), ok)
		}
		if !ok {
			continue
		}
		want := s.machine.Device.KernelTime(w)
		if number == 0 {
			want *= 2
		}
		took := l.Sums(v.To, new(timeline.Cursor))[timeline.ActivityCompute]
		if took <= 0 || s.charged() && (took < want-want/100 || took > want+want/100) {
			t.Errorf("kernels of rank %d's stream %d take %v, want %v", l.Rank, number, took, want)
		}
	}
}

func computeBesideKernel(p *proc) {
	dev, w := p.Spec().Machine.Device, cluster.Work{Flops: 4_000_000}
	var q cluster.Request
	at := p.Now()
	p.ok(p.Launch(&q, 0, w, nil))
	p.Compute(cluster.Work{Flops: 100_000}, nil)
	p.status(p.Wait(&q))
	took, limit := p.Now()-at, dev.Launch+dev.KernelTime(w)+dev.Fence+cluster.Microsecond
	// It is not known when a host runs a thread again.
	p.check(took <= limit || !p.suite.virtual(), "a kernel and the computation took %v, want %v at most", took, limit)
}

func (s *suite) transferDeviceMemory(t *testing.T) {
	device := cluster.Means{Own: cluster.DeviceMemory, Far: cluster.DeviceMemory}
	for _, size := range []int{8, eager + 8, 12_000} {
		s.test(t, fmt.Sprintf("%d bytes", size), 4, func(p *proc) {
			dev, least := p.Spec().Machine.Device, cluster.Time(0)
			if s.charged() && !dev.Direct {
				least = 2 * (dev.Link.Latency + cluster.FromSeconds(float64(size-1)/dev.Link.Bandwidth))
			}
			to, from := (p.ID()+1)%p.Ranks(), (p.ID()+p.Ranks()-1)%p.Ranks()
			out, in := bytes.Repeat([]byte{byte(p.ID() + 1)}, size), make([]byte, size)
			want := bytes.Repeat([]byte{byte(from + 1)}, size)
			for _, early := range []bool{true, false} { // the receive is posted before the send, or after it
				var q [2]cluster.Request
				at := p.Now()
				p.ok(p.Using(device, func() error {
					if early {
						p.ok(p.Irecv(&q[0], p.World(), from, 1, cluster.Of(in)))
					}
					p.ok(p.Isend(&q[1], p.World(), to, 1, cluster.Of(out)))
					if !early {
						p.ok(p.Irecv(&q[0], p.World(), from, 1, cluster.Of(in)))
					}
					return p.Waitall(q[:], nil)
				}))
				p.check(bytes.Equal(in, want), "other bytes came from rank %d", from)
				p.took("a message between devices", p.Now()-at, least/2) // the sender may have begun its copy before
				p.ok(p.Barrier(p.World()))
			}
			at := p.Now()
			p.ok(p.Using(device, func() error {
				p.ok(p.Put(cluster.At(to, 64), cluster.Of(out)))
				p.took("a put from device to device", p.Now()-at, least)
				p.ok(p.Barrier(p.World()))
				p.check(bytes.Equal(p.Segment()[64:64+size], want), "other bytes were put by rank %d", from)
				at = p.Now()
				p.ok(p.Get(cluster.At(from, 64), cluster.Of(in)))
				p.took("a get from device to device", p.Now()-at, least)
				return p.Barrier(p.World())
			}))
		})
	}
}

func refuseStreams(p *proc) {
	var q cluster.Request
	for _, stream := range []int{-1, cluster.Streams} {
		p.fails(p.Launch(&q, stream, cluster.Work{}, nil), "launch on stream", "streams 0 to 15")
	}
}

func launchWithoutDevice(p *proc) {
	var q cluster.Request
	ran := false
	err := p.Launch(&q, 0, cluster.Work{Flops: 1}, func() { ran = true })
	if p.suite.charged() {
		p.fails(err, "has no devices", "use Compute")
		p.check(!ran, "the body ran all the same")
		return
	}
	p.ok(err)
	p.status(p.Wait(&q))
	p.check(ran, "the body did not run")
}
