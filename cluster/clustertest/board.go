package clustertest

import (
	"errors"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// boardCases test the control blocks (boards): memory that the members of a team share.
var boardCases = []testCase{
	{"a member reads the buffers that the others exposed before they incremented a flag",
		onEach([]int{1, 2, 5, 16}, onNode, boardShowsBuffers)},
	{"a step waits for several flags at once", onNode(4, boardSteps)},
	{"waits for several counts of one flag end in order", onNode(3, boardCountsInOrder)},
	{"messages pass while other ranks wait for a flag", onNode(4, messagesPassBoard)},
	{"each team has its own control block", onNode(6, teamsHaveBoards)},
	{"a control block ends at the node", ifCharged((*suite).boardEndsAtNode)},
	{"loads cost the machine's access time", ifCharged(onNode(2, boardLoadsCost))},
	{"a wait for a flag that no rank can increment is a deadlock", (*suite).boardDeadlock},
	{"an error of one rank ends the run while others wait for a flag", onBodies(flagWaits, boardAborts)},
}

// postFlagWait posts a wait until a flag of a team's control block has n.
func (p *proc) postFlagWait(t *cluster.Team, flag int32, n uint64, then cluster.Step) cluster.Handle {
	lib := p.Lib()
	return lib.Port().Post(&cluster.Op{Kind: cluster.KindFlagWait, Ctx: lib.BoardContext(t), Tag: flag, A: n, Then: then})
}

// flagWait waits until a flag of a team's control block has n.
func (p *proc) flagWait(t *cluster.Team, flag int32, n uint64) {
	if h := p.postFlagWait(t, flag, n, nil); h != 0 {
		p.Lib().Await(h)
	}
}

// flagAdd adds one to a flag of a team's control block.
func (p *proc) flagAdd(t *cluster.Team, flag int32) {
	lib := p.Lib()
	lib.Port().Post(&cluster.Op{Kind: cluster.KindFlagAdd, Ctx: lib.BoardContext(t), Tag: flag, A: 1})
}

// boardShowsBuffers exposes two buffers per member, used in alternate rounds. A member
// that sees the flag of a round has read all buffers of the round before.
func boardShowsBuffers(p *proc) {
	n, me := p.Ranks(), p.ID()
	b := p.Lib().Port().Board(p.Lib().BoardContext(p.All()))
	var mine [2][]byte
	for i := range mine {
		mine[i] = make([]byte, 8)
		b.Expose(i, me, mine[i])
	}
	for round := range p.times(300) {
		mine[round%2][0], mine[round%2][7] = byte(me+round), byte(me-round)
		p.flagAdd(p.All(), 3)
		p.flagWait(p.All(), 3, uint64(n*(round+1)))
		for i := range n {
			from := b.Peer(round%2, i)
			p.check(from[0] == byte(i+round) && from[7] == byte(i-round), "round %d: member %d shows %v", round, i, from)
		}
	}
}

func boardSteps(p *proc) {
	all := p.All()
	p.Lib().Port().Board(p.Lib().BoardContext(all))
	for round := range p.times(50) {
		e := p.event(3)
		for flag := range int32(3) { // the last flag is incremented first
			p.postFlagWait(all, flag, uint64(p.Ranks()*(round+1)),
				stepFunc(func(q cluster.Poster, _ int32, _ cluster.Done) { cluster.FireOn(q, e.Handle()) }))
		}
		for flag := int32(2); flag >= 0; flag-- {
			p.flagAdd(all, flag)
			p.Compute(cluster.Work{Flops: 100}, nil)
		}
		p.ok(only(p.Wait(&e.Request)))
	}
}

func boardCountsInOrder(p *proc) {
	p.Lib().Port().Board(p.Lib().BoardContext(p.All()))
	p.ok(p.Barrier(p.All()))
	if p.ID() > 0 {
		p.flagWait(p.All(), 0, uint64(p.ID()))
		p.send(0, 1, nil)
		return
	}
	for to := 1; to < p.Ranks(); to++ {
		p.flagAdd(p.All(), 0)
		p.recv(to, 1, nil)
	}
}

func messagesPassBoard(p *proc) {
	p.Lib().Port().Board(p.Lib().BoardContext(p.All()))
	p.ok(p.Barrier(p.All()))
	if p.ID() < 2 {
		for i := range p.times(50) {
			b := make([]byte, eager+1)
			p.status(p.Sendrecv(p.World(), 1-p.ID(), 1, cluster.Of(data(eager+1, p.ID()+i)), 1-p.ID(), 1, cluster.Of(b)))
			p.holds("message", b, 1-p.ID()+i)
		}
		p.flagAdd(p.All(), 15)
	}
	p.flagWait(p.All(), 15, 2)
}

func teamsHaveBoards(p *proc) {
	team, err := p.Split(p.All(), p.ID()%2, 0)
	p.ok(err)
	b := p.Lib().Port().Board(p.Lib().BoardContext(team))
	b.Expose(0, team.Rank(), []byte{byte(p.ID())})
	p.flagAdd(team, 0)
	p.flagWait(team, 0, 3)
	for i := range 3 {
		same(p, "byte", b.Peer(0, i)[0], byte(2*i+p.ID()%2))
	}
}

func (s *suite) boardEndsAtNode(t *testing.T) {
	spec := s.spec(4)
	if spec.Layout.Nodes == 1 {
		t.Skip("one node")
	}
	s.run(t, spec, func(p *proc) {
		p.check(p.Lib().Port().Board(p.Lib().BoardContext(p.All())) == nil, "two nodes share a control block")
		team, err := p.Split(p.All(), p.Spec().Layout.NodeOf(p.ID()), 0)
		p.ok(err)
		p.check(p.Lib().Port().Board(p.Lib().BoardContext(team)) != nil, "a node has no control block")
		p.flagAdd(team, 0)
		p.flagWait(team, 0, 2)
	})
}

func boardLoadsCost(p *proc) {
	lib := p.Lib()
	lib.Port().Board(lib.BoardContext(p.All()))
	for _, size := range []int64{8, 100_000} {
		begin := p.Now()
		if h := lib.Port().Post(&cluster.Op{Kind: cluster.KindLoad, Ctx: lib.BoardContext(p.All()), Tag: int32(1 - p.ID()),
			A: 1, Size: size}); h != 0 {
			lib.Await(h)
		}
		p.took("a load", p.Now()-begin, p.suite.machine.AccessTime(cluster.InNode, size)-cluster.Nanosecond)
	}
}

func (s *suite) boardDeadlock(t *testing.T) {
	s.stuck(t, s.node(4), func(p *proc) {
		p.Lib().Port().Board(p.Lib().BoardContext(p.All()))
		p.flagAdd(p.All(), 2)
		if p.ID() != 3 {
			p.flagWait(p.All(), 2, 5)
		}
	},
		"rank 0 waits in wait at a board for word 2* for any of rank 1, rank 2, rank 3",
		"rank 1 waits in wait at a board for word 2* for any of rank 0, rank 2, rank 3",
		"rank 2 waits in wait at a board for word 2* for any of rank 0, rank 1, rank 3")
}

var flagWaits = []namedBody{
	{"in a call", func(p *proc) { p.flagWait(p.All(), 1, 1) }},
	{"polling", func(p *proc) {
		h := p.postFlagWait(p.All(), 1, 1, nil)
		forever(func() { p.check(!p.Lib().Test(h), "reached") })
	}},
	{"in a step", func(p *proc) {
		e := p.event(1)
		p.postFlagWait(p.All(), 1, 1, stepFunc(func(cluster.Poster, int32, cluster.Done) {}))
		p.ok(only(p.Wait(&e.Request)))
	}},
}

func boardAborts(s *suite, t *testing.T, busy func(p *proc)) {
	err := s.launch(t, s.node(4),
		endWhile(func(p *proc) { p.Lib().Port().Board(p.Lib().BoardContext(p.All())); busy(p) }, failOnRank0))
	if !errors.Is(err, errBoom) {
		t.Errorf("error %v, want rank 0's", err)
	}
}
