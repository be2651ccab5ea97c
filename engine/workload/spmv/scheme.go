package spmv

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// product is one process's product on a mesh, and how its threads go about it.
type product struct {
	r           *cluster.Rank
	m           *mesh
	h           *halo
	early, late part
	scheme      func() error
	name        string       // of the scheme, on a timeline; "": of another product
	clock       cluster.Time // that a look at the clock takes
	threads     int
	reserved    int // threads that communicate; 0: the master, and then it computes
}

// What a region's master section is like.
const (
	sectionOverlapped = "overlapped"
	sectionBarriers   = "barriers"
	sectionBare       = "bare"
)

// balanced is the word for no reserved thread.
const balanced = "balanced"

func newProduct(r *cluster.Rank, p engine.Probe, m *mesh) (*product, error) {
	c := &product{r: r, m: m, clock: p.Clock(), threads: r.Spec().Layout.ThreadsPerRank, reserved: 1}
	c.early, c.late = m.split(p.Text("split"))
	level, _ := cluster.ParseThreadLevel(p.Text("threading")) // the knob has the levels for choices
	switch {
	case level <= cluster.ThreadMasteronly:
		c.scheme = func() error { _, err := c.masteronly(); return err }
	case level == cluster.ThreadFunneled && p.Text("master-section") == sectionBarriers:
		c.scheme = c.barriers
	case level == cluster.ThreadFunneled && p.Text("master-section") == sectionBare:
		c.scheme = c.bare
	case level == cluster.ThreadFunneled:
		c.scheme = c.reserve
	case level == cluster.ThreadSerialized:
		c.scheme = c.single
	default:
		c.scheme = c.reserve
		c.reserved = int(max(p.Int("reserved"), 0)) // balanced: −1
	}
	var err error
	c.h, err = newHalo(r, m, max(c.reserved, 1))
	return c, err
}

// schemeOf names the scheme: its thread level, and what its master section is like.
func schemeOf(p engine.Probe) string {
	name := p.Text("threading")
	switch name {
	case cluster.ThreadFunneled.String():
		if s := p.Text("master-section"); s != sectionOverlapped {
			name += ", " + s
		}
	case cluster.ThreadMultiple.String():
		name += ", reserved " + p.Text("reserved")
	}
	return name
}

// times are those of masteronly's parts.
type times struct{ comm, overlap, wait cluster.Time }

func (t times) total() cluster.Time { return t.comm + t.overlap + t.wait }

// masteronly exchanges outside of parallel regions, and then computes on all
// threads: first what need not have waited, so that it is timed apart.
func (c *product) masteronly() (times, error) {
	begin := c.r.Now()
	if err := c.h.whole(c.r); err != nil {
		return times{}, err
	}
	came := c.r.Now()
	var half cluster.Time
	err := c.r.Fork(c.threads, func(t *cluster.Thread) error {
		err := c.share(t, &c.early, cluster.Loop{})
		if t.Number() == 0 {
			half = t.Now()
		}
		return first(err, c.share(t, &c.late, cluster.Loop{Nowait: true}))
	})
	end := c.r.Now()
	return times{c.span(begin, came), c.span(came, half), c.span(half, end)}, err
}

// span is the time between two looks at the clock.
func (c *product) span(from, to cluster.Time) cluster.Time { return max(to-from-c.clock, 0) }

// share has a part computed by the threads of a region.
func (c *product) share(t *cluster.Thread, p *part, l cluster.Loop) error {
	return t.For(p.lines, l, func(lo, hi int) error {
		p.compute(t, lo, hi)
		return nil
	})
}

// chunksPerThread is into how many chunks a thread's equal share is cut where
// threads take what is left.
const chunksPerThread = 32

// dynamic is the loop over a part of which threads take chunks.
func (c *product) dynamic(p *part) cluster.Loop {
	return cluster.Loop{Schedule: cluster.Dynamic, Chunk: max(1, p.lines/(chunksPerThread*c.threads))}
}

// reserve has the first threads communicate while the others compute what need not
// wait. With none reserved the master communicates, and then takes its chunks of
// what is left.
func (c *product) reserve() error {
	return c.r.Fork(c.threads, func(t *cluster.Thread) error {
		var err error
		if q := t.Number(); q < len(c.h.shares) {
			err = c.h.part(&t.Rank, q)
		}
		l := cluster.Loop{Reserved: c.reserved}
		if c.reserved == 0 {
			l = c.dynamic(&c.early)
		}
		err = first(err, c.share(t, &c.early, l)) // its end is the barrier after the exchange
		return first(err, c.share(t, &c.late, cluster.Loop{Nowait: true}))
	})
}

// single has the thread that comes first communicate while the others compute.
func (c *product) single() error {
	return c.r.Fork(c.threads, func(t *cluster.Thread) error {
		l := c.dynamic(&c.early)
		err := t.SingleNowait(func() error {
			l.Away = true
			return c.h.whole(&t.Rank)
		})
		err = first(err, c.share(t, &c.early, l))
		return first(err, c.share(t, &c.late, cluster.Loop{Nowait: true}))
	})
}

// barriers has the master communicate inside the region, with a barrier before, for
// what the threads have computed to be there, and one after, for what has come: all
// others sleep meanwhile (paper 2, section 4: T1b).
func (c *product) barriers() error {
	return c.r.Fork(c.threads, func(t *cluster.Thread) error {
		t.Meet()
		err := t.Master(func() error { return c.h.whole(&t.Rank) })
		t.Meet()
		err = first(err, c.share(t, &c.early, cluster.Loop{}))
		return first(err, c.share(t, &c.late, cluster.Loop{Nowait: true}))
	})
}

// bare is barriers without them: threads that are not the master go on at once, to
// lines whose halo has not come. x itself was there before the region, so that
// nothing else is used too early.
func (c *product) bare() error {
	c.h.product++
	err := c.r.Fork(c.threads, func(t *cluster.Thread) error {
		err := t.Master(func() error { return c.h.beside(&t.Rank) })
		l := c.dynamic(&part{lines: c.m.lines()})
		l.Nowait = true
		return first(err, t.For(c.m.lines(), l, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				if err := c.racing(t, i); err != nil {
					return err
				}
			}
			return nil
		}))
	})
	c.h.keep()
	return err
}

// racing computes a line with the halo of this product if it has come, else with that of
// the product before.
func (c *product) racing(t *cluster.Thread, i int) error {
	m := c.m
	low, high := c.h.plane(0), c.h.plane(m.nk+1)
	if k := i / m.nj; k == 0 || k == m.nk-1 {
		switch came, err := c.h.came(&t.Rank); {
		case err != nil:
			return err
		case came:
			low, high = c.h.inbox.Part(0, m.plane()), c.h.inbox.Part(m.plane(), 2*m.plane())
		}
	}
	t.Compute(work(int64(m.ni), 1), m.store.Body(func() { m.multiplyWith(i*m.ni, (i+1)*m.ni, low.Slice(), high.Slice()) }))
	return nil
}

// first is the first error of two. A thread that failed goes on to where the others
// meet it.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// level asks for the thread support that the scheme needs.
func level(r *cluster.Rank, want cluster.ThreadLevel) error {
	provided, err := r.InitThread(want)
	if err != nil {
		return err
	}
	if want == cluster.ThreadMasteronly && r.ThreadLevel() == want {
		return nil // the library reports SINGLE, which has no name for this
	}
	if provided < want {
		return fmt.Errorf("rank %d: threading = %s: the MPI library provides %s: use threading = %s, or a machine or thread-support that provides more", r.ID(), want, provided, r.ThreadLevel())
	}
	return nil
}
