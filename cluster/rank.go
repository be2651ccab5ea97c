package cluster

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
)

// Contexts of the teams that every launch has. Each team takes two.
const (
	ctxWorld  = 0 // MPI_COMM_WORLD
	ctxAll    = 2 // every process, for internal use
	ctxGroup  = 4 // the rank's UPC group, plus twice the number of the group
	ctxFanout = 2
)

// launch is the data that all ranks of a launch share. Only the values of libraries change.
type launch struct {
	spec     Spec
	node     []int32      // by rank
	block    []int32      // by rank: its node, or with PairRanks the rank; BlockOf shifts it
	blocks   int          // blocks of nodes by which bytes are counted
	shift    uint8        // from a node to its block
	world    membership   // of MPI_COMM_WORLD
	everyone membership   // of the team of all processes
	groups   []membership // of the UPC groups
	all      []int32
	far      [][]uint64                  // nil segments: none is reached in place
	kept     atomic.Pointer[map[any]any] // values of libraries
}

// Rank is one process of a program. It belongs to one goroutine.
type Rank struct {
	fast     [][]uint64 // words of the segments that puts and gets may access in place, by rank
	port     Port
	handles  []Handle // scratch list of waits
	launch   *launch
	id       int32
	thread   int32
	level    ThreadLevel
	gate     gate
	claimed  bool  // the thread has the library's lock
	inside   int8  // depth of nested calls
	nextCtx  int32 // context of the next team that this rank leads; see Split
	traffic  Traffic
	op       Op
	packing  *packing // of strided transfers; nil: the rank has had none
	world    *Team
	all      *Team
	group    *Team
	segment  []byte
	nbi      []Handle // implicit puts and gets that Quiet waits for
	heap     int64    // bytes of the segment in use
	sized    int64    // end of the size-only memory in use; it begins at the end of the segment
	scratch  []uint64 // scratch space of collectives; see work
	services *services
	rng      *rand.Rand
	mover    Mover   // nil: no port observes copies in place
	region   *region // nil: the rank has had none
}

// Launch runs body on every rank of the spec and returns the first failure.
func Launch(ctx context.Context, f Fabric, spec Spec, body func(*Rank) error) error {
	run, err := Start(ctx, f, spec, body)
	if err != nil {
		return err
	}
	return run.Wait()
}

// Start starts body on every rank of the spec and returns the run.
func Start(ctx context.Context, f Fabric, spec Spec, body func(*Rank) error) (Run, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	spec.Segment = (spec.Segment + 7) &^ 7
	spec.Clock = f.Clock(&spec.Machine)
	spec.Machine.Processes = ProcessesOf(f)
	sh := share(spec)
	return f.Start(ctx, spec, func(p Port) error {
		return newRank(p, sh).guard(body)
	})
}

func share(spec Spec) *launch {
	p := spec.Layout.Ranks()
	sh := &launch{spec: spec, node: make([]int32, p), all: make([]int32, p), far: make([][]uint64, p)}
	for i := range p {
		sh.node[i] = int32(spec.Layout.NodeOf(i))
		sh.all[i] = int32(i)
	}
	sh.blocks, sh.shift = spec.Layout.Blocks()
	sh.block = sh.node
	if spec.PairRanks {
		sh.blocks, sh.shift, sh.block = p, 0, sh.all
	}
	world := spec.Layout.World()
	sh.world = membership{world, indexOf(world, p), true}
	sh.everyone = membership{ranks: sh.all}
	sh.groups = make([]membership, spec.Layout.Groups())
	for g, size := 0, spec.Layout.GroupSize(); g < len(sh.groups); g++ {
		sh.groups[g].ranks = sh.all[g*size:][:size]
	}
	return sh
}

func newRank(p Port, sh *launch) *Rank {
	r := &Rank{port: p, launch: sh, id: int32(p.ID()), segment: p.Segment(), services: new(services)}
	r.sized = int64(len(r.segment))
	r.level = min(sh.spec.Threading.or(ThreadMultiple), sh.spec.Machine.Threading.or(ThreadMultiple))
	r.mover, _ = p.(Mover)
	l := &sh.spec.Layout
	group := l.GroupOf(int(r.id))
	r.world = newTeam("MPI_COMM_WORLD", ctxWorld, &sh.world, r.id)
	r.all = newTeam("all", ctxAll, &sh.everyone, r.id)
	r.group = newTeam("UPC group", ctxGroup+ctxFanout*int32(group), &sh.groups[group], r.id)
	r.nextCtx = ctxGroup + ctxFanout*(int32(l.Groups())+r.id)
	if sh.blocks > 0 {
		r.traffic.Nodes = make([]int64, sh.blocks)
	}
	r.fast = sh.far
	if p.Direct() {
		r.fast = make([][]uint64, len(sh.all))
		for _, i := range r.group.ranks {
			r.fast[i] = Words(p.Reach(int(i)))
		}
	}
	if r.world.me >= 0 {
		p.Team(r.world.ctx, r.world.ranks)
	}
	p.Team(r.all.ctx, r.all.ranks)
	p.Team(r.group.ctx, r.group.ranks)
	p.Serve(r.serve)
	return r
}

// ID returns the rank's number in the cluster, in launch order.
func (r *Rank) ID() int { return int(r.id) }

// Ranks returns the number of ranks in the cluster.
func (r *Rank) Ranks() int { return len(r.launch.all) }

// Spec returns the spec of the launch; read only.
func (r *Rank) Spec() *Spec { return &r.launch.spec }

// World returns MPI_COMM_WORLD. In nested-funneled it has one rank per group, and calls of other
// processes on it are errors.
func (r *Rank) World() *Team { return r.world }

// Group returns the rank's UPC group: its size is THREADS, its rank is MYTHREAD.
func (r *Rank) Group() *Team { return r.group }

// All returns the team of all processes of the cluster, in every execution model. It is for
// measuring and verifying. Programs of the execution models do not have it.
func (r *Rank) All() *Team { return r.all }

// Traffic returns the rank's counts of sends, puts and gets. It points into the rank: copy it
// before another goroutine reads it.
func (r *Rank) Traffic() *Traffic { return &r.traffic }

// Rand returns the rank's random generator, seeded by the spec's seed and the rank's number.
func (r *Rank) Rand() *rand.Rand {
	if r.rng == nil {
		r.rng = newRand(r.launch.spec.Seed, r.ID(), int(r.thread))
	}
	return r.rng
}

// FixedRand returns a new random generator of the rank that does not depend on the run's seed. Numbers
// for verification come from it, so that they change neither the numbers of a program nor its times.
func (r *Rank) FixedRand() *rand.Rand { return newRand(fixedSeed, r.ID(), int(r.thread)) }

// fixedSeed is the seed of FixedRand.
const fixedSeed = 0x9e3779b97f4a7c15

func newRand(seed uint64, rank, thread int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(rank)|uint64(thread)<<32))
}

// Now returns the time since launch, divided by the time dilation.
func (r *Rank) Now() Time { return r.port.Now() }

// Compute runs body as the computation w. An unknown kernel or a negative number of cores ends the
// rank's body with an error.
func (r *Rank) Compute(w Work, body func()) {
	if w.Kernel >= Kernels || w.Cores < 0 {
		panic(misuse{r.errorf("compute by kernel %d on %d cores: kernels are 0 (none) to %d, cores at least 0", w.Kernel,
			w.Cores, Kernels-1)})
	}
	r.port.Compute(w, body)
}

// Progress advances handshakes, RPC bodies and steps.
func (r *Rank) Progress() { r.port.Progress() }

// BlockOf returns the block of a rank in Traffic.Nodes.
func (r *Rank) BlockOf(rank int) int32 { return r.launch.block[rank] >> r.launch.shift }

// class returns the locality class of accesses from this rank to another rank's memory.
func (r *Rank) class(to int) Class {
	switch {
	case to == int(r.id):
		return InRank
	case r.launch.node[to] == r.launch.node[r.id]:
		return InNode
	}
	return Remote
}

// Account adds loads or stores to the traffic counters that the program makes instead of operations
// (through Reach, PutUint64 or GetUint64). Operations are counted automatically.
func (r *Rank) Account(to int, ops, bytes int64) {
	c := r.class(to)
	r.traffic.Ops[c] += ops
	r.traffic.Bytes[c] += bytes
	if r.traffic.Nodes != nil {
		r.traffic.Nodes[r.BlockOf(to)] += bytes
	}
}
