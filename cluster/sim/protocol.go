package sim

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// protocol is the messages under way and what the library does with them: which are
// eager and which ask first, who answers, what is staged, in which order they arrive.
type protocol struct {
	msgs     []msg
	lasts    []cluster.Time // when the last byte of a message is there, if nothing holds it up
	comes    []cluster.Time // by rank: when the last message arrives that a receive can match and whose bytes are coming in
	freeMsgs []int32        // not in msgs' own lines, which are cold by the time they are taken
	freeMore []*transfer    // that no message has
	buffers  buffers
	barriers map[int32]*barrier

	eager      int64
	progress   cluster.Progress
	calls      bool         // only calls progress
	quickest   cluster.Time // between a message's post and its arrival at another rank, at least
	loads      bool         // ranks of a node reach each other's memory by load and store
	device     way
	staged     bool // device memory is reached by way of the host's
	delays     bool // bytes may not be ready for their adapter when they are posted
	uneven     bool // the messages of a train may come unevenly
	overtaking bool // a message could pass an earlier one to the same rank on another node
}

// newProtocol is the protocol of a spec on a network.
func newProtocol(s *cluster.Spec, n *network) protocol {
	m, l := &s.Machine, &s.Layout
	p := protocol{barriers: map[int32]*barrier{}, eager: s.Eager(), progress: m.Progress, quickest: quickest(m, l), device: wayOf(m.Device.Link)}
	p.calls = m.Progress == cluster.ProgressCall
	p.loads = n.ways[cluster.InRank].access > 0 || n.ways[cluster.InNode].access > 0 || n.ways[sameSocket].access > 0
	p.staged = m.Device.Count > 0 && !m.Device.Direct
	p.delays = p.staged || n.served || n.ways[cluster.Remote].threadRate > 0
	p.uneven = !n.even()
	p.overtaking = n.adapters > 1 || n.shape != nil || n.linkNoise > 0 || l.ThreadsPerRank > 1
	if k := l.Ranks() * usual; k <= 1<<20 {
		p.msgs, p.lasts, p.freeMsgs = make([]msg, 0, k), make([]cluster.Time, 0, k), make([]int32, 0, k)
	}
	p.comes = make([]cluster.Time, l.Ranks())
	return p
}

// usual is how many messages a rank has under way in many programs: one to each
// neighbour of a box. Tables that grow to that by doubling leave as much behind.
const usual = 6

func (w *world) newMsg() (int32, *msg) {
	if n := len(w.freeMsgs); n > 0 {
		i := w.freeMsgs[n-1]
		w.freeMsgs = w.freeMsgs[:n-1]
		return i, &w.msgs[i]
	}
	if len(w.msgs) == maxRef {
		w.abort(fmt.Errorf("more than %d messages under way at %v", maxRef, w.now))
		return 0, &w.msgs[0]
	}
	w.wide = w.wide || len(w.msgs) >= manyUnderWay
	w.msgs = append(w.msgs, msg{})
	w.lasts = append(w.lasts, 0)
	return int32(len(w.msgs) - 1), &w.msgs[len(w.msgs)-1]
}

// transfer gives what a one-sided message carries besides.
func (p *protocol) transfer() *transfer {
	n := len(p.freeMore)
	if n == 0 {
		return &transfer{}
	}
	x := p.freeMore[n-1]
	p.freeMore = p.freeMore[:n-1]
	return x
}

func (p *protocol) dropMsg(i int32) {
	if x := p.msgs[i].more; x != nil {
		*x = transfer{}
		p.freeMore = append(p.freeMore, x)
	}
	p.msgs[i] = msg{}
	p.freeMsgs = append(p.freeMsgs, i)
}

// isEager reports whether a message of n bytes leaves without a handshake.
func (p *protocol) isEager(ctx int32, n int64) bool {
	return n <= p.eager && (p.eager > 0 || ctx&1 == 1)
}

// completeAt lets an operation of a rank, whose slot knows its result, complete.
func (w *world) completeAt(at cluster.Time, rank int32, slot uint32) {
	i, m := w.newMsg()
	m.src, m.dst, m.recv = rank, rank, slot
	w.push(at, evComplete, i)
}

// complete is the event of an operation that completes at its time.
func (w *world) complete(i int32) {
	m := &w.msgs[i]
	r, slot := &w.ranks[m.dst], m.recv
	w.dropMsg(i)
	w.due = r.released(slot, w.now, r.slots.list[slot].cause)
}
