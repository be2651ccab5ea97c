package cluster

// Thread is one thread of a rank's parallel region, as in OpenMP. It has the calls of a Rank and a
// separate port. The Rank itself must not be used while its region runs.
type Thread struct {
	Rank
	threads int
	drawn   int32 // work-sharing constructs of the thread since the last thread barrier
	err     error // of its body
}

// Number returns the thread's number in the region; 0 is the master.
func (t *Thread) Number() int { return int(t.thread) }

// Threads returns the number of threads of the region.
func (t *Thread) Threads() int { return t.threads }

// Fork runs body on n threads, a parallel region, and joins them. A Thread is valid until its body
// returns. n = 0 means the layout's threads per rank. Fork returns the first error in the order of
// threads.
func (r *Rank) Fork(n int, body func(*Thread) error) error {
	if n == 0 {
		n = r.launch.spec.Layout.ThreadsPerRank
	}
	switch {
	case n < 1:
		return r.errorf("fork of %d threads: a region needs at least one", n)
	case r.gate != gateOpen:
		return r.errorf("fork of %d threads: inside a parallel region: regions do not nest", n)
	case n > 1 && r.level == ThreadSingle:
		return r.errorf("fork of %d threads: the thread level is SINGLE, which forbids threads: initialize at "+
			"masteronly or more", n)
	}
	g := r.region
	if g == nil {
		g = new(region)
		g.runFunc = g.run
		r.region = g
	}
	for len(g.team) < n {
		g.team = append(g.team, new(Thread))
	}
	g.body = body
	g.template = Thread{Rank: *r, threads: n}
	r.gate = gateForked
	r.port.Fork(n, g.runFunc)
	r.gate, g.body = gateOpen, nil
	var err error
	for _, t := range g.team[:n] {
		r.traffic.add(&t.traffic)
		if err == nil {
			err = t.err
		}
	}
	return err
}

// region is the state of a rank's parallel regions. Each Fork reuses it.
type region struct {
	body     func(*Thread) error
	runFunc  func(Port, int) // run
	template Thread          // copied by the threads, because the Rank must not be read while they run
	team     []*Thread
}

// run runs the body on one thread of the team.
func (g *region) run(p Port, thread int) {
	t := g.team[thread]
	handles, nbi, scratch, packing, nodes := t.handles[:0], t.nbi[:0], t.scratch, t.packing, t.traffic.Nodes
	*t = g.template
	t.port, t.thread, t.handles, t.nbi, t.scratch, t.packing = p, int32(thread), handles, nbi, scratch, packing
	t.mover, _ = p.(Mover)
	t.traffic = Traffic{}
	if n := len(g.template.traffic.Nodes); n > 0 {
		if nodes == nil {
			nodes = make([]int64, n)
		}
		clear(nodes)
		t.traffic.Nodes = nodes
	}
	t.rng = nil
	t.gate = gateOf(t.level, thread)
	t.err = t.guard(func(*Rank) error { return g.body(t) })
}

// Meet is a barrier of the region's threads (OpenMP's barrier, with its flush). It returns when all
// threads have called it.
func (t *Thread) Meet() {
	t.op.Kind = KindThreadBarrier
	if h := t.port.Post(&t.op); h != 0 {
		t.handles = append(t.handles[:0], h)
		t.port.Wait(t.handles, 1)
		t.port.Test(h, &t.op.Done)
	}
	t.drawn = 0
}

// Master runs body on thread 0. Like OpenMP's master it has no barrier and no flush, before or
// after (paper 2, section 4). If body reads results of other threads, call Meet before it. If other
// threads read its results, call Meet after it.
func (t *Thread) Master(body func() error) error {
	if t.thread != 0 {
		return nil
	}
	return body()
}

// Single runs body on the first thread that arrives, followed by a thread barrier. Every thread of
// the region calls it.
func (t *Thread) Single(body func() error) error {
	err := t.SingleNowait(body)
	t.Meet()
	return err
}

// SingleNowait is Single without the thread barrier.
func (t *Thread) SingleNowait(body func() error) error {
	if t.draw(t.construct(), 1) != 0 {
		return nil
	}
	return body()
}

// Schedule is the distribution of a loop over threads.
type Schedule uint8

// The schedules: Static assigns each thread one range of iterations, or chunks round-robin; Dynamic
// assigns the next chunk to a free thread.
const (
	Static Schedule = iota
	Dynamic
)

// Loop contains the options of For.
type Loop struct {
	Schedule Schedule
	Chunk    int  // iterations per chunk; 0: equal ranges (static) or 1 (dynamic)
	Reserved int  // threads 0 to Reserved − 1 do not compute: they communicate
	Away     bool // this thread does not compute; dynamic loops only: other threads compute its share
	Nowait   bool // no thread barrier at the end
}

// For distributes iterations 0 to n − 1 over the region's threads, and calls body with ranges [lo,
// hi). Every thread of the region calls it, also reserved threads. It ends with a thread barrier
// unless Nowait is set. After an error of body, the thread takes no more ranges, and its call
// returns the error.
func (t *Thread) For(n int, l Loop, body func(lo, hi int) error) error {
	err := t.share(n, l, body)
	if !l.Nowait {
		t.Meet()
	}
	return err
}

func (t *Thread) share(n int, l Loop, body func(lo, hi int) error) error {
	workers, me := t.threads-l.Reserved, int(t.thread)-l.Reserved
	if l.Reserved < 0 || workers < 1 || l.Chunk < 0 || n < 0 {
		return t.errorf("for over %d iterations in chunks of %d with %d of %d threads reserved: want no negative number "+
			"and at least one computing thread", n, l.Chunk, l.Reserved, t.threads)
	}
	if l.Away && l.Schedule != Dynamic {
		return t.errorf("for over %d iterations: Away in a static loop, so no thread would compute its share (use the "+
			"dynamic schedule)", n)
	}
	k := t.construct()
	if me < 0 || l.Away {
		return nil
	}
	switch {
	case l.Schedule == Dynamic:
		chunk := max(l.Chunk, 1)
		for {
			drawn := t.draw(k, uint64(chunk))
			if drawn >= uint64(n) {
				return nil
			}
			lo := int(drawn)
			if err := body(lo, lo+min(chunk, n-lo)); err != nil {
				return err
			}
		}
	case l.Chunk == 0:
		if lo, hi := Share(n, workers, me); lo < hi {
			return body(lo, hi)
		}
		return nil
	}
	chunk := min(l.Chunk, n)
	for first := int64(me) * int64(chunk); first < int64(n); first += int64(workers) * int64(chunk) {
		lo := int(first)
		if err := body(lo, lo+min(chunk, n-lo)); err != nil {
			return err
		}
	}
	return nil
}

// Share returns range i of n items divided into parts ranges [lo, hi), whose lengths differ by at
// most one.
func Share(n, parts, i int) (lo, hi int) {
	each, rest := n/parts, n%parts
	lo = i*each + min(i, rest)
	hi = lo + each
	if i < rest {
		hi++
	}
	return lo, hi
}

// construct returns the number of a work-sharing construct. It is the same on all threads, because
// all execute the same constructs.
func (t *Thread) construct() int32 {
	t.drawn++
	return t.drawn - 1
}

// draw adds to the counter of a construct and returns its old value.
func (t *Thread) draw(construct int32, n uint64) uint64 {
	t.op.Kind, t.op.Arg, t.op.A = KindDraw, construct, n
	t.port.Post(&t.op)
	return t.op.Done.A
}

func (t *Traffic) add(o *Traffic) {
	for c := range Classes {
		t.Ops[c] += o.Ops[c]
		t.Bytes[c] += o.Bytes[c]
	}
	for i, b := range o.Nodes {
		t.Nodes[i] += b
	}
}
