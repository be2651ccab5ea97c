package live

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/match"
)

// engine is the fabric's part for one rank. Its owner is the rank's goroutine. In a parallel
// region, with a progress thread, or with VCIs, the owner is the holder of mu.
type engine struct {
	w         *world
	id        int32
	vci       uint8     // its number as a VCI; 0: the rank's main engine
	main      *engine   // main engine of the rank
	vcis      []*engine // VCIs of a main engine, which is the first one; nil: no VCIs
	lockless  bool      // calls need no lock
	hasVCIs   bool      // the rank has VCIs
	inRegion  bool      // in a parallel region: every call locks
	hasHelper bool      // a progress thread exists: the owner holds mu except in Compute and while parked
	stepping  bool
	batch     []batched     // rings and packs with messages that have not left
	packs     []*pack       // by process; nil: none yet
	members   []*member     // members of the contexts of this rank
	steps     []pendingStep // due continuations and RPC bodies
	cpu       *cpu          // wire: clock of the thread that owns the engine
	kernels   *kernelState  // in a main engine; nil: the machine has no devices or no costs
	awaits    []*slot
	gates     []*slot // barriers that continuations wait for
	probes    []*slot

	queues    match.Queues
	unmatched unmatched
	slots     slots
	seg       []byte
	words     []uint64
	serve     func(cluster.RPC) (uint64, bool)
	out       []*ring // rings to each rank, made at first use
	spares    spares

	mu       sync.Mutex // see the type's comment
	finished atomic.Bool
	ended    atomic.Bool // the rank's goroutine has ended

	// senders often read the next five fields: no frequently changed field may share their cache
	// lines
	_         [128]byte
	sleeping  *sleepers     // number of parked threads, plus away: a sender that reads 0 need not wake a thread
	urgent    atomic.Uint32 // VCIs with work for any thread of the rank, by bit
	detached  atomic.Int32  // operations of a VCI with a continuation
	dirty     []atomic.Uint64
	bySource  []atomic.Pointer[ring] // with dirty: rings by source, if there are too many rings to poll
	inbound   atomic.Pointer[[]*ring]
	delivered atomic.Bool // inbox is not empty
	_         [128]byte

	state    atomic.Uint32
	parks    atomic.Uint64 // number of parks
	inflight atomic.Int32  // events on the wire that will change this rank
	inMu     sync.Mutex
	inbox    []*parcel // parcels from the wire or outside a ring, under inMu
	inboxOld []*parcel // owner's list, swapped with inbox

	region  region
	workers []*worker // that run threads 1, 2, ... of its regions

	observer *observed // observer of the rank's first thread; nil: no recording

	portsMu    sync.Mutex
	ports      []*port
	away       atomic.Bool   // computing; the progress thread owns the engine
	wakeHelper chan struct{} // wakes the progress thread
	block      cluster.Op    // current block of a posted train
}

// pendingStep is a due continuation, or the body of an RPC.
type pendingStep struct {
	then cluster.Step
	arg  int32
	done cluster.Done
	call *parcel
	at   int64 // wire: time at which it was due, wall ns
	fee  int64 // wire: CPU time before it, wall ns
}

// maxPolledRings is the maximum number of ranks for which a receiver polls every ring. In larger
// clusters senders set a bit in dirty.
const maxPolledRings = 16

func (w *world) newEngine(id int32) *engine {
	if !w.isLocal(id) {
		return w.remoteEngine(id)
	}
	e := w.bareEngine(id)
	e.main, e.lockless = e, true
	e.region.joining = newParker()
	if m := &w.spec.Machine; m.Emulated && m.Device.Count > 0 {
		e.kernels = &kernelState{}
		w.staged = !m.Device.Direct
	}
	e.placeSegment()
	if w.vcis > 0 {
		e.addVCIs(w.vcis)
	}
	if w.spec.Machine.Progress == cluster.ProgressThread {
		e.hasHelper = true
		e.wakeHelper = make(chan struct{}, 1)
	}
	return e
}

// bareEngine returns an engine with the parts of every VCI.
func (w *world) bareEngine(id int32) *engine {
	p := len(w.engines)
	e := &engine{id: id, w: w, out: make([]*ring, p)}
	e.sleeping = new(sleepers)
	none := []*ring(nil)
	e.inbound.Store(&none)
	if p > maxPolledRings {
		e.dirty = make([]atomic.Uint64, (p+63)/64)
		e.bySource = make([]atomic.Pointer[ring], p)
	}
	return e
}

// alignedBytes returns n zeroed bytes that start at a cache line.
func alignedBytes(n int64) []byte {
	if n == 0 {
		return []byte{}
	}
	words := make([]uint64, (n+7)/8+8)
	skip := (-uintptr(unsafe.Pointer(unsafe.SliceData(words))) & 63) / 8
	return cluster.Bytes(words[skip:])[:n:n]
}

// ringTo returns the ring to rank dst, or nil if there is none.
func (e *engine) ringTo(dst int32) *ring {
	if r := e.out[dst]; r != nil {
		return r
	}
	return e.makeRing(dst)
}

func (e *engine) makeRing(dst int32) *ring {
	if !e.w.transport.usesRing(e.id, dst) {
		return nil
	}
	r := e.connect(dst, ringCells(len(e.w.engines)*(1+e.w.vcis/2)))
	e.out[dst] = r
	return r
}

// connect makes a ring to a rank of this process.
func (e *engine) connect(dst int32, cells int) *ring {
	d := e.w.engines[dst]
	if e.vci != 0 {
		d = d.vcis[e.vci]
	}
	r := newRing(e.id, d, cells)
	d.inMu.Lock()
	list := append(slices.Clip(*d.inbound.Load()), r)
	d.inbound.Store(&list)
	if d.bySource != nil {
		d.bySource[e.id].Store(r)
	}
	d.inMu.Unlock()
	return r
}

// publish publishes written cells and wakes the receiver if it sleeps.
func (e *engine) publish(r *ring) {
	dst := r.to
	if r.batch > 0 {
		r.publish()
	}
	if dst.dirty != nil {
		word, bit := &dst.dirty[e.id/64], uint64(1)<<(e.id%64)
		if word.Load()&bit == 0 {
			word.Or(bit)
		}
	}
	dst.alert()
	if e.vci != 0 && dst.detached.Load() != 0 {
		dst.wakeUrgent()
	}
}

// alert wakes the threads that wait for this engine: for a VCI its waiters, for a main engine all
// waiting threads of the rank. Threads that wait for another VCI then find the main engine urgent.
func (e *engine) alert() {
	if e.vcis != nil {
		e.markUrgent(0)
	}
	if e.sleeping.Load() != 0 {
		e.wake()
	}
}

func (e *engine) wake() {
	if !e.w.isLocal(e.id) {
		e.w.remote.sendAlert(e.id)
		return
	}
	m := e.main
	m.portsMu.Lock()
	for _, p := range m.ports {
		if p.parked.Load() && (e == m || p.watched.Load()>>e.vci&1 != 0) && p.parked.CompareAndSwap(true, false) {
			p.cancelParking()
			p.ch <- struct{}{}
		}
	}
	m.portsMu.Unlock()
	if e.away.Load() {
		select {
		case e.wakeHelper <- struct{}{}:
		default:
		}
	}
}

// A batched is a ring or a pack with messages that have not left.
type batched interface{ leave(e *engine) }

// flush publishes every batch.
func (e *engine) flush() {
	for i, b := range e.batch {
		b.leave(e)
		e.batch[i] = nil
	}
	e.batch = e.batch[:0]
}

// leave implements batched.
func (r *ring) leave(e *engine) {
	if r.batch > 0 {
		e.publish(r)
	}
}

// sendParcel sends a parcel to a rank through the pair's ring.
func (e *engine) sendParcel(p *parcel, dst int32) {
	r := e.ringTo(dst)
	if r.batch > 0 {
		e.publish(r)
	}
	if e.vci != 0 && p.kind == parcelRTS {
		defer r.to.wakeUrgent()
	}
	e.enqueue(r, p, e.waitForCells(r, 1))
}

// enqueue puts a parcel into a ring, or behind the messages that did not fit. The batch must be published.
func (e *engine) enqueue(r *ring, p *parcel, fits bool) {
	if !fits || r.spilled.Load() {
		r.overflow(p)
		e.publish(r)
		return
	}
	i := r.tail & r.mask
	if r.refs == nil {
		r.refs = make([]*parcel, len(r.cells))
	}
	r.refs[i] = p
	r.put(cellParcel, 0, 0, 0, 0)
	e.publish(r)
}

// waitForCells waits briefly for free cells in a ring.
func (e *engine) waitForCells(r *ring, cells uint32) bool {
	if r.hasFree(cells) {
		return true
	}
	if r.batch > 0 {
		e.publish(r)
	}
	for i := 0; i < e.w.patience && r.to != e; i++ {
		if r.hasFree(cells) {
			return true
		}
	}
	return false
}

// complete finishes a slot of this engine. The caller is one of its threads, or no thread can read
// the slot yet.
func (e *engine) complete(s *slot, d cluster.Done) {
	if e.hasVCIs {
		e.completeShared(s, d)
		return
	}
	if s.detached {
		e.steps = append(e.steps, pendingStep{then: s.then, arg: s.thenArg, done: d, at: s.at, fee: s.fee})
		e.slots.give(s)
		return
	}
	s.done.Set(&d)
	s.state = slotDone
}

// finish sets the result of an operation that completes inside Post.
func (e *engine) finish(op *cluster.Op, d cluster.Done) cluster.Handle {
	if op.Then != nil {
		e.continueWith(op, d)
		return 0
	}
	op.Done.Set(&d)
	return 0
}

// continueWith makes the continuation of an operation due that completed inside Post.
func (e *engine) continueWith(op *cluster.Op, d cluster.Done) {
	if e.vci != 0 {
		e.completeFrom(e.takeSlot(op), d)
		return
	}
	e.steps = append(e.steps, pendingStep{then: op.Then, arg: op.ThenArg, done: d})
}

// takeSlot returns a slot for a pending operation.
func (e *engine) takeSlot(op *cluster.Op) *slot {
	s := e.slots.take(op.Kind)
	s.peer = op.Peer
	s.ctx = op.Ctx
	s.tag = op.Tag
	s.arg = op.Arg
	s.buf = op.Buf
	s.size = op.Bytes()
	s.off = op.Off
	s.a = op.A
	if op.Then != nil {
		s.then = op.Then
		s.thenArg = op.ThenArg
		s.detached = true
		if e.vci != 0 {
			e.detached.Add(1)
		}
	}
	return s
}

// postResult returns the result of Post for a slot.
func postResult(s *slot) cluster.Handle {
	if s.detached {
		return 0
	}
	return s.handle()
}

// runSteps runs continuations and RPC bodies until none is due. They may post operations that
// complete at once, so the list is a queue.
func (e *engine) runSteps() {
	if e.stepping {
		return
	}
	e.stepping = true
	for i := 0; i < len(e.steps); i++ {
		st := e.steps[i]
		e.steps[i] = pendingStep{}
		if st.at != 0 {
			e.cpu.until(st.at)
			e.cpu.at += st.fee
		}
		if st.call != nil {
			e.runBody(st.call)
		} else {
			st.then.Step(inside{e}, st.arg, st.done)
		}
	}
	e.steps = e.steps[:0]
	e.stepping = false
}

// inside posts from within the engine: a step, an RPC body.
type inside struct{ e *engine }

func (i inside) Post(op *cluster.Op) cluster.Handle {
	if i.e.vcis != nil {
		return i.e.postInside(op)
	}
	return i.e.post(op)
}
func (i inside) ID() int { return int(i.e.id) }
