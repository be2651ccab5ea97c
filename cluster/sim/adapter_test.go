package sim

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// A handshake goes between the bytes of a message that has matched, a gap after the last start. It
// never passes the bytes of a message that must still match, because the receive would see the two
// in another order than they were sent. The message in progress waits for it.
func TestHandshakesGoBetweenBytes(t *testing.T) {
	const gap, carry = 10, 1000
	ask := &msg{kind: msgRTS}
	for _, c := range []struct {
		name    string
		first   msgKind
		ask     cluster.Time // the first handshake starts
		another cluster.Time
		next    cluster.Time // a message after both
	}{
		{"matched data", msgData, gap, 2 * gap, carry + 3*gap},
		{"a put", msgPut, gap, 2 * gap, carry + 3*gap},
		{"an eager message", msgEager, carry + gap, carry + 2*gap, carry + 3*gap},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a adapter
			first := &msg{kind: c.first}
			at := [4]cluster.Time{
				a.start(0, gap, carry, first),
				a.start(0, gap, 0, ask),
				a.start(0, gap, 0, ask),
				a.start(0, gap, carry, first),
			}
			if want := [4]cluster.Time{0, c.ask, c.another, c.next}; at != want {
				t.Errorf("starts %v, want %v", at, want)
			}
		})

		t.Run(c.name+" of a thread", func(t *testing.T) {
			w := &world{kernel: kernel{threads: []*thread{{}}}}
			w.net.ways[cluster.Remote] = wayOf(cluster.Link{ThreadRate: 1e12}) // one byte per picosecond
			first, ask := &msg{kind: c.first, class: cluster.Remote}, &msg{kind: msgRTS, class: cluster.Remote}
			reserve := func(m *msg, wire int64) cluster.Time {
				at, _ := w.reserveThread(m, 0, wire, noCause)
				return at
			}
			at := [3]cluster.Time{reserve(first, carry+1), reserve(ask, 1), reserve(first, 1)}
			want := [3]cluster.Time{0, 0, carry}
			if c.first == msgEager {
				want[1] = carry
			}
			if at != want {
				t.Errorf("starts %v, want %v", at, want)
			}
		})
	}
}
