package far

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// MaxKey is the largest key of a body. Keys are 1 to MaxKey. MPI has at least 32,767 tags.
const MaxKey = 32_000

// Completion is an operation that completes in a poll. Complete runs in the goroutine that polls.
type Completion = interface{ Complete() }

// keys are the keys of bodies in transit to one process.
type keys struct {
	mu   sync.Mutex
	free []uint32
	made uint32
}

// take returns a free key, or 0 if there is none.
func (k *keys) take() uint32 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n := len(k.free); n > 0 {
		key := k.free[n-1]
		k.free = k.free[:n-1]
		return key
	}
	if k.made == MaxKey {
		return 0
	}
	k.made++
	return k.made
}

func (k *keys) give(key uint32) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.free = append(k.free, key)
}

// departure is a body that this process sends.
type departure struct {
	keys *keys
	key  uint32
	sent Completion
}

var departures = sync.Pool{New: func() any { return new(departure) }}

// Complete frees the key, and completes the send.
func (d *departure) Complete() {
	d.keys.give(d.key)
	sent := d.sent
	*d = departure{}
	departures.Put(d)
	sent.Complete()
}

// SendBody sends a frame that announces b, and then b. It does not copy b. sent completes after the other process
// has called ReceiveBody, when b may change.
func (r *Run) SendBody(to int, f *Frame, b []byte, sent Completion) {
	if !r.fits(to, len(b)) {
		return
	}
	k := &r.job.keys[to]
	key := k.take()
	if key == 0 {
		r.fail(fmt.Errorf("process %d: %d long messages to process %d are not received: want at most %d (receive some first)",
			r.Process(), MaxKey+1, to, MaxKey))
		return
	}
	f.Body, f.Size, f.Sized = key, int64(len(b)), true
	r.Send(to, f)
	d := departures.Get().(*departure)
	d.keys, d.key, d.sent = k, key, sent
	if err := r.job.sendBody(to, key, b, d); err != nil {
		r.job.lose(err)
	}
}

// bodyOf identifies a body that another process has announced.
type bodyOf struct {
	from int
	key  uint32
}

// bodies are the announced bodies of a run that no rank has received.
type bodies struct {
	mu    sync.Mutex
	sizes map[bodyOf]int64
	ended bool
}

// announce records the body of a frame. It reports whether the run may receive it.
func (r *Run) announce(from int, f *Frame) (ok bool, err error) {
	b, id := &r.bodies, bodyOf{from, f.Body}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false, nil
	}
	if _, twice := b.sizes[id]; twice {
		return false, fmt.Errorf("%w: body %d is announced twice", errFrame, f.Body)
	}
	if b.sizes == nil {
		b.sizes = map[bodyOf]int64{}
	}
	b.sizes[id] = f.Size
	return true, nil
}

// ReceiveBody receives the body of a frame of the run into b, which has its size. received completes when b is complete.
func (r *Run) ReceiveBody(from int, key uint32, b []byte, received Completion) {
	id := bodyOf{from, key}
	r.bodies.mu.Lock()
	size, ok := r.bodies.sizes[id]
	delete(r.bodies.sizes, id)
	r.bodies.mu.Unlock()
	if !ok || size != int64(len(b)) {
		panic(fmt.Sprintf("far: body %d of process %d: a buffer of %d B for %d B", key, from, len(b), size))
	}
	r.job.incoming.Add(1)
	r.job.receiveBody(from, key, b, received)
}

// dropBodies drops the bodies that no rank has received.
func (r *Run) dropBodies() {
	r.bodies.mu.Lock()
	r.bodies.ended = true
	sizes := r.bodies.sizes
	r.bodies.sizes = nil
	r.bodies.mu.Unlock()
	for id, size := range sizes {
		r.job.drop(id, size)
	}
}

// arriving is a body that this process receives.
type arriving struct {
	job      *Job
	from     int
	size     int64
	received Completion // nil: the body is dropped
}

var arrivings = sync.Pool{New: func() any { return new(arriving) }}

// Complete completes the receive, or drops the next body.
func (a *arriving) Complete() {
	j, received := a.job, a.received
	if a.size > longFrame {
		j.coming[a.from].Add(-a.size)
	}
	*a = arriving{}
	arrivings.Put(a)
	if received == nil {
		j.dropNext()
		return
	}
	received.Complete()
	j.incoming.Add(-1)
}

// receiveBody receives a body. A process may be silent while a long one arrives.
func (j *Job) receiveBody(from int, key uint32, b []byte, received Completion) {
	a := arrivings.Get().(*arriving)
	a.job, a.from, a.size, a.received = j, from, int64(len(b)), received
	if a.size > longFrame {
		j.coming[from].Add(a.size)
	}
	if err := j.takeBody(from, key, b, a); err != nil {
		j.lose(err)
	}
}

// awaitBodies waits until the bodies that ranks of earlier runs receive are complete, because their buffers may belong
// to the next run. Their senders have sent them already.
func (j *Job) awaitBodies(ctx context.Context) {
	for j.incoming.Load() > 0 && j.failure() == nil && ctx.Err() == nil {
		j.Poll()
		runtime.Gosched()
	}
}

// dropped is a body that no run receives.
type dropped struct {
	bodyOf
	size int64
}

// dropBody drops the body of a frame, if it has one.
func (j *Job) dropBody(from int, f *Frame) {
	if f.Body != 0 {
		j.drop(bodyOf{from, f.Body}, f.Size)
	}
}

// drop receives a body that no run receives, so that its sender can forget it. Bodies are dropped one after another,
// because each needs a buffer.
func (j *Job) drop(id bodyOf, size int64) {
	j.mu.Lock()
	j.drops = append(j.drops, dropped{id, size})
	first := !j.dropping
	j.dropping = true
	j.mu.Unlock()
	if first {
		j.dropNext()
	}
}

// dropPatience is the maximum time for which Close waits for bodies to drop. Their sender may have ended.
const dropPatience = time.Second

// awaitDrops waits until all bodies that no run receives are dropped.
func (j *Job) awaitDrops() {
	for end := time.Now().Add(dropPatience); time.Now().Before(end); {
		j.mu.Lock()
		waits := j.dropping && j.broken == nil
		j.mu.Unlock()
		if !waits {
			return
		}
		j.Poll()
		runtime.Gosched()
	}
}

// dropNext receives the next body to drop.
func (j *Job) dropNext() {
	j.mu.Lock()
	if len(j.drops) == 0 {
		j.dropping = false
		j.mu.Unlock()
		return
	}
	d := j.drops[0]
	j.drops = j.drops[1:]
	j.mu.Unlock()
	j.receiveBody(d.from, d.key, make([]byte, d.size), nil)
}
