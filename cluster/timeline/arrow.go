package timeline

import (
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
)

// Arrow is a message from a sending thread to a receiving thread.
type Arrow struct {
	From, FromThread int32
	To, ToThread     int32
	Sent, Received   cluster.Time
	Bytes            int64
	Tag              int32
}

// Limits of the recorded messages: the latest arrows, the envelopes, and the messages in flight per
// envelope.
const (
	maxArrows    = 1 << 13
	maxEnvelopes = 1 << 14
	maxInFlight  = 64
)

// arrows pairs sends with receives: the nth receive of an envelope gets its nth message, because
// messages do not overtake each other.
type arrows struct {
	mu        sync.Mutex // guards the following fields
	ring      [maxArrows]Arrow
	n         uint64 // number of messages so far
	envelopes map[Envelope]*inFlight
}

// Envelope is the key of messages that are received in the order of sending.
type Envelope struct{ From, To, Ctx, Tag int32 }

// inFlight holds the latest sends of an envelope.
type inFlight struct {
	sent, received uint64
	sends          [maxInFlight]Arrow
}

func newArrows() *arrows {
	return &arrows{envelopes: make(map[Envelope]*inFlight)}
}

// Arrows reports whether messages are recorded.
func (r *Recorder) Arrows() bool { return r != nil && r.arrows != nil }

// Message records a message whose sender, receiver and times are known.
func (r *Recorder) Message(a Arrow) {
	r.arrows.mu.Lock()
	r.arrows.add(a)
	r.arrows.mu.Unlock()
}

func (m *arrows) add(a Arrow) {
	m.ring[m.n%maxArrows] = a
	m.n++
}

// Sent records a send, before it is posted.
func (r *Recorder) Sent(e Envelope, thread int32, at cluster.Time, bytes int64) {
	m := r.arrows
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.envelopes[e]
	if u == nil {
		if len(m.envelopes) >= maxEnvelopes {
			return
		}
		u = &inFlight{}
		m.envelopes[e] = u
	}
	u.sends[u.sent%maxInFlight] = Arrow{From: e.From, FromThread: thread, To: e.To, Sent: at, Bytes: bytes, Tag: e.Tag}
	u.sent++
}

// Received records that a message was received.
func (r *Recorder) Received(e Envelope, thread int32, at cluster.Time) {
	m := r.arrows
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.envelopes[e]
	if u == nil || u.received == u.sent {
		return
	}
	if u.sent-u.received <= maxInFlight {
		a := u.sends[u.received%maxInFlight]
		a.ToThread, a.Received = thread, at
		m.add(a)
	}
	u.received++
}

// view returns a copy of the recorded arrows, in the order of recording, and the total number of
// messages.
func (m *arrows) view() ([]Arrow, uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := uint64(0)
	if m.n > maxArrows {
		first = m.n - maxArrows
	}
	all := make([]Arrow, 0, m.n-first)
	for i := first; i < m.n; i++ {
		all = append(all, m.ring[i%maxArrows])
	}
	return all, m.n
}
