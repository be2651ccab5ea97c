package clustertest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// reach waits at a team's board until a word has n.
func (p *proc) reach(t *cluster.Team, word int32, n uint64) {
	lib := p.Lib()
	if h := lib.Post(&cluster.Op{Kind: cluster.KindReached, Ctx: lib.BoardContext(t), Tag: word, A: n}); h != 0 {
		lib.Await(h)
	}
}

// raise adds one to a word of a team's board.
func (p *proc) raise(t *cluster.Team, word int32) {
	lib := p.Lib()
	lib.Post(&cluster.Op{Kind: cluster.KindRaise, Ctx: lib.BoardContext(t), Tag: word, A: 1})
}

func (s *suite) testBoard(t *testing.T) {
	test := func(name string, ranks int, body func(p *proc)) {
		t.Run(name, func(t *testing.T) { s.run(t, s.node(ranks), body) })
	}
	// Each shows a buffer of two, in turn: who has seen the words of a round has read
	// all buffers of the one before.
	for _, ranks := range []int{1, 2, 5, 16} {
		test("what a member shows before it raises a word is there for those who see it reached", ranks, func(p *proc) {
			n, me := p.Ranks(), p.ID()
			b := p.Lib().Board(p.All())
			var mine [2][]byte
			for i := range mine {
				mine[i] = make([]byte, 8)
				b.Expose(i, me, mine[i])
			}
			for round := range s.times(300) {
				mine[round%2][0], mine[round%2][7] = byte(me+round), byte(me-round)
				p.raise(p.All(), 3)
				p.reach(p.All(), 3, uint64(n*(round+1)))
				for i := range n {
					from := b.Peer(round%2, i)
					p.check(from[0] == byte(i+round) && from[7] == byte(i-round), "round %d: member %d shows %v", round, i, from)
				}
			}
		})
	}

	test("a step waits at a board, several at once", 4, func(p *proc) {
		lib, all := p.Lib(), p.All()
		lib.Board(all)
		n := uint64(p.Ranks())
		for round := range uint64(s.times(50)) {
			e, err := p.NewEvent(3)
			p.ok(err)
			for word := range int32(3) { // the last one is raised first
				lib.Post(&cluster.Op{Kind: cluster.KindReached, Ctx: lib.BoardContext(all), Tag: word, A: n * (round + 1),
					Then: stepFunc(func(q cluster.Poster, _ int32, _ cluster.Done) { cluster.FireOn(q, e.Handle()) })})
			}
			for word := int32(2); word >= 0; word-- {
				p.raise(all, word)
				p.Compute(cluster.Work{Flops: 100}, nil)
			}
			p.ok(p.WaitEvent(e))
		}
	})

	test("waits for several counts of one word end in their order", 3, func(p *proc) {
		p.Lib().Board(p.All())
		p.ok(p.Barrier(p.All()))
		if p.ID() > 0 {
			p.reach(p.All(), 0, uint64(p.ID()))
			p.send(0, 1, nil)
			return
		}
		for to := 1; to < p.Ranks(); to++ {
			p.raise(p.All(), 0)
			p.recv(to, 1, nil)
		}
	})

	test("messages pass while others wait at a board", 4, func(p *proc) {
		p.Lib().Board(p.All())
		p.ok(p.Barrier(p.All()))
		if p.ID() < 2 {
			for i := range s.times(50) {
				b := make([]byte, eager+1)
				_, err := p.Sendrecv(p.World(), 1-p.ID(), 1, data(eager+1, p.ID()+i), 1-p.ID(), 1, b)
				p.ok(err)
				p.holds("message", b, 1-p.ID()+i)
			}
			p.raise(p.All(), 15)
		}
		p.reach(p.All(), 15, 2)
	})

	test("teams have boards of their own", 6, func(p *proc) {
		team, err := p.Split(p.All(), p.ID()%2, 0)
		p.ok(err)
		b := p.Lib().Board(team)
		b.Expose(0, team.Rank(), []byte{byte(p.ID())})
		p.raise(team, 0)
		p.reach(team, 0, 3)
		for i := range 3 {
			same(p, "byte", b.Peer(0, i)[0], byte(2*i+p.ID()%2))
		}
	})

	if s.machine.Emulated || s.fabric.Clock(&s.machine) == cluster.VirtualClock {
		t.Run("loads do not reach another node", func(t *testing.T) {
			spec := s.spec(4)
			if spec.Layout.Nodes == 1 {
				t.Skip("one node")
			}
			s.run(t, spec, func(p *proc) {
				p.check(p.Lib().Board(p.All()) == nil, "two nodes have one board")
				team, err := p.Split(p.All(), p.Node(), 0)
				p.ok(err)
				p.check(p.Lib().Board(team) != nil, "a node has no board")
				p.raise(team, 0)
				p.reach(team, 0, 2)
			})
		})
		test("loads take their time", 2, func(p *proc) {
			lib := p.Lib()
			lib.Board(p.All())
			for _, size := range []int64{8, 100_000} {
				begin := p.Now()
				if h := lib.Post(&cluster.Op{Kind: cluster.KindLoad, Ctx: lib.BoardContext(p.All()), Tag: int32(1 - p.ID()), A: 1, Size: size}); h != 0 {
					lib.Await(h)
				}
				p.took("a load", p.Now()-begin, s.machine.AccessTime(cluster.InNode, size)-cluster.Nanosecond)
			}
		})
	}

	t.Run("a word that is never reached is a deadlock", func(t *testing.T) {
		a := s.deadlock(t, s.node(4), func(p *proc) {
			p.Lib().Board(p.All())
			p.raise(p.All(), 2)
			if p.ID() != 3 {
				p.reach(p.All(), 2, 5)
			}
		})
		for rank := range 3 {
			if !slices.ContainsFunc(a.Waits, func(w cluster.Wait) bool {
				slices.Sort(w.For)
				return w.Rank == rank && strings.HasPrefix(w.Call, "wait at a board for word 2") && w.Any && len(w.For) == 3
			}) {
				t.Errorf("the report does not say that rank %d waits at a board for any of the others:\n%v", rank, a)
			}
		}
		if slices.ContainsFunc(a.Waits, func(w cluster.Wait) bool { return w.Rank == 3 }) {
			t.Errorf("rank 3 is reported, and has ended:\n%v", a)
		}
	})

	boom := errors.New("boom")
	for name, busy := range map[string]func(p *proc){
		"waiting": func(p *proc) { p.reach(p.All(), 1, 1) },
		"polling": func(p *proc) {
			lib := p.Lib()
			h := lib.Post(&cluster.Op{Kind: cluster.KindReached, Ctx: lib.BoardContext(p.All()), Tag: 1, A: 1})
			for {
				p.check(!lib.Test(h), "reached")
			}
		},
		"with a step": func(p *proc) {
			lib := p.Lib()
			e, err := p.NewEvent(1)
			p.ok(err)
			lib.Post(&cluster.Op{Kind: cluster.KindReached, Ctx: lib.BoardContext(p.All()), Tag: 1, A: 1,
				Then: stepFunc(func(cluster.Poster, int32, cluster.Done) {})})
			p.ok(p.WaitEvent(e))
		},
	} {
		t.Run("a run ends while others are at a board, "+name, func(t *testing.T) {
			err := s.launch(t, s.node(4), func(p *proc) {
				p.Lib().Board(p.All())
				switch p.ID() {
				case 0, 3:
					b := make([]byte, 8)
					for range s.times(20) {
						_, err := p.Sendrecv(p.World(), 3-p.ID(), 1, b, 3-p.ID(), 1, b)
						p.ok(err)
					}
					if p.ID() == 0 {
						p.failf("%w", boom)
					}
					p.recv(0, 99, nil)
				default:
					busy(p)
				}
			})
			if !errors.Is(err, boom) {
				t.Errorf("error %v, want rank 0's", err)
			}
		})
	}
}
