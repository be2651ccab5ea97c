package coll

import "github.com/hybridtop/hybridtop/cluster"

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
	call.in, call.out = call.In.Bytes(), call.Out.Bytes()
	call.sizes = c.isSizeOnly(call)
	if err := c.checkCaller(call); err != nil {
		return nil, err
	}
	if err := c.checkArguments(call); err != nil {
		return nil, err
	}
	if err := c.checkReach(call); err != nil {
		return nil, err
	}
	call.Key.at(int32(call.Root))
	rel := wrap(c.me-int32(call.Root), call.Key.Ranks)
	does := c.share(&call.Key, rel)
	if err := c.checkParts(call, does.Schedule.Parts); err != nil {
		return nil, err
	}
	x := c.unused()
	x.comm, x.does = c, does
	x.Schedule, x.Rel, x.Root = does.Schedule, rel, int32(call.Root)
	x.Blocks, x.Into = call.Blocks, call.Into
	x.oneSide = call.Key.Transfer.OneSided()
	if err := x.checkBuffers(call); err != nil {
		x.rest()
		return nil, err
	}
	x.call, x.trouble = *call, nil
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

// unused returns a free Run.
func (c *Comm) unused() *Run {
	x := c.idle
	if x == nil {
		return &Run{}
	}
	c.idle, x.next = x.next, nil
	return x
}
