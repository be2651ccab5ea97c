package bench

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// errAbandoned ends a limit whose other side has left.
var errAbandoned = errors.New("the other ranks have left")

// patience is how often a line is looked at before the core is offered to
// others. With a core for each side it is never reached; with one core for both
// there is nothing to wait for but the offer.
func patience() int {
	if runtime.GOMAXPROCS(0) == 1 {
		return 1
	}
	return 1 << 14
}

// line is one word on a cache line (and its neighbour, which cores fetch in
// pairs) of its own.
type line struct {
	word atomic.Uint64
	_    [120]byte
}

// common is what the ranks of one launch share outside the fabric: the order
// under way, and what the limits are made of.
type common struct {
	order order
	_     [128]byte
	lines [2]line
	spins int // see patience
	gate  gate
	bytes [2][]byte // by rank: a buffer to send from, and one to receive into
	gone  atomic.Bool
}

func newCommon(ranks int, buffer int) *common {
	c := &common{spins: patience()}
	c.gate.size = ranks
	c.gate.turn.L = &c.gate.mu
	for i := range c.bytes {
		c.bytes[i] = make([]byte, buffer)
		for j := range c.bytes[i] {
			c.bytes[i][j] = byte(j * (3 + i))
		}
	}
	return c
}

// abandon frees whoever waits in a limit for a rank that has left.
func (c *common) abandon() {
	c.gone.Store(true)
	c.gate.mu.Lock()
	c.gate.gone = true
	c.gate.turn.Broadcast()
	c.gate.mu.Unlock()
}

// await spins until the line holds v.
func (c *common) await(l *line, v uint64) error {
	for left := c.spins; l.word.Load() != v; {
		if left--; left == 0 {
			if c.gone.Load() {
				return errAbandoned
			}
			runtime.Gosched()
			left = c.spins
		}
	}
	return nil
}

// pingpong makes the limit of every path on which two ranks meet: a word on a
// cache line goes to the other core and another one comes back. between runs on
// each arrival; it may be nil.
func (c *common) pingpong(me int, between func()) side {
	own, other := &c.lines[me], &c.lines[1-me]
	trip := uint64(0)
	return func(n int) error {
		for range n {
			trip++
			if me == 0 {
				other.word.Store(trip)
			}
			if err := c.await(own, trip); err != nil {
				return err
			}
			if between != nil {
				between()
			}
			if me == 1 {
				other.word.Store(trip)
			}
		}
		return nil
	}
}

// gate is a plain barrier: a count, a generation and a condition variable.
type gate struct {
	mu         sync.Mutex
	turn       sync.Cond
	size, here int
	generation uint64
	gone       bool
}

func (g *gate) pass() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	generation := g.generation
	if g.here++; g.here == g.size {
		g.here = 0
		g.generation++
		g.turn.Broadcast()
		return nil
	}
	for generation == g.generation {
		if g.gone {
			return errAbandoned
		}
		g.turn.Wait()
	}
	return nil
}
