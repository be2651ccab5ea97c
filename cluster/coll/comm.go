package coll

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Comm runs collectives on a team. Every member makes one, and starts the same calls
// in the same order; any number may be under way.
type Comm struct {
	r       *cluster.Rank
	lib     cluster.Lib
	team    *cluster.Team // of its own: no message of others can be there
	members []int32       // of the cluster, by number in the team
	first   int32         // as a Run's
	me, ctx int32         // its own number, and of messages
	idle    *Run          // the first of those that serve no call
	turn    int
	world   bool // the team is that of all ranks

	begin  cluster.Op // of the thread that starts a call
	fire   cluster.Op // of the steps
	begun  [turns]*Run
	recent [recents]recent // by number after the root
	cache  *Cache          // of the launch
	own    map[role]*share // that were used before

	space   space
	board   board
	sharing *Places  // of nodes; nil: not asked for yet
	carried *carried // by the machine's collective network
	number  int32    // of the calls on it so far

	table   *Table // that it chooses by; nil: none
	columns [Collectives]Column
}

// role is a member's in the schedules of a key.
type role struct {
	key Key
	rel int32
}

// recents is for how many roots a member finds what it does at once: programs on grids
// take the members of rows and columns as roots by turns.
const recents = 16

// recent is a share that was used last, with its role beside it.
type recent struct {
	role
	does *share
}

// share is what a member does in the schedules of a key.
type share struct {
	role
	*Schedule
	partners []int32     // of one-sided transfers: by node, the message's other end
	others   []*Schedule // and whose that is; nil: all ranks have one
	bound    bound       // of the call that was done last
	counted  []bool      // by node: it has no word of its own
	heards   uint64      // receives among those
	ackeds   uint64      // and sends
	leads    []int32     // by node that is put or lands where the sender has to be told: the node whose word, or message, tells it; else −1
}

// turns is how many calls may be under way before one more waits for the oldest:
// messages carry the turn, from 1 on, above the lane; what has none is of the contract or
// of a program's calls. The upper bits of the lane also say which collective it is:
// members that call different ones do not take each other's messages, unless these have
// thousands of segments.
const (
	turns    = 63
	laneBits = 16
	kindBits = 4
)

// cacheKey is what a launch keeps its schedules by.
type cacheKey struct{}

// New makes a Comm for a team. Every member calls it, outside parallel regions.
func New(r *cluster.Rank, t *cluster.Team) (*Comm, error) {
	lib := r.Lib()
	own, err := lib.Dup("comm", t)
	if err != nil {
		return nil, err
	}
	cache := lib.Shared(cacheKey{}, func() any { return &Cache{} }).(*Cache)
	return newComm(r, own, cache), nil
}

// newComm is a Comm on a team that has contexts of its own.
func newComm(r *cluster.Rank, own *cluster.Team, cache *Cache) *Comm {
	return &Comm{r: r, lib: r.Lib(), team: own, members: own.Members(), first: int32(own.First()), me: int32(own.Rank()), ctx: r.Lib().Context(own),
		cache: cache, own: map[role]*share{}, world: own.Size() == r.World().Size()}
}

// Free ends the Comm. Every member calls it, with nothing under way.
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

// Call is one collective: by which schedules, from which root, on what.
type Call struct {
	Key    Key
	Root   int
	In     cluster.Data // contribution of the member; a broadcast has none, its root sends Out
	Out    cluster.Data // result; it must not overlap In. All members give bytes, or all only sizes
	Blocks Blocks       // the same at every member
	Into   *Blocks      // of Out, where an exchange has other sizes there

	// Where In and Out are in segments: one-sided transfers ask for it where they move
	// bytes straight from or to them. nil: they are not in a segment.
	InAt, OutAt *At

	// Combine does acc = acc op in, of whole elements. CombineAll, which a call need not
	// have, combines many into out at once, in the order in which a binomial tree does.
	Combine    func(acc, in []byte)
	CombineAll func(out []byte, in [][]byte)

	in, out []byte // of In and Out
	sizes   bool   // size-only

	program bool // it is a program's (calls.go): also in a parallel region, and a reduction's In may be its Out
}

// At is where the members' buffers are, as offsets in their segments.
type At struct {
	Off int64   // of every member; in mode Local of the own one
	Of  []int64 // by member, where they differ; else nil
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

// take gives a Run, which nobody uses, for a call that can be.
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
		return nil, c.lib.Errorf("%s by %s on %s: blocks of several sizes, it needs equal ones: take another algorithm", what, k.Algorithm.Name, c.team.Name())
	}
	if what.Combines() && call.Combine == nil && !call.sizes {
		return nil, c.lib.Errorf("%s on %s: nothing to combine with", what, c.team.Name())
	}
	if k.Algorithm.Needs&Reach != 0 && !c.Reaches() {
		return nil, c.lib.Errorf("%s by %s on %s: loads do not reach all its ranks: take an algorithm of messages", what, k.Algorithm.Name, c.team.Name())
	}
	if k.Algorithm.Needs&Network != 0 && !c.Networked() {
		return nil, c.lib.Errorf("%s by %s on %s: it needs a collective network, of a simulated machine that has one, and a team of all ranks: take an algorithm of messages", what, k.Algorithm.Name, c.team.Name())
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
		return nil, c.lib.Errorf("%s on %s: in and out overlap: give it buffers of their own, or a copy of in", what, c.team.Name())
	}
	x.call, x.trouble, x.does = *call, nil, does
	x.oneSide = k.Transfer.OneSided()
	return x, nil
}

// share is what a member does.
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

// count finds the nodes that share a word.
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

// offsetIn is where a buffer begins in a segment; −1: it is not in it.
func offsetIn(segment, buf []byte) int64 {
	if !overlap(segment, buf) {
		return -1
	}
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(buf))) - uintptr(unsafe.Pointer(unsafe.SliceData(segment))))
}

// Pointer says where data are, as one to shared does.
type Pointer interface {
	Rank() int // of the cluster
	Offset() int64
}

// Root is the member that a pointer to shared points to, and where in its segment: a
// call whose data it names has that root (paper 5, section 1).
func (c *Comm) Root(p Pointer) (root int, at *At, err error) {
	root = c.team.Local(p.Rank())
	if root < 0 {
		return 0, nil, c.lib.Errorf("a pointer to rank %d: it is no member of %s", p.Rank(), c.team.Name())
	}
	return root, &At{Off: p.Offset()}, nil
}

// uses reports whether a member has such a buffer.
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

// unused gives a Run that nobody uses.
func (c *Comm) unused() *Run {
	x := c.idle
	if x == nil {
		return &Run{}
	}
	c.idle, x.next = x.next, nil
	return x
}
