package spmv

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// product is one process's product on a mesh, with the scheme of its threads.
type product struct {
	r           *cluster.Rank
	m           *mesh
	h           *halo
	independent part // does not need the halo
	dependent   part // needs the halo
	scheme      func() error
	name        string       // of the scheme, on a timeline; "": not shown
	clock       cluster.Time // time to read the clock
	threads     int
	reserved    int  // threads that communicate; 0: the master, which then computes, too
	single      bool // SINGLE instead of MASTER
}

// The values of the knob section: the construct by level, or one of OpenMP's two.
const (
	sectionLevel  = "level"
	sectionMaster = "master"
	sectionSingle = "single"
)

// The implied barriers that NOWAIT drops.
const (
	nowaitOff    = "off"
	nowaitSingle = "single"
	nowaitAll    = "all"
)

// The variants of a region's section.
const (
	sectionOverlapped = "overlapped"
	sectionBarriers   = "barriers"
	sectionBare       = "bare"
)

// balanced is the value of reserved for no reserved thread.
const balanced = "balanced"

func newProduct(r *cluster.Rank, p engine.Probe, m *mesh) (*product, error) {
	c := &product{r: r, m: m, clock: p.Clock(), threads: r.Spec().Layout.ThreadsPerRank, reserved: 1}
	c.independent, c.dependent = m.split(p.Text("split"))
	level := levelOf(p)
	construct, variant := sectionOf(p)
	c.single = construct == sectionSingle
	switch {
	case level <= cluster.ThreadMasteronly:
		c.scheme = func() error { _, err := c.masteronly(); return err }
	case variant == sectionBarriers:
		c.scheme = c.runBarriers
	case variant == sectionBare:
		c.scheme = c.runBare
	case c.single:
		c.scheme = c.runSingle
	case construct == sectionMaster:
		c.scheme = c.runReserved
	default:
		c.scheme = c.runReserved
		c.reserved = int(max(p.Int("reserved"), 0)) // balanced: −1
	}
	var err error
	c.h, err = newHalo(r, m, max(c.reserved, 1))
	return c, err
}

// reader has the values of knobs: a scenario, or a rank's probe.
type reader interface{ Text(knob string) string }

// levelOf returns the thread level of the scheme.
func levelOf(s reader) cluster.ThreadLevel {
	level, _ := cluster.ParseThreadLevel(s.Text("threading")) // the knob has the levels for choices
	return level
}

// sectionOf returns the construct around the exchange, and the variant of its barriers. Both are ""
// if the scheme has no such section.
func sectionOf(s reader) (construct, variant string) {
	level := levelOf(s)
	if level != cluster.ThreadFunneled && level != cluster.ThreadSerialized {
		return "", ""
	}
	construct = s.Text("section")
	switch {
	case construct == sectionLevel && level == cluster.ThreadSerialized:
		construct = sectionSingle
	case construct == sectionLevel:
		construct = sectionMaster
	}
	if construct == sectionMaster {
		return construct, s.Text("master-section")
	}
	switch s.Text("nowait") {
	case nowaitOff:
		return construct, sectionBarriers
	case nowaitAll:
		return construct, sectionBare
	}
	return construct, sectionOverlapped
}

// variantOf returns the name of a section that is not its level's own one that overlaps, or "".
func variantOf(s reader) string {
	switch construct, variant := sectionOf(s); {
	case construct == sectionSingle && variant == sectionBarriers:
		return "SINGLE without NOWAIT"
	case construct == sectionSingle && variant == sectionBare:
		return "NOWAIT on SINGLE and loop"
	case construct == sectionMaster && levelOf(s) == cluster.ThreadSerialized:
		return "MASTER, " + variant
	case variant != sectionOverlapped:
		return variant
	}
	return ""
}

// schemeOf returns the name of the scheme: its thread level and the variant of its section.
func schemeOf(p engine.Probe) string {
	name := p.Text("threading")
	if v := variantOf(p); v != "" {
		name += ", " + v
	}
	if name == cluster.ThreadMultiple.String() {
		name += ", reserved " + p.Text("reserved")
	}
	return name
}

// times are the times of masteronly's parts.
type times struct{ comm, overlap, wait cluster.Time }

func (t times) total() cluster.Time { return t.comm + t.overlap + t.wait }

// masteronly exchanges outside of parallel regions, and then computes on all threads. It computes
// the part that does not need the halo first, to time it separately.
func (c *product) masteronly() (times, error) {
	begin := c.r.Now()
	if err := c.h.exchangePlanes(c.r); err != nil {
		return times{}, err
	}
	came := c.r.Now()
	var half cluster.Time
	err := c.r.Fork(c.threads, func(t *cluster.Thread) error {
		err := c.distribute(t, &c.independent, cluster.Loop{})
		err = firstError(err, t.Master(func() error { half = t.Now(); return nil }))
		return firstError(err, c.distribute(t, &c.dependent, cluster.Loop{Nowait: true}))
	})
	end := c.r.Now()
	return times{comm: c.span(begin, came), overlap: c.span(came, half), wait: c.span(half, end)}, err
}

// span returns the time between two clock readings.
func (c *product) span(from, to cluster.Time) cluster.Time { return max(to-from-c.clock, 0) }

// distribute distributes a part over the threads of a region.
func (c *product) distribute(t *cluster.Thread, p *part, l cluster.Loop) error {
	return t.For(p.lines, l, func(lo, hi int) error {
		p.compute(t, lo, hi)
		return nil
	})
}

// chunksPerThread is the number of chunks per thread's equal share in a loop with dynamic
// scheduling.
const chunksPerThread = 32

// dynamic returns a loop over a part in which threads take chunks.
func (c *product) dynamic(p *part) cluster.Loop {
	return cluster.Loop{Schedule: cluster.Dynamic, Chunk: max(1, p.lines/(chunksPerThread*c.threads))}
}

// runReserved lets the first threads communicate while the others compute the part that does not
// need the halo. With no reserved thread the master communicates, and then takes its chunks of the
// rest.
func (c *product) runReserved() error {
	return c.r.Fork(c.threads, func(t *cluster.Thread) error {
		var err error
		if q := t.Number(); q < len(c.h.shares) {
			err = c.h.exchangeShare(&t.Rank, q)
		}
		l := cluster.Loop{Reserved: c.reserved}
		if c.reserved == 0 {
			l = c.dynamic(&c.independent)
		}
		err = firstError(err, c.distribute(t, &c.independent, l)) // its end is the barrier after the exchange
		return firstError(err, c.distribute(t, &c.dependent, cluster.Loop{Nowait: true}))
	})
}

// runSingle lets the first thread that arrives communicate while the others compute.
func (c *product) runSingle() error {
	return c.r.Fork(c.threads, func(t *cluster.Thread) error {
		l := c.dynamic(&c.independent)
		err := t.SingleNowait(func() error {
			l.Away = true
			return c.h.exchangePlanes(&t.Rank)
		})
		err = firstError(err, c.distribute(t, &c.independent, l))
		return firstError(err, c.distribute(t, &c.dependent, cluster.Loop{Nowait: true}))
	})
}

// runBarriers lets one thread communicate inside the region while all others sleep (paper 2, section
// 4: T1b). A barrier before the section waits for the data that the threads have computed, a
// barrier after it for the halo; SINGLE implies the second one.
func (c *product) runBarriers() error {
	return c.r.Fork(c.threads, func(t *cluster.Thread) error {
		exchange := func() error { return c.h.exchangePlanes(&t.Rank) }
		t.Meet()
		var err error
		if c.single {
			err = t.Single(exchange)
		} else {
			err = t.Master(exchange)
			t.Meet()
		}
		err = firstError(err, c.distribute(t, &c.independent, cluster.Loop{}))
		return firstError(err, c.distribute(t, &c.dependent, cluster.Loop{Nowait: true}))
	})
}

// runBare is like runBarriers, without the barriers: the other threads immediately start on lines
// whose halo has not arrived. x itself was complete before the region, so only the halo is used too
// early.
func (c *product) runBare() error {
	c.h.product++
	err := c.r.Fork(c.threads, func(t *cluster.Thread) error {
		section := t.Master
		if c.single {
			section = t.SingleNowait
		}
		err := section(func() error { return c.h.exchangeToInbox(&t.Rank) })
		l := c.dynamic(&part{lines: c.m.lines()})
		l.Nowait = true
		return firstError(err, t.For(c.m.lines(), l, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				if err := c.multiplyRacing(t, i); err != nil {
					return err
				}
			}
			return nil
		}))
	})
	c.h.copyInbox()
	return err
}

// multiplyRacing computes a line with the halo of this product if it has arrived, otherwise with
// the halo of the product before.
func (c *product) multiplyRacing(t *cluster.Thread, i int) error {
	m := c.m
	low, high := c.h.plane(0), c.h.plane(m.nk+1)
	if k := i / m.nj; k == 0 || k == m.nk-1 {
		switch came, err := c.h.hasArrived(&t.Rank); {
		case err != nil:
			return err
		case came:
			low, high = c.h.inbox.Part(0, m.plane()), c.h.inbox.Part(m.plane(), 2*m.plane())
		}
	}
	t.Compute(work(int64(m.ni), 1), m.store.Body(func() { m.multiplyWith(i*m.ni, (i+1)*m.ni, low.Slice(), high.Slice()) }))
	return nil
}

// firstError returns the first error of two. A thread that fails continues to the place where the
// others wait for it.
func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
