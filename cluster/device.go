package cluster

// Streams is how many streams a rank has on its device.
const Streams = 16

// Launch starts a kernel of w on a stream of the rank's device; q completes when the
// kernel ends. A stream runs its kernels in the order of their launches. Kernels of
// several streams share the device, whose rates they take together. Of a node's devices
// the rank has the one of its number in the node, counted around where there are more
// ranks than devices.
//
// A launch takes the machine's launch time of the processor, and the call that completes
// q its fence time; one fence sees all kernels that have ended before it returns. A wait for
// a kernel is a call like others: it progresses the rank. The body runs before Launch returns, whatever the clock says: its
// results must not be looked at or sent before q is complete. It may be nil.
//
// Where time is the host's own a device is a label: the kernel has ended when Launch
// returns. It is an error on a machine with costs that has no devices.
func (r *Rank) Launch(q *Request, stream int, w Work, body func()) error {
	if stream < 0 || stream >= Streams {
		return r.errorf("launch on stream %d: a device has streams 0 to %d", stream, Streams-1)
	}
	if m := &r.launch.spec.Machine; m.Device.Count == 0 && (m.Emulated || r.launch.spec.Clock == VirtualClock) {
		return r.errorf("launch on stream %d: machine %s has no devices: use Compute, or a machine that has some", stream, m.Name)
	}
	r.op.Kind, r.op.Tag, r.op.Then = KindLaunch, int32(stream), nil
	r.op.A, r.op.B, r.op.Buf, r.op.Size = count(w.Flops), count(w.Bytes), nil, 0
	r.start(q, nil, int(r.id), stream)
	if body != nil {
		r.port.Compute(Work{}, body)
	}
	return nil
}

// count is an amount of work as a whole number.
func count(x float64) uint64 {
	if !(x > 0) {
		return 0
	}
	return uint64(min(x+0.5, 1<<62))
}

// KernelTime is the device's time for w, with the device to itself: the longer of flops
// and memory.
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

// Devices gives each rank the number of its device among those of all nodes, of which so
// many are in a node, and how many of them have ranks: see Launch.
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
