package sim

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
)

// Fabric runs programs in virtual time.
type Fabric struct {
	// Trace records the causes of time, for Run.Path. It costs memory for every message.
	Trace bool
	// EachNode simulates every node of a call that all ranks make alike. Otherwise one node represents all.
	EachNode bool
	// Pace is the number of virtual seconds per second of the wall clock, for screens; 0:
	// unlimited.
	Pace float64
}

// New returns a simulator with unlimited pace.
func New() *Fabric { return &Fabric{} }

// Name implements cluster.Fabric.
func (*Fabric) Name() string { return "sim" }

// Clock implements cluster.Fabric.
func (*Fabric) Clock(*cluster.Machine) cluster.Clock { return cluster.VirtualClock }

// rankOverhead is the approximate memory of a rank without its segment, in bytes, threadOverhead the memory of an
// additional thread, and nodeOverhead the idle times of a node's memory. A rank of a broadcast has a stack of 4 KiB
// and 5 KiB of other data, including its Rank and its teams. Some programs need a stack of 8 KiB.
const (
	rankOverhead   = 9.25 * (1 << 10)
	threadOverhead = 12 << 10
	nodeOverhead   = 4 << 10
)

// Overhead implements cluster.Fabric.
func (*Fabric) Overhead(s *cluster.Spec) int64 {
	l := &s.Layout
	return int64(l.Nodes)*nodeOverhead + int64(l.Ranks())*(rankOverhead+threadOverhead*int64(l.ThreadsPerRank-1))
}

// Run is a running simulation.
type Run struct {
	*control
	ranks int
	done  chan struct{}
	err   error
	stop  func() bool
	hash  uint64
	total cluster.Time
	event uint64
	// the paths of the whole run and of the time that the program reports
	path      func() Path // nil: not traced
	explained Path
}

// Start implements cluster.Fabric.
func (f *Fabric) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	if err := host.Check(&spec, f.Overhead(&spec), host.Limit()); err != nil {
		return nil, err
	}
	c := newControl(f.Pace)
	w, err := newWorld(spec, c)
	if err != nil {
		return nil, err
	}
	if f.Trace {
		if err := checkTrace(&spec.Layout); err != nil {
			return nil, err
		}
		w.net.trace = &w.trace
	}
	w.trace = newTrace(f.Trace, &spec, &w.net)
	w.alike.merges = !f.EachNode && !w.trace.arrows
	body = w.observe(body)
	for i := range w.ranks {
		r := &w.ranks[i]
		r.seg = segment(spec.Segment)
		t := r.main
		t.body = func() error {
			if err := body(t); err != nil {
				return err
			}
			w.ended++
			return nil
		}
	}
	c.show(w)
	run := &Run{control: c, ranks: len(w.ranks), done: make(chan struct{})}
	run.stop = context.AfterFunc(ctx, func() { run.Cancel(context.Cause(ctx)) })
	go run.drive(w)
	return run, nil
}

// drive runs the world and stores its result. A body that ends its goroutine (runtime.Goexit) also
// ends the goroutine that switched to it. Another goroutine then unwinds the remaining ones.
func (r *Run) drive(w *world) {
	whole := false
	defer func() {
		if !whole {
			go r.drive(w)
		}
	}()
	w.loop()
	whole = true
	r.err = w.err
	var last *thread
	for i := range w.ranks {
		if t := w.ranks[i].main; last == nil || t.now > last.now {
			last = t
		}
	}
	r.hash = w.hash()
	r.total = last.now
	r.event = w.events
	if w.trace.on {
		r.path = sync.OnceValue(func() Path { return w.path(last.cause, last.now) })
		r.explained = w.explained(last.cause, last.now)
	}
	if rec := w.spec.Timeline; rec != nil {
		rec.Close(last.now)
	}
	r.show(w)
	r.stop()
	close(r.done)
}

var _ cluster.Virtual = (*Run)(nil)

// segment returns n zeroed bytes, aligned to 8.
func segment(n int64) []byte { return cluster.Bytes(make([]uint64, n/8)) }

// Wait implements cluster.Run.
func (r *Run) Wait() error {
	<-r.done
	return r.err
}

// Hash returns the hash of all events of the ended run. It is equal for equal program, spec and
// seed, on every machine.
func (r *Run) Hash() uint64 {
	<-r.done
	return r.hash
}

// Total returns the virtual time at which the last rank ended.
func (r *Run) Total() cluster.Time {
	<-r.done
	return r.total
}

// Events returns the number of events of the run.
func (r *Run) Events() uint64 {
	<-r.done
	return r.event
}

// Path returns the critical path of a traced run.
func (r *Run) Path() Path {
	<-r.done
	if r.path == nil {
		return Path{}
	}
	return r.path()
}

// Explained returns the critical path of the time that the program of a traced run has marked last,
// or of the whole run without marks.
func (r *Run) Explained() Path {
	<-r.done
	return r.explained
}

// Dilation implements cluster.Run: virtual time is not dilated.
func (r *Run) Dilation() float64 { return 1 }

// Warnings implements cluster.Run.
func (r *Run) Warnings() []string { return nil }

// control has the requests of other goroutines to a run. The loop checks them periodically.
type control struct {
	cancelled   atomic.Bool
	wantsStates atomic.Bool // a caller of States waits for the states
	pausing     atomic.Bool

	mu     sync.Mutex
	cond   *sync.Cond
	cause  error
	states []cluster.State
	now    cluster.Time // time of the states
	events uint64       // events at that time
	limit  cluster.Time // time of the pause; 0: none
	paused bool
	pace   float64
	began  time.Time // wall time at which virtual time was base
	base   cluster.Time
}

func newControl(pace float64) *control {
	c := &control{pace: pace}
	c.cond = sync.NewCond(&c.mu)
	return c
}

// Cancel implements cluster.Run.
func (c *control) Cancel(cause error) {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = cause
	}
	c.cancelled.Store(true) // under the lock; otherwise a clock that is about to pause would miss it
	c.mu.Unlock()
	c.cond.Broadcast()
}

// PauseAt stops the clock at the first check at or after a virtual time. Resume continues the run,
// and so does a PauseAt with a later time.
func (c *control) PauseAt(t cluster.Time) {
	c.mu.Lock()
	c.limit, c.paused = max(t, 1), false
	c.mu.Unlock()
	c.pausing.Store(true)
	c.cond.Broadcast()
}

// Resume continues a paused run.
func (c *control) Resume() {
	c.mu.Lock()
	c.limit, c.paused = 0, false
	c.mu.Unlock()
	c.pausing.Store(false)
	c.cond.Broadcast()
}

// SetPace changes the pace of a run; 0: unlimited.
func (c *control) SetPace(pace float64) {
	c.mu.Lock()
	c.pace, c.began = pace, time.Time{}
	c.mu.Unlock()
}

// States implements cluster.Run, as of the loop's last check.
func (c *control) States(dst []cluster.State) []cluster.State {
	c.wantsStates.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(dst[:0], c.states...)
}

// Seen implements cluster.Virtual.
func (c *control) Seen() (cluster.Time, uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now, c.events
}

// serveRequests serves the requests of other goroutines. The loop calls it periodically. It reports
// whether the run is cancelled.
func (c *control) serveRequests(w *world) bool {
	if c.wantsStates.Swap(false) {
		c.show(w)
	}
	c.mu.Lock()
	for c.pausing.Load() && c.limit > 0 && w.now >= c.limit && !c.cancelled.Load() {
		c.paused = true
		c.cond.Wait()
		c.began = time.Time{}
	}
	c.mu.Unlock()
	for nap := c.napTime(w.now); nap > 0; nap = c.napTime(w.now) {
		time.Sleep(nap)
		if c.wantsStates.Swap(false) {
			c.show(w)
		}
	}
	return c.cancelled.Load()
}

// reason returns the reason of the cancellation.
func (c *control) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		return context.Canceled
	}
	return c.cause
}

// A run that is ahead of its pace sleeps, and checks requests periodically. It does not sleep for
// less than shortestNap.
const (
	longestNap  = 20 * time.Millisecond
	shortestNap = time.Millisecond
)

// napTime returns the time that the run must wait for the wall clock at its pace; 0: it continues.
func (c *control) napTime(now cluster.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pace <= 0 || c.cancelled.Load() {
		return 0
	}
	if c.began.IsZero() {
		c.began, c.base = time.Now(), now
	}
	nap := (now-c.base).Seconds()/c.pace - time.Since(c.began).Seconds()
	if nap < shortestNap.Seconds() {
		return 0
	}
	return time.Duration(min(nap, longestNap.Seconds()) * 1e9)
}

// show records the state of each rank.
func (c *control) show(w *world) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states = c.states[:0]
	c.now = w.now
	c.events = w.events
	for i := range w.ranks {
		s := cluster.Computing
		switch t := w.ranks[i].main; {
		case t.state == threadEnded:
			s = cluster.Idle
		case t.state == threadWaits && t.now <= w.now: // otherwise it is still computing, by its own clock
			s = cluster.Waiting
		}
		c.states = append(c.states, s)
	}
}
