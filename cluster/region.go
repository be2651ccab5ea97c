package cluster

// Thread is one thread of a rank's parallel region, in OpenMP's shape: a rank's
// calls with a port of its own. The rank itself makes no call that the library
// would see while its region runs.
type Thread struct {
	Rank
	threads int
	drawn   int32 // work-sharing constructs that the thread has gone through since the threads last met
}

// Number is the thread's number in the region; 0 is the master.
func (t *Thread) Number() int { return t.thread }

// Threads is the number of threads of the region.
func (t *Thread) Threads() int { return t.threads }

// Fork runs body on n threads, a parallel region, and joins them; n = 0 takes the
// layout's threads per rank. The first error in the order of threads is returned.
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
		return r.errorf("fork of %d threads: the thread level is SINGLE, which forbids threads: initialize at masteronly or more", n)
	}
	errs := make([]error, n)
	traffics := make([]Traffic, n)
	mould := Thread{Rank: *r, threads: n} // the rank is not to be looked at while its threads run
	r.gate = gateForked
	r.port.Fork(n, func(p Port, thread int) {
		t := new(Thread)
		*t = mould
		t.port, t.thread, t.handles, t.nbi, t.scratch, t.packed = p, thread, nil, nil, nil, nil
		t.mover, _ = p.(Mover)
		t.traffic = Traffic{}
		if mould.traffic.Nodes != nil {
			t.traffic.Nodes = make([]int64, len(mould.traffic.Nodes))
		}
		t.rng = nil
		t.gate = gateOf(t.level, thread)
		errs[thread] = t.guard(func(*Rank) error { return body(t) })
		traffics[thread] = t.traffic
	})
	r.gate = gateOpen
	for i := range traffics {
		r.traffic.add(&traffics[i])
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Meet is a barrier among the region's threads (OpenMP's barrier, with its flush):
// it returns when all of them have called it.
func (t *Thread) Meet() {
	t.op.Kind = KindMeet
	if h := t.port.Post(&t.op); h != 0 {
		t.handles = append(t.handles[:0], h)
		t.port.Wait(t.handles, 1)
		t.port.Test(h)
	}
	t.drawn = 0
}

// Master runs body on thread 0. Like OpenMP's it has no barrier and no flush,
// neither before nor after (paper 2, section 4): who needs what other threads have
// computed, or shows them what body did, meets before and after.
func (t *Thread) Master(body func() error) error {
	if t.thread != 0 {
		return nil
	}
	return body()
}

// Single runs body on the first thread that comes; all meet after it. Every thread
// of the region calls it.
func (t *Thread) Single(body func() error) error {
	err := t.SingleNowait(body)
	t.Meet()
	return err
}

// SingleNowait is Single without the meeting.
func (t *Thread) SingleNowait(body func() error) error {
	if t.draw(t.construct(), 1) != 0 {
		return nil
	}
	return body()
}

// Schedule says how a loop is shared among threads.
type Schedule uint8

// The schedules: Static gives each thread one run of iterations, or chunks in turn;
// Dynamic gives a chunk to whoever is free.
const (
	Static Schedule = iota
	Dynamic
)

// Loop says how For shares a loop.
type Loop struct {
	Schedule Schedule
	Chunk    int  // iterations a chunk; 0: of a static loop an equal run a thread, of a dynamic one 1
	Reserved int  // threads 0 to Reserved − 1 take no part: they communicate
	Away     bool // this thread takes no part, of a dynamic loop, which others take up
	Nowait   bool // do not meet at the end
}

// For shares iterations 0 to n − 1 among the region's threads: body is called with
// ranges [lo, hi). Every thread of the region calls it, reserved ones as well, and
// all meet at its end unless nowait. A thread whose body fails takes no more; the
// error is its own call's.
func (t *Thread) For(n int, l Loop, body func(lo, hi int) error) error {
	err := t.share(n, l, body)
	if !l.Nowait {
		t.Meet()
	}
	return err
}

func (t *Thread) share(n int, l Loop, body func(lo, hi int) error) error {
	workers, me := t.threads-l.Reserved, t.thread-l.Reserved
	if l.Reserved < 0 || workers < 1 || l.Chunk < 0 || n < 0 {
		return t.errorf("for over %d iterations in chunks of %d with %d of %d threads reserved: none may be negative, and a thread must remain", n, l.Chunk, l.Reserved, t.threads)
	}
	if l.Away && l.Schedule != Dynamic {
		return t.errorf("for over %d iterations: a thread is away from a static loop, which leaves its share to nobody: use the dynamic schedule", n)
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

// Share is part i of n things dealt to parts in runs [lo, hi) that differ in length
// by at most one.
func Share(n, parts, i int) (lo, hi int) {
	each, rest := n/parts, n%parts
	lo = i*each + min(i, rest)
	hi = lo + each
	if i < rest {
		hi++
	}
	return lo, hi
}

// construct numbers a work-sharing construct: the same on all threads, because all
// go through the same ones.
func (t *Thread) construct() int32 {
	t.drawn++
	return t.drawn - 1
}

// draw adds to the counter of a construct and gives what it was.
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
