package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// adapter is one direction of a node's adapter. Starts of messages are g + (s − 1)G apart. A
// handshake has one byte. It does not wait for the bytes of a message that has matched already, or
// that needs no match. It goes between these bytes, g after the last start.
type adapter struct {
	free cluster.Time // earliest start of the next message
	firm cluster.Time // the same, without the bytes that a handshake may interrupt
	next cluster.Time // earliest start of a handshake between those bytes

	began  cluster.Time // end of the last idle period
	rested cluster.Time // begin of the last idle period
}

// rest records that the adapter was idle until a time, if it was.
func (a *adapter) rest(until cluster.Time) {
	if until > a.free {
		a.began, a.rested = until, a.free
	}
}

// takesAt returns the earliest start of a message that is ready at a time.
func (a *adapter) takesAt(at cluster.Time, handshake bool) cluster.Time {
	if handshake {
		return max(at, a.firm, a.next)
	}
	return max(at, a.free)
}

// take starts a message with the given times of its gap and bytes, and returns its start.
func (a *adapter) take(at, gap, carry cluster.Time, m *msg) cluster.Time {
	if m.handshake() {
		at = max(at, a.firm, a.next)
		a.next = at + gap
		a.firm = at + gap
		a.free = max(a.free, at) + gap // the message in progress has waited for it
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

// first returns the adapter that could start a message earliest.
func first(list []adapter, at cluster.Time, m *msg) (index int, a *adapter) {
	a = &list[0]
	for k := 1; k < len(list); k++ {
		if list[k].takesAt(at, m.handshake()) < a.takesAt(at, m.handshake()) {
			index, a = k, &list[k]
		}
	}
	return index, a
}

// handshake reports whether the message is an RTS or a CTS of a rendezvous.
func (m *msg) handshake() bool { return m.kind == msgAsk || m.kind == msgClear }

// ordered reports whether a receive can match the message.
func (m *msg) ordered() bool { return m.kind == msgEager || m.kind == msgAsk }

// loose reports whether a handshake may go between the message's bytes, because no receive depends
// on the order of the two.
func (m *msg) loose() bool {
	return m.kind == msgData || m.kind == msgPut || m.kind == msgReply
}
