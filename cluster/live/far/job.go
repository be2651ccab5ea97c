package far

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster/host"
)

// Receiver receives the frames of a run. The job calls Receive from one goroutine at a time. Any goroutine may
// call Fail and Sleeps, also during a call of Receive.
type Receiver interface {
	// Receive processes a frame. The frame and its data are valid during the call. A thread of rank polls, and owns
	// the rank during the call; −1: no rank of this run polls.
	Receive(from int, f *Frame, rank int32) error
	// Fail ends the run. origin is the process that aborted it, or −1 if a process or the transport is lost.
	Fail(origin int, err error)
	// Sleeps reports whether every rank of this process sleeps and has its own core.
	Sleeps() bool
}

// Job connects this process to the other processes of a job.
type Job struct {
	t       Transport
	polling sync.Mutex               // held by the goroutine that polls
	frame   Frame                    // guarded by polling
	by      *Run                     // guarded by polling: the run of the rank that polls; nil: no rank polls
	rank    int32                    // guarded by polling: the rank
	arrived func(from int, b []byte) // arrive; a method value would be allocated in each poll
	stop    chan struct{}
	stopped sync.WaitGroup
	heard   []atomic.Bool                  // by process: a frame has arrived since the last beat
	coming  []atomic.Int64                 // by process: bytes of long frames that it has announced, and that have not arrived
	peers   []atomic.Pointer[host.Process] // by process; nil: it has not identified itself
	left    chan struct{}                  // closed when every other process has ended its last run, or one is lost

	beating sync.Mutex
	leaving bool // this process has ended its last run

	run      atomic.Pointer[Run] // nil: it has ended
	keys     []keys              // by process: keys of the bodies to it
	incoming atomic.Int32        // number of bodies that ranks receive

	mu       sync.Mutex
	bye      []bool // by process: it has ended its last run
	absent   int    // number of processes that have not ended their last run
	number   uint32 // of the latest run; its writer holds mu and polling, and a reader one of them
	early    []early
	broken   error
	drops    []dropped // bodies to drop
	dropping bool      // a body is being dropped
}

// early is a frame of a run that this process has not begun yet.
type early struct {
	from int
	run  uint32
	kind Kind
	data []byte
}

// Limits of the early frames of a process: their number, and the bytes of their data. Before this process begins a
// run, another process sends at most its start and an abort. It can be several runs ahead, if runs were cancelled
// before they began.
const (
	maxEarly      = 256
	maxEarlyBytes = 16 << 20
)

// Join returns the job of a transport, and starts receiving.
func Join(t Transport) *Job { return join(t, beatTime) }

// join is Join with a time between two beats.
func join(t Transport, beat time.Duration) *Job {
	n := t.Processes()
	j := &Job{t: t, stop: make(chan struct{}), left: make(chan struct{}), heard: make([]atomic.Bool, n),
		coming: make([]atomic.Int64, n), peers: make([]atomic.Pointer[host.Process], n), keys: make([]keys, n),
		bye: make([]bool, n), absent: n - 1}
	j.bye[t.Process()] = true
	if n > 1 {
		j.identify()
		j.stopped.Go(func() { j.beat(beat) })
	} else {
		close(j.left)
	}
	j.stopped.Go(j.receive)
	return j
}

// Process returns the number of this process.
func (j *Job) Process() int { return j.t.Process() }

// Processes returns the number of processes.
func (j *Job) Processes() int { return j.t.Processes() }

// OnHost returns the number of processes on this host, or an upper bound.
func (j *Job) OnHost() int { return j.t.OnHost() }

// Runs returns the number of runs that this process has begun.
func (j *Job) Runs() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return int(j.number)
}

// Carrier returns the name of the transport.
func (j *Job) Carrier() string { return j.t.Name() }

// Close ends the job in this process. It waits until every other process closes. If one is lost, Close
// returns the error, and the transport stays open.
func (j *Job) Close() error {
	j.beating.Lock()
	j.leaving = true // no frame follows the last one: the library would warn of it
	j.sendAll(kindBye)
	j.beating.Unlock()
	<-j.left
	j.awaitDrops()
	close(j.stop)
	j.stopped.Wait()
	if err := j.failure(); err != nil {
		return err
	}
	return j.t.Close()
}

// Missing waits until every other process closes the job, or one is lost, and at most for the given time. It
// returns the other processes that have not closed the job.
func (j *Job) Missing(most time.Duration) []int {
	wait := time.NewTimer(most)
	defer wait.Stop()
	select {
	case <-j.left:
	case <-wait.C:
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	var missing []int
	for p, bye := range j.bye {
		if !bye {
			missing = append(missing, p)
		}
	}
	return missing
}

// Leads reports whether this process writes the error of the job: process 0, or process 1 if process 0 was the
// first one to be lost.
func (j *Job) Leads() bool {
	var l *Lost
	return j.Process() == 0 || j.Process() == 1 && errors.As(j.failure(), &l) && l.Process == 0
}

// failure returns the error that ended the job, or nil.
func (j *Job) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.broken
}

// sendAll sends a frame of the job without data to every other process.
func (j *Job) sendAll(kind Kind) { j.sendToAll(&Frame{Kind: kind, Sized: true}) }

// sendToAll sends a frame of the job to every other process.
func (j *Job) sendToAll(f *Frame) {
	b := f.encode(nil, 0)
	for p := range j.Processes() {
		if p == j.Process() {
			continue
		}
		if err := j.transmit(p, b, f.Data); err != nil {
			j.lose(err)
		}
	}
}

// Numbers of polls without a frame after which the job's goroutine sleeps. The larger one applies if all ranks
// sleep, because then the goroutine has a core that no rank uses.
const (
	briefPolls = 8
	longPolls  = 5000
)

// sleeps reports whether the ranks of the current run sleep.
func (j *Job) sleeps() bool {
	r := j.run.Load()
	return r != nil && r.to.Sleeps()
}

// Limits of the time between two polls of the job's goroutine. It grows while no frame arrives.
const (
	shortIdle = 20 * time.Microsecond
	longIdle  = time.Millisecond
)

// receive polls until the job is closed, so that frames arrive if no rank polls.
func (j *Job) receive() {
	idle := 0
	for {
		select {
		case <-j.stop:
			return
		default:
		}
		if j.Poll() > 0 {
			idle = 0
			continue
		}
		if idle++; idle < briefPolls || idle < longPolls && j.sleeps() {
			runtime.Gosched()
			continue
		}
		j.t.Idle(min(shortIdle<<min(idle/64, 6), longIdle))
	}
}

// Poll receives the frames that have arrived, and returns their number. If another goroutine is polling, it
// returns 0 at once.
func (j *Job) Poll() int { return j.poll(nil, -1) }

// poll polls as a rank of the run by.
func (j *Job) poll(by *Run, rank int32) int {
	if !j.polling.TryLock() {
		return 0
	}
	j.by, j.rank = by, rank
	n, err := j.take()
	if err != nil {
		j.lose(err)
	}
	j.polling.Unlock()
	return n
}

// take receives frames. It returns a panic of the transport as an error.
func (j *Job) take() (n int, err error) {
	defer j.recovered(&err)
	if j.arrived == nil {
		j.arrived = j.arrive
	}
	return j.t.Poll(j.arrived)
}

// transmit sends an encoded frame. It returns a panic of the transport as an error.
func (j *Job) transmit(to int, head, body []byte) (err error) {
	defer j.recovered(&err)
	return j.t.Send(to, head, body)
}

// sendBody sends a body. It returns a panic of the transport as an error.
func (j *Job) sendBody(to int, key uint32, b []byte, sent Completion) (err error) {
	defer j.recovered(&err)
	return j.t.SendBody(to, key, b, sent)
}

// takeBody receives a body. It returns a panic of the transport as an error.
func (j *Job) takeBody(from int, key uint32, b []byte, received Completion) (err error) {
	defer j.recovered(&err)
	return j.t.ReceiveBody(from, key, b, received)
}

// recovered is deferred: it stores a panic of the transport as an error.
func (j *Job) recovered(err *error) {
	if v := recover(); v != nil {
		*err = &Lost{Process: j.Process(), Cause: fmt.Errorf("panic in %s: %v", j.t.Name(), v)}
	}
}

// lose ends the job after a failure of the transport, or a damaged frame. A process may end after its last run:
// this is not a failure.
func (j *Job) lose(err error) {
	var l *Lost
	j.mu.Lock()
	first := j.broken == nil && !(errors.As(err, &l) && l.Process != j.Process() && j.bye[l.Process])
	if first {
		j.broken = err
		j.leave()
	}
	r := j.run.Load()
	j.mu.Unlock()
	if first && r != nil {
		r.to.Fail(-1, err)
		r.refuse(err)
	}
}

// leave ends the wait in Close. The caller holds mu.
func (j *Job) leave() {
	select {
	case <-j.left:
	default:
		close(j.left)
	}
}

// depart records that a process has ended its last run.
func (j *Job) depart(process int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.bye[process] {
		j.bye[process] = true
		if j.absent--; j.absent == 0 {
			j.leave()
		}
	}
}

// arrive decodes a frame and passes it to its run. A frame that cannot be decoded ends the job.
func (j *Job) arrive(from int, b []byte) {
	f := &j.frame
	number, err := f.decode(b)
	if err != nil {
		j.lose(fmt.Errorf("process %d: %w", from, err))
		return
	}
	if !j.heard[from].Load() {
		j.heard[from].Store(true)
	}
	if len(b) > longFrame {
		j.coming[from].Add(-int64(len(b)))
	}
	switch f.Kind {
	case kindAlive:
		if f.Sized {
			return
		}
		if err := j.meet(from, f.Data); err != nil {
			j.lose(fmt.Errorf("process %d: %w", from, err))
		}
		return
	case kindLong:
		if f.Size > maxLong {
			j.lose(fmt.Errorf("process %d: a frame of %d B follows: want at most %d B", from, f.Size, maxLong))
			return
		}
		j.coming[from].Add(f.Size)
		return
	case kindBye:
		j.depart(from)
		return
	}
	r := j.run.Load()
	if r == nil || r.number != number {
		if number > j.number {
			err = j.keep(from, number, f)
		}
		if err == nil {
			err = j.dropBodies(from, f)
		}
		if err != nil {
			j.lose(fmt.Errorf("process %d: %w", from, err))
		}
		return
	}
	f.run, f.from = r, from
	rank := int32(-1)
	if j.by == r {
		rank = j.rank
	}
	r.receive(from, f, rank)
}

// keep stores a frame that begins or aborts the next run.
func (j *Job) keep(from int, number uint32, f *Frame) error {
	if f.Kind > kindAbort {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	n, bytes := 1, len(f.Data)
	for _, e := range j.early {
		if e.from == from {
			n++
			bytes += len(e.data)
		}
	}
	if n > maxEarly || bytes > maxEarlyBytes {
		return fmt.Errorf("%d frames of %d B before the run begins: want at most %d of %d B", n, bytes, maxEarly, maxEarlyBytes)
	}
	j.early = append(j.early, early{from, number, f.Kind, append([]byte(nil), f.Data...)})
	return nil
}
