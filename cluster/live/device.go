package live

import (
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// kernelState is the state of a rank's kernels, in wall ns since launch. The wire's lock guards all
// fields except model.
type kernelState struct {
	lastStart int64 // start of the last kernel
	streams   [cluster.Streams]int64
	link      int64        // time at which the path to the device is free
	model     atomic.Int64 // time of the kernel whose body is about to run; 0: none
}

// launch implements transport. A device runs one kernel after another, each when it is started and
// earlier kernels of its stream have ended.
func (x *wire) launch(e *engine, op *cluster.Op) cluster.Handle {
	d := &x.w.spec.Machine.Device
	took := x.wallTime(d.KernelTime(cluster.Work{Flops: float64(op.A), Bytes: float64(op.B)}))
	s := e.takeSlot(op)
	p := newCompletion(e, s)
	k := e.main.kernels
	k.model.Store(took)
	x.mu.Lock()
	k.lastStart = max(k.lastStart, x.now()) + x.wallTime(d.Launch)
	free := &x.free[x.deviceOf[e.id]]
	ready := max(k.lastStart, k.streams[op.Tag])
	begin := max(ready, *free)
	end := begin + took
	k.streams[op.Tag], *free = end, end
	x.push(p, end+x.wallTime(d.Fence))
	x.mu.Unlock()
	if rec := timeline.Of(&x.w.spec); rec != nil {
		at := func(t int64) cluster.Time { return x.machineTime(time.Duration(t)) }
		rec.Kernel(e.main.id, op.Tag, at(ready), at(begin), at(end))
	}
	return postResult(s)
}

// stage copies bytes between device memory and host memory from a time on, over the rank's path to
// its device, and returns the end. The caller holds mu.
func (x *wire) stage(rank int32, at, n int64) int64 {
	k, link := x.w.engines[rank].kernels, &x.w.spec.Machine.Device.Link
	begin := max(at, k.link)
	if link.Bandwidth > 0 {
		begin += x.wallTime(cluster.FromSeconds(float64(n) / link.Bandwidth))
	}
	k.link = begin
	return begin + x.wallTime(link.Latency)
}

// completeReceive completes a receive whose bytes have arrived. Bytes for device memory are copied
// there first.
func (e *engine) completeReceive(s *slot, d cluster.Done) {
	if !s.toDevice {
		e.complete(s, d)
		return
	}
	e.w.transport.toDevice(e, s, d)
}

// toDevice implements transport.
func (x *wire) toDevice(e *engine, s *slot, d cluster.Done) {
	p := newCompletion(e, s)
	p.done = d
	x.mu.Lock()
	x.push(p, x.stage(e.main.id, x.now(), d.Size))
	x.mu.Unlock()
}
