package far

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// script is a transport to one other process, which sends the frames of a list.
type script struct {
	me     int
	frames [][]byte
	send   func() error
	sent   *[][]byte // if not nil: the frames that are sent

	bodies   []body // that are received
	complete []Completion
}

// body is a received body: its key, and the size of its buffer.
type body struct {
	key  uint32
	size int
}

func (s *script) Name() string   { return "a script" }
func (s *script) Process() int   { return s.me }
func (s *script) Processes() int { return 2 }
func (s *script) OnHost() int    { return 2 }
func (s *script) Close() error   { return nil }
func (s *script) Idle(most time.Duration) {
	<-time.After(most)
}

func (s *script) Send(_ int, head, body []byte) error {
	if s.sent != nil {
		*s.sent = append(*s.sent, slices.Concat(head, body))
	}
	if s.send != nil {
		return s.send()
	}
	return nil
}

func (s *script) SendBody(int, uint32, []byte, Completion) error { return nil }

// ReceiveBody lists the body. It is complete in the next poll.
func (s *script) ReceiveBody(_ int, key uint32, b []byte, received Completion) error {
	s.bodies = append(s.bodies, body{key, len(b)})
	s.complete = append(s.complete, received)
	return nil
}

func (s *script) Poll(receive func(from int, frame []byte)) (int, error) {
	complete, frames := s.complete, s.frames
	s.complete, s.frames = nil, nil
	for _, c := range complete {
		c.Complete()
	}
	for _, f := range frames {
		receive(1-s.me, f)
	}
	return len(frames), nil
}

// endless is a time between beats that no test reaches.
const endless = time.Hour

// ranks is a receiver that lists the ranks that poll.
type ranks struct {
	sink
	all *[]int32
}

func (r ranks) Receive(_ int, _ *Frame, rank int32) error {
	*r.all = append(*r.all, rank)
	return nil
}

// TestRankThatPolls checks that a receiver learns the rank that polls. If a rank of an earlier run polls, the receiver
// learns −1.
func TestRankThatPolls(t *testing.T) {
	x := &script{}
	j := &Job{t: x, left: make(chan struct{}), heard: make([]atomic.Bool, 2), number: 7}
	var all []int32
	run := &Run{job: j, number: 7, to: ranks{all: &all}}
	j.run.Store(run)
	for _, poll := range []func() int{func() int { return run.Poll(3) }, func() int { return (&Run{job: j, number: 6}).Poll(3) }, j.Poll} {
		x.frames = [][]byte{(&Frame{Kind: Done, Sized: true}).encode(nil, 7)}
		poll()
	}
	if want := []int32{3, -1, -1}; !slices.Equal(all, want) {
		t.Errorf("ranks %v, want %v", all, want)
	}
}

// TestFullPack checks that a pack leaves when it has its maximum number of messages or bytes.
func TestFullPack(t *testing.T) {
	for _, c := range []struct{ size, messages, full int }{{8, 2*packMessages + 1, packMessages}, {MaxPacked, 8, 7}} {
		var sent [][]byte
		p := (&Run{job: &Job{t: &script{sent: &sent}}}).NewPack(1)
		var got []int
		for range c.messages {
			p.Add(&Message{Src: math.MaxInt32, Dst: math.MaxInt32, Size: int64(c.size), Data: make([]byte, c.size)})
		}
		p.Send()
		p.Send() // an empty pack does not leave
		for _, b := range sent {
			var f Frame
			n := 0
			if _, err := f.decode(b); err != nil || len(b) > packBytes {
				t.Fatalf("a pack of %d B, error %v", len(b), err)
			}
			if err := f.Unpack(func(*Message) error { n++; return nil }); err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
		}
		var want []int
		for left := c.messages; left > 0; left -= c.full {
			want = append(want, min(left, c.full))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d messages of %d B travel in packs of %v, want %v", c.messages, c.size, got, want)
		}
	}
}

// TestLongBodies checks that a pack leaves at once if it must, or if its bodies are long.
func TestLongBodies(t *testing.T) {
	var sent [][]byte
	p := (&Run{job: &Job{t: &script{sent: &sent}, keys: make([]keys, 2)}}).NewPack(1)
	b := make([]byte, maxAnnounced)
	for i, c := range []struct {
		size      int
		announces bool
		packs     int // that have left
	}{{1, true, 1}, {maxAnnounced - 1, false, 1}, {1, false, 2}, {maxAnnounced - 1, false, 2}, {1, true, 3}, {1, false, 3}} {
		p.SendBody(&Message{}, c.announces, b[:c.size], nil)
		if len(sent) != c.packs {
			t.Errorf("after body %d, %d packs have left, want %d", i, len(sent), c.packs)
		}
	}
}

// sink is a receiver that sends the failures of its run to a channel.
type sink struct{ failures chan error }

func (s sink) Receive(_ int, f *Frame, _ int32) error {
	if f.Kind != Messages {
		return nil
	}
	return f.Unpack(func(*Message) error { return nil })
}
func (s sink) Fail(_ int, err error) { s.failures <- err }
func (s sink) Sleeps() bool          { return false }

func control(kind Kind, data string) []byte {
	return append((&Frame{Kind: kind}).encode(nil, 1), data...)
}

// TestDamagedMessages checks that a run does not begin after a damaged message of another process.
func TestDamagedMessages(t *testing.T) {
	long := strings.Repeat("x", maxHost+1)
	nested := strings.Repeat(`{"text":"","abort":{"reason":"panic","rank":0,"cause":`, maxCauses+2) + "null" +
		strings.Repeat("}}", maxCauses+2)
	for name, c := range map[string]struct {
		kind       Kind
		data, want string
	}{
		"no message":     {kindStart, ``, "EOF"},
		"unknown field":  {kindStart, `{"digest":7,"host":"a","more":1}`, "unknown field"},
		"two values":     {kindStart, `{"digest":7,"host":"a"}{}`, "more than one value"},
		"wrong type":     {kindStart, `{"digest":"7","host":"a"}`, "cannot unmarshal"},
		"no host":        {kindStart, `{"digest":7}`, "host name of 0 B"},
		"a long host":    {kindStart, `{"digest":7,"host":"` + long + `"}`, "host name of 1025 B"},
		"another digest": {kindStart, `{"digest":8,"host":"a"}`, "starts another run"},
		"a long program": {kindStart, `{"digest":7,"host":"a","program":"` + strings.Repeat("x", maxProgram+1) + `"}`,
			"description of 32769 B"},
		"many settings": {kindStart, `{"digest":8,"host":"a","program":"` + strings.Repeat("y", maxSetting+1) + `\nb\nc\nd\ne"}`,
			"another run than process 0: " + strings.Repeat("y", maxSetting) + ", b, c, …: want nothing (start"},
		"a long refusal": {kindStart, `{"digest":7,"host":"a","refusal":{"text":"` + strings.Repeat("x", maxFailureText+1) + `"}}`,
			"damaged error"},
		"an unknown reason": {kindAbort, `{"text":"","abort":{"reason":"mood","rank":0}}`, "damaged error"},
		"an invalid rank":   {kindAbort, `{"text":"","abort":{"reason":"panic","rank":-2}}`, "damaged error"},
		"nested aborts":     {kindAbort, nested, "damaged error"},
	} {
		t.Run(name, func(t *testing.T) {
			j := join(&script{frames: [][]byte{control(c.kind, c.data)}}, endless)
			run := j.Next(sink{make(chan error, 9)}, 7, "here")
			if err := run.Begin(t.Context(), nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			j.depart(1)
			if err := j.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEarlyFrames checks the limits of the frames that a process sends before the run begins. Beyond them the job
// ends.
func TestEarlyFrames(t *testing.T) {
	repeated := func(n int, f []byte) (all [][]byte) {
		for range n {
			all = append(all, f)
		}
		return all
	}
	half := control(kindAbort, strings.Repeat("x", maxEarlyBytes/2))
	for name, c := range map[string]struct {
		frames [][]byte
		want   string // of the error that ended the job; "": none
	}{
		"the largest":   {repeated(2, half), ""},
		"too large":     {append(repeated(2, half), control(kindAbort, "x")), "3 frames of 16777217 B"},
		"the most":      {repeated(maxEarly, control(kindAbort, "")), ""},
		"too many":      {repeated(maxEarly+1, control(kindAbort, "")), "257 frames of 0 B"},
		"of no control": {repeated(maxEarly+1, control(Eager, "x")), ""},
	} {
		j := &Job{t: &script{frames: c.frames}, left: make(chan struct{}), heard: make([]atomic.Bool, 2), coming: make([]atomic.Int64, 2),
			bye: make([]bool, 2)}
		j.Poll()
		if err := j.failure(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestSilentProcess checks that a process that sends nothing is lost, unless it has closed the job.
func TestSilentProcess(t *testing.T) {
	j := join(&script{}, time.Millisecond)
	failures := make(chan error, 9)
	err := j.Next(sink{failures}, 7, "here").Begin(t.Context(), nil)
	var l *Lost
	if !errors.As(err, &l) || l.Process != 1 || !errors.As(<-failures, &l) {
		t.Errorf("a silent process: %v", err)
	}
	if err := j.Close(); !errors.As(err, &l) {
		t.Errorf("the job closes with %v", err)
	}
	closed := join(&script{frames: [][]byte{(&Frame{Kind: kindBye, Sized: true}).encode(nil, 0)}}, time.Millisecond)
	<-closed.left
	closed.lose(&Lost{Process: 1, Cause: errors.New("the connection has ended")})
	if err := closed.Close(); err != nil {
		t.Error(err)
	}
}

// TestLongFrame checks that a process may be silent while a frame arrives that it has announced, and no longer.
func TestLongFrame(t *testing.T) {
	var sent [][]byte
	there := join(&script{me: 1, sent: &sent}, endless)
	data := make([]byte, 3*longFrame)
	there.Next(sink{make(chan error, 9)}, 7, "there").Send(0, &Frame{Kind: Put, Vec: make([]cluster.Span, 2), Data: data})
	there.depart(0)
	_ = there.Close()
	sent = slices.DeleteFunc(sent, func(b []byte) bool { return Kind(b[0]) == kindAlive })
	if len(sent) != 3 { // the last one closes the job
		t.Fatalf("%d frames, want 3", len(sent))
	}
	transport := &script{}
	j := &Job{t: transport, left: make(chan struct{}), heard: make([]atomic.Bool, 2), coming: make([]atomic.Int64, 2),
		bye: make([]bool, 2)}
	for i, want := range []int{maxSilence + len(data)/perBeat, maxSilence} {
		transport.frames = sent[i : i+1]
		j.Poll()
		if got := j.silence(1, maxSilence); got != want || j.failure() != nil {
			t.Errorf("after frame %d: lost after %d beats, want %d; %v", i, got, want, j.failure())
		}
	}
	transport.frames = [][]byte{(&Frame{Kind: kindLong, Sized: true, Size: maxLong + 1}).encode(nil, 1)}
	j.Poll()
	if err := j.failure(); err == nil || !strings.Contains(err.Error(), "1073741825 B follows") {
		t.Errorf("a frame that is too long: error %v", err)
	}
}

// TestMissingProcesses checks the list of processes that have not closed the job, and Leads.
func TestMissingProcesses(t *testing.T) {
	j := join(&script{me: 1}, endless)
	if missing := j.Missing(0); !slices.Equal(missing, []int{0}) || j.Leads() {
		t.Errorf("missing %v, leads %v", missing, j.Leads())
	}
	j.lose(&Lost{Process: 0, Cause: errors.New("killed")})
	if missing := j.Missing(endless); !slices.Equal(missing, []int{0}) || !j.Leads() {
		t.Errorf("missing %v, leads %v", missing, j.Leads())
	}
	_ = j.Close()
	whole := join(&script{}, endless)
	whole.depart(1)
	if missing := whole.Missing(endless); missing != nil || !whole.Leads() {
		t.Errorf("missing %v, leads %v", missing, whole.Leads())
	}
	_ = whole.Close()
}

// TestBrokenTransport checks that a run ends, and fails once, if the transport fails or panics in each send.
func TestBrokenTransport(t *testing.T) {
	for name, send := range map[string]func() error{
		"an error": func() error { return errors.New("broken") },
		"a panic":  func() error { panic("broken") },
	} {
		t.Run(name, func(t *testing.T) {
			x := &script{}
			j := join(x, endless)
			x.send = send
			failures := make(chan error, 9)
			run := j.Next(abortingSink{sink{failures}, new(*Run)}, 7, "here")
			*run.to.(abortingSink).run = run
			if err := run.Begin(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "broken") {
				t.Errorf("error %v", err)
			}
			if n := len(failures); n != 1 {
				t.Errorf("%d failures, want 1", n)
			}
			_ = j.Close()
		})
	}
}

// abortingSink aborts its run after a failure, as a fabric does.
type abortingSink struct {
	sink
	run **Run
}

func (s abortingSink) Fail(origin int, err error) {
	(*s.run).Abort(err)
	s.sink.Fail(origin, err)
}

// TestCancelledBegin checks that a cancel ends the wait for other processes.
func TestCancelledBegin(t *testing.T) {
	j := join(&script{}, endless)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("on purpose")
	cancel(cause)
	if err := j.Next(sink{make(chan error, 9)}, 7, "here").Begin(ctx, nil); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
	j.depart(1)
	_ = j.Close()
}

// TestDroppedBodies checks that the bodies of earlier runs are dropped, one after another. A body that is announced
// twice ends the run.
func TestDroppedBodies(t *testing.T) {
	announce := func(run, key uint32, size int64) []byte {
		return (&Message{Body: key, Size: size}).encode(appendPackHead(nil, run))
	}
	x := &script{frames: [][]byte{announce(6, 1, 100), announce(6, 2, 200), announce(7, 3, 300), announce(7, 4, 400)}}
	j := &Job{t: x, left: make(chan struct{}), heard: make([]atomic.Bool, 2), coming: make([]atomic.Int64, 2),
		bye: make([]bool, 2), number: 7}
	j.run.Store(&Run{job: j, number: 7, to: sink{make(chan error, 9)}})
	want := func(list ...body) {
		t.Helper()
		if err := j.failure(); err != nil || !slices.Equal(x.bodies, list) {
			t.Fatalf("error %v, bodies %v, want %v", err, x.bodies, list)
		}
	}
	j.Poll()
	want(body{1, 100})
	j.run.Load().ReceiveBody(1, 3, make([]byte, 300), &arriving{job: j, from: 1})
	j.Poll()
	want(body{1, 100}, body{3, 300}, body{2, 200})
	j.run.Load().End()
	j.awaitDrops()
	want(body{1, 100}, body{3, 300}, body{2, 200}, body{4, 400})
	failures := make(chan error, 9)
	j.run.Store(&Run{job: j, number: 7, to: sink{failures}})
	x.frames = [][]byte{announce(7, 5, 1), announce(7, 5, 1)}
	j.Poll()
	if err := <-failures; err == nil || !strings.Contains(err.Error(), "body 5 is announced twice") {
		t.Errorf("a body is announced twice: error %v", err)
	}
	x.frames = [][]byte{{byte(Messages), 0, 0, 0, 6, 0, 0, 0, 1}}
	j.Poll()
	if err := j.failure(); !errors.Is(err, errFrame) {
		t.Errorf("a damaged pack of an earlier run: error %v", err)
	}
}

// refusing is a sink that refuses messages with tag 1.
type refusing struct{ sink }

func (s refusing) Receive(_ int, f *Frame, _ int32) error {
	return f.Unpack(func(m *Message) error {
		if m.Tag == 1 {
			return errors.New("refused")
		}
		return nil
	})
}

// TestBodiesBehindRefusedMessage checks that the bodies of a pack are dropped if the run refuses a message before them.
func TestBodiesBehindRefusedMessage(t *testing.T) {
	pack := appendPackHead(nil, 7)
	for i, key := range []uint32{1, 2, 3} {
		pack = (&Message{Tag: int32(i), Body: key, Size: int64(100 * key)}).encode(pack)
	}
	x := &script{frames: [][]byte{pack}}
	j := &Job{t: x, left: make(chan struct{}), heard: make([]atomic.Bool, 2), coming: make([]atomic.Int64, 2),
		bye: make([]bool, 2), number: 7, keys: make([]keys, 2)}
	failures := make(chan error, 9)
	r := &Run{job: j, number: 7, to: refusing{sink{failures}}}
	j.run.Store(r)
	j.Poll()
	if err := <-failures; err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("error %v", err)
	}
	r.End()
	j.awaitDrops()
	if want := []body{{1, 100}, {2, 200}, {3, 300}}; !slices.Equal(x.bodies, want) {
		t.Errorf("dropped bodies %v, want %v", x.bodies, want)
	}
}
