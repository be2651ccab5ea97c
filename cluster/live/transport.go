package live

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// transport moves bytes between ranks and defines time. Engines match, wait and run continuations.
// The transport handles everything that depends on the peer's location or on the time of a
// transfer. Only small messages do not use it: they go into the ring to the peer, if there is one.
type transport interface {
	// usesRing reports whether messages from a rank to another may use a ring in shared memory. It
	// is called until the ring exists.
	usesRing(from, to int32) bool
	// carry sends a message, a handshake or an RPC to p.dst, as n bytes.
	carry(e *engine, p *parcel, n int64)
	// moveMatched moves the bytes of a matched rendezvous to a receive of e, and completes it at
	// the sender. False: the sender needs a CTS first.
	moveMatched(e *engine, p *parcel, buf []byte, capacity int64) (cluster.Done, bool)
	// put, get and atomic access a segment. The caller has checked the bounds.
	put(e *engine, op *cluster.Op, n int64) cluster.Handle
	get(e *engine, op *cluster.Op, n int64) cluster.Handle
	atomic(e *engine, op *cluster.Op) cluster.Handle
	// work computes on the rank's CPU, one piece after another.
	work(e *engine, op *cluster.Op) cluster.Handle
	// load charges loads of buffers that members of a context have exposed.
	load(e *engine, op *cluster.Op) cluster.Handle
	// launch starts a kernel on the rank's device.
	launch(e *engine, op *cluster.Op) cluster.Handle
	// toDevice completes a receive when its bytes are in device memory.
	toDevice(e *engine, s *slot, d cluster.Done)
	// charge charges a receive for the message of p: slot s, or at once (nil).
	charge(e *engine, s *slot, p *parcel)
	// bodyTime returns the CPU time before the body of an RPC, in wall ns.
	bodyTime(p *parcel) int64
	// reply completes an RPC at its caller.
	reply(e *engine, p *parcel, d cluster.Done)
	// open completes a barrier later, after all members have entered; now: the caller must complete
	// it.
	open(b *barrier) (now bool)
	// addToFlag adds to a flag later; now: the caller must add.
	addToFlag(e *engine, b *barrier, op *cluster.Op) (now bool)
	// reaches reports whether loads and stores reach from one rank to another.
	reaches(from, to int32) bool
	// inPlace reports whether puts and gets run inside Post, at the host's cost.
	inPlace() bool
	clock
}

// clock is the time of the program.
type clock interface {
	// start starts the clock, after the ranks have their engines.
	start()
	// machineTime converts the host's time since the launch to the program's time.
	machineTime(d time.Duration) cluster.Time
	// compute runs a body, which may be nil, as work.
	compute(p *port, work cluster.Work, body func())
	// dilationFactor returns the host's time divided by the program's time.
	dilationFactor() float64
	// lateness returns the counts of how well the host keeps up.
	lateness() cluster.Lateness
	// warnings describes how the host failed to keep up.
	warnings() []string
}

// Numbers of polls of a thread that has its own core.
const (
	directSpins    = 20000 // before it yields
	directPatience = 2000  // for free cells in a full ring
)

// newTransport returns the transport for a machine. Without emulation, threads may spin and use
// VCIs.
func newTransport(w *world, cores int) (transport, error) {
	if w.spec.Machine.Emulated {
		var err error
		w.wire, err = newWire(w, cores)
		return w.wire, err
	}
	w.vcis = vcisOf(&w.spec)
	if w.remote != nil {
		w.vcis = 0 // frames go to main engines
		return w.remote, nil
	}
	if !w.crowded {
		w.spins, w.patience = directSpins, directPatience
	}
	return direct{}, nil
}

// direct is the transport between ranks of one address space. The side that arrives last copies the
// bytes, and time is the wall clock.
type direct struct{}

func (direct) usesRing(int32, int32) bool { return true }

func (direct) carry(e *engine, p *parcel, _ int64) { e.sendParcel(p, p.dst) }

// moveMatched copies from the sender's buffer and completes the send.
func (direct) moveMatched(e *engine, p *parcel, buf []byte, capacity int64) (cluster.Done, bool) {
	d := received(p.src, p.tag, p.size, capacity)
	if o := e.observer; o != nil && e.lockless && len(p.req.buf) >= copyBytes {
		o.copyRendezvous(buf, p.req.buf, p.src)
	} else {
		copy(buf, p.req.buf)
	}
	p.from.completeFrom(p.req, cluster.Done{Peer: e.id, Tag: p.tag, Size: p.size})
	e.release(p)
	return d, true
}

func (direct) put(e *engine, op *cluster.Op, n int64) cluster.Handle {
	t := e.w.engines[op.Peer]
	if op.Train > 1 {
		e.eachBlock(op, func(one *cluster.Op) { t.scatter(one.Off, nil, nil, one.Buf) })
	} else {
		t.scatter(op.Off, op.Vec, op.Shape, op.Buf)
	}
	if op.SigOp != cluster.SigNone {
		t.signal(op.Sig, op.SigOp, op.A)
	}
	if op.Fn == 0 {
		return e.finish(op, cluster.Done{Peer: op.Peer, Size: n})
	}
	s := e.takeSlot(op)
	p := newParcel()
	p.kind = parcelRPC
	p.src = e.id
	p.dst = op.Peer
	p.fn = op.Fn
	p.arg = op.Arg
	p.req = s
	p.from = e
	p.size = n
	e.w.transport.carry(e, p, n)
	return postResult(s)
}

func (direct) get(e *engine, op *cluster.Op, n int64) cluster.Handle {
	e.w.engines[op.Peer].gather(op.Off, op.Vec, op.Shape, op.Buf)
	return e.finish(op, cluster.Done{Peer: op.Peer, Size: n})
}

func (direct) atomic(e *engine, op *cluster.Op) cluster.Handle {
	t := e.w.engines[op.Peer]
	a := t.applyAtomic(&t.words[op.Off/8], cluster.AtomicOp(op.Arg), op.A, op.B)
	return e.finish(op, cluster.Done{Peer: op.Peer, Size: 8, A: a})
}

func (direct) work(e *engine, op *cluster.Op) cluster.Handle { return e.finish(op, cluster.Done{}) }

func (direct) load(e *engine, op *cluster.Op) cluster.Handle { return e.finish(op, cluster.Done{}) }

func (direct) launch(e *engine, op *cluster.Op) cluster.Handle { return e.finish(op, cluster.Done{}) }

func (direct) toDevice(e *engine, s *slot, d cluster.Done) { e.complete(s, d) }

func (direct) reply(_ *engine, p *parcel, d cluster.Done) {
	p.from.completeFrom(p.req, d)
	p.free()
}

func (direct) charge(*engine, *slot, *parcel) {}

func (direct) bodyTime(*parcel) int64 { return 0 }

func (direct) open(*barrier) bool { return true }

func (direct) addToFlag(*engine, *barrier, *cluster.Op) bool { return true }

func (direct) reaches(int32, int32) bool { return true }

func (direct) inPlace() bool { return true }

func (direct) start() {}

func (direct) machineTime(d time.Duration) cluster.Time { return cluster.Time(d) * cluster.Nanosecond }

func (direct) compute(_ *port, _ cluster.Work, body func()) {
	if body != nil {
		body()
	}
}

func (direct) dilationFactor() float64 { return 1 }

func (direct) lateness() cluster.Lateness { return cluster.Lateness{} }

func (direct) warnings() []string { return nil }
