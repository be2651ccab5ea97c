package clustertest

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// history is what one rank saw.
type history []received

// received is a message that a receive took.
type received struct {
	index int // of the message that the receive was made for
	st    cluster.Status
	buf   []byte
}

// player is a rank that plays its part of a program.
type player struct {
	*proc
	g     *program
	fn    int
	calls int // RPCs served
	reqs  []cluster.Request
	recvs map[int]int // index in the history, by request
	h     history
	split cluster.Request
}

// play runs a rank's calls and gives its history.
func (g *program) play(p *proc) history {
	w := &player{proc: p, g: g, recvs: map[int]int{}}
	for _, c := range g.calls[p.ID()] {
		if c.verb == vIsend || c.verb == vIrecv {
			w.reqs = append(w.reqs, cluster.Request{})
		}
	}
	w.fn = p.register(func(c cluster.RPC) uint64 { w.calls++; return uint64(c.Arg) + 1 })
	for _, c := range g.calls[p.ID()] {
		w.call(c)
	}
	p.ok(p.Barrier(p.All()))
	same(p, "RPCs served", w.calls, g.served[p.ID()])
	for i, sum := range g.sums {
		if p.ID() == 0 {
			same(p, "counter", p.GetUint64(0, i), uint64(sum))
		}
	}
	return w.h
}

// team is where the messages of a stream travel.
func (w *player) team(s stream) *cluster.Team {
	switch s {
	case fifo:
		return w.All()
	case anything:
		return w.Group()
	}
	return w.World()
}

// receive prepares a receive: its buffer, source and place in the history. In an
// open stream any message may come.
func (w *player) receive(index int) (buf []byte, from, place int) {
	m := &w.g.msgs[index]
	from, size := m.src, m.size
	if m.stream.open() {
		from, size = cluster.AnySource, w.g.longest()
	}
	buf = make([]byte, size)
	w.h = append(w.h, received{index: index, buf: buf})
	return buf, from, len(w.h) - 1
}

func (w *player) call(c call) {
	switch c.verb {
	case vSend, vIsend:
		w.sends(c)
	case vRecv:
		w.receives(c)
	case vIrecv:
		m := &w.g.msgs[c.index]
		buf, from, place := w.receive(c.index)
		w.recvs[c.req] = place
		w.ok(w.Irecv(&w.reqs[c.req], w.team(m.stream), from, m.recvTag, cluster.Of(buf)))
	case vWait, vWaitall:
		w.waits(c)
	case vPut, vPutSignal, vAwait, vCheck:
		w.transfers(c)
	case vAdd:
		_, err := w.Atomic(cluster.At(0, int64(8*c.index)), cluster.AtomicAdd, uint64(c.n))
		w.ok(err)
	case vRPC:
		word, err := uint64(0), error(nil)
		if c.style == 0 {
			word, err = w.RPC(c.index, w.fn, 41, cluster.Data{})
		} else {
			var q cluster.Request
			var st cluster.Status
			w.ok(w.Irpc(&q, c.index, w.fn, 41, cluster.Of([]byte("data"))))
			st, err = w.Wait(&q)
			word = st.Word
		}
		w.ok(err)
		same(w.proc, "word of an RPC", word, 42)
	case vCompute:
		ran := false
		w.Compute(cluster.Work{Flops: 100}, func() { ran = true })
		w.check(ran, "compute did not run its body")
	case vBarrier:
		w.ok(w.Quiet())
		w.ok(w.Barrier(w.All()))
	case vNotify:
		w.ok(w.Quiet())
		w.ok(w.Notify(&w.split, w.All()))
	case vOpen:
		_, err := w.Wait(&w.split)
		w.ok(err)
	}
}

func (w *player) sends(c call) {
	m := &w.g.msgs[c.index]
	team, b := w.team(m.stream), data(m.size, c.index)
	switch {
	case c.verb == vSend && m.sync:
		w.ok(w.Ssend(team, m.dst, m.tag, cluster.Of(b)))
	case c.verb == vSend:
		w.ok(w.Send(team, m.dst, m.tag, cluster.Of(b)))
	case m.sync:
		w.ok(w.Issend(&w.reqs[c.req], team, m.dst, m.tag, cluster.Of(b)))
	default:
		w.ok(w.Isend(&w.reqs[c.req], team, m.dst, m.tag, cluster.Of(b)))
	}
}

func (w *player) receives(c call) {
	m := &w.g.msgs[c.index]
	team := w.team(m.stream)
	buf, from, place := w.receive(c.index)
	var st, probed cluster.Status
	var err error
	switch m.how {
	case plainly:
		st, err = w.Recv(team, from, m.recvTag, cluster.Of(buf))
		probed = st
	case afterProbe:
		probed, err = w.Probe(team, from, m.recvTag)
		w.ok(err)
		st, err = w.Recv(team, from, m.recvTag, cluster.Of(buf))
	case afterIprobe:
		for found := false; !found; {
			probed, found, err = w.Iprobe(team, from, m.recvTag)
			w.ok(err)
		}
		st, err = w.Recv(team, from, m.recvTag, cluster.Of(buf))
	case matched:
		msg, e := w.Mprobe(team, from, m.recvTag)
		w.ok(e)
		probed = msg.Status
		st, err = w.Mrecv(msg, cluster.Of(buf))
	}
	w.ok(err)
	w.check(probed.Source == st.Source && probed.Tag == st.Tag && probed.Bytes == st.Bytes, "probed %+v, received %+v", probed, st)
	w.h[place].st = st
}

// waits completes n requests from the first on.
func (w *player) waits(c call) {
	qs := w.reqs[c.req:][:c.n]
	done := func(i int, st cluster.Status) {
		if place, ok := w.recvs[c.req+i]; ok {
			w.h[place].st = st
		}
	}
	switch {
	case c.verb == vWait && c.style == 0:
		st, err := w.Wait(&qs[0])
		w.ok(err)
		done(0, st)
	case c.style == 0:
		sts := make([]cluster.Status, c.n)
		w.ok(w.Waitall(qs, sts))
		for i, st := range sts {
			done(i, st)
		}
	case c.style == 2:
		for range qs {
			i, st, err := w.Waitany(qs)
			w.ok(err)
			done(i, st)
		}
	case c.style == 3: // backwards
		for i := range qs {
			i = len(qs) - 1 - i
			st, err := w.Wait(&qs[i])
			w.ok(err)
			done(i, st)
		}
	default:
		for left := len(qs); left > 0; {
			for i := range qs {
				if !qs[i].Active() {
					continue
				}
				st, ok, err := w.Test(&qs[i])
				w.ok(err)
				if ok {
					done(i, st)
					left--
				}
			}
		}
	}
}

func (w *player) transfers(c call) {
	if c.verb == vCheck {
		for i, x := range w.g.puts[:c.n] {
			if x.to == w.ID() {
				w.holds("put into the segment", w.Segment()[x.off:][:x.size], i)
			} else if x.from == w.ID() {
				b := make([]byte, x.size)
				w.ok(w.Get(cluster.At(x.to, x.off), cluster.Of(b)))
				w.holds("get of what was put", b, i)
			}
		}
		return
	}
	x := &w.g.puts[c.index]
	if c.verb == vAwait {
		_, err := w.Await(x.flag, cluster.CmpEqual, uint64(c.index+1))
		w.ok(err)
		w.holds("put that signalled", w.Segment()[x.off:][:x.size], c.index)
		return
	}
	b := data(x.size, c.index)
	var op, source cluster.Request
	switch {
	case c.verb == vPut && c.style == 0:
		w.ok(w.Put(cluster.At(x.to, x.off), cluster.Of(b)))
		return
	case c.verb == vPut && c.style == 1:
		w.ok(w.PutWith(&cluster.Put{To: cluster.At(x.to, x.off), Data: cluster.Of(b), Until: cluster.Later}, nil, nil))
		return
	case c.verb == vPutSignal && c.style == 0:
		w.ok(w.PutWith(&cluster.Put{To: cluster.At(x.to, x.off), Data: cluster.Of(b), Signal: cluster.Signal{Op: cluster.SigSet, Off: x.flag, Value: uint64(c.index + 1)}, Until: cluster.Source}, nil, nil))
		return
	case c.verb == vPut:
		w.ok(w.PutWith(&cluster.Put{To: cluster.At(x.to, x.off), Data: cluster.Of(b)}, &op, &source))
	default:
		w.ok(w.PutWith(&cluster.Put{To: cluster.At(x.to, x.off), Data: cluster.Of(b), Signal: cluster.Signal{Op: cluster.SigSet, Off: x.flag, Value: uint64(c.index + 1)}}, &op, &source))
	}
	_, err := w.Wait(&source)
	w.ok(err)
	clear(b)
	_, err = w.Wait(&op)
	w.ok(err)
}
