package far

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// Run is a run of the job.
type Run struct {
	// Program describes what this process runs, with one setting per line. If two processes run different programs,
	// the error has the lines that differ. Set it before Begin.
	Program string
	// Offer is a text for the other processes. Set it before Begin.
	Offer string

	job     *Job
	number  uint32
	to      Receiver
	digest  uint64
	hosts   []string // by process; "": has not begun
	offers  []string // by process
	missing int
	refusal error
	ready   chan struct{} // closed when all processes have begun
	aborted atomic.Bool
	bodies  bodies
}

// Limits in bytes of a host's name, of an offer, and of the description of a program. A longer description is cut.
const (
	maxHost    = 1024
	maxOffer   = 256
	maxProgram = 32 << 10
)

// start is the message that begins a run in a process.
type start struct {
	Digest  uint64   `json:"digest"`
	Host    string   `json:"host"`
	Program string   `json:"program,omitempty"`
	Offer   string   `json:"offer,omitempty"`
	Refusal *failure `json:"refusal,omitempty"`
}

// receive processes a frame of the run. An error or a panic ends the run in every process.
func (r *Run) receive(from int, f *Frame, rank int32) {
	defer func() {
		if v := recover(); v != nil {
			r.fail(fmt.Errorf("process %d: panic while receiving a frame of process %d: %v", r.Process(), from, v))
		}
	}()
	switch f.Kind {
	case kindStart, kindAbort:
		r.control(from, f.Kind, f.Data)
	default:
		if err := r.to.Receive(from, f, rank); err != nil {
			r.fail(fmt.Errorf("process %d: frame of process %d: %w", r.Process(), from, err))
		}
	}
}

// control processes a frame with which another process begins or aborts the run.
func (r *Run) control(from int, kind Kind, data []byte) {
	if kind == kindAbort {
		err := decodeFailure(data)
		r.to.Fail(from, err)
		r.refuse(err)
		return
	}
	var s start
	err := Unmarshal(data, &s)
	if err == nil {
		err = s.Refusal.check(maxCauses)
	}
	if err == nil && (s.Host == "" || len(s.Host) > maxHost) {
		err = fmt.Errorf("host name of %d B, want 1 to %d B", len(s.Host), maxHost)
	}
	if err == nil && len(s.Offer) > maxOffer {
		err = fmt.Errorf("offer of %d B, want at most %d B", len(s.Offer), maxOffer)
	}
	if err == nil && len(s.Program) > maxProgram {
		err = fmt.Errorf("description of %d B, want at most %d B", len(s.Program), maxProgram)
	}
	if err != nil {
		r.refuse(fmt.Errorf("process %d: message that begins the run: %w", from, err))
		return
	}
	err = s.Refusal.decode()
	if err == nil && s.Digest != r.digest {
		err = r.mismatch(from, s.Program)
	}
	r.job.mu.Lock()
	if r.hosts[from] == "" {
		r.hosts[from], r.offers[from] = s.Host, s.Offer
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

// mismatch returns the error of two processes with different programs. It has the settings that differ, in both.
func (r *Run) mismatch(from int, program string) error {
	low, high := r.job.Process(), from
	mine, other := describe(r.Program), program
	if low > high {
		low, high, mine, other = high, low, other, mine
	}
	what := ""
	if only, others := missingLines(mine, other), missingLines(other, mine); only != others {
		what = fmt.Sprintf(": %s: want %s", others, only)
	}
	return fmt.Errorf("process %d starts another run than process %d%s (start every process with the same command line)",
		high, low, what)
}

// Limits of the settings in an error: their number, and the bytes of each.
const (
	maxSettings = 4
	maxSetting  = 80
)

// missingLines returns the lines of a description that another one lacks, or "nothing".
func missingLines(from, other string) string {
	has := map[string]bool{}
	for line := range strings.SplitSeq(other, "\n") {
		has[line] = true
	}
	var all []string
	for line := range strings.SplitSeq(from, "\n") {
		if line == "" || has[line] {
			continue
		}
		if len(all) == maxSettings {
			all[maxSettings-1] = "…"
			break
		}
		all = append(all, strings.ToValidUTF8(line[:min(len(line), maxSetting)], ""))
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

// describe returns the part of a description that a message has.
func describe(program string) string {
	return strings.ToValidUTF8(program[:min(len(program), maxProgram)], "")
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

// Next returns the next run of the job, which Begin starts. The digest identifies its spec, and must be
// equal in all processes. host is the name of this process's host.
func (j *Job) Next(to Receiver, digest uint64, host string) *Run {
	r := &Run{job: j, to: to, digest: digest, hosts: make([]string, j.Processes()),
		offers: make([]string, j.Processes()), missing: j.Processes() - 1,
		ready: make(chan struct{})}
	if host == "" || len(host) > maxHost {
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
	j.awaitBodies(ctx)
	j.polling.Lock() // no frame arrives between the early frames and the registration
	j.mu.Lock()
	if j.broken != nil {
		defer j.polling.Unlock()
		defer j.mu.Unlock()
		return j.broken
	}
	j.number++
	r.number = j.number
	j.run.Store(r)
	var waiting []early
	j.early = slices.DeleteFunc(j.early, func(e early) bool {
		if e.run == r.number {
			waiting = append(waiting, e)
		}
		return e.run <= r.number
	})
	j.mu.Unlock()
	for _, e := range waiting {
		r.control(e.from, e.kind, e.data)
	}
	j.polling.Unlock()
	r.SendAll(&Frame{Kind: kindStart, Data: encodeJSON(start{Digest: r.digest, Host: r.hosts[j.Process()], Program: describe(r.Program),
		Offer: r.Offer, Refusal: encodeFailure(refusal)})})
	select {
	case <-r.ready:
	case <-ctx.Done():
		err := &cluster.Abort{Reason: cluster.ReasonCancelled, Rank: -1,
			Cause: fmt.Errorf("process %d, before the run began: %w", j.Process(), context.Cause(ctx))}
		r.Abort(err)
		r.End()
		return err
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

// Offers returns the offer of each other process.
func (r *Run) Offers() []string { return r.offers }

// Process returns the number of this process.
func (r *Run) Process() int { return r.job.Process() }

// Processes returns the number of processes.
func (r *Run) Processes() int { return r.job.Processes() }

// Poll polls as a rank of the run, like Job.Poll. The caller is a thread that owns the rank.
func (r *Run) Poll(rank int32) int { return r.job.poll(r, rank) }

// heads is a pool of buffers for encoded frames without their data.
var heads = sync.Pool{New: func() any { b := make([]byte, 0, 4*headBytes); return &b }}

// fail ends the run in every process.
func (r *Run) fail(err error) {
	r.Abort(err)
	r.to.Fail(r.Process(), err)
}

// fits ends the run if a transfer is too long for a frame or a body.
func (r *Run) fits(to, n int) bool {
	if n > MaxData {
		r.fail(fmt.Errorf("process %d: a transfer of %d B to process %d: want at most %d B (use several transfers)", r.Process(),
			n, to, MaxData))
	}
	return n <= MaxData
}

// Send sends a frame to a process.
func (r *Run) Send(to int, f *Frame) {
	if !r.fits(to, len(f.Data)) {
		return
	}
	b := heads.Get().(*[]byte)
	var err error
	if n := f.encodedSize(); n > longFrame {
		*b = (&Frame{Kind: kindLong, Sized: true, Size: int64(n)}).encode((*b)[:0], r.number)
		err = r.job.transmit(to, *b, nil)
	}
	if err == nil {
		*b = f.encode((*b)[:0], r.number)
		err = r.job.transmit(to, *b, f.Data)
	}
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
	r.job.run.CompareAndSwap(r, nil)
	r.dropBodies()
}
