package sim

import "github.com/hybridtop/hybridtop/cluster"

// msgKind says what a message is for.
type msgKind uint8

const (
	msgEager  msgKind = iota
	msgAsk            // rendezvous: the sender asks
	msgClear          // the receiver answers
	msgData           // the bytes follow
	msgPut            // bytes for the target's segment
	msgGet            // asks for bytes
	msgAtomic         // changes a word
	msgReply          // brings a get's bytes or an atomic's word
	msgRPC            // runs a body
	msgKinds
)

// msg is one message under way, in one cache line.
type msg struct {
	kind     msgKind
	class    cluster.Class // or sameSocket
	train    uint16        // messages that it stands for; 0: one
	src, dst int32
	ctx, tag int32
	req      uint32 // slot at the sender or initiator
	recv     uint32 // slot at the receiver
	cause    int32  // until its arrival
	thread   int32  // that injects it; noThread: no thread's limit holds
	phase    uint8  // the step that it makes next
	staged   bool   // its bytes are in the device's memory at the target
	size     int64  // of the program's message
	buf      data
	more     *transfer
}

// noThread is the thread of what an adapter sends by itself.
const noThread int32 = -1

// transfer is what a one-sided message carries besides.
type transfer struct {
	off, sig int64
	sigOp    cluster.SigOp
	vec      []cluster.Span
	shape    *cluster.Strided // of bytes that are there
	packed   bool             // several pieces, which the target has to unpack
	data     []byte           // of an RPC: the caller's
	a, b     uint64
	arg, fn  int32
	reply    int64 // bytes that the answer brings
	from, to cluster.Memory
	source   uint32         // slot that completes when the buffer may be written again, + 1; 0: none
	again    bool           // it only loads a word that was loaded before
	first    cluster.Time   // of a train, when the first one arrives
	reach    cluster.Time   // of a train, when the first one's first byte is there
	reaches  []cluster.Time // likewise of each one, where they do not come evenly
	done     cluster.Done
}

// wire is the bytes that travel: at least one.
func (m *msg) wire() int64 {
	switch m.kind {
	case msgAsk, msgClear:
		return 1
	case msgReply:
		return m.more.reply
	case msgGet, msgAtomic:
		if m.class == cluster.Remote {
			return 1 // the request; an atomic's operands ride in it
		}
	}
	return max(m.size, 1)
}

// brings reports whether the message carries the program's bytes.
func (m *msg) brings() bool {
	switch m.kind {
	case msgEager, msgData, msgPut, msgReply:
		return true
	}
	return false
}

// hold copies bytes into the message.
func (m *msg) hold(w *world, b []byte) {
	if b != nil {
		m.buf = dataOf(w.buffers.hold(b))
	}
}

// bytes is what the message holds.
func (m *msg) bytes() []byte { return m.buf.bytes(m.size) }

// drop gives the bytes back.
func (m *msg) drop(w *world) {
	if b := m.bytes(); b != nil {
		w.buffers.give(b)
		m.buf = data{}
	}
}
