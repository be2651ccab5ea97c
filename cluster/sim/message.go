package sim

import "github.com/hybridtop/hybridtop/cluster"

// msgKind is the purpose of a message.
type msgKind uint8

const (
	msgEager  msgKind = iota
	msgRTS            // rendezvous: request to send
	msgCTS            // rendezvous: clear to send
	msgData           // rendezvous: the bytes
	msgPut            // bytes for the target's segment
	msgGet            // request for bytes
	msgAtomic         // changes a word
	msgReply          // bytes of a get or word of an atomic
	msgRPC            // runs a body
	msgKinds
)

// msg is one message in flight, in one cache line.
type msg struct {
	kind     msgKind
	class    cluster.Class // locality class, or sameSocket
	train    uint16        // number of messages of a packet train; 0: one
	src, dst int32
	ctx, tag int32
	req      uint32 // slot at the sender or initiator
	recv     uint32 // slot at the receiver
	cause    int32  // cause of its time, until its arrival
	thread   int32  // injecting thread; noThread: no limit of a thread applies
	phase    uint8  // its next step
	staged   bool   // its bytes are in device memory at the target
	size     int64  // bytes of the program's message
	buf      data
	more     *transfer
}

// noThread is the thread of messages that an adapter sends by itself.
const noThread int32 = -1

// transfer is the additional data of a one-sided message.
type transfer struct {
	off, sig int64
	sigOp    cluster.SigOp
	vec      []cluster.Span
	shape    *cluster.Strided // shape of bytes, not of size-only data
	packed   bool             // several pieces that the target must unpack
	data     []byte           // data of an RPC's caller
	a, b     uint64
	arg, fn  int32
	reply    int64 // bytes of the reply
	from, to cluster.Memory
	source   uint32         // slot + 1 that completes at local completion; 0: none
	isPoll   bool           // it loads the same word again
	first    cluster.Time   // packet train: arrival of the first message
	reach    cluster.Time   // packet train: arrival of the first byte
	reaches  []cluster.Time // packet train: arrival of each first byte, if irregular
	// packet train: causes of first, of reach and of reaches, if traced
	firstCause, reachCause int32
	reachCauses            []int32
	done                   cluster.Done
}

// wire returns the number of bytes on the wire, at least one.
func (m *msg) wire() int64 {
	switch m.kind {
	case msgRTS, msgCTS:
		return 1
	case msgReply:
		return m.more.reply
	case msgGet, msgAtomic:
		if m.class == cluster.Remote {
			return 1 // the request, which contains an atomic's operands
		}
	}
	return max(m.size, 1)
}

// carriesData reports whether the message carries data of the program.
func (m *msg) carriesData() bool {
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

// bytes returns the bytes of the message.
func (m *msg) bytes() []byte { return m.buf.bytes(m.size) }

// drop frees the bytes of the message.
func (m *msg) drop(w *world) {
	if b := m.bytes(); b != nil {
		w.buffers.give(b)
		m.buf = data{}
	}
}
