//go:build linux && (amd64 || arm64)

package mpi

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
	"unsafe"
)

// Sizes and tags of the messages that carry frames.
const (
	slotBytes  = 16 << 10 // largest first message of a frame
	slots      = 16       // posted receives per process
	lengthSize = 4        // bytes of the frame's length, before the frame
	maxFrame   = 1 << 30  // bytes
	keptBytes  = 4 << 20  // largest buffer that is kept for later frames
	shortBytes = 16 << 20 // a call that moves at most these bytes is short
	unretired  = 16       // number of sent frames after which Send frees buffers; before, an idle Poll does

	tagBegin = 1 // a short frame, or the first part of a long one
	tagRest  = 2 // the rest of a long frame
	tagBody  = 2 // added to the key of a body
)

// Transport carries frames over MPI_COMM_WORLD.
type Transport struct {
	lib       *library
	level     int32 // of thread support
	process   int32
	processes int32
	closing   chan struct{} // closed: MPI_Finalize
	closed    chan error

	mu         sync.Mutex // of all calls
	invocation invocation
	peers      []*peer // by process; nil: this process
	heads      []byte  // requests to test: the next one of each process, then the bodies
	bodies     []body
	moving     int  // bytes of the bodies and long frames on their way
	connects   bool // the next calls may connect this process to another one
	failure    error
	flag       int32
	count      int32   // of the completed requests
	indices    []int32 // of the completed requests
	pending    []*sending
	spare      []*sending // of at most slotBytes
	long       []*sending // of at most keptBytes

	arrived  []arrival    // of the current Poll
	complete []completion // likewise
}

// completion is far.Completion.
type completion = interface{ Complete() }

// body is a body on its way, from or to another process.
type body struct {
	b      []byte // keeps the buffer alive
	done   completion
	passed bool // complete
}

// arrival is a frame in a slot of its sender. The slot's receive is posted again in the next Poll.
type arrival struct {
	p     *peer
	frame []byte
}

// peer is the receiving side of another process.
type peer struct {
	number   int
	isMet    bool // this process has sent a frame to it, so they are connected
	slots    [slots][]byte
	requests []byte // of the slots
	next     int    // slot of the next frame
	frame    []byte // a long frame
	resting  bool   // its rest is expected
}

// sending is a frame that has not left.
type sending struct {
	b        []byte
	requests [16]byte // of the first message and of the rest
	count    int
}

// settings are environment variables of the libraries: with them, the libraries leave signals to Go's
// runtime, and UCX does not warn about the others.
var settings = [][2]string{{"UCX_ERROR_SIGNALS", ""}, {"UCX_HANDLE_ERRORS", "none"}, {"UCX_WARN_UNUSED_ENV_VARS", "n"},
	{"OMPI_MCA_opal_signal", ""}}

// Open loads the library, and starts MPI. Call it once, before other goroutines use the environment.
func Open() (*Transport, error) {
	for _, v := range settings { // libraries read their environment when they are loaded
		if err := os.Setenv(v[0], v[1]); err != nil {
			return nil, err
		}
	}
	lib, err := load()
	if err != nil {
		return nil, err
	}
	t := &Transport{lib: lib, closing: make(chan struct{}), closed: make(chan error, 1)}
	started := make(chan error)
	go t.hold(started)
	if err := <-started; err != nil {
		return nil, err
	}
	return t, t.post()
}

// serialized is MPI_THREAD_SERIALIZED.
const serialized = 2

// hold starts and ends MPI on one thread.
func (t *Transport) hold(started chan<- error) {
	runtime.LockOSThread()
	at := func(v *int32) uintptr { return uintptr(unsafe.Pointer(v)) }
	err := t.call(initThread, 0, 0, serialized, at(&t.level))
	if err == nil && t.level < serialized {
		err = fmt.Errorf("%s: thread level %d, want MPI_THREAD_SERIALIZED (%d)", t.lib.name(), t.level, serialized)
	}
	if err == nil {
		err = t.call(setErrhandler, t.lib.handle[world], t.lib.handle[errorsReturn])
	}
	if err == nil {
		err = t.call(commRank, t.lib.handle[world], at(&t.process))
	}
	if err == nil {
		err = t.call(commSize, t.lib.handle[world], at(&t.processes))
	}
	started <- err
	if err != nil {
		return
	}
	<-t.closing
	t.closed <- t.lib.invoke(new(invocation), finalize)
}

// call calls a function of the library. It returns an error if the function fails. The caller holds mu, or no other
// goroutine uses the transport. A function that does not wait for another process is short if it connects no process and
// moves few bytes.
func (t *Transport) call(function int, args ...uintptr) error {
	isShort := isImmediate[function] && !t.connects && t.moving <= shortBytes
	if code := t.invocation.run(isShort, t.lib.call[function], args...); code != 0 {
		return t.lib.failure(function, code)
	}
	return nil
}

// post posts the receives.
func (t *Transport) post() error {
	t.connects = true
	defer func() { t.connects = false }()
	size := t.lib.requestSize
	t.peers = make([]*peer, t.processes)
	t.heads, t.indices = make([]byte, size*int(t.processes)), make([]int32, t.processes)
	for i := range t.peers {
		if i == t.Process() {
			t.setHead(i, t.nullRequest())
			continue
		}
		p := &peer{number: i, requests: make([]byte, slots*size)}
		t.peers[i] = p
		for k := range p.slots {
			p.slots[k] = make([]byte, slotBytes)
			if err := t.receive(p, p.slots[k], tagBegin, p.requests[k*size:]); err != nil {
				return err
			}
		}
		t.setHead(i, p.requests[:size])
	}
	return nil
}

func (t *Transport) nullRequest() []byte {
	return binary.NativeEndian.AppendUint64(nil, uint64(t.lib.handle[nullRequest]))[:t.lib.requestSize]
}

func (t *Transport) setHead(i int, request []byte) {
	size := t.lib.requestSize
	copy(t.heads[i*size:(i+1)*size], request)
}

// receive posts a receive.
func (t *Transport) receive(p *peer, b []byte, tag uintptr, request []byte) error {
	return t.call(irecv, address(b), uintptr(len(b)), t.lib.handle[byteType], uintptr(p.number), tag, t.lib.handle[world],
		address(request))
}

// Name implements far.Transport.
func (t *Transport) Name() string { return t.lib.name() }

// Process implements far.Transport.
func (t *Transport) Process() int { return int(t.process) }

// Processes implements far.Transport.
func (t *Transport) Processes() int { return int(t.processes) }

// OnHost implements far.Transport. Without a number of the launcher, all processes may be on this host.
func (t *Transport) OnHost() int { return onHost(t.lib.family, t.Processes()) }

// Send implements far.Transport.
func (t *Transport) Send(to int, head, body []byte) error {
	n := lengthSize + len(head) + len(body)
	if n > maxFrame {
		return fmt.Errorf("frame of %d B, want at most %d B", n, maxFrame)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pending) >= unretired {
		if err := t.retire(); err != nil {
			return err
		}
	}
	t.connects = !t.peers[to].isMet
	t.peers[to].isMet = true
	defer func() { t.connects = false }()
	s := t.take(n)
	binary.LittleEndian.PutUint32(s.b, uint32(n-lengthSize))
	copy(s.b[lengthSize:], head)
	copy(s.b[lengthSize+len(head):], body)
	t.pending = append(t.pending, s)
	if n > slotBytes {
		t.moving += n
	}
	for from, tag := 0, uintptr(tagBegin); from < n; tag = tagRest {
		count := n - from
		if tag == tagBegin {
			count = min(count, slotBytes)
		}
		err := t.call(isend, address(s.b[from:]), uintptr(count), t.lib.handle[byteType], uintptr(to), tag,
			t.lib.handle[world], address(s.requests[s.count*8:]))
		if err != nil {
			return err
		}
		from += count
		s.count++
	}
	return nil
}

// take returns a buffer of n bytes for a frame.
func (t *Transport) take(n int) *sending {
	list, size := &t.spare, slotBytes
	if n > slotBytes {
		list, size = &t.long, max(n, 256<<10)
	}
	for i := len(*list) - 1; i >= 0; i-- {
		if s := (*list)[i]; cap(s.b) >= n {
			*list = append((*list)[:i], (*list)[i+1:]...)
			s.b = s.b[:n]
			return s
		}
	}
	return &sending{b: make([]byte, n, size)}
}

// retire frees the buffers of frames that have left, in the order in which the frames were sent.
func (t *Transport) retire() error {
	n := 0
	for _, s := range t.pending {
		for s.count > 0 {
			if err := t.call(test, address(s.requests[(s.count-1)*8:]), t.flagAt(), t.lib.ignore); err != nil {
				return err
			}
			if t.flag == 0 {
				break
			}
			s.count--
		}
		if s.count > 0 {
			break
		}
		n++
		if len(s.b) > slotBytes {
			t.moving -= len(s.b)
		}
		switch {
		case cap(s.b) == slotBytes && len(t.spare) < 4*slots:
			t.spare = append(t.spare, s)
		case cap(s.b) > slotBytes && cap(s.b) <= keptBytes && len(t.long) < slots:
			t.long = append(t.long, s)
		}
	}
	if n > 0 {
		left := copy(t.pending, t.pending[n:])
		clear(t.pending[left:])
		t.pending = t.pending[:left]
	}
	return nil
}

func (t *Transport) flagAt() uintptr { return uintptr(unsafe.Pointer(&t.flag)) }

// SendBody implements far.Transport.
func (t *Transport) SendBody(to int, key uint32, b []byte, sent completion) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.call(issend, address(b), uintptr(len(b)), t.lib.handle[byteType], uintptr(to), uintptr(tagBody+key),
		t.lib.handle[world], t.add(b, sent))
}

// ReceiveBody implements far.Transport.
func (t *Transport) ReceiveBody(from int, key uint32, b []byte, received completion) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.call(irecv, address(b), uintptr(len(b)), t.lib.handle[byteType], uintptr(from), uintptr(tagBody+key),
		t.lib.handle[world], t.add(b, received))
}

// add adds a body, and returns the address of its request.
func (t *Transport) add(b []byte, done completion) uintptr {
	t.moving += len(b)
	t.bodies = append(t.bodies, body{b: b, done: done})
	t.indices = append(t.indices, 0)
	n := len(t.heads)
	t.heads = append(t.heads, t.nullRequest()...)
	return address(t.heads[n:])
}

// passBodies lists the completions of complete bodies, and removes these bodies.
func (t *Transport) passBodies() {
	size, first := t.lib.requestSize, int(t.processes)
	n := 0
	for i, b := range t.bodies {
		if b.passed {
			t.moving -= len(b.b)
			t.complete = append(t.complete, b.done)
			continue
		}
		t.bodies[n] = b
		t.setHead(first+n, t.heads[(first+i)*size:])
		n++
	}
	clear(t.bodies[n:])
	t.bodies, t.heads, t.indices = t.bodies[:n], t.heads[:(first+n)*size], t.indices[:first+n]
}

// Poll implements far.Transport. It receives at most one frame of each process.
func (t *Transport) Poll(receive func(from int, frame []byte)) (int, error) {
	if err := t.progress(); err != nil {
		return 0, err
	}
	n := len(t.arrived) + len(t.complete)
	for i, c := range t.complete { // before a frame that may cause a long call
		t.complete[i] = nil
		c.Complete()
	}
	t.complete = t.complete[:0]
	for _, a := range t.arrived {
		receive(a.p.number, a.frame)
	}
	return n, nil
}

// progress posts the slots of the last frames again. It lists the frames that have arrived, and the bodies that are
// complete. After an error, it returns this error.
func (t *Transport) progress() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == nil {
		t.failure = t.advance()
	}
	return t.failure
}

// advance is progress without the lock.
func (t *Transport) advance() error {
	for _, a := range t.arrived {
		if err := t.again(a.p); err != nil {
			return err
		}
	}
	t.arrived = t.arrived[:0]
	if err := t.look(); err != nil {
		return err
	}
	if t.count <= 0 {
		return t.retire()
	}
	passed := false
	for _, i := range t.indices[:t.count] {
		if i >= t.processes {
			t.bodies[i-t.processes].passed, passed = true, true
		} else if err := t.arrive(t.peers[i]); err != nil {
			return err
		}
	}
	if passed {
		t.passBodies()
	}
	return nil
}

// look counts the completed requests of heads, and stores their indices. MPI_Test tests a single active request, because
// it looks at the request again after progress. MPI_Testsome of Open MPI does not.
func (t *Transport) look() error {
	if len(t.indices) == 2 { // the request of this process is null
		other := 1 - t.process
		t.indices[0] = other
		err := t.call(test, address(t.heads[int(other)*t.lib.requestSize:]), t.flagAt(), t.lib.ignore)
		t.count = t.flag
		return err
	}
	return t.call(testsome, uintptr(len(t.indices)), address(t.heads), uintptr(unsafe.Pointer(&t.count)),
		uintptr(unsafe.Pointer(unsafe.SliceData(t.indices))), t.lib.ignore)
}

// arrive lists a frame that is complete, or posts a receive for the rest of a long frame.
func (t *Transport) arrive(p *peer) error {
	if p.resting {
		p.resting = false
		t.moving -= len(p.frame)
		t.arrived = append(t.arrived, arrival{p, p.frame})
		return nil
	}
	b := p.slots[p.next]
	n := binary.LittleEndian.Uint32(b)
	if n <= slotBytes-lengthSize {
		t.arrived = append(t.arrived, arrival{p, b[lengthSize:][:n]})
		return nil
	}
	if n > maxFrame {
		return fmt.Errorf("process %d: frame of %d B, want at most %d B", p.number, n, maxFrame)
	}
	if uint32(cap(p.frame)) < n {
		p.frame = make([]byte, n)
	}
	p.frame = p.frame[:n]
	first := copy(p.frame, b[lengthSize:])
	p.resting = true
	t.moving += len(p.frame)
	return t.receive(p, p.frame[first:], tagRest, t.heads[p.number*t.lib.requestSize:])
}

// again posts a new receive in the slot of a frame that has been processed.
func (t *Transport) again(p *peer) error {
	size := t.lib.requestSize
	if cap(p.frame) > keptBytes {
		p.frame = nil
	}
	if err := t.receive(p, p.slots[p.next], tagBegin, p.requests[p.next*size:]); err != nil {
		return err
	}
	p.next = (p.next + 1) % slots
	t.setHead(p.number, p.requests[p.next*size:])
	return nil
}

// Idle implements far.Transport.
func (t *Transport) Idle(most time.Duration) { time.Sleep(most) }

// closePatience is the longest time for which Close waits until sent frames have left, and bodies are complete.
const closePatience = 2 * time.Second

// finalizePatience is the maximum time for which Close waits for MPI_Finalize, which waits for the other processes.
const finalizePatience = 3 * time.Second

// Close implements far.Transport. It waits until the other processes close. All processes must call it at about the
// same time.
func (t *Transport) Close() error {
	for end := time.Now().Add(closePatience); ; time.Sleep(100 * time.Microsecond) {
		if _, err := t.Poll(func(int, []byte) {}); err != nil { // every process has ended its last run
			return err
		}
		if len(t.pending)+len(t.bodies) == 0 || time.Now().After(end) {
			break
		}
	}
	if err := t.cancelReceives(); err != nil {
		return err
	}
	close(t.closing)
	select {
	case err := <-t.closed:
		return err
	case <-time.After(finalizePatience):
		return fmt.Errorf("%s: MPI_Finalize has not returned in %v", t.lib.name(), finalizePatience)
	}
}

// cancelReceives cancels the posted receives.
func (t *Transport) cancelReceives() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	size := t.lib.requestSize
	for _, p := range t.peers {
		if p == nil {
			continue
		}
		copy(p.requests[p.next*size:], t.heads[p.number*size:][:size]) // heads has the current request
		for k := range slots {
			if bytes.Equal(p.requests[k*size:(k+1)*size], t.nullRequest()) {
				continue
			}
			request := address(p.requests[k*size:])
			if err := t.call(cancel, request); err != nil {
				return err
			}
			if err := t.call(wait, request, t.lib.ignore); err != nil {
				return err
			}
		}
	}
	return nil
}

// abortPatience is the maximum time for which Abort waits for a call of another goroutine. Then it is the maximum
// time of MPI_Abort.
const abortPatience = 500 * time.Millisecond

// Abort ends all processes of the job. It does not return. If MPI_Abort hangs, this process ends without it.
func (t *Transport) Abort(code int) {
	time.AfterFunc(2*abortPatience, func() { os.Exit(code) })
	for end := time.Now().Add(abortPatience); !t.mu.TryLock() && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if err := t.lib.invoke(new(invocation), abort, t.lib.handle[world], uintptr(code)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}
