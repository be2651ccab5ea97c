package live

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// remote is the transport of a job of several processes. Between ranks of this process it works like
// direct. An operation on any other rank is a frame. The goroutine that receives a frame runs its put, get
// or atomic. Messages and RPCs go to the engine of the target.
//
// A message above the eager limit is an announcement and a body. When the message is matched, the receiver
// passes its buffer to the transport. Then the send completes. Other pending operations have tokens.
type remote struct {
	direct
	w       *world
	run     *far.Run
	process []int32 // by rank
	number  []int32 // by rank: number among the ranks of its process
	me      int32
	ranks   []int32 // by process: number of its ranks
	local   int32   // number of ranks of this process
	first   int32   // the first of them; -1: none
	apart   bool    // segments are not shared
	memory  shared  // segments of this process and of others on its host

	mu       sync.Mutex
	pending  map[uint64]operation // by token
	doubts   []string             // warnings about shared memory
	token    uint64
	barriers map[int32]*remoteBarrier // by context
	packs    []*pack                  // of all engines

	sent     []atomic.Uint64 // frames sent to each rank; the last element counts frames of barriers
	received []atomic.Uint64 // frames received, likewise
	left     atomic.Int32    // bodies of this process that have not returned
	returned chan struct{}   // closed when all bodies of all processes have returned
	asked    chan uint64     // numbers of requested reports
	reports  chan *report    // in process 0
	asleep   atomic.Bool     // in process 0: a rank of another process has slept for a whole period
	hasCores atomic.Bool     // each thread of this process has a core

	published []atomic.Pointer[[]byte] // in process 0, by process

	// of the goroutine that polls
	from    int32      // process of the frame
	poller  int32      // rank that polls; −1: none
	fresh   []*ring    // with messages that are not published
	arrived []arrivals // messages that are not counted
}

// arrivals is a number of messages to a rank.
type arrivals struct {
	dst   int32
	count uint64
}

// operation is a pending operation with a token.
type operation struct {
	e *engine
	s *slot
}

func newRemote(w *world, job *far.Job) *remote {
	n := len(w.engines)
	x := &remote{w: w, me: int32(job.Process()), process: make([]int32, n), pending: map[uint64]operation{},
		barriers: map[int32]*remoteBarrier{}, sent: make([]atomic.Uint64, n+1), received: make([]atomic.Uint64, n+1),
		returned: make(chan struct{}), asked: make(chan uint64, 1), reports: make(chan *report, job.Processes()),
		published: make([]atomic.Pointer[[]byte], job.Processes())}
	x.number = make([]int32, n)
	x.ranks = make([]int32, job.Processes())
	for i := range x.process {
		p := int32(w.spec.Layout.ProcessOf(i, job.Processes()))
		x.process[i], x.number[i] = p, x.ranks[p]
		x.ranks[p]++
	}
	x.local = x.ranks[x.me]
	x.first = int32(slices.Index(x.process, x.me))
	x.left.Store(x.local)
	return x
}

// begin makes the engines, and starts the run together with the other processes.
func (w *world) begin(ctx context.Context, f *Fabric) error {
	job, spec := f.job, w.spec
	x := newRemote(w, job)
	x.apart = f.apart
	w.remote = x
	w.running.Store(x.left.Load() + int32(job.Processes()) - 1)
	var refusal error
	if spec.Machine.Emulated {
		refusal = fmt.Errorf("machine %s: an emulated machine runs in one process, and the job has %d (use the machine this-host)",
			spec.Machine.Name, job.Processes())
	}
	if refusal == nil {
		here := spec
		here.Layout = f.OnHost(spec.Layout)
		refusal = w.allocate(&here, f.Overhead(&here))
	}
	name, _ := os.Hostname()
	x.run = job.Next(x, digest(&spec), name)
	x.run.Program, x.run.Offer = spec.Program, x.memory.offer()
	if err := x.run.Begin(ctx, refusal); err != nil {
		x.release()
		return err
	}
	w.shareHost(x.run.Hosts())
	x.mapSegments()
	f.shares.Store(len(x.memory.mapped) > 0)
	return nil
}

// shareHost lets threads spin if each has a core. If this process is bound to some cores of the host, only
// its own ranks use them. Otherwise the ranks of all processes on the host share its cores.
func (w *world) shareHost(hosts []string) {
	ranks, bound := 0, int(w.cores) < host.Cores()
	for _, p := range w.remote.process {
		if p == w.remote.me || !bound && hosts[p] == hosts[w.remote.me] {
			ranks++
		}
	}
	w.crowded = ranks > int(w.cores)/w.spec.Layout.ThreadsPerRank
	w.remote.hasCores.Store(!w.crowded)
	if !w.crowded {
		w.spins, w.patience = directSpins, directPatience
	}
}

// digest returns a hash of the parts of a spec that must be equal in all processes.
func digest(s *cluster.Spec) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, s.Program, s.Layout, s.Segment, s.EagerLimit, s.Seed, s.Threading, s.PairRanks, s.Machine.Name)
	return h.Sum64()
}

// start implements transport. The run continues until all bodies of all processes have returned.
func (x *remote) start() {
	x.w.ranks.Go(func() {
		select {
		case <-x.returned:
		case <-x.w.over:
		}
	})
	if x.left.Load() == 0 {
		x.run.SendAll(&far.Frame{Kind: far.Done})
	}
}

// end ends the run in this process, after its threads. If the run was aborted, a pack may have announcements of bodies.
// The receivers must know these bodies in order to drop them.
func (x *remote) end() {
	for _, p := range x.packs {
		p.Send()
	}
	x.run.End()
	x.release()
}

// isLocal reports whether a rank is in this process.
func (w *world) isLocal(rank int32) bool {
	return w.remote == nil || w.remote.process[rank] == w.remote.me
}

// remoteEngine returns an engine for a rank of another process. No goroutine belongs to it.
func (w *world) remoteEngine(id int32) *engine {
	e := &engine{id: id, w: w, sleeping: new(sleepers)}
	e.main = e
	e.inbound.Store(new([]*ring))
	e.ended.Store(true)
	return e
}

// bodyReturned records that a body of this process has returned. After the last one, it notifies the other
// processes.
func (w *world) bodyReturned() {
	if x := w.remote; x != nil && x.left.Add(-1) == 0 {
		x.run.SendAll(&far.Frame{Kind: far.Done})
	}
	w.returned()
}

// returned records that a body of this process has returned, or all bodies of another process.
func (w *world) returned() {
	if w.running.Add(-1) > 0 {
		return
	}
	if w.remote != nil {
		close(w.remote.returned)
	}
	w.alertAll()
}

// remoteRun is a run of several processes.
type remoteRun struct{ *world }

// Publish implements cluster.Spread.
func (w remoteRun) Publish(b []byte) {
	if w.remote.me != 0 {
		w.remote.run.Send(0, &far.Frame{Kind: far.Publication, Data: b})
	}
}

// Published implements cluster.Spread.
func (w remoteRun) Published(process int) []byte {
	if b := w.remote.published[process].Load(); b != nil {
		return *b
	}
	return nil
}

// add stores a pending operation, and returns its token.
func (x *remote) add(e *engine, s *slot) uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.token++
	x.pending[x.token] = operation{e, s}
	return x.token
}

// take removes a pending operation, and returns it.
func (x *remote) take(token uint64) (operation, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	o, ok := x.pending[token]
	if !ok {
		return o, fmt.Errorf("unknown token %d", token)
	}
	delete(x.pending, token)
	return o, nil
}

// send sends a frame to the process of a rank.
func (x *remote) send(f *far.Frame) {
	x.sent[f.Dst].Add(1)
	x.run.Send(int(x.process[f.Dst]), f)
}

func (x *remote) usesRing(from, to int32) bool { return x.process[from] == x.process[to] }

func (x *remote) reaches(from, to int32) bool { return x.process[from] == x.process[to] }

// packTo returns the engine's pack of messages to the process of a rank, or nil if the rank is in this process.
func (x *remote) packTo(e *engine, rank int32) *pack {
	to := x.process[rank]
	if to == x.me {
		return nil
	}
	if e.packs == nil {
		e.packs = make([]*pack, x.run.Processes())
	}
	p := e.packs[to]
	if p == nil {
		p = &pack{Pack: x.run.NewPack(int(to))}
		e.packs[to] = p
		x.mu.Lock()
		x.packs = append(x.packs, p)
		x.mu.Unlock()
	}
	return p
}

// pack sends a short message to a rank of another process, together with later ones if possible. It returns false if
// the rank is in this process.
func (x *remote) pack(e *engine, op *cluster.Op, n int64) bool {
	p := x.packTo(e, op.Peer)
	if p == nil {
		return false
	}
	x.sent[op.Peer].Add(1)
	p.Add(&far.Message{Src: e.id, Dst: op.Peer, Ctx: op.Ctx, Tag: op.Tag, Size: n, Data: op.Buf})
	if !op.Batch || e.mustPublish() {
		p.Send()
	} else {
		p.wait(e)
	}
	return true
}

// packBody sends a message with a body. The first one of a batch is announced at once, so that the receiver can begin.
func (x *remote) packBody(e *engine, p *parcel) {
	to := x.packTo(e, p.dst)
	isFirst := !to.isBatched
	if p.batch {
		to.wait(e)
	}
	x.sent[p.dst].Add(1)
	to.SendBody(&far.Message{Src: p.src, Dst: p.dst, Ctx: p.ctx, Tag: p.tag}, isFirst || !p.batch, p.req.buf, (*sentBody)(p))
}

// pack has messages to one process.
type pack struct {
	*far.Pack
	isBatched bool // it is in its engine's batch
}

// wait adds the pack to the engine's batch.
func (p *pack) wait(e *engine) {
	if !p.isBatched {
		p.isBatched = true
		e.batch = append(e.batch, p)
	}
}

// leave implements batched.
func (p *pack) leave(*engine) {
	p.isBatched = false
	p.Send()
}

// carry implements transport.
func (x *remote) carry(e *engine, p *parcel, n int64) {
	if x.process[p.dst] == x.me {
		x.direct.carry(e, p, n)
		return
	}
	switch {
	case p.kind == parcelCTS && p.b != 0:
		x.receiveBody(e, p)
		return
	case p.kind == parcelRTS && len(p.req.buf) > 0:
		x.packBody(e, p)
		return
	}
	if len(e.batch) > 0 {
		e.flush() // earlier messages go first
	}
	f := far.Frame{Src: p.src, Dst: p.dst, Ctx: p.ctx, Tag: p.tag, Size: p.size, Fn: p.fn, Arg: p.arg,
		Data: p.buf, Sized: p.buf == nil}
	switch p.kind {
	case parcelEager:
		f.Kind = far.Eager
		x.send(&f)
		e.release(p)
		return
	case parcelRTS:
		f.Kind, f.Req, f.Sized = far.RTS, x.add(e, p.req), true
	case parcelRPC:
		f.Kind, f.Req = far.RPC, x.add(e, p.req)
	case parcelCTS:
		f.Kind, f.Req, f.Sized = far.Reply, p.a, true
		e.completeFrom(p.recv, received(p.dst, p.tag, p.size, p.recv.size))
	default:
		panic("live: a parcel of this process leaves it")
	}
	p.buf = nil // the bytes of an RPC belong to its caller
	x.send(&f)
	p.free()
}

// sentBody is a message whose body has not left.
type sentBody parcel

// Complete implements far.Completion.
func (b *sentBody) Complete() {
	p := (*parcel)(b)
	x, rank := p.from.w.remote, p.from.id
	p.from.completeFrom(p.req, cluster.Done{Peer: p.dst, Tag: p.tag, Size: p.size})
	p.free()
	x.received[rank].Add(1)
}

// receiveBody receives the body of a matched message. If the buffer of the receive is too short, the body first goes
// to a separate buffer. The acknowledgement, which completes the send, counts as a frame to the sender.
func (x *remote) receiveBody(e *engine, p *parcel) {
	b := p.recv.buf
	if int64(len(b)) >= p.size {
		b = b[:p.size]
	} else {
		b = make([]byte, p.size)
		p.buf = b
	}
	p.home = e
	e.inflight.Add(1)
	x.sent[p.dst].Add(1)
	x.run.ReceiveBody(int(x.process[p.dst]), uint32(p.b), b, (*receivedBody)(p))
}

// receivedBody is a matched message whose body has not arrived.
type receivedBody parcel

// Complete implements far.Completion.
func (b *receivedBody) Complete() {
	p := (*parcel)(b)
	e, s := p.home, p.recv
	copy(s.buf, p.buf)
	d := received(p.dst, p.tag, p.size, s.size)
	p.free()
	e.completeFrom(s, d)
	e.inflight.Add(-1)
}

// moveMatched implements transport. A message from another process is matched by its receiver.
func (x *remote) moveMatched(e *engine, p *parcel, buf []byte, capacity int64) (cluster.Done, bool) {
	if p.from == nil {
		return cluster.Done{}, false
	}
	return x.direct.moveMatched(e, p, buf, capacity)
}

// reply implements transport.
func (x *remote) reply(e *engine, p *parcel, d cluster.Done) {
	if p.from != nil {
		x.direct.reply(e, p, d)
		return
	}
	x.send(&far.Frame{Kind: far.Reply, Src: e.id, Dst: p.src, Req: p.a, A: d.A, Err: d.Err, Size: d.Size, Sized: true})
	p.free()
}

// put implements transport. Sending copies the bytes, so local completion is immediate.
func (x *remote) put(e *engine, op *cluster.Op, n int64) cluster.Handle {
	if x.reachesSegment(op.Peer) {
		return x.direct.put(e, op, n)
	}
	then := op.Then
	early := op.Early && then != nil
	if early {
		op.Then = noContinuation{}
	}
	s := e.takeSlot(op)
	f := far.Frame{Kind: far.Put, Src: e.id, Dst: op.Peer, SigOp: op.SigOp, Sig: op.Sig, A: op.A, Fn: op.Fn, Arg: op.Arg}
	whole := func(one *cluster.Op) {
		f.Off, f.Vec, f.Shape, f.Data, f.Sized, f.Size = one.Off, one.Vec, one.Shape, one.Buf, one.Buf == nil, one.Bytes()
	}
	if op.Train > 1 {
		left := op.Shape.Blocks()
		e.eachBlock(op, func(one *cluster.Op) {
			if left--; left > 0 {
				block := far.Frame{Kind: far.Put, Src: e.id, Dst: op.Peer, Off: one.Off, Data: one.Buf,
					Sized: one.Buf == nil, Size: one.Bytes()}
				x.send(&block)
				return
			}
			whole(one)
		})
	} else {
		whole(op)
	}
	s.size = n
	f.Req = x.add(e, s)
	x.send(&f)
	if early {
		op.Then = then
		return e.finish(op, cluster.Done{Peer: op.Peer, Size: n})
	}
	return postResult(s)
}

// get implements transport.
func (x *remote) get(e *engine, op *cluster.Op, n int64) cluster.Handle {
	if x.reachesSegment(op.Peer) {
		return x.direct.get(e, op, n)
	}
	s := e.takeSlot(op)
	x.send(&far.Frame{Kind: far.Get, Src: e.id, Dst: op.Peer, Req: x.add(e, s), Off: op.Off, Vec: op.Vec, Shape: op.Shape,
		Size: n, Arg: boolean(op.Buf != nil), Sized: true})
	return postResult(s)
}

func boolean(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// atomic implements transport.
func (x *remote) atomic(e *engine, op *cluster.Op) cluster.Handle {
	if x.reachesSegment(op.Peer) {
		return x.direct.atomic(e, op)
	}
	s := e.takeSlot(op)
	x.send(&far.Frame{Kind: far.Atomic, Src: e.id, Dst: op.Peer, Req: x.add(e, s), Off: op.Off, Arg: op.Arg, A: op.A,
		B: op.B, Size: 8, Sized: true})
	return postResult(s)
}
