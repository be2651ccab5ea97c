package live

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// Fabric runs programs on this host, or on the hosts of a job.
type Fabric struct {
	job   *far.Job // nil: all ranks are in this process
	apart bool     // processes do not share segments

	shares atomic.Bool // in the latest run, loads and stores reach segments of another process
}

// New returns the live fabric.
func New() *Fabric { return &Fabric{} }

// Over returns the live fabric over the processes of a job. Every process starts the same runs in the
// same order. The nodes of a run are distributed over the processes. All ranks of one node are in the
// same process. Processes on one host share their segments.
func Over(job *far.Job) *Fabric { return &Fabric{job: job} }

// Apart returns the live fabric over the processes of a job, like Over. Processes on one host do not share segments:
// every put, get and atomic between processes is a frame, as between hosts.
func Apart(job *far.Job) *Fabric { return &Fabric{job: job, apart: true} }

// SharesSegments reports whether loads and stores of this process reach segments of another process in the latest run.
func (f *Fabric) SharesSegments() bool { return f.shares.Load() }

// Process implements cluster.Distributed.
func (f *Fabric) Process() int {
	if f.job == nil {
		return 0
	}
	return f.job.Process()
}

// Processes implements cluster.Distributed.
func (f *Fabric) Processes() int {
	if f.job == nil {
		return 1
	}
	return f.job.Processes()
}

// OnHost implements cluster.Distributed.
func (f *Fabric) OnHost(l cluster.Layout) cluster.Layout {
	if f.job != nil {
		perProcess := (l.Nodes + f.job.Processes() - 1) / f.job.Processes()
		l.Nodes = min(l.Nodes, perProcess*f.job.OnHost())
	}
	return l
}

// Name implements cluster.Fabric.
func (*Fabric) Name() string { return "live" }

// Clock implements cluster.Fabric.
func (*Fabric) Clock(m *cluster.Machine) cluster.Clock {
	if m.Emulated {
		return cluster.DilatedClock
	}
	return cluster.WallClock
}

// The memory of a rank without its segment, in bytes.
const (
	rankOverhead   = 40 << 10 // the rank with its stack, queues and operations
	threadOverhead = 12 << 10 // a thread of its regions
	ringOverhead   = 640
	cellOverhead   = 24 // of a ring
	pairOverhead   = 17 // per VCI and other rank: two ring pointers and a bit
	parcelOverhead = 512
)

// Overhead implements cluster.Fabric. It assumes that a rank communicates with the peers of
// collectives and some others.
func (*Fabric) Overhead(s *cluster.Spec) int64 {
	ranks, vcis := int64(s.Layout.Ranks()), int64(vcisOf(s))
	rings := min(ranks, int64(bits.Len64(uint64(ranks)))+8)
	kept, back := spareParcels(int(ranks * (1 + vcis)))
	ring := ringOverhead + cellOverhead*int64(ringCells(int(ranks*(1+vcis/2))))
	return ranks *
		(rankOverhead + (1+vcis)*int64(kept+back)*(maxKept+parcelOverhead) + threadOverhead*
			int64(s.Layout.ThreadsPerRank-1) + rings*ring + (1+vcis)*pairOverhead*ranks)
}

// world is one running cluster.
type world struct {
	spec      cluster.Spec
	eager     int64
	engines   []*engine
	node      []int32
	transport transport
	wire      *wire   // the transport of an emulated machine, or nil
	remote    *remote // the transport in a job of several processes, or nil
	staged    bool    // device memory is reached through host memory
	began     time.Time

	vcis     int // VCIs of a rank in addition to its main engine
	cores    int32
	threads  atomic.Int32 // of the program, with its parked workers; it never decreases
	crowded  bool         // more ranks than cores
	spins    int          // polls before a waiting rank yields
	yields   int          // yields before it parks
	patience int          // polls for free cells in a full ring

	spareKept int // spare parcels of an engine
	spareBack int32

	barrierMu sync.Mutex
	barriers  map[int32]*barrier
	membersMu sync.Mutex

	running  atomic.Int32 // bodies that have not returned
	parked   atomic.Int32 // threads that sleep or are about to
	aborted  atomic.Bool
	abortAt  atomic.Int64  // ns since the launch
	over     chan struct{} // closed when progress threads must end
	overOnce sync.Once
	ranks    sync.WaitGroup
	others   sync.WaitGroup
	ended    chan struct{}
	errMu    sync.Mutex
	err      error
	stop     func() bool // stops the context's callback
}

// Start implements cluster.Fabric.
func (f *Fabric) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	n := spec.Layout.Ranks()
	w := &world{spec: spec, eager: spec.Eager(), engines: make([]*engine, n), node: make([]int32, n),
		barriers: map[int32]*barrier{}, over: make(chan struct{}), ended: make(chan struct{}), began: time.Now()}
	w.running.Store(int32(n))
	if f.job != nil {
		if err := w.begin(ctx, f); err != nil {
			return nil, err
		}
	} else if err := w.allocate(&spec, f.Overhead(&spec)); err != nil {
		return nil, err
	}
	w.launch(ctx, body)
	if w.remote != nil {
		return remoteRun{w}, nil
	}
	return w, nil
}

// allocate checks the memory of the ranks on this host: here is their spec. Then it makes the transport and the engines of
// all ranks.
func (w *world) allocate(here *cluster.Spec, overhead int64) error {
	spec, n := &w.spec, len(w.engines)
	if err := host.Check(here, overhead, host.Limit()); err != nil {
		return err
	}
	for i := range w.node {
		w.node[i] = int32(spec.Layout.NodeOf(i))
	}
	cores := min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	w.crowded = n > cores/spec.Layout.ThreadsPerRank
	w.spins = 1
	w.yields = 3
	w.patience = 0
	w.cores = int32(cores)
	w.threads.Store(int32(n))
	kept, back := spareParcels(n * (1 + vcisOf(spec)))
	w.spareKept, w.spareBack = kept, int32(back)
	var err error
	if w.transport, err = newTransport(w, cores); err != nil {
		return fmt.Errorf("machine %s: %w", spec.Machine.Name, err)
	}
	if w.remote != nil {
		w.remote.share()
	}
	for i := range w.engines {
		w.engines[i] = w.newEngine(int32(i))
	}
	return nil
}

// launch starts the ranks of this process.
func (w *world) launch(ctx context.Context, body func(cluster.Port) error) {
	w.errMu.Lock() // another process may abort the run at any time
	w.began = time.Now()
	w.errMu.Unlock()
	w.transport.start()
	body = w.observe(body)
	for _, e := range w.engines {
		if !w.isLocal(e.id) {
			continue
		}
		w.ranks.Add(1)
		p := newPort(e, 0)
		p.open()
		e.cpu = &p.cpu
		if e.hasHelper {
			w.others.Add(1)
			go e.runHelper()
		}
		go w.rank(p, body)
	}
	w.others.Add(1)
	go w.monitor()
	w.stop = context.AfterFunc(ctx, func() { w.Cancel(context.Cause(ctx)) })
	go w.reap()
}

// rank runs one rank: its body, and then progress for the others until all bodies have returned.
func (w *world) rank(p *port, body func(cluster.Port) error) {
	defer w.ranks.Done()
	defer p.e.ended.Store(true)
	defer p.e.endWorkers()
	defer w.catch(p)
	if p.e.hasHelper {
		p.lock()
	}
	p.e.state.Store(uint32(cluster.Computing))
	err := body(p)
	if err != nil {
		w.abort(err)
	}
	p.finalize()
	p.returned = true
}

// finalize makes progress for the other ranks until all bodies have returned.
func (p *port) finalize() {
	e, w := p.e, p.e.w
	p.publish()
	p.finalizing = true
	e.finished.Store(true)
	w.bodyReturned()
	for idle := 0; w.running.Load() > 0; {
		p.check()
		if e.vcis == nil && e.progress() || e.vcis != nil && p.progressAll() {
			idle = 0
			continue
		}
		if idle++; idle < w.spins/4+w.yields {
			runtime.Gosched()
			continue
		}
		if e.vcis != nil {
			p.parkVCIs(nil, 1, 1<<len(e.vcis)-1)
		} else {
			p.park(nil, 1)
		}
	}
	e.state.Store(uint32(cluster.Idle))
	if p.holds&1 != 0 {
		p.unlock()
	}
}

// catch ends a goroutine that runs code of the program. If the code panicked or ended the
// goroutine, catch aborts the run.
func (w *world) catch(p *port) {
	v := recover()
	p.unlockAll()
	if p.returned { // the rank continues after a region, and finalize ends it
		return
	}
	p.e.state.Store(uint32(cluster.Idle))
	if _, ok := v.(unwound); ok {
		return
	}
	w.abort(cluster.Ended(v, int(p.e.id)))
}

// abort ends every rank. The first reason is kept.
func (w *world) abort(err error) {
	if w.remote != nil {
		w.remote.run.Abort(err) // before a rank notices the end and aborts with another error
	}
	w.errMu.Lock()
	if w.err == nil {
		w.err = err
	}
	w.abortAt.CompareAndSwap(0, int64(time.Since(w.began)))
	w.errMu.Unlock()
	w.aborted.Store(true)
	w.finish()
	w.alertAll()
}

// now returns the time of the clock since the launch, in wall ns.
func (w *world) now() time.Duration {
	if w.wire != nil {
		return time.Duration(w.wire.now())
	}
	return time.Since(w.began)
}

func (w *world) finish() { w.overOnce.Do(func() { close(w.over) }) }

func (w *world) alertAll() {
	for _, e := range w.engines {
		if e != nil && w.isLocal(e.id) { // nil: this process cannot start the run
			e.alert()
		}
	}
}

// reap waits for everything to end.
func (w *world) reap() {
	w.ranks.Wait()
	w.stop()
	w.finish()
	w.others.Wait()
	if rec := w.spec.Timeline; rec != nil {
		rec.Close(w.clock())
	}
	if w.remote != nil {
		w.remote.end()
	}
	close(w.ended)
}

// Wait implements cluster.Run.
func (w *world) Wait() error {
	<-w.ended
	w.errMu.Lock()
	defer w.errMu.Unlock()
	return w.err
}

// Cancel implements cluster.Run.
func (w *world) Cancel(cause error) {
	w.abort(&cluster.Abort{Reason: cluster.ReasonCancelled, Rank: -1, Cause: cause, Waits: w.parkedWaits()})
}

// States implements cluster.Run.
func (w *world) States(dst []cluster.State) []cluster.State {
	dst = dst[:0]
	for _, e := range w.engines {
		dst = append(dst, cluster.State(e.state.Load()))
	}
	return dst
}

// Dilation implements cluster.Run.
func (w *world) Dilation() float64 { return w.transport.dilationFactor() }

// Lateness implements cluster.Dilated.
func (w *world) Lateness() cluster.Lateness { return w.transport.lateness() }

// Warnings implements cluster.Run.
func (w *world) Warnings() []string { return slices.Concat(w.transport.warnings(), w.lingering()) }

// maxLingering is the maximum number of ranks in the warning about an aborted run that has not
// ended.
const maxLingering = 8

// lingering describes the ranks that an aborted run still waits for. Every call ends a rank of an
// aborted run, so these ranks have made no call since the abort.
func (w *world) lingering() []string {
	if !w.aborted.Load() {
		return nil
	}
	since := time.Since(w.began) - time.Duration(w.abortAt.Load())
	var all []string
	more := 0
	for _, e := range w.engines {
		switch {
		case e.ended.Load():
		case len(all) == maxLingering:
			more++
		default:
			all = append(all, fmt.Sprintf("rank %d computes and has made no call for %.0f s: the run ends at its "+
				"next call", e.id, since.Seconds()))
		}
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and %d ranks more", more))
	}
	return all
}
