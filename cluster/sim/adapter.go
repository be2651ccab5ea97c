package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// adapter is one way out of a node, or one way in. Starts of messages are g + (s − 1)G
// apart. A handshake, which has a byte, does not wait for the bytes of a message that
// has matched already, or needs no match: it goes between them, g after the last
// start.
type adapter struct {
	free cluster.Time // when it may start another message
	firm cluster.Time // likewise, if it were not for bytes that a handshake goes between
	next cluster.Time // when it may start a handshake among those

	began  cluster.Time // when it was free last: it has been busy since
	rested cluster.Time // since when it had been, then
}

// rest notes that it was free until a time, if it was.
func (a *adapter) rest(until cluster.Time) {
	if until > a.free {
		a.began, a.rested = until, a.free
	}
}

// takesAt is when the adapter could start a message that is ready at a time.
func (a *adapter) takesAt(at cluster.Time, handshake bool) cluster.Time {
	if handshake {
		return max(at, a.firm, a.next)
	}
	return max(at, a.free)
}

// take starts a message whose gap and bytes take so long, and gives the time.
func (a *adapter) take(at, gap, carry cluster.Time, m *msg) cluster.Time {
	if m.handshake() {
		at = max(at, a.firm, a.next)
		a.next = at + gap
		a.firm = at + gap
		a.free = max(a.free, at) + gap // what is under way has waited for it
		return at
	}
	a.rest(at)
	at = max(at, a.free)
	a.free = at + gap + carry
	a.next = at + gap
	if !m.loose() {
		a.firm = a.free
	}
	return at
}

// first is the adapter of several that could start a message first.
func first(list []adapter, at cluster.Time, m *msg) (index int, a *adapter) {
	a = &list[0]
	for k := 1; k < len(list); k++ {
		if list[k].takesAt(at, m.handshake()) < a.takesAt(at, m.handshake()) {
			index, a = k, &list[k]
		}
	}
	return index, a
}

// handshake reports whether the message is one of a rendezvous's first two.
func (m *msg) handshake() bool { return m.kind == msgAsk || m.kind == msgClear }

// ordered reports whether a receive can match the message.
func (m *msg) ordered() bool { return m.kind == msgEager || m.kind == msgAsk }

// loose reports whether a handshake may go between the message's bytes: it does not
// matter which of the two a receive would see first.
func (m *msg) loose() bool {
	return m.kind == msgData || m.kind == msgPut || m.kind == msgReply
}
