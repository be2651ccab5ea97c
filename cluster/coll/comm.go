package coll

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Comm runs collectives on a team. Every member makes a Comm and starts the same calls in the same
// order. Any number of calls may be in progress.
type Comm struct {
	r       *cluster.Rank
	lib     cluster.Lib
	team    *cluster.Team // a separate context: no other messages use it
	members []int32       // cluster ranks, by number in the team
	first   int32         // see Run
	me, ctx int32         // number in the team; context of messages
	idle    *Run          // first Run without a call
	turn    int
	world   bool // the team contains all ranks

	begin  cluster.Op // used by the thread that starts a call
	fire   cluster.Op // used by continuations
	begun  [turns]*Run
	recent [recents]recent // by distance from the root
	cache  *Cache          // shared by the launch
	own    map[role]*share // shares of earlier calls

	space   space
	board   board
	sharing *Places  // placement on nodes; nil: not computed yet
	carried *carried // calls on the machine's collective network
	number  int32    // calls on the collective network so far

	table   *Table // table for Choose; nil: none
	columns [Collectives]Column
}

// role identifies a member's schedule: a key and a distance from the root.
type role struct {
	key Key
	rel int32
}

// recents is the number of roots whose shares a member finds at once. Programs on grids use the
// members of rows and columns as roots in turn.
const recents = 16

// recent is a recently used share with its role.
type recent struct {
	role
	does *share
}

// share is a member's part of the schedules of a key.
type share struct {
	role
	*Schedule
	partners []int32     // one-sided transfers, by node: the other end of the message
	others   []*Schedule // one-sided transfers: the schedules of the partners; nil: all ranks have the same
	bound    bound       // of the last call
	counted  []bool      // by node: it has no separate flag
	heards   uint64      // number of receives among them
	ackeds   uint64      // number of sends among them
	leads    []int32     // by node that puts, or whose buffer needs a release to the sender: the node whose flag or message releases it; otherwise −1
}

// turns is the maximum number of calls in progress; another call waits for the oldest one. A
// message's tag has the turn, from 1 on, above the channel. Messages without a turn belong to
// package cluster or to program calls. The upper bits of the channel also contain the collective.
// Members that call different collectives therefore do not receive each other's messages, unless
// these have thousands of segments.
const (
	turns    = 63
	laneBits = 16
	kindBits = 4
)

// cacheKey is the key of the schedules in the launch.
type cacheKey struct{}

// New returns a Comm for a team. Every member calls it, outside parallel regions.
func New(r *cluster.Rank, t *cluster.Team) (*Comm, error) {
	lib := r.Lib()
	own, err := lib.Dup("comm", t)
	if err != nil {
		return nil, err
	}
	cache := lib.Shared(cacheKey{}, func() any { return &Cache{} }).(*Cache)
	return newComm(r, own, cache), nil
}

// newComm returns a Comm on a team with separate contexts.
func newComm(r *cluster.Rank, own *cluster.Team, cache *Cache) *Comm {
	return &Comm{r: r, lib: r.Lib(), team: own, members: own.Members(), first: int32(own.First()), me: int32(own.Rank()), ctx: r.Lib().Context(own),
		cache: cache, own: map[role]*share{}, world: own.Size() == r.World().Size()}
}

// Free frees the Comm. Every member calls it, with no call in progress.
func (c *Comm) Free() error {
	if err := c.space.settle(); err != nil {
		return err
	}
	if err := c.r.FreeTeam(c.team); err != nil {
		return err
	}
	c.giveBack()
	return nil
}

// Call describes one collective: its algorithm, its root and its data.
type Call struct {
	Key    Key
	Root   int
	In     cluster.Data // contribution of the member; a broadcast has none, because its root sends Out
	Out    cluster.Data // result; must not overlap In. All members pass bytes, or all only sizes
	Blocks Blocks       // the same at every member
	Into   *Blocks      // blocks of Out, if an exchange has other sizes there

	// InAt and OutAt are the positions of In and Out in the segments. One-sided transfers need them
	// to move bytes directly. nil: not in a segment.
	InAt, OutAt *At

	// Combine computes acc = acc op in, on whole elements. CombineAll is optional. It combines many
	// inputs into out at once, in the order of a binomial tree.
	Combine    func(acc, in []byte)
	CombineAll func(out []byte, in [][]byte)

	in, out []byte // bytes of In and Out
	sizes   bool   // size-only

	program bool // a call of calls.go: permitted in a parallel region, and a reduction's In may be its Out
}

// At has the offsets of the members' buffers in their segments.
type At struct {
	Off int64   // of every member; in mode Local of this member
	Of  []int64 // by member, if the offsets differ; otherwise nil
}

// Do runs a call to its end.
func (c *Comm) Do(call Call) error {
	x, err := c.take(&call)
	if err != nil {
		return err
	}
	if x.Schedule.alone {
		return x.perform()
	}
	if err := x.start(); err != nil {
		return err
	}
	return x.Wait()
}

// Start begins a call. The buffers belong to it until it is complete.
func (c *Comm) Start(call Call) (*Run, error) {
	x, err := c.take(&call)
	if err != nil {
		return nil, err
	}
	if err := x.start(); err != nil {
		return nil, err
	}
	return x, nil
}

// take checks a call and returns a free Run for it.
func (c *Comm) take(call *Call) (*Run, error) {
	k := &call.Key
	what := k.Algorithm.Collective
	call.in, call.out = call.In.Bytes(), call.Out.Bytes()
	call.sizes = call.In.SizeOnly() || call.Out.SizeOnly() || c.space.room.Store.SizeOnly() && call.In.Len()+call.Out.Len() == 0
	if c.lib.Parallel() && !call.program {
		return nil, c.lib.Errorf("%s on %s: inside a parallel region: start it outside", what, c.team.Name())
	}
	p := int(k.Ranks)
	if p != len(c.members) {
		return nil, c.lib.Errorf("%s on %s: schedules for %d ranks, the team has %d", what, c.team.Name(), p, len(c.members))
	}
	if call.Root < 0 || call.Root >= p || call.Root > 0 && !what.Rooted() {
		return nil, c.lib.Errorf("%s on %s: root %d: the team has ranks 0 to %d", what, c.team.Name(), call.Root, p-1)
	}
	if k.Algorithm.Needs&EvenBlocks != 0 && (call.Blocks.Displ != nil || call.Into != nil) {
		return nil, c.lib.Errorf("%s by %s on %s: the algorithm needs blocks of equal size (use another algorithm)", what, k.Algorithm.Name, c.team.Name())
	}
	if what.Combines() && call.Combine == nil && !call.sizes {
		return nil, c.lib.Errorf("%s on %s: no Combine function", what, c.team.Name())
	}
	if k.Algorithm.Needs&Reach != 0 && !c.Reaches() {
		return nil, c.lib.Errorf("%s by %s on %s: loads do not reach all ranks (use an algorithm with messages)", what, k.Algorithm.Name, c.team.Name())
	}
	if k.Algorithm.Needs&Network != 0 && !c.Networked() {
		return nil, c.lib.Errorf("%s by %s on %s: needs a team of all ranks on a simulated machine with a collective network (use an algorithm with messages)", what, k.Algorithm.Name, c.team.Name())
	}
	k.at(int32(call.Root))
	rel := wrap(c.me-int32(call.Root), k.Ranks)
	does := c.share(k, rel)
	s := does.Schedule
	if call.Blocks.Parts != s.Parts || call.Into != nil && call.Into.Parts != s.Parts {
		return nil, c.lib.Errorf("%s on %s: %d blocks for schedules of %d", what, c.team.Name(), call.Blocks.Parts, s.Parts)
	}
	x := c.unused()
	x.comm = c
	x.Schedule, x.Rel, x.Root, x.Into = s, rel, int32(call.Root), call.Into
	x.Blocks.Unit, x.Blocks.Elems, x.Blocks.Parts, x.Blocks.Displ = call.Blocks.Unit, call.Blocks.Elems, call.Blocks.Parts, call.Blocks.Displ
	if k.Transfer.OneSided() {
		if err := c.reaches(call, does, &x.Place); err != nil {
			x.rest()
			return nil, err
		}
	}
	x.bound = x.binds(does)
	for b, have := range [...]int64{max(call.In.Len(), int64(len(call.in))), max(call.Out.Len(), int64(len(call.out)))} {
		if !what.uses(Buf(b), rel) || call.sizes && have == 0 {
			continue
		}
		want := int64(0)
		if x.bound != nil {
			want = x.bound.sizes[b]
		} else {
			want = x.Size(Buf(b))
		}
		if have != want {
			x.rest()
			return nil, c.lib.Errorf("%s on %s: %s of %d B, want %d", what, c.team.Name(), [...]string{"in", "out"}[b], have, want)
		}
	}
	if !call.program && what.uses(In, rel) && what.uses(Out, rel) && overlap(call.in, call.out) {
		x.rest()
		return nil, c.lib.Errorf("%s on %s: in and out overlap (use separate buffers, or a copy of in)", what, c.team.Name())
	}
	x.call, x.trouble, x.does = *call, nil, does
	x.oneSide = k.Transfer.OneSided()
	return x, nil
}

// share returns the share of the member that is rel ranks after the root.
func (c *Comm) share(k *Key, rel int32) *share {
	at := &c.recent[uint32(rel)%recents]
	if at.does != nil && at.rel == rel && at.key == *k {
		return at.does
	}
	r := role{*k, rel}
	does := c.own[r]
	if does == nil {
		does = &share{role: r, Schedule: c.cache.Schedule(r.key, r.rel)}
		if r.key.Transfer.OneSided() {
			does.partners = c.cache.partners(r.key, r.rel, does.Schedule)
			does.others = c.cache.others(r.key, r.rel, does.Schedule)
			does.leads = c.cache.leads(r.key, r.rel, does)
			does.count()
		}
		c.own[r] = does
	}
	*at = recent{r, does}
	return does
}

// count finds the nodes that share a flag.
func (s *share) count() {
	s.counted = make([]bool, len(s.Nodes))
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != Send && n.Kind != Recv || !s.Schedule.counted(s.key.Modes, int32(i)) {
			continue
		}
		if s.counted[i] = true; n.Kind == Recv {
			s.heards++
		} else {
			s.ackeds++
		}
	}
}

// overlap reports whether two buffers share bytes.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	p, q := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return p < q+uintptr(len(b)) && q < p+uintptr(len(a))
}

// offsetIn returns the offset of a buffer in a segment, or −1 if it is outside.
func offsetIn(segment, buf []byte) int64 {
	if !overlap(segment, buf) {
		return -1
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(buf))) - uintptr(unsafe.Pointer(unsafe.SliceData(segment))))
}

// Pointer is the location of data, like a pointer-to-shared.
type Pointer interface {
	Rank() int // number in the cluster
	Offset() int64
}

// Root returns the member that a pointer-to-shared points to, and the position in its segment. A
// call on data of such a pointer has that root (paper 5, section 1).
func (c *Comm) Root(p Pointer) (root int, at *At, err error) {
	root = c.team.Local(p.Rank())
	if root < 0 {
		return 0, nil, c.lib.Errorf("a pointer to rank %d, which is not a member of %s", p.Rank(), c.team.Name())
	}
	return root, &At{Off: p.Offset()}, nil
}

// uses reports whether a member has the buffer.
func (c Collective) uses(b Buf, rel int32) bool {
	switch c {
	case OpBarrier:
		return false
	case OpBcast:
		return b == Out
	case OpScatter:
		return b == Out || rel == 0
	case OpGather, OpReduce:
		return b == In || rel == 0
	}
	return true
}

// unused returns a free Run.
func (c *Comm) unused() *Run {
	x := c.idle
	if x == nil {
		return &Run{}
	}
	c.idle, x.next = x.next, nil
	return x
}
