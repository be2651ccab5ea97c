package coll

import "github.com/hybridtop/hybridtop/cluster"

// Comm runs collectives on a team. Every member makes a Comm and starts the same calls in the same
// order. Any number of calls may be in progress.
type Comm struct {
	r         *cluster.Rank
	lib       cluster.Lib
	team      *cluster.Team // a separate context: no other messages use it
	members   []int32       // cluster ranks, by number in the team
	firstRank int32         // see Run
	me, ctx   int32         // number in the team; context of messages
	spare     *spare        // Runs and operations without a call
	nextCall  int
	isWorld   bool // the team contains all ranks

	inProgress []*Run            // at most maxCalls, in any order
	latest     *plan             // plan of the latest call
	recent     *[maxRecent]*plan // by distance from the root; nil: there is only the latest plan
	cache      *Cache            // shared by the launch
	plans      map[role]*plan    // plans that are not recent; nil: none

	space            *space
	board            board
	placement        *Places      // placement on nodes; nil: not computed yet
	network          *networkData // calls on the machine's collective network
	networkCallCount int32        // calls on the collective network so far

	table   *Table               // table for Choose; nil: none
	columns *[Collectives]Column // of the table; nil: none
}

// role identifies a member's schedule: a key and a distance from the root.
type role struct {
	key Key
	rel int32
}

// maxRecent is the number of roots whose plans a member finds at once. Programs on grids use the
// members of rows and columns as roots in turn.
const maxRecent = 16

// plan is a member's schedule of a key, with the data for one-sided transfers that follow from it.
type plan struct {
	role
	*Schedule
	*transferPlan        // one-sided transfers; otherwise nil
	bound         *bound // of the last inline call; nil: none
}

// transferPlan is the part of a plan for one-sided transfers.
type transferPlan struct {
	partners      []int32     // by node: the other end of the message
	peerSchedules []*Schedule // schedules of the partners; nil: all ranks have the same
	isFlagShared  []bool      // by node: it shares a flag
	sharedRecvs   uint64      // number of receives among them
	sharedSends   uint64      // number of sends among them
	ctsNodes      []int32     // by node of a put and its receive: the node whose flag carries the CTS; −1: no CTS needed
}

// spare has Runs without a call, and operations for calls that begin or end. On a virtual clock all ranks
// of a launch share it, because they run alternately. A rank then needs as many Runs as it has calls in
// progress, not one per Comm.
type spare struct {
	runs  *Run          // the first one
	begin []*cluster.Op // used by threads that start calls
	fire  cluster.Op    // used by continuations
}

// takeOp returns an operation for a call that begins.
func (s *spare) takeOp() *cluster.Op {
	n := len(s.begin)
	if n == 0 {
		return &cluster.Op{}
	}
	o := s.begin[n-1]
	s.begin = s.begin[:n-1]
	return o
}

// giveOp takes an operation back.
func (s *spare) giveOp(o *cluster.Op) { s.begin = append(s.begin, o) }

// turns is the maximum number of calls in progress; another call waits for the oldest one. A
// message's tag has the call's number, from 1 on, above the channel. Messages without a number
// belong to package cluster or to program calls. The upper bits of the channel also contain the
// collective. Members that call different collectives therefore do not receive each other's
// messages, unless these have thousands of segments.
const (
	maxCalls       = 63
	channelBits    = 16
	collectiveBits = 4
)

// cacheKey is the key of the schedules in the launch.
type cacheKey struct{}

// New returns a Comm for a team. Every member calls it, outside parallel regions.
func New(r *cluster.Rank, t *cluster.Team) (*Comm, error) {
	lib := r.Lib()
	dup, err := lib.Dup("comm", t)
	if err != nil {
		return nil, err
	}
	cache := lib.Shared(cacheKey{}, func() any { return &Cache{} }).(*Cache)
	return newComm(r, dup, cache), nil
}

// newComm returns a Comm on a team with separate contexts.
func newComm(r *cluster.Rank, team *cluster.Team, cache *Cache) *Comm {
	c := &Comm{
		r:         r,
		lib:       r.Lib(),
		team:      team,
		members:   team.Members(),
		firstRank: int32(team.First()),
		me:        int32(team.Rank()),
		ctx:       r.Lib().Context(team),
		cache:     cache,
		isWorld:   team.Size() == r.World().Size(),
		space:     &noSpace,
	}
	if r.Spec().Clock == cluster.VirtualClock {
		c.spare = &cache.spare
	} else {
		c.spare = &spare{}
	}
	return c
}

// Free frees the Comm. Every member calls it, with no call in progress.
func (c *Comm) Free() error {
	if err := c.space.finishBarriers(); err != nil {
		return err
	}
	if err := c.r.FreeTeam(c.team); err != nil {
		return err
	}
	c.releaseSpace()
	return nil
}

// Do runs a call to its end.
func (c *Comm) Do(call Call) error {
	x, err := c.take(&call)
	if err != nil {
		return err
	}
	return x.do()
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
	call.isSizeOnly = c.isSizeOnly(call)
	if err := c.check(call); err != nil {
		return nil, err
	}
	call.Key.setRoot(int32(call.Root))
	rel := wrap(c.me-int32(call.Root), call.Key.Ranks)
	plan := c.plan(&call.Key, rel)
	x := c.newRun()
	x.comm, x.plan = c, plan
	x.Schedule = plan.Schedule
	x.Rel, x.Root = rel, int32(call.Root)
	x.Blocks, x.Into = call.Blocks, call.Into
	x.isOneSided = call.Key.Transfer.OneSided()
	if err := x.checkBuffers(call); err != nil {
		x.free()
		return nil, err
	}
	x.call = arguments{in: call.in, out: call.out, inAt: call.InAt, outAt: call.OutAt, combine: call.Combine,
		combineAll: call.CombineAll, isSizeOnly: call.isSizeOnly}
	x.err = nil
	if plan.Marks > 0 {
		x.needLoads()
	}
	return x, nil
}

// plan returns the plan of the member that is rel ranks after the root.
func (c *Comm) plan(k *Key, rel int32) *plan {
	p := c.latest
	switch {
	case p == nil:
		p = c.newPlan(role{*k, rel})
	case p.isFor(k, rel):
		return p
	default:
		p = c.findPlan(k, rel)
	}
	c.latest = p
	return p
}

// isFor reports whether the plan has a key and a distance from the root.
func (p *plan) isFor(k *Key, rel int32) bool { return p.rel == rel && p.key == *k }

// findPlan returns a plan that is not the latest one.
func (c *Comm) findPlan(k *Key, rel int32) *plan {
	if c.recent == nil {
		c.recent = &[maxRecent]*plan{}
		c.recent[uint32(c.latest.rel)%maxRecent] = c.latest
	}
	at := &c.recent[uint32(rel)%maxRecent]
	old := *at
	if old != nil && old.isFor(k, rel) {
		return old
	}
	r := role{*k, rel}
	p := c.plans[r]
	if p == nil {
		p = c.newPlan(r)
	}
	if old != nil { // p may be in the map, too
		if c.plans == nil {
			c.plans = map[role]*plan{}
		}
		c.plans[old.role] = old
	}
	*at = p
	return p
}

// Schedule returns the schedule of rank 0 for a key.
func (c *Comm) Schedule(k Key) *Schedule { return c.cache.Schedule(k, 0) }

// newPlan makes a plan.
func (c *Comm) newPlan(r role) *plan {
	p := &plan{role: r, Schedule: c.cache.Schedule(r.key, r.rel)}
	if r.key.Transfer.OneSided() {
		p.transferPlan = &transferPlan{}
		p.partners = c.cache.partners(r.key, r.rel, p.Schedule)
		p.peerSchedules = c.cache.peerSchedules(r.key, r.rel, p.Schedule)
		p.ctsNodes = c.cache.ctsNodes(r.key, r.rel, p)
		p.findSharedFlags()
	}
	return p
}

// findSharedFlags finds the nodes that share a flag.
func (s *plan) findSharedFlags() {
	s.isFlagShared = make([]bool, len(s.Nodes))
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != Send && n.Kind != Recv || !s.Schedule.sharesFlag(s.key.Modes, int32(i)) {
			continue
		}
		s.isFlagShared[i] = true
		if n.Kind == Recv {
			s.sharedRecvs++
		} else {
			s.sharedSends++
		}
	}
}

// newRun returns a free Run.
func (c *Comm) newRun() *Run {
	x := c.spare.runs
	if x == nil {
		return &Run{}
	}
	c.spare.runs, x.nextFree = x.nextFree, nil
	return x
}
