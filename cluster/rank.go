package cluster

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
)

// Contexts of the teams that every launch has. Each team takes two.
const (
	ctxWorld  = 0 // MPI_COMM_WORLD
	ctxAll    = 2 // every process, for the house's own use
	ctxGroup  = 4 // the own UPC group, plus twice the group's number
	ctxFanout = 2
)

// launch is what all ranks of a launch share; nobody writes to it, but for what libraries keep.
type launch struct {
	spec       Spec
	node       []int32 // by rank
	blocks     int     // of nodes, by which bytes are counted
	shift      uint8   // from a node to its block
	world      []int32
	worldIndex []int32
	all        []int32
	far        [][]uint64                  // no segment is reached in place
	kept       atomic.Pointer[map[any]any] // by libraries
}

// Rank is one process of a program, as its own code sees it. It belongs to one
// goroutine.
type Rank struct {
	fast     [][]uint64 // words of segments where a put or get may be done in place, by rank
	port     Port
	handles  []Handle // scratch of the waits
	launch   *launch
	id       int32
	thread   int
	level    ThreadLevel
	gate     gate
	claimed  bool // the thread has the library to itself
	inside   int  // calls that the present one is made of, and itself
	traffic  Traffic
	op       Op
	shape    Strided // of r.op
	packed   []byte  // bytes of a strided transfer
	world    *Team
	all      *Team
	group    *Team
	segment  []byte
	nbi      []Handle // implicit puts and gets that Quiet waits for
	heap     int64    // bytes of the segment in use
	sized    int64    // end of the size-only memory in use, which begins where the segment ends
	nextCtx  int32    // of the next team that this rank leads; see Split
	scratch  []uint64 // of the collectives; see work
	rpcs     []func(RPC) uint64
	services *services
	rng      *rand.Rand
	mover    Mover // nil: nobody wants to see what is put in place
}

// Launch runs body on every rank of the spec and returns the first failure.
func Launch(ctx context.Context, f Fabric, spec Spec, body func(*Rank) error) error {
	run, err := Start(ctx, f, spec, body)
	if err != nil {
		return err
	}
	return run.Wait()
}

// Start is Launch for those who watch the run.
func Start(ctx context.Context, f Fabric, spec Spec, body func(*Rank) error) (Run, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	spec.Segment = (spec.Segment + 7) &^ 7
	spec.Clock = f.Clock(&spec.Machine)
	sh := share(spec)
	return f.Start(ctx, spec, func(p Port) error {
		return newRank(p, sh).guard(body)
	})
}

func share(spec Spec) *launch {
	p := spec.Layout.Ranks()
	sh := &launch{spec: spec, node: make([]int32, p), all: make([]int32, p), far: make([][]uint64, p), world: spec.Layout.World()}
	for i := range p {
		sh.node[i] = int32(spec.Layout.NodeOf(i))
		sh.all[i] = int32(i)
	}
	sh.blocks, sh.shift = spec.Layout.Blocks()
	sh.worldIndex = indexOf(sh.world, p)
	return sh
}

func newRank(p Port, sh *launch) *Rank {
	r := &Rank{port: p, launch: sh, id: int32(p.ID()), segment: p.Segment(), services: new(services)}
	r.sized = int64(len(r.segment))
	r.level = min(sh.spec.Threading.or(ThreadMultiple), sh.spec.Machine.Threading.or(ThreadMultiple))
	r.mover, _ = p.(Mover)
	l := &sh.spec.Layout
	first, size := l.GroupOf(int(r.id))*l.GroupSize(), l.GroupSize()
	r.world = newTeam("MPI_COMM_WORLD", ctxWorld, sh.world, sh.worldIndex, r.id, true)
	r.all = newTeam("all", ctxAll, sh.all, nil, r.id, false)
	members := sh.all[first : first+size]
	r.group = newTeam("UPC group", ctxGroup+ctxFanout*int32(l.GroupOf(int(r.id))), members, nil, r.id, false)
	r.nextCtx = ctxGroup + ctxFanout*(int32(l.Groups())+r.id)
	if sh.blocks > 0 {
		r.traffic.Nodes = make([]int64, sh.blocks)
	}
	r.fast = sh.far
	if p.Direct() {
		r.fast = make([][]uint64, len(sh.all))
	}
	for i := first; i < first+size && p.Direct(); i++ {
		r.fast[i] = Words(p.Reach(i))
	}
	if r.world.me >= 0 {
		p.Team(r.world.ctx, r.world.ranks)
	}
	p.Team(r.all.ctx, r.all.ranks)
	p.Team(r.group.ctx, r.group.ranks)
	p.Serve(r.serve)
	return r
}

// ID is the rank's number in the cluster, in launch order.
func (r *Rank) ID() int { return int(r.id) }

// Ranks is the number of ranks in the cluster.
func (r *Rank) Ranks() int { return len(r.launch.all) }

// Spec is what was launched; read only.
func (r *Rank) Spec() *Spec { return &r.launch.spec }

// World is MPI_COMM_WORLD. Under nested-funneled it has a rank a group, and
// every call of another process on it is an error.
func (r *Rank) World() *Team { return r.world }

// Group is the own UPC group: its size is THREADS, its rank MYTHREAD.
func (r *Rank) Group() *Team { return r.group }

// All is every process of the cluster, whatever the model: for measuring and
// verifying, not part of what a model permits.
func (r *Rank) All() *Team { return r.all }

// Traffic is what this rank has sent, put and got so far. It is the rank's own
// memory: copy it before another goroutine reads it.
func (r *Rank) Traffic() *Traffic { return &r.traffic }

// Rand is the rank's own generator, seeded by the spec's seed and its number.
func (r *Rank) Rand() *rand.Rand {
	if r.rng == nil {
		r.rng = rand.New(rand.NewPCG(r.launch.spec.Seed, uint64(r.id)|uint64(r.thread)<<32))
	}
	return r.rng
}

// Now is the time since launch, with any dilation divided out.
func (r *Rank) Now() Time { return r.port.Now() }

// Compute runs body as w of computing. A kernel that there is none of, or a negative
// number of cores, ends the rank's body with an error.
func (r *Rank) Compute(w Work, body func()) {
	if w.Kernel >= Kernels || w.Cores < 0 {
		panic(misuse{r.errorf("compute by kernel %d on %d cores: kernels are 0 (none) to %d, cores at least 0", w.Kernel, w.Cores, Kernels-1)})
	}
	r.port.Compute(w, body)
}

// Progress lets handshakes, RPC bodies and steps advance.
func (r *Rank) Progress() { r.port.Progress() }

// class returns the locality of a rank's memory, seen from here.
func (r *Rank) class(to int) Class {
	switch {
	case to == int(r.id):
		return InRank
	case r.launch.node[to] == r.launch.node[r.id]:
		return InNode
	}
	return Remote
}

// Account adds loads or stores that the program makes in place of operations to the traffic
// counters (through Reach, PutUint64 or GetUint64). Operations count themselves.
func (r *Rank) Account(to int, ops, bytes int64) {
	c := r.class(to)
	r.traffic.Ops[c] += ops
	r.traffic.Bytes[c] += bytes
	if r.traffic.Nodes != nil {
		r.traffic.Nodes[r.launch.node[to]>>r.launch.shift] += bytes
	}
}
