package live

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// cpu is a thread's clock on an emulated machine, in wall ns since the launch. A call costs the
// machine's time of the thread's processor. The thread does not sleep for that time: its clock runs
// ahead of the host's, and its next message leaves at the time of this clock. On the host itself
// the clock stays 0.
type cpu struct{ at int64 }

// until advances the clock to a time.
func (c *cpu) until(at int64) { c.at = max(c.at, at) }

// maxAhead is the maximum time by which a thread's clock may be ahead of the host's.
const maxAhead = maxSpin

// enterWire begins a call of a thread on an emulated machine: the thread has used the host's time up
// to now.
func (p *port) enterWire() {
	x := p.e.w.wire
	if x == nil {
		return
	}
	now := x.now()
	if p.cpu.at-now > int64(maxAhead) {
		x.sleep(p, p.cpu.at)
		now = x.now()
	}
	p.cpu.until(now)
}

// sleep suspends a thread until a time.
func (x *wire) sleep(pt *port, until int64) {
	p := newParcel()
	p.kind, p.port = parcelWake, pt
	x.mu.Lock()
	x.push(p, until)
	x.mu.Unlock()
	select {
	case <-pt.timer:
	case <-x.w.over:
		panic(unwound{})
	}
}

// compute runs a body and waits until the machine's time for it has passed.
func (x *wire) compute(pt *port, work cluster.Work, body func()) {
	begin := x.now()
	start := max(begin, pt.cpu.at)
	if body != nil {
		body()
	}
	modelled, kernel := x.wallTime(x.w.spec.Machine.ComputeTime(work)), false
	if k := pt.e.kernels; k != nil && work == (cluster.Work{}) { // the body of a running kernel
		modelled, kernel = k.model.Swap(0), true
	}
	if modelled == 0 {
		return
	}
	x.computed.Add(1)
	if took := x.now() - begin; took >= modelled {
		x.overruns.Add(1)
		x.overTook.Add(took)
		x.overModel.Add(modelled)
		return
	}
	if kernel {
		return
	}
	x.sleep(pt, start+modelled)
	pt.cpu.until(start + modelled)
}

// work completes after the machine's time for it.
func (x *wire) work(e *engine, op *cluster.Op) cluster.Handle {
	return x.occupy(e, op, x.w.spec.Machine.ComputeTime(cluster.Work{Flops: float64(op.A), Bytes: float64(op.B)}))
}

// load charges one access to the exposed buffer of each of some members.
func (x *wire) load(e *engine, op *cluster.Op) cluster.Handle {
	machine := &x.w.spec.Machine
	m, _ := e.member(op.Ctx)
	t := machine.ComputeTime(cluster.Work{Flops: float64(op.B)})
	for i := range op.A {
		from := m.b.ranks[(uint64(op.Tag)+i)%uint64(len(m.b.ranks))]
		class := x.class(e.id, from)
		if class == sameSocket {
			class = cluster.InNode
		}
		t += machine.AccessTime(class, op.Size/int64(op.A))
	}
	return x.occupy(e, op, t)
}

// occupy occupies the rank's CPU for a time.
func (x *wire) occupy(e *engine, op *cluster.Op, t cluster.Time) cluster.Handle {
	modelled := x.wallTime(t)
	if modelled == 0 {
		return e.finish(op, cluster.Done{})
	}
	s := e.takeSlot(op)
	p := newCompletion(e, s)
	e.cpu.at += modelled
	x.mu.Lock()
	x.push(p, e.cpu.at)
	x.mu.Unlock()
	return postResult(s)
}
