package bench

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// errAbandoned ends a limit if a rank of the other side has left.
var errAbandoned = errors.New("the other ranks have left")

// spinLimit returns the number of polls of a line before the core is yielded. It is never reached if
// each side has a core. If both sides share one core, the only progress is by yielding.
func spinLimit() int {
	if runtime.GOMAXPROCS(0) == 1 {
		return 1
	}
	return 1 << 14
}

// line is one word on a separate cache line. It also occupies the neighbouring line, because cores
// fetch lines in pairs.
type line struct {
	word atomic.Uint64
	_    [120]byte
}

// common is the state that the ranks of one launch share outside the fabric: the current order, and
// the objects of the limits.
type common struct {
	order order
	_     [128]byte
	lines [2]line
	spins int // see spinLimit
	gate  gate
	bytes [2][]byte // by rank: a send buffer and a receive buffer
	gone  atomic.Bool
}

func newCommon(ranks int, buffer int) *common {
	c := &common{spins: spinLimit()}
	c.gate.size = ranks
	c.gate.changed.L = &c.gate.mu
	for i := range c.bytes {
		c.bytes[i] = make([]byte, buffer)
		for j := range c.bytes[i] {
			c.bytes[i][j] = byte(j * (3 + i))
		}
	}
	return c
}

// abandon releases ranks that wait in a limit for a rank that has left.
func (c *common) abandon() {
	c.gone.Store(true)
	c.gate.mu.Lock()
	c.gate.gone = true
	c.gate.changed.Broadcast()
	c.gate.mu.Unlock()
}

// await spins until the line has the value v.
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

// pingpong returns the limit of every path between two ranks: a word on a cache line goes to the
// other core, and another one comes back. between runs on each arrival; it can be nil.
func (c *common) pingpong(me int, between func()) side {
	mine, other := &c.lines[me], &c.lines[1-me]
	trip := uint64(0)
	return func(n int) error {
		for range n {
			trip++
			if me == 0 {
				other.word.Store(trip)
			}
			if err := c.await(mine, trip); err != nil {
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

// gate is a plain barrier: a counter, a generation and a condition variable.
type gate struct {
	mu         sync.Mutex
	changed    sync.Cond
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
		g.changed.Broadcast()
		return nil
	}
	for generation == g.generation {
		if g.gone {
			return errAbandoned
		}
		g.changed.Wait()
	}
	return nil
}
