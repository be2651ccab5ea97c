package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// adapter is one direction of a node's adapter. Starts of messages are g + (s − 1)G apart. A
// handshake has one byte. It does not wait for the bytes of a message that has matched already, or
// that needs no match. It goes between these bytes, g after the last start.
type adapter struct {
	free          cluster.Time // earliest start of the next message
	handshakeFree cluster.Time // the same, without the bytes that a handshake may interrupt
	handshakeNext cluster.Time // earliest start of a handshake between those bytes

	idleEnd   cluster.Time // end of the last idle period
	idleBegin cluster.Time // begin of the last idle period
}

// recordIdle records that the adapter was idle until a time, if it was.
func (a *adapter) recordIdle(until cluster.Time) {
	if until > a.free {
		a.idleEnd, a.idleBegin = until, a.free
	}
}

// startAt returns the earliest start of a message that is ready at a time.
func (a *adapter) startAt(at cluster.Time, handshake bool) cluster.Time {
	if handshake {
		return max(at, a.handshakeFree, a.handshakeNext)
	}
	return max(at, a.free)
}

// start starts a message with the given times of its gap and bytes, and returns its start.
func (a *adapter) start(at, gap, carry cluster.Time, m *msg) cluster.Time {
	if m.isHandshake() {
		at = max(at, a.handshakeFree, a.handshakeNext)
		a.handshakeNext = at + gap
		a.handshakeFree = at + gap
		a.free = max(a.free, at) + gap // the message in progress has waited for it
		return at
	}
	a.recordIdle(at)
	at = max(at, a.free)
	a.free = at + gap + carry
	a.handshakeNext = at + gap
	if !m.isInterruptible() {
		a.handshakeFree = a.free
	}
	return at
}

// firstFree returns the adapter that could start a message earliest.
func firstFree(list []adapter, at cluster.Time, m *msg) (index int, a *adapter) {
	a = &list[0]
	for k := 1; k < len(list); k++ {
		if list[k].startAt(at, m.isHandshake()) < a.startAt(at, m.isHandshake()) {
			index, a = k, &list[k]
		}
	}
	return index, a
}

// isHandshake reports whether the message is an RTS or a CTS of a rendezvous.
func (m *msg) isHandshake() bool { return m.kind == msgRTS || m.kind == msgCTS }

// isMatchable reports whether a receive can match the message.
func (m *msg) isMatchable() bool { return m.kind == msgEager || m.kind == msgRTS }

// isInterruptible reports whether a handshake may go between the message's bytes, because no
// receive depends on the order of the two.
func (m *msg) isInterruptible() bool {
	return m.kind == msgData || m.kind == msgPut || m.kind == msgReply
}
