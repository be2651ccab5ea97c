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

// bodies are the announced bodies of a run that no rank has received.
type bodies struct {
	mu    sync.Mutex
	sizes [][]int64 // by process and key; the size plus 1, or 0: not announced
	ended bool
}

// announce records the body of a message. It reports whether the run may receive it.
func (r *Run) announce(from int, m *Message) (ok bool, err error) {
	b := &r.bodies
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false, nil
	}
	if b.sizes == nil {
		b.sizes = make([][]int64, r.Processes())
	}
	of := &b.sizes[from]
	if more := int(m.Body) + 1 - len(*of); more > 0 {
		*of = append(*of, make([]int64, more)...)
	}
	size := &(*of)[m.Body]
	if *size != 0 {
		return false, fmt.Errorf("%w: body %d is announced twice", errFrame, m.Body)
	}
	*size = m.Size + 1
	return true, nil
}

// take returns the size of an announced body, which a rank receives now, or −1.
func (b *bodies) take(from int, key uint32) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sizes == nil || int(key) >= len(b.sizes[from]) {
		return -1
	}
	size := &b.sizes[from][key]
	n := *size - 1
	*size = 0
	return n
}

// ReceiveBody receives the body of a message of the run into b, which has its size. received completes when b is complete.
func (r *Run) ReceiveBody(from int, key uint32, b []byte, received Completion) {
	if size := r.bodies.take(from, key); size != int64(len(b)) {
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
	for from, of := range sizes {
		for key, size := range of {
			if size > 0 {
				r.job.drop(dropped{from, uint32(key), size - 1})
			}
		}
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
	from int
	key  uint32
	size int64
}

// dropBodies drops the bodies of a frame's messages.
func (j *Job) dropBodies(from int, f *Frame) error {
	if f.Kind != Messages {
		return nil
	}
	return f.Unpack(func(m *Message) error {
		if m.Body != 0 {
			j.drop(dropped{from, m.Body, m.Size})
		}
		return nil
	})
}

// drop receives a body that no run receives, so that its sender can forget it. Bodies are dropped one after another,
// because each needs a buffer.
func (j *Job) drop(d dropped) {
	j.mu.Lock()
	j.drops = append(j.drops, d)
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
