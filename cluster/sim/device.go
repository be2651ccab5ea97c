package sim

import "github.com/hybridtop/hybridtop/cluster"

// devices are the accelerators of a machine, which run kernels concurrently with the CPUs.
type devices struct {
	each        []server       // by node, then number: a device, whose rates kernels share
	deviceOf    []int32        // by rank
	streams     []cluster.Time // by rank, then number: end of the stream's kernels; nil: none has been launched
	fenced      []cluster.Time // by rank: end of the last fence that detected a kernel's end
	shared      bool           // a node has more ranks than devices
	flops, rate rate
	launchTime  cluster.Time
	fence       cluster.Time
	messageTime cluster.Time // overhead of a send or a receive on device memory
}

func newDevices(s *cluster.Spec) devices {
	d, l := &s.Machine.Device, &s.Layout
	a := devices{flops: rateOf(d.Flops), rate: rateOf(d.Rate), launchTime: d.Launch, fence: d.Fence}
	if d.Count == 0 {
		return a
	}
	a.messageTime = d.MessageOverhead
	a.shared = l.RanksPerNode > d.Count
	var all int
	a.deviceOf, all = l.Devices(d.Count)
	a.each = make([]server, all)
	for i := range a.each {
		a.each[i].rate = rate(cluster.Second) // one unit of work per picosecond
	}
	return a
}

// allocate makes the times of the ranks at the first launch. Most programs launch no kernels.
func (a *devices) allocate(ranks int) {
	a.streams, a.fenced = make([]cluster.Time, ranks*cluster.Streams), make([]cluster.Time, ranks)
	for i := range a.fenced {
		a.fenced[i] = never
	}
}

// launch starts a kernel.
func (t *thread) launch(op *cluster.Op) cluster.Handle {
	w, r := t.w, t.r
	t.spend(w.devices.launchTime, ofLaunch)
	if w.devices.shared && t.id >= 0 && !r.stepping {
		t.sync(evResume) // devices are reserved in the order of time
	}
	if w.devices.streams == nil {
		w.devices.allocate(len(w.ranks))
	}
	stream := &w.devices.streams[r.id*cluster.Streams+op.Tag]
	dt, why := w.devices.flops.time(int64(min(op.A, 1<<62))), ofDeviceFlops
	if x := w.devices.rate.time(int64(min(op.B, 1<<62))); x > dt {
		dt, why = x, ofDeviceRate
	}
	alone := dt
	if w.compNoise > 0 {
		dt += r.jitter(dt)
	}
	device := &w.devices.each[w.devices.deviceOf[r.id]]
	begin := max(t.now, *stream)
	use := memoryUse{server: device, free: device.Free(), at: moment{begin, t.cause}, need: dt}
	if w.trace.on && begin > t.now {
		use.at.cause = w.trace.held(w.trace.streams[r.id*cluster.Streams+op.Tag], DeviceQueue, r.id)
	}
	*stream = device.work(begin, int64(dt), dt)
	if rec := w.trace.recorder; rec != nil {
		rec.Kernel(r.id, op.Tag, begin, *stream-dt, *stream)
	}
	s, id := t.takeSlot(op)
	s.fee = feeFence
	if w.trace.on {
		s.cause = w.trace.kernel(&use, op.Tag, *stream, min(alone, dt), why, r.id, w.devices.deviceOf[r.id])
	}
	w.completeAt(*stream, r.id, id)
	return t.postResult(op, id)
}

// jitter returns the noise of a computing time of the rank; at least −dt.
func (r *rank) jitter(dt cluster.Time) cluster.Time {
	if !r.noisy {
		r.noise, r.noisy = newNoise(r.w.spec.Seed, uint64(r.id)), true
	}
	return r.noise.jitter(dt, r.w.compNoise)
}

// payFence charges a thread for detecting the end of a kernel. One fence detects all kernels that
// have ended before it returns.
func (t *thread) payFence(ended cluster.Time) {
	fenced := &t.w.devices.fenced[t.r.id]
	if t.w.trace.on {
		t.w.trace.ofRank(orderHandled, t.r.id, 1+uint64(min(max(ended-*fenced, 0), 1)))
	}
	if ended > *fenced {
		t.pay(t.w.devices.fence, ofFence)
		*fenced = t.now
	}
}

// kernel records a kernel that ends at a time, and returns the cause of its end. alone is its time
// without noise.
func (t *trace) kernel(u *memoryUse, stream int32, done, alone cluster.Time, why Constant, rank, device int32) int32 {
	if t.streams == nil {
		t.streams = make([]int32, t.ranks*cluster.Streams)
	}
	for int(device) >= len(t.devices) {
		t.devices = append(t.devices, hold{})
	}
	own := t.charge(u.at.cause, alone, why, rank)
	own = t.extra(own, u.need-alone, why, NoteNoise, rank)
	var order uint64
	cause := t.shared(&t.devices[device], u, moment{u.at.at + u.need, own}, done, why, rank, DeviceQueue, &order)
	t.ofRank(orderHandled, rank, order)
	t.streams[rank*cluster.Streams+stream] = cause
	return cause
}
