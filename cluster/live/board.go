package live

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// board is the shared control block of a context, with the flags that sleeping members wait for.
type board struct {
	*cluster.Board
	w *world
}

// Board implements cluster.Port.
func (p *port) Board(ctx int32) *cluster.Board {
	e, w := p.e, p.e.w
	p.check()
	p.enter()
	m, _ := e.member(ctx)
	p.leave()
	for _, r := range m.b.ranks {
		if !w.transport.reaches(e.id, r) {
			return nil
		}
	}
	w.barrierMu.Lock()
	defer w.barrierMu.Unlock()
	b := m.b.board.Load()
	if b == nil {
		b = &board{Board: cluster.NewBoard(len(m.b.ranks)), w: w}
		if !w.crowded && !e.inRegion {
			b.SpinLimit = barrierSpins
		}
		m.b.board.Store(b)
	}
	return b.Board
}

// boardBit marks, together with barrierBit, the handle of a wait for a flag. The handle has the
// index of the member in the engine's list, the flag, and the low half of its target value.
const (
	boardBit   cluster.Handle = 1 << 62
	boardShift                = 40
)

func flagOf(h cluster.Handle) int32 { return int32(h >> 32 & 0xff) }

func (b *board) hasReached(h cluster.Handle) bool {
	return int32(uint32(b.Words[flagOf(h)].N.Load())-uint32(h)) >= 0
}

// addToFlag adds to a flag.
func (e *engine) addToFlag(op *cluster.Op) cluster.Handle {
	m, _ := e.member(op.Ctx)
	if e.w.transport.addToFlag(e, m.b, op) {
		m.b.addToFlag(e.w, op.Tag, op.A)
	}
	return e.finish(op, cluster.Done{})
}

// addToFlag adds to a flag, and wakes the members if one of them sleeps until the new value.
func (b *barrier) addToFlag(w *world, word int32, by uint64) {
	if s := b.board.Load(); s.Raise(word, by) || by == 0 {
		b.alert(w)
	}
}

// waitFlag waits for a flag.
func (e *engine) waitFlag(op *cluster.Op) cluster.Handle {
	m, i := e.member(op.Ctx)
	if m.b.board.Load().Words[op.Tag].N.Load() >= op.A {
		return e.finish(op, cluster.Done{})
	}
	if op.Then == nil {
		return barrierBit | boardBit | cluster.Handle(i)<<boardShift | cluster.Handle(op.Tag)<<32 |
			cluster.Handle(uint32(op.A))
	}
	s := e.takeSlot(op)
	s.member = m
	e.gates = append(e.gates, s)
	return 0
}

// announceSleep announces that a thread is about to sleep until the flags of handles change.
func (e *engine) announceSleep(hs []cluster.Handle) {
	for _, h := range hs {
		if h&barrierBit == 0 || h&boardBit == 0 {
			continue
		}
		b := e.memberOf(h).b
		s := b.board.Load()
		n := s.Words[flagOf(h)].N.Load()
		s.requestWake(b, flagOf(h), n+uint64(int64(int32(uint32(h)-uint32(n)))))
	}
}

// requestWake records that a thread may sleep until a flag is at least n. Only the minimum of all
// threads is stored. A thread that wakes and sleeps again calls requestWake again. If the minimum
// is already reached, a thread that waits for it may still be asleep.
func (b *board) requestWake(of *barrier, word int32, n uint64) (reached bool) {
	want := &b.WakeAt[word]
	for {
		least, now := want.Load(), b.Words[word].N.Load()
		switch {
		case now >= n:
			return true
		case least > now && least <= n:
			return false
		case !want.CompareAndSwap(least, n):
			continue
		}
		reached = b.Words[word].N.Load() >= n
		// the other number has been replaced, and no member may have seen this one
		if least != 0 && (least <= now || reached) {
			of.alert(b.w)
		}
		return reached
	}
}
