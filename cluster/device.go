package cluster

// Streams is the number of streams of a rank on its device.
const Streams = 16

// Launch starts a kernel of w on a stream of the rank's device; q completes when the kernel ends. A
// stream runs its kernels in the order of their launches. Kernels of several streams share the
// rates of the device. The rank uses the device with its own number in the node, modulo the number
// of devices.
//
// A launch costs the machine's launch time on the CPU, and the call that completes q costs its
// fence time. One fence detects all kernels that have ended before it returns. A wait for a kernel
// is a call like others: it makes progress for the rank. The body runs before Launch returns,
// independent of the clock. Do not read or send its results before q is complete. The body may be
// nil.
//
// On a wall clock a device is only a label: the kernel has ended when Launch returns. Launch is an
// error on a machine with costs and without devices.
func (r *Rank) Launch(q *Request, stream int, w Work, body func()) error {
	if stream < 0 || stream >= Streams {
		return r.errorf("launch on stream %d: a device has streams 0 to %d", stream, Streams-1)
	}
	if m := &r.launch.spec.Machine; m.Device.Count == 0 && (m.Emulated || r.launch.spec.Clock == VirtualClock) {
		return r.errorf("launch on stream %d: machine %s has no devices (use Compute, or a machine with devices)", stream,
			m.Name)
	}
	r.op.Kind, r.op.Tag, r.op.Then = KindLaunch, int32(stream), nil
	r.op.A, r.op.B, r.op.Buf, r.op.Size = count(w.Flops), count(w.Bytes), nil, 0
	r.start(q, nil, int(r.id), stream)
	if body != nil {
		r.port.Compute(Work{}, body)
	}
	return nil
}

// count returns an amount of work as an integer.
func count(x float64) uint64 {
	if !(x > 0) {
		return 0
	}
	return uint64(min(x+0.5, 1<<62))
}

// KernelTime returns the time of w on an otherwise idle device: the larger of the times for flops
// and for memory.
func (d *Device) KernelTime(w Work) Time {
	var s float64
	if d.Flops > 0 {
		s = w.Flops / d.Flops
	}
	if d.Rate > 0 {
		s = max(s, w.Bytes/d.Rate)
	}
	return FromSeconds(s)
}

// Devices returns the number of each rank's device among the devices of all nodes, and the number
// of devices with ranks, for perNode devices per node. See Launch.
func (l *Layout) Devices(perNode int) (of []int32, all int) {
	if perNode <= 0 {
		return nil, 0
	}
	perNode = min(perNode, l.RanksPerNode)
	of = make([]int32, l.Ranks())
	placed := make([]int, l.Nodes)
	for i := range of {
		node := l.NodeOf(i)
		of[i] = int32(node*perNode + placed[node]%perNode)
		placed[node]++
	}
	return of, l.Nodes * perNode
}
