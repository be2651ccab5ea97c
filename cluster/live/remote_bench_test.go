package live_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// mirror is a transport whose other process returns each frame. A pack of messages returns to its sender.
type mirror struct {
	mu     sync.Mutex
	frames [][]byte
	spare  [][]byte
}

func (*mirror) Name() string   { return "mirror" }
func (*mirror) Process() int   { return 0 }
func (*mirror) Processes() int { return 2 }
func (*mirror) OnHost() int    { return 2 }

func (m *mirror) Send(_ int, head, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b []byte
	if n := len(m.spare); n > 0 {
		b, m.spare = m.spare[n-1], m.spare[:n-1]
	}
	b = append(append(b[:0], head...), body...)
	if far.Kind(b[0]) == far.Messages {
		swap(b)
	}
	m.frames = append(m.frames, b)
	return nil
}

// swap exchanges the sender and the receiver of a pack's first message. Each is a varint of one byte after the head.
func swap(b []byte) { b[8], b[9] = b[9], b[8] }

func (m *mirror) Poll(receive func(from int, frame []byte)) (int, error) {
	m.mu.Lock()
	frames := m.frames
	m.frames = nil
	m.mu.Unlock()
	for _, b := range frames {
		receive(1, b)
	}
	m.mu.Lock()
	m.spare = append(m.spare, frames...)
	if m.frames == nil {
		m.frames = frames[:0]
	}
	m.mu.Unlock()
	return len(frames), nil
}

func (*mirror) SendBody(int, uint32, []byte, far.Completion) error    { panic("no bodies") }
func (*mirror) ReceiveBody(int, uint32, []byte, far.Completion) error { panic("no bodies") }
func (*mirror) Idle(most time.Duration)                               { <-time.After(most) }
func (*mirror) Close() error                                          { return nil }

// BenchmarkRemoteMessage sends 8 B to a rank of another process, and receives 8 B from it, over a transport without
// latency.
func BenchmarkRemoteMessage(b *testing.B) {
	f := live.Apart(far.Join(&mirror{}))
	err := cluster.Launch(context.Background(), f, clustertest.Spec(clustertest.Host(), 2, 1), func(r *cluster.Rank) error {
		data, back := []byte{1, 2, 3, 4, 5, 6, 7, 8}, make([]byte, 8)
		b.ReportAllocs()
		for b.Loop() {
			if err := r.Send(r.All(), 1, 1, cluster.Of(data)); err != nil {
				return err
			}
			if _, err := r.Recv(r.All(), 1, 1, cluster.Of(back)); err != nil {
				return err
			}
		}
		if !slices.Equal(data, back) {
			b.Errorf("received %v, want %v", back, data)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
