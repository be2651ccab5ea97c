package live

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// transport is the way from one rank to another, and what time is there. Engines
// match, wait and run steps; whatever else depends on where the other rank is, or on
// what a transfer takes, is asked of the transport. One question comes before it: a
// small message goes into the ring to its peer, if there is one.
type transport interface {
	// rings reports whether what a rank sends to another may pass a ring of memory
	// that both have; it is asked until there is one.
	rings(from, to int32) bool
	// carry takes a message, a handshake or an RPC to p.dst, as n bytes.
	carry(e *engine, p *parcel, n int64)
	// matched moves the bytes of a rendezvous that a receive of e was found for, and
	// completes it at the sender. False: the sender has to be told first.
	matched(e *engine, p *parcel, buf []byte, room int64) (cluster.Done, bool)
	// put, get and atomic work on a segment, within its bounds.
	put(e *engine, op *cluster.Op, n int64) cluster.Handle
	get(e *engine, op *cluster.Op, n int64) cluster.Handle
	atomic(e *engine, op *cluster.Op) cluster.Handle
	// work computes on the rank's processor, one piece after another.
	work(e *engine, op *cluster.Op) cluster.Handle
	// load is work of looking at what members of a context have exposed.
	load(e *engine, op *cluster.Op) cluster.Handle
	// launch starts a kernel on the rank's device.
	launch(e *engine, op *cluster.Op) cluster.Handle
	// toDevice completes a receive once its bytes are in the device's memory.
	toDevice(e *engine, s *slot, d cluster.Done)
	// reply completes an RPC at its caller.
	reply(e *engine, p *parcel, d cluster.Done)
	// open opens a barrier that all have entered, later; now: the caller has to.
	open(b *barrier) (now bool)
	// raise adds to a word of a board, later; now: the caller has to.
	raise(e *engine, b *barrier, op *cluster.Op) (now bool)
	// reaches reports whether loads and stores get from one rank to another.
	reaches(from, to int32) bool
	// inPlace says that a put or get is done when it is posted, and costs what it costs
	// the host.
	inPlace() bool
	clock
}

// clock is what time is to the program.
type clock interface {
	// start lets it run, once the ranks have their engines.
	start()
	// model is the program's time, of the host's since the launch.
	model(d time.Duration) cluster.Time
	// compute runs a body, which may be nil, as work.
	compute(p *port, work cluster.Work, body func())
	// stretch is the factor of the host's time over the program's.
	stretch() float64
	// lateness is how well the host has kept a machine's time.
	lateness() cluster.Lateness
	// warnings says what the host could not keep.
	warnings() []string
}

// newTransport gives the transport that a machine wants. A host that has nothing to
// emulate may spin, and deal its messages to lanes.
func newTransport(w *world, cores int) transport {
	if w.spec.Machine.Emulated {
		return newWire(w, cores)
	}
	if !w.crowded {
		w.spins, w.patience = 20000, 2000
	}
	w.lanes = lanesOf(&w.spec)
	return direct{}
}

// direct is the transport among ranks of one address space: bytes are copied by
// whoever comes last, and time is the wall clock.
type direct struct{}

func (direct) rings(int32, int32) bool { return true }

func (direct) carry(e *engine, p *parcel, _ int64) { e.ship(p, p.dst) }

// matched copies out of the sender's buffer and lets the sender go on.
func (direct) matched(e *engine, p *parcel, buf []byte, room int64) (cluster.Done, bool) {
	d := received(p.src, p.tag, p.size, room)
	if o := e.observer; o != nil && e.plain && len(p.req.buf) >= copyBytes {
		o.takes(buf, p.req.buf, p.src)
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
	s := e.pend(op)
	p := newParcel()
	p.kind, p.src, p.dst, p.fn, p.arg, p.req, p.from, p.size = parcelRPC, e.id, op.Peer, op.Fn, op.Arg, s, e, n
	e.ship(p, op.Peer)
	return pended(s)
}

func (direct) get(e *engine, op *cluster.Op, n int64) cluster.Handle {
	e.w.engines[op.Peer].gather(op.Off, op.Vec, op.Shape, op.Buf)
	return e.finish(op, cluster.Done{Peer: op.Peer, Size: n})
}

func (direct) atomic(e *engine, op *cluster.Op) cluster.Handle {
	t := e.w.engines[op.Peer]
	a := t.apply(&t.words[op.Off/8], cluster.AtomicOp(op.Arg), op.A, op.B)
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

func (direct) open(*barrier) bool { return true }

func (direct) raise(*engine, *barrier, *cluster.Op) bool { return true }

func (direct) reaches(int32, int32) bool { return true }

func (direct) inPlace() bool { return true }

func (direct) start() {}

func (direct) model(d time.Duration) cluster.Time { return cluster.Time(d) * cluster.Nanosecond }

func (direct) compute(_ *port, _ cluster.Work, body func()) {
	if body != nil {
		body()
	}
}

func (direct) stretch() float64 { return 1 }

func (direct) lateness() cluster.Lateness { return cluster.Lateness{} }

func (direct) warnings() []string { return nil }
