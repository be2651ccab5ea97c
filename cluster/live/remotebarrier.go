package live

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// remoteBarrier is the barrier of a context with members in several processes. When all members of a
// process have entered, the process takes part in a dissemination among the n processes. It has
// ⌈log2 n⌉ rounds. In round k, each process sends a frame to the process 2^k places further. The mutex
// of remote guards all fields.
type remoteBarrier struct {
	ctx       int32
	b         *barrier   // nil: no member of this process has joined yet
	processes []int32    // of the members, ascending
	place     int        // of this process in the list
	gen       uint32     // completed barriers
	entered   bool       // all members of this process have entered the next one
	round     int        // of this process
	announced bool       // the frame of the round has left
	got       [32]uint32 // received frames, by round
}

// extend sets the fields of a new barrier that depend on processes.
func (x *remote) extend(ctx int32, b *barrier) {
	var processes []int32
	b.local = 0
	for _, r := range b.ranks {
		p := x.process[r]
		if p == x.me {
			b.local++
		}
		if !slices.Contains(processes, p) {
			processes = append(processes, p)
		}
	}
	if len(processes) < 2 {
		return
	}
	slices.Sort(processes)
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.barrierOf(ctx)
	s.b, s.processes, s.place = b, processes, slices.Index(processes, x.me)
	b.remote = s
}

// barrierOf returns the barrier of a context. Frames may arrive before a member of this process joins.
func (x *remote) barrierOf(ctx int32) *remoteBarrier {
	s := x.barriers[ctx]
	if s == nil {
		s = &remoteBarrier{ctx: ctx}
		x.barriers[ctx] = s
	}
	return s
}

// forget removes the barrier of a context.
func (x *remote) forget(ctx int32) {
	x.mu.Lock()
	delete(x.barriers, ctx)
	x.mu.Unlock()
}

// open implements transport: all members of this process have entered.
func (x *remote) open(b *barrier) (now bool) {
	if b.remote == nil {
		return true
	}
	x.mu.Lock()
	b.remote.entered = true
	opened := x.advance(b.remote)
	x.mu.Unlock()
	if opened {
		b.open(x.w)
	}
	return false
}

// arriveBarrier processes a frame of another process.
func (x *remote) arriveBarrier(f *far.Frame) error {
	if f.Tag < 0 || f.Tag >= int32(len(remoteBarrier{}.got)) {
		return fmt.Errorf("round %d of a barrier, want less than %d", f.Tag, len(remoteBarrier{}.got))
	}
	x.mu.Lock()
	s := x.barrierOf(f.Ctx)
	s.got[f.Tag]++
	opened := s.entered && x.advance(s)
	x.mu.Unlock()
	if opened {
		s.b.open(x.w)
	}
	return nil
}

// advance takes part in rounds until a frame is missing. It reports whether the barrier is complete.
func (x *remote) advance(s *remoteBarrier) bool {
	n := len(s.processes)
	for rounds := bits.Len(uint(n - 1)); s.round < rounds; s.round++ {
		if !s.announced {
			s.announced = true
			x.sent[len(x.process)].Add(1)
			x.run.Send(int(s.processes[(s.place+1<<s.round)%n]), &far.Frame{Kind: far.Barrier, Ctx: s.ctx, Tag: int32(s.round),
				Sized: true})
		}
		if s.got[s.round] == s.gen {
			return false
		}
		s.announced = false
	}
	s.round, s.entered = 0, false
	s.gen++
	return true
}
