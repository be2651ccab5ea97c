package far

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Receiver receives the frames of a run. The job calls one method at a time.
type Receiver interface {
	// Receive processes a frame. The frame and its data are valid during the call.
	Receive(from int, f *Frame) error
	// Fail ends the run. origin is the process that aborted it, or −1 if the connection is lost.
	Fail(origin int, err error)
}

// Job connects this process to the other processes of a job.
type Job struct {
	t       Transport
	polling sync.Mutex // held by the goroutine that polls
	frame   Frame      // guarded by polling
	stop    chan struct{}
	stopped chan struct{}

	mu     sync.Mutex
	number uint32 // of the latest run
	run    *Run   // nil: it has ended
	early  []early
	broken error
}

// early is a frame of a run that this process has not begun yet.
type early struct {
	from int
	run  uint32
	kind Kind
	data []byte
}

// maxEarly times the number of processes is the maximum number of early frames. Before this process begins
// the next run, another process sends at most its start and an abort.
const maxEarly = 4

// Run is a run of the job.
type Run struct {
	job     *Job
	number  uint32
	to      Receiver
	digest  uint64
	hosts   []string // by process; "": has not begun
	missing int
	refusal error
	ready   chan struct{} // closed when all processes have begun
	aborted atomic.Bool
}

// start is the message that begins a run in a process.
type start struct {
	Digest  uint64   `json:"digest"`
	Host    string   `json:"host"`
	Refusal *failure `json:"refusal,omitempty"`
}

// Join returns the job of a transport, and starts receiving.
func Join(t Transport) *Job {
	j := &Job{t: t, stop: make(chan struct{}), stopped: make(chan struct{})}
	go j.receive()
	return j
}

// Process returns the number of this process.
func (j *Job) Process() int { return j.t.Process() }

// Processes returns the number of processes.
func (j *Job) Processes() int { return j.t.Processes() }

// Runs returns the number of runs that this process has begun.
func (j *Job) Runs() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return int(j.number)
}

// Carrier returns the name of the transport.
func (j *Job) Carrier() string { return j.t.Name() }

// Close ends the job in this process.
func (j *Job) Close() error {
	close(j.stop)
	<-j.stopped
	return j.t.Close()
}

// Limits of the time between two polls of the job's goroutine. It grows while no frame arrives.
const (
	shortIdle = 20 * time.Microsecond
	longIdle  = time.Millisecond
)

// receive polls until the job is closed, so that frames arrive if no rank polls.
func (j *Job) receive() {
	defer close(j.stopped)
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
		if idle++; idle < 8 {
			runtime.Gosched()
			continue
		}
		j.t.Idle(min(shortIdle<<min(idle/64, 6), longIdle))
	}
}

// Poll receives the frames that have arrived, and returns their number. If another goroutine is polling, it
// returns 0 at once.
func (j *Job) Poll() int {
	if !j.polling.TryLock() {
		return 0
	}
	defer j.polling.Unlock()
	n, err := j.t.Poll(j.arrive)
	if err != nil {
		j.lose(err)
	}
	return n
}

// lose ends the job after a failure of the transport, or a damaged frame.
func (j *Job) lose(err error) {
	j.mu.Lock()
	first := j.broken == nil
	if first {
		j.broken = err
	}
	r := j.run
	j.mu.Unlock()
	if first && r != nil {
		r.to.Fail(-1, err)
		r.refuse(err)
	}
}

// arrive decodes a frame and passes it to its run. A damaged frame ends the job.
func (j *Job) arrive(from int, b []byte) {
	f := &j.frame
	number, err := f.decode(b)
	if err != nil {
		j.lose(fmt.Errorf("process %d: %w", from, err))
		return
	}
	j.mu.Lock()
	r := j.run
	if number > j.number {
		j.keep(from, number, f)
		j.mu.Unlock()
		return
	}
	j.mu.Unlock()
	if r != nil && r.number == number {
		r.receive(from, f)
	}
}

// keep stores a frame that begins or aborts the next run. The caller holds mu.
func (j *Job) keep(from int, number uint32, f *Frame) {
	if len(j.early) < maxEarly*j.t.Processes() && f.Kind <= kindAbort {
		j.early = append(j.early, early{from, number, f.Kind, append([]byte(nil), f.Data...)})
	}
}

// receive processes a frame of the run. An error or a panic ends the run in every process.
func (r *Run) receive(from int, f *Frame) {
	defer func() {
		if v := recover(); v != nil {
			err := fmt.Errorf("process %d: panic while receiving a frame of process %d: %v", r.job.Process(), from, v)
			r.Abort(err)
			r.to.Fail(r.job.Process(), err)
		}
	}()
	switch f.Kind {
	case kindStart, kindAbort:
		r.control(from, f.Kind, f.Data)
	default:
		if err := r.to.Receive(from, f); err != nil {
			err = fmt.Errorf("process %d: frame of process %d: %w", r.job.Process(), from, err)
			r.Abort(err)
			r.to.Fail(r.job.Process(), err)
		}
	}
}

// control processes a frame with which another process begins or aborts the run.
func (r *Run) control(from int, kind Kind, data []byte) {
	if kind == kindAbort {
		var f failure
		err := json.Unmarshal(data, &f)
		if err == nil {
			err = f.decode()
		}
		r.to.Fail(from, err)
		r.refuse(err)
		return
	}
	var s start
	if err := json.Unmarshal(data, &s); err != nil {
		r.refuse(fmt.Errorf("process %d: %w", from, err))
		return
	}
	err := s.Refusal.decode()
	if err == nil && s.Digest != r.digest {
		err = fmt.Errorf("process %d starts another run than process %d (start every process with the same command line)",
			from, r.job.Process())
	}
	r.job.mu.Lock()
	if r.hosts[from] == "" {
		r.hosts[from] = s.Host
		r.missing--
	}
	if err != nil && r.refusal == nil {
		r.refusal = err
	}
	last := r.missing == 0
	r.job.mu.Unlock()
	if last {
		r.open()
	}
}

// refuse ends the wait in Begin, which returns the first error.
func (r *Run) refuse(err error) {
	r.job.mu.Lock()
	if r.refusal == nil {
		r.refusal = err
	}
	r.job.mu.Unlock()
	r.open()
}

// open ends the wait in Begin.
func (r *Run) open() {
	r.job.mu.Lock()
	defer r.job.mu.Unlock()
	select {
	case <-r.ready:
	default:
		close(r.ready)
	}
}

// errEnded is the error of a process that is cancelled while it waits in Begin.
var errEnded = errors.New("the process was cancelled before the run began")

// Next returns the next run of the job, which Begin starts. The digest identifies its spec, and must be
// equal in all processes. host is the name of this process's host.
func (j *Job) Next(to Receiver, digest uint64, host string) *Run {
	r := &Run{job: j, to: to, digest: digest, hosts: make([]string, j.Processes()), missing: j.Processes() - 1,
		ready: make(chan struct{})}
	if host == "" {
		host = "?"
	}
	r.hosts[j.Process()] = host
	if r.missing == 0 {
		close(r.ready)
	}
	return r
}

// Begin starts the run, and waits until every process has started it. A refusal that is not nil is the
// reason why this process cannot start it. Then Begin returns an error in every process. Frames may arrive
// before Begin returns.
func (r *Run) Begin(ctx context.Context, refusal error) error {
	j := r.job
	r.refusal = refusal
	j.polling.Lock() // no frame arrives between the early frames and the registration
	j.mu.Lock()
	if j.broken != nil {
		defer j.polling.Unlock()
		defer j.mu.Unlock()
		return fmt.Errorf("the job has lost a process: %w", j.broken)
	}
	j.number++
	r.number = j.number
	j.run = r
	waiting := j.early
	j.early = nil
	j.mu.Unlock()
	for _, e := range waiting {
		if e.run == r.number {
			r.control(e.from, e.kind, e.data)
		}
	}
	j.polling.Unlock()
	r.SendAll(&Frame{Kind: kindStart, Data: encodeJSON(start{Digest: r.digest, Host: r.hosts[j.Process()], Refusal: encodeFailure(refusal)})})
	select {
	case <-r.ready:
	case <-ctx.Done():
		r.Abort(fmt.Errorf("process %d: %w", j.Process(), errors.Join(errEnded, context.Cause(ctx))))
		r.End()
		return context.Cause(ctx)
	}
	j.mu.Lock()
	err := r.refusal
	j.mu.Unlock()
	if err != nil {
		r.End()
	}
	return err
}

// Hosts returns the name of each process's host.
func (r *Run) Hosts() []string { return r.hosts }

// Process returns the number of this process.
func (r *Run) Process() int { return r.job.Process() }

// Processes returns the number of processes.
func (r *Run) Processes() int { return r.job.Processes() }

// Poll calls Job.Poll.
func (r *Run) Poll() int { return r.job.Poll() }

// heads is a pool of buffers for encoded frames without their data.
var heads = sync.Pool{New: func() any { b := make([]byte, 0, 4*headBytes); return &b }}

// Send sends a frame to a process.
func (r *Run) Send(to int, f *Frame) {
	if len(f.Data) > MaxData {
		err := fmt.Errorf("process %d: a transfer of %d B to process %d: want at most %d B (use several transfers)", r.Process(),
			len(f.Data), to, MaxData)
		r.Abort(err)
		r.to.Fail(r.Process(), err)
		return
	}
	b := heads.Get().(*[]byte)
	*b = f.encode((*b)[:0], r.number)
	err := r.job.t.Send(to, *b, f.Data)
	heads.Put(b)
	if err != nil {
		r.job.lose(err)
	}
}

// SendAll sends a frame to every other process.
func (r *Run) SendAll(f *Frame) {
	for p := range r.Processes() {
		if p != r.Process() {
			r.Send(p, f)
		}
	}
}

// Abort ends the run in every other process. Only the first call has an effect.
func (r *Run) Abort(err error) {
	if !r.aborted.Swap(true) { // a failure of the send calls Abort again
		r.SendAll(&Frame{Kind: kindAbort, Data: encodeJSON(encodeFailure(err))})
	}
}

// Aborted records that another process has aborted the run. Later calls of Abort have no effect.
func (r *Run) Aborted() { r.aborted.Store(true) }

// End ends the run in this process. Later frames of the run are dropped.
func (r *Run) End() {
	r.job.mu.Lock()
	defer r.job.mu.Unlock()
	if r.job.run == r {
		r.job.run = nil
	}
}
