package coll

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// executor runs the schedules of a team in memory, in the worst permitted order. Ready nodes are
// posted in any order. A send reads its bytes when it is posted or when the receive takes them. A
// receive writes at any time after it is posted. Messages between two ranks match by channel, in
// order. A put writes at any time after it is posted, independent of its receiver.
type executor struct {
	rng      *rand.Rand
	sync     int // percentage of sends that wait for their receive
	op       func(dst, left, right []byte)
	places   []Place
	bufs     [][][]byte // by rank and buffer
	depsLeft [][]uint16 // by rank and node: open dependencies

	lands   bool               // messages are puts
	partner func(s step) int32 // their node at the receiver
	flying  []flying           // puts in flight
	flagged map[step]bool      // receives whose put has arrived
	awaited map[step]bool      // receives that were posted
	marks   int32
	meets   []step
	carried []step // steps that have reached the collective network
	carries []byte
	final   [][][]byte // by rank and buffer, at the end of the rank: its caller owns them again
	nodes   []int      // by rank: open nodes

	ready    []step
	flights  map[flight]*queue
	moved    []flight // queues with a message and a receive
	open     int
	messages int
	bytes    int64
	err      error
}

type step struct{ rank, node int32 }

// flight identifies messages that match: ranks and channel.
type flight struct {
	from, to int32
	channel  uint16
}

type queue struct {
	sends []message
	recvs []step
}

type message struct {
	step
	data []byte // nil: read when the receive takes them
}

// flying is a put in flight.
type flying struct {
	message
	to step
}

// execute runs the schedules of all ranks to their end.
func (x *executor) execute() error {
	x.flights = map[flight]*queue{}
	x.flagged = map[step]bool{}
	x.awaited = map[step]bool{}
	x.depsLeft = make([][]uint16, len(x.places))
	for r := range x.places {
		s := x.places[r].Schedule
		x.depsLeft[r] = make([]uint16, len(s.Nodes))
		x.open += len(s.Nodes)
		x.nodes = append(x.nodes, len(s.Nodes))
		x.final = append(x.final, nil)
		if len(s.Nodes) == 0 {
			x.ends(r)
		}
		for i := range s.Nodes {
			x.depsLeft[r][i] = s.Nodes[i].Deps
			if s.Nodes[i].Deps == 0 {
				x.ready = append(x.ready, step{int32(r), int32(i)})
			}
		}
	}
	for x.open > 0 && x.err == nil {
		n := len(x.ready) + len(x.moved) + len(x.flying)
		if n == 0 {
			return fmt.Errorf("deadlock: %d nodes left, %s", x.open, x.stuck())
		}
		if i := x.rng.IntN(n); i < len(x.ready) {
			s := x.ready[i]
			x.ready[i] = x.ready[len(x.ready)-1]
			x.ready = x.ready[:len(x.ready)-1]
			x.post(s)
		} else if i -= len(x.ready); i < len(x.flying) {
			f := x.flying[i]
			x.flying[i] = x.flying[len(x.flying)-1]
			x.flying = x.flying[:len(x.flying)-1]
			x.land(f)
		} else {
			i -= len(x.flying)
			f := x.moved[i]
			x.moved[i] = x.moved[len(x.moved)-1]
			x.moved = x.moved[:len(x.moved)-1]
			x.move(f)
		}
	}
	if x.err != nil {
		return x.err
	}
	for f, q := range x.flights {
		if len(q.sends)+len(q.recvs) > 0 {
			return fmt.Errorf("%d messages and %d receives from %d to %d in channel %d are left", len(q.sends), len(q.recvs),
				f.from, f.to, f.channel)
		}
	}
	return nil
}

func (x *executor) stuck() string {
	for f, q := range x.flights {
		if len(q.recvs) > 0 {
			return fmt.Sprintf("rank %d waits for rank %d in channel %d", f.to, f.from, f.channel)
		}
		if len(q.sends) > 0 {
			return fmt.Sprintf("rank %d has sent to rank %d in channel %d", f.from, f.to, f.channel)
		}
	}
	if len(x.meets) > 0 {
		return fmt.Sprintf("rank %d waits for more than %d marks", x.meets[0].rank, x.marks)
	}
	return "none of them a message"
}

func (x *executor) post(s step) {
	p := &x.places[s.rank]
	n := &p.Schedule.Nodes[s.node]
	switch {
	case x.lands && n.Kind == Send:
		f := flying{message: message{step: s}, to: step{p.Peer(n.Peer), x.partner(s)}}
		x.messages++
		x.bytes += p.Bytes(n.Ref)
		if late := x.rng.IntN(100) < x.sync; !late {
			f.data = append([]byte{}, x.load(s.rank, n.Ref)...)
			x.complete(s)
		}
		x.flying = append(x.flying, f)
		return
	case x.lands && n.Kind == Recv:
		x.awaited[s] = true
		if x.flagged[s] {
			x.complete(s)
		}
		return
	}
	switch n.Kind {
	case Send:
		f := flight{from: s.rank, to: p.Peer(n.Peer), channel: n.Channel}
		m := message{step: s}
		if late := x.rng.IntN(100) < x.sync; !late {
			m.data = append([]byte{}, x.load(s.rank, n.Ref)...)
		}
		q := x.queue(f)
		q.sends = append(q.sends, m)
		x.match(f, q)
		x.messages++
		x.bytes += p.Bytes(n.Ref)
		if m.data != nil {
			x.complete(s)
		}
	case Recv:
		f := flight{from: p.Peer(n.Peer), to: s.rank, channel: n.Channel}
		q := x.queue(f)
		q.recvs = append(q.recvs, s)
		x.match(f, q)
	case Copy:
		x.store(s.rank, n.Ref, x.load(s.rank, n.From))
		x.complete(s)
	case Combine, Precede:
		a, b := x.load(s.rank, n.Ref), x.load(s.rank, n.From)
		if n.Kind == Precede {
			a, b = b, a
		}
		dst := make([]byte, len(a))
		x.op(dst, a, b)
		x.store(s.rank, n.Ref, dst)
		x.complete(s)
	case Hardware:
		if mine := x.load(s.rank, n.From); n.From.N != 0 && x.carries == nil {
			x.carries = append([]byte{}, mine...)
		} else if n.From.N != 0 {
			x.op(x.carries, bytes.Clone(x.carries), mine)
		}
		x.carried = append(x.carried, s)
		if len(x.carried) < int(n.Count) {
			return
		}
		for _, m := range x.carried {
			if n := &x.places[m.rank].Schedule.Nodes[m.node]; n.Ref.N != 0 {
				x.store(m.rank, n.Ref, x.carries)
			}
			x.complete(m)
		}
		x.carried = nil
	case Mark:
		x.marks++
		x.complete(s)
		waits := x.meets
		x.meets = nil
		for _, m := range waits {
			x.post(m)
		}
	case Meet:
		if n.Count <= x.marks {
			x.complete(s)
		} else {
			x.meets = append(x.meets, s)
		}
	case Load:
		for _, i := range x.rng.Perm(int(n.Count)) {
			from := wrap(p.Peer(n.Peer)+int32(i), p.Schedule.Ranks)
			x.storeOf(s.rank, from, n.Ref, x.loadOf(s.rank, from, n.From))
		}
		x.complete(s)
	case Fold:
		var acc []byte
		for i := range n.Count {
			b := x.loadOf(s.rank, p.Peer(Peer{Root: true, D: i}), n.From)
			if i == 0 {
				acc = bytes.Clone(b)
			} else {
				x.op(acc, bytes.Clone(acc), b)
			}
		}
		x.store(s.rank, n.Ref, acc)
		x.complete(s)
	}
}

// ends returns a rank's buffers to its caller, which writes to them.
func (x *executor) ends(rank int) {
	for b, buf := range x.bufs[rank] {
		x.final[rank] = append(x.final[rank], bytes.Clone(buf))
		if Buf(b) < temps {
			for i := range buf {
				buf[i] ^= 0x5a
			}
		}
	}
}

func (x *executor) land(f flying) {
	data := f.data
	if late := data == nil; late {
		data = x.load(f.rank, x.places[f.rank].Schedule.Nodes[f.node].Ref)
		defer x.complete(f.step)
	}
	x.store(f.to.rank, x.places[f.to.rank].Schedule.Nodes[f.to.node].Ref, data)
	x.flagged[f.to] = true
	if x.awaited[f.to] {
		x.complete(f.to)
	}
}

func (x *executor) queue(f flight) *queue {
	q := x.flights[f]
	if q == nil {
		q = &queue{}
		x.flights[f] = q
	}
	return q
}

// match records that a message and its receive are both posted.
func (x *executor) match(f flight, q *queue) {
	if len(q.sends) > 0 && len(q.recvs) > 0 {
		for _, m := range x.moved {
			if m == f {
				return
			}
		}
		x.moved = append(x.moved, f)
	}
}

func (x *executor) move(f flight) {
	q := x.flights[f]
	m, r := q.sends[0], q.recvs[0]
	q.sends, q.recvs = q.sends[1:], q.recvs[1:]
	data := m.data
	if late := data == nil; late {
		data = x.load(f.from, x.places[f.from].Schedule.Nodes[m.node].Ref)
		defer x.complete(m.step)
	}
	x.store(f.to, x.places[f.to].Schedule.Nodes[r.node].Ref, data)
	x.complete(r)
	x.match(f, q)
}

func (x *executor) complete(s step) {
	x.open--
	if x.nodes[s.rank]--; x.nodes[s.rank] == 0 {
		x.ends(int(s.rank))
	}
	for _, i := range x.places[s.rank].Schedule.Next(int(s.node)) {
		if x.depsLeft[s.rank][i]--; x.depsLeft[s.rank][i] == 0 {
			x.ready = append(x.ready, step{s.rank, i})
		}
	}
}

func (x *executor) load(rank int32, r Ref) []byte { return x.loadOf(rank, rank, r) }

// loadOf returns the bytes that a rank loads from a peer.
func (x *executor) loadOf(rank, peer int32, r Ref) []byte {
	b := x.bufs[peer][r.Buf]
	var data []byte
	at := x.places[peer].Rel
	x.places[rank].runs(r, at, at, func(off, n int64) {
		if off < 0 || off+n > int64(len(b)) {
			x.fail(rank, "reads bytes %d to %d of the %d in buffer %d", off, off+n, len(b), r.Buf)
			return
		}
		data = append(data, b[off:off+n]...)
	})
	return data
}

func (x *executor) store(rank int32, r Ref, data []byte) { x.storeOf(rank, rank, r, data) }

// storeOf stores bytes into a peer's buffer.
func (x *executor) storeOf(rank, peer int32, r Ref, data []byte) {
	b := x.bufs[rank][r.Buf]
	at := int64(0)
	x.places[rank].runs(r, x.places[rank].Rel, x.places[peer].Rel, func(off, n int64) {
		if off < 0 || off+n > int64(len(b)) || at+n > int64(len(data)) {
			x.fail(rank, "writes bytes %d to %d of the %d in buffer %d, from %d given", off, off+n, len(b), r.Buf, len(data))
			return
		}
		copy(b[off:off+n], data[at:at+n])
		at += n
	})
	if at != int64(len(data)) {
		x.fail(rank, "is given %d bytes for %d", len(data), at)
	}
}

func (x *executor) fail(rank int32, format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf("rank %d %s", rank, fmt.Sprintf(format, args...))
	}
}
