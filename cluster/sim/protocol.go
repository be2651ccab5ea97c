package sim

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// protocol has the messages in flight and the rules of the library: eager or rendezvous, progress,
// staging, and the order of arrival.
type protocol struct {
	msgs          []msg
	lastByte      []cluster.Time // arrival of a message's last byte without contention
	lastMatchable []cluster.Time // by rank: arrival of the last matchable message whose bytes are arriving
	freeMsgs      []int32        // not in the cache lines of msgs, which are cold when they are reused
	freeMore      []*transfer    // free transfers
	buffers       buffers
	barriers      map[int32]*barrier

	eager      int64
	progress   cluster.Progress
	onlyCalls  bool         // only calls progress
	minTransit cluster.Time // minimum time between a message's post and its arrival at another rank
	hasLoads   bool         // ranks of a node reach each other's memory by loads and stores
	device     way
	staged     bool // device memory is reached through host memory
	delays     bool // bytes may not be ready for their adapter when posted
	uneven     bool // the messages of a train may arrive at uneven intervals
	overtaking bool // a message could overtake an earlier one to the same rank on another node
}

// newProtocol returns the protocol of a spec on a network.
func newProtocol(s *cluster.Spec, n *network) protocol {
	m, l := &s.Machine, &s.Layout
	p := protocol{barriers: map[int32]*barrier{}, eager: s.Eager(), progress: m.Progress, minTransit: minTransit(m, l),
		device: wayOf(m.Device.Link)}
	p.onlyCalls = m.Progress == cluster.ProgressCall
	p.hasLoads = n.ways[cluster.InRank].access > 0 || n.ways[cluster.InNode].access > 0 || n.ways[sameSocket].access > 0
	p.staged = m.Device.Count > 0 && !m.Device.Direct
	p.delays = p.staged || n.served || n.ways[cluster.Remote].threadRate > 0
	p.uneven = !n.isEven()
	p.overtaking = n.adapters > 1 || n.shape != nil || n.linkNoise > 0 || l.ThreadsPerRank > 1
	if k := l.Ranks() * usualInFlight; k <= 1<<20 {
		p.msgs = make([]msg, 0, k)
		p.lastByte = make([]cluster.Time, 0, k)
		p.freeMsgs = make([]int32, 0, k)
	}
	p.lastMatchable = make([]cluster.Time, l.Ranks())
	return p
}

// usualInFlight is a typical number of messages in flight per rank: one to each neighbour of a box.
// Tables that grow to it by doubling would leave as much garbage.
const usualInFlight = 6

func (w *world) newMsg() (int32, *msg) {
	if n := len(w.freeMsgs); n > 0 {
		i := w.freeMsgs[n-1]
		w.freeMsgs = w.freeMsgs[:n-1]
		return i, &w.msgs[i]
	}
	if len(w.msgs) == maxRef {
		w.abort(fmt.Errorf("more than %d messages in flight at %v", maxRef, w.now))
		return 0, &w.msgs[0]
	}
	w.exceedsCache = w.exceedsCache || len(w.msgs) >= manyInFlight
	w.msgs = append(w.msgs, msg{})
	w.lastByte = append(w.lastByte, 0)
	return int32(len(w.msgs) - 1), &w.msgs[len(w.msgs)-1]
}

// transfer returns a free transfer for a one-sided message.
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

// completeAt completes an operation of a rank at a time. Its slot has the result.
func (w *world) completeAt(at cluster.Time, rank int32, slot uint32) {
	i, m := w.newMsg()
	m.src = rank
	m.dst = rank
	m.recv = slot
	w.push(at, evComplete, i)
}

// complete processes the event of an operation that completes.
func (w *world) complete(i int32) {
	m := &w.msgs[i]
	r, slot := &w.ranks[m.dst], m.recv
	w.count(stepComplete, w.now, r.id, r.id, 0)
	w.dropMsg(i)
	w.dueThread = r.finishSlot(slot, w.now, r.slots.list[slot].cause)
}
