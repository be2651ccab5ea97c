package clustertest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// stepCtx is a context that no team of a small launch has.
const stepCtx = 1 << 20

// stepFunc is a step as a function.
type stepFunc func(p cluster.Poster, arg int32, d cluster.Done)

func (f stepFunc) Step(p cluster.Poster, arg int32, d cluster.Done) { f(p, arg, d) }

func (s *suite) testSteps(t *testing.T) {
	s.test(t, "an event happens after its fires", 1, func(p *proc) {
		e, err := p.NewEvent(3)
		p.ok(err)
		for i := range 3 {
			_, done, err := p.Test(&e.Request)
			p.ok(err)
			p.check(!done, "happened after %d fires of 3", i)
			cluster.FireOn(p.Lib().Port(), e.Handle())
		}
		p.ok(errOf(p.Wait(&e.Request)))
		e, err = p.NewEvent(1)
		p.ok(err)
		cluster.FireOn(p.Lib().Port(), e.Handle())
		_, done, err := p.Test(&e.Request)
		p.ok(err)
		p.check(done, "not happened after its fire")
	})

	s.test(t, "an RPC body fires an event of its rank", 4, func(p *proc) {
		e, err := p.NewEvent(3)
		p.ok(err)
		fn := p.register(func(c cluster.RPC) uint64 { cluster.FireOn(c.Poster, e.Handle()); return 0 })
		for to := range p.Ranks() {
			if to != p.ID() {
				_, err := p.RPC(to, fn, 0, cluster.Data{})
				p.ok(err)
			}
		}
		p.ok(errOf(p.Wait(&e.Request)))
		p.ok(p.Barrier(p.All()))
	})

	for _, size := range []int{8, eager + 1} {
		t.Run(fmt.Sprintf("a step posts the next receive of %d B, and the last one fires", size), func(t *testing.T) {
			n := s.times(200)
			s.portsOK(t, 2, func(p cluster.Port) error {
				b := make([]byte, size)
				if p.ID() == 0 {
					for i := range n {
						op := cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 3, Buf: data(size, i)}
						finish(p, &op)
					}
					return nil
				}
				event := cluster.Op{Kind: cluster.KindEvent, Arg: 1}
				h := p.Post(&event)
				var wrong error
				var next stepFunc
				post := func(p cluster.Poster, i int) {
					op := cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 3, Buf: b, Then: next, ThenArg: int32(i)}
					p.Post(&op)
				}
				next = func(p cluster.Poster, i int32, d cluster.Done) {
					if d.Err != cluster.OK || d.Size != int64(size) || b[0] != data(size, int(i))[0] {
						wrong = fmt.Errorf("step %d: %+v, first byte %d", i, d, b[0])
					}
					if int(i) == n-1 {
						cluster.FireOn(p, h)
						return
					}
					post(p, int(i)+1)
				}
				post(p, 0)
				p.Wait([]cluster.Handle{h}, 1)
				if _, ok := p.Test(h); !ok {
					return errors.New("the event is not complete after Wait")
				}
				return wrong
			})
		})
	}

	t.Run("steps broadcast down a tree", func(t *testing.T) {
		const ranks = 8
		rounds := s.times(20)
		s.portsOK(t, ranks, func(p cluster.Port) error {
			me := p.ID()
			for round := range rounds {
				children := 0
				for _, c := range []int{2*me + 1, 2*me + 2} {
					if c < ranks {
						children++
					}
				}
				event := cluster.Op{Kind: cluster.KindEvent, Arg: int32(max(children, 1))}
				h := p.Post(&event)
				b := make([]byte, 100)
				sent := stepFunc(func(p cluster.Poster, _ int32, _ cluster.Done) { cluster.FireOn(p, h) })
				arrived := stepFunc(func(p cluster.Poster, _ int32, _ cluster.Done) {
					for _, c := range []int{2*me + 1, 2*me + 2} {
						if c < ranks {
							op := cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: int32(c), Tag: 1, Buf: b, Then: sent}
							p.Post(&op)
						}
					}
					if children == 0 {
						cluster.FireOn(p, h)
					}
				})
				if me == 0 {
					copy(b, data(100, round))
					arrived(p, 0, cluster.Done{})
				} else {
					op := cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: int32((me - 1) / 2), Tag: 1, Buf: b, Then: arrived}
					p.Post(&op)
				}
				p.Wait([]cluster.Handle{h}, 1)
				p.Test(h)
				for i, c := range data(100, round) {
					if b[i] != c {
						return fmt.Errorf("rank %d round %d: byte %d is %#x, want %#x", me, round, i, b[i], c)
					}
				}
			}
			return nil
		})
	})

	if s.fabric.Clock(&s.machine) == cluster.VirtualClock && s.machine.Progress == cluster.ProgressCall {
		for _, size := range []int{8, eager + 1} {
			t.Run(fmt.Sprintf("a receive of %d B with a step takes the rank the time that one takes which is waited for", size), func(t *testing.T) {
				var ends [2]cluster.Time
				for i := range ends {
					byStep := i == 1
					s.portsOK(t, 2, func(p cluster.Port) error {
						if p.ID() == 0 {
							finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 3, Buf: data(size, 1)})
							return nil
						}
						recv := cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 3, Buf: make([]byte, size)}
						if !byStep {
							finish(p, &recv)
						} else {
							event := cluster.Op{Kind: cluster.KindEvent, Arg: 1}
							h := p.Post(&event)
							recv.Then = stepFunc(func(p cluster.Poster, _ int32, _ cluster.Done) { cluster.FireOn(p, h) })
							p.Post(&recv)
							p.Wait([]cluster.Handle{h}, 1)
							p.Test(h)
						}
						ends[i] = p.Now()
						return nil
					})
				}
				if ends[0] != ends[1] {
					t.Errorf("it is there at %v by a wait, at %v by a step", ends[0], ends[1])
				}
			})
		}
	}

	t.Run("a step has an argument of its own beside an operation's", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			p.Serve(func(c cluster.RPC) (uint64, bool) { return uint64(c.Arg), true })
			barrier := cluster.Op{Kind: cluster.KindBarrier, Ctx: stepCtx}
			finish(p, &barrier)
			event := cluster.Op{Kind: cluster.KindEvent, Arg: 3}
			h := p.Post(&event)
			var got [3]int32
			var words [3]uint64
			step := func(i int) cluster.Step {
				return stepFunc(func(p cluster.Poster, arg int32, d cluster.Done) {
					got[i], words[i] = arg, d.A
					cluster.FireOn(p, h)
				})
			}
			peer := int32(1 - p.ID())
			p.Post(&cluster.Op{Kind: cluster.KindAwait, Off: 8, Arg: int32(cluster.CmpGreaterEqual), A: 5, Then: step(0), ThenArg: 70})
			p.Post(&cluster.Op{Kind: cluster.KindAtomic, Peer: peer, Off: 8, Arg: int32(cluster.AtomicAdd), A: 5, Then: step(1), ThenArg: 71})
			p.Post(&cluster.Op{Kind: cluster.KindRPC, Peer: peer, Fn: 1, Arg: 9, Then: step(2), ThenArg: 72})
			p.Wait([]cluster.Handle{h}, 1)
			p.Test(h)
			finish(p, &barrier)
			if got != [3]int32{70, 71, 72} || words != [3]uint64{5, 0, 9} {
				return fmt.Errorf("rank %d: arguments %v, want 70 to 72; words %v, want 5, 0 and 9", p.ID(), got, words)
			}
			return nil
		})
	})

	for _, size := range []int{8, 40 * eager} {
		t.Run(fmt.Sprintf("an early step of a put of %d B may write its buffer again, and comes no later than another", size), func(t *testing.T) {
			var at [2]cluster.Time
			for i, early := range []bool{true, false} {
				s.portsOK(t, 2, func(p cluster.Port) error {
					want := data(size, 1)
					if p.ID() == 1 {
						finish(p, &cluster.Op{Kind: cluster.KindAwait, Off: 0, Arg: int32(cluster.CmpEqual), A: 1})
						for i, b := range p.Segment()[64:][:size] {
							if b != want[i] {
								return fmt.Errorf("byte %d behind the flag is %#x, want %#x", i, b, want[i])
							}
						}
						return nil
					}
					event := cluster.Op{Kind: cluster.KindEvent, Arg: 1}
					h := p.Post(&event)
					wrong := cluster.OK
					p.Post(&cluster.Op{Kind: cluster.KindPut, Peer: 1, Off: 64, Buf: want, Sig: 0, SigOp: cluster.SigSet, A: 1, Early: early,
						Then: stepFunc(func(p cluster.Poster, _ int32, d cluster.Done) {
							wrong = d.Err
							clear(want)
							cluster.FireOn(p, h)
						})})
					p.Wait([]cluster.Handle{h}, 1)
					p.Test(h)
					at[i] = p.Now()
					if wrong != cluster.OK {
						return fmt.Errorf("the step has code %d", wrong)
					}
					return nil
				})
			}
			if s.fabric.Clock(&s.machine) == cluster.VirtualClock && at[0] >= at[1] {
				t.Errorf("the early step comes at %v, the other at %v", at[0], at[1])
			}
		})
	}

	t.Run("work takes the machine's time, and steps follow it", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			const flops, bytes = 50_000, 400_000
			least := cluster.Time(0)
			if s.fabric.Clock(&s.machine) != cluster.WallClock {
				least = 2 * s.machine.ComputeTime(cluster.Work{Flops: flops, Bytes: bytes})
			}
			began := p.Now()
			finish(p, &cluster.Op{Kind: cluster.KindWork, A: flops, B: bytes})
			event := cluster.Op{Kind: cluster.KindEvent, Arg: 1}
			h := p.Post(&event)
			p.Post(&cluster.Op{Kind: cluster.KindWork, A: flops, B: bytes, Then: stepFunc(func(p cluster.Poster, _ int32, _ cluster.Done) { cluster.FireOn(p, h) })})
			p.Wait([]cluster.Handle{h}, 1)
			p.Test(h)
			if took := p.Now() - began; took < least-cluster.Time(slack*float64(least)) {
				return fmt.Errorf("rank %d: %v for work of %v", p.ID(), took, least)
			}
			return nil
		})
	})

	t.Run("a step runs once for each kind of operation", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			p.Team(stepCtx+2, []int32{0, 1})
			p.Serve(func(cluster.RPC) (uint64, bool) { return 77, true })
			me, peer := p.ID(), int32(1-p.ID())
			barrier := cluster.Op{Kind: cluster.KindBarrier, Ctx: stepCtx}
			finish(p, &barrier)
			b := make([]byte, 8)
			ops := []cluster.Op{
				{Kind: cluster.KindSend, Ctx: stepCtx, Peer: peer, Tag: 1, Buf: data(8, me)},
				{Kind: cluster.KindSsend, Ctx: stepCtx, Peer: peer, Tag: 2, Buf: data(8, me)},
				{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: peer, Tag: 1, Buf: make([]byte, 8)},
				{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: peer, Tag: 2, Buf: make([]byte, 8)},
				{Kind: cluster.KindPut, Peer: peer, Off: 0, Buf: data(8, me)},
				{Kind: cluster.KindGet, Peer: peer, Off: 64, Buf: b},
				{Kind: cluster.KindAtomic, Peer: peer, Off: 128, Arg: int32(cluster.AtomicAdd), A: 1},
				{Kind: cluster.KindRPC, Peer: peer, Fn: 1},
				{Kind: cluster.KindPut, Peer: peer, Off: 1 << 30, Buf: data(8, me)},
				{Kind: cluster.KindBarrier, Ctx: stepCtx + 2},
				{Kind: cluster.KindWork, A: 100, B: 100},
			}
			event := cluster.Op{Kind: cluster.KindEvent, Arg: int32(len(ops))}
			h := p.Post(&event)
			runs := make([]int, len(ops))
			dones := make([]cluster.Done, len(ops))
			for i := range ops {
				ops[i].Then = stepFunc(func(p cluster.Poster, arg int32, d cluster.Done) {
					runs[i]++
					dones[i] = d
					cluster.FireOn(p, h)
				})
				p.Post(&ops[i])
			}
			p.Wait([]cluster.Handle{h}, 1)
			p.Test(h)
			finish(p, &barrier)
			for i, n := range runs {
				if n != 1 {
					return fmt.Errorf("rank %d: the step of %v ran %d times", me, ops[i].Kind, n)
				}
			}
			if d := dones[7]; d.A != 77 {
				return fmt.Errorf("rank %d: the step of an rpc got word %d, want 77", me, d.A)
			}
			if d := dones[8]; d.Err != cluster.OutOfSegment {
				return fmt.Errorf("rank %d: the step of a put out of the segment got %+v", me, d)
			}
			return nil
		})
	})

	t.Run("a long chain of steps that complete at once does not recurse", func(t *testing.T) {
		n := s.times(200_000)
		s.portsOK(t, 1, func(p cluster.Port) error {
			event := cluster.Op{Kind: cluster.KindEvent, Arg: 1}
			h := p.Post(&event)
			var next stepFunc
			left := n
			next = func(p cluster.Poster, _ int32, _ cluster.Done) {
				if left--; left == 0 {
					cluster.FireOn(p, h)
					return
				}
				op := cluster.Op{Kind: cluster.KindPut, Peer: 0, Off: 0, Buf: []byte{1}, Then: next}
				p.Post(&op)
			}
			next(p, 0, cluster.Done{})
			p.Wait([]cluster.Handle{h}, 1)
			p.Test(h)
			return nil
		})
	})
}

// portsOK runs a program against the seam that has to succeed. Every port knows
// the context stepCtx of all ranks.
func (s *suite) portsOK(t *testing.T, ranks int, body func(p cluster.Port) error) {
	t.Helper()
	all := make([]int32, ranks)
	for i := range all {
		all[i] = int32(i)
	}
	err := s.ports(t, s.spec(ranks), func(p cluster.Port) error {
		p.Team(stepCtx, all)
		return body(p)
	})
	if err != nil {
		t.Fatal(err)
	}
}
