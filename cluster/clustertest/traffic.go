package clustertest

import (
	"slices"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
)

// payload returns the data of a message, a put or an RPC.
func (w *player) payload(number, size int) cluster.Buf[byte] {
	b := w.buffer(size)
	copy(b.Slice(), payload(number, size))
	return b
}

// buffer returns the memory that a receive or a get fills.
func (w *player) buffer(size int) cluster.Buf[byte] { return cluster.Make[byte](w.x.Store, size) }

// number is a rank's number in a team.
func (w *player) number(team, rank int) int { return slices.Index(w.x.teams[team].members, rank) }

// using posts transfers by some means.
func (w *player) using(m cluster.Means, body func() error) { w.ok(w.Using(m, body)) }

// lock takes a lock between calls. A fabric that runs one thread at a time must continue the holder
// meanwhile.
func (w *player) lock(mu *sync.Mutex) {
	for !mu.TryLock() {
		w.Progress()
	}
}

func (w *player) send(c *call) {
	m := &w.x.msgs[c.index]
	team := w.teams[m.team]
	to := w.number(m.team, m.dst.rank)
	b := w.payload(c.index, m.size)
	if m.stream == sharedInOrder {
		w.lock(&w.sending)
		defer w.sending.Unlock()
		w.sent++
		w.x.stamps[c.index] = w.sent
	}
	w.using(cluster.Means{Own: m.from}, func() error {
		switch {
		case c.verb == vSend && m.sync:
			return w.Ssend(team, to, m.tag, b.Data())
		case c.verb == vSend:
			return w.Send(team, to, m.tag, b.Data())
		case m.sync:
			return w.Issend(&w.reqs[c.req], team, to, m.tag, b.Data())
		}
		return w.Isend(&w.reqs[c.req], team, to, m.tag, b.Data())
	})
}

// expect notes a receive. In an open stream any message may come.
func (w *player) expect(index int) (m *message, from int, g *received) {
	m = &w.x.msgs[index]
	from, size := w.number(m.team, m.src.rank), m.size
	if m.stream.open() {
		size = w.x.maxOpenSize
		if m.stream != sharedSource {
			from = cluster.AnySource
		}
	}
	g = &received{index: index, buf: w.buffer(size)}
	w.got[w.thread] = append(w.got[w.thread], g)
	return m, from, g
}

func (w *player) receive(c *call) {
	m, from, g := w.expect(c.index)
	team := w.teams[m.team]
	if c.verb != vRecv {
		w.done[c.req] = completion{func(st cluster.Status) { g.st = st }, true}
	}
	if m.stream == sharedInOrder {
		w.lock(&w.posting)
		defer w.posting.Unlock()
		w.posted++
		g.post = w.posted
	}
	w.using(cluster.Means{Own: m.into}, func() error {
		switch {
		case c.verb == vRecv:
			return w.receiveNow(m, team, from, g)
		case c.verb == vImprobe:
			msg, found, err := w.Improbe(team, from, m.recvTag)
			if w.ok(err); found {
				w.done[c.req] = completion{}
				g.st, err = w.Mrecv(msg, g.buf.Data())
				return err
			}
		}
		return w.Irecv(&w.reqs[c.req], team, from, m.recvTag, g.buf.Data())
	})
}

// receiveNow receives a message in a blocking way.
func (w *player) receiveNow(m *message, team *cluster.Team, from int, g *received) (err error) {
	var probed cluster.Status
	var msg cluster.Message
	switch m.how {
	case plainly, afterProbe, afterIprobe:
		for found := m.how != afterIprobe; !found; {
			probed, found, err = w.Iprobe(team, from, m.recvTag)
			w.ok(err)
		}
		if m.how == afterProbe {
			probed = w.status(w.Probe(team, from, m.recvTag))
		}
		g.st, err = w.Recv(team, from, m.recvTag, g.buf.Data())
		if err != nil || m.how == plainly {
			return err
		}
	default:
		for found := false; !found; {
			if m.how == afterImprobe {
				msg, found, err = w.Improbe(team, from, m.recvTag)
			} else {
				msg, err = w.Mprobe(team, from, m.recvTag)
				found = true
			}
			w.ok(err)
		}
		probed = msg.Status
		if m.how == matchedLater {
			var q cluster.Request
			w.ok(w.Imrecv(&q, msg, g.buf.Data()))
			g.st = w.status(w.Wait(&q))
		} else {
			g.st = w.status(w.Mrecv(msg, g.buf.Data()))
		}
	}
	w.check(probed.Source == g.st.Source && probed.Tag == g.st.Tag && probed.Bytes == g.st.Bytes,
		"probed %+v, received %+v", probed, g.st)
	return nil
}

func (w *player) sendrecv(c *call) {
	out := &w.x.msgs[c.index]
	in, from, g := w.expect(c.n)
	g.st = w.status(w.Sendrecv(w.teams[out.team], w.number(out.team, out.dst.rank), out.tag,
		w.payload(c.index, out.size).Data(), from, in.recvTag, g.buf.Data()))
}

// hand leaves a receive to another thread of the rank. adopt completes the receives that were left.
func (w *player) hand(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := w.got[w.thread][slices.IndexFunc(w.got[w.thread], func(g *received) bool { return g.index == c.index })]
	w.handed = append(w.handed, handed{&w.reqs[c.req], g})
}

func (w *player) adopt() {
	for {
		w.mu.Lock()
		n := len(w.handed) - 1
		if n < 0 {
			w.mu.Unlock()
			return
		}
		h := w.handed[n]
		w.handed = w.handed[:n]
		w.mu.Unlock()
		h.g.st = w.status(w.Wait(h.q))
	}
}

// cancel cancels receives that nothing is sent to.
func (w *player) cancel(c *call) {
	qs := make([]cluster.Request, c.n)
	for i := range qs {
		w.ok(w.Irecv(&qs[i], w.World(), []int{cluster.AnySource, w.World().Rank()}[i%2], cancelTag, cluster.Data{}))
	}
	for i := range qs {
		taken, err := w.Cancel(&qs[(i+c.style)%c.n])
		w.ok(err)
		w.check(taken, "a receive that nothing is sent to was not cancelled")
	}
	for i := range qs {
		w.check(w.status(w.Wait(&qs[i])).Cancelled, "the status of a cancelled receive does not say so")
	}
}

func (w *player) move(c *call) {
	x := &w.x.moves[c.index]
	if x.get {
		w.using(x.means, func() error { return w.get(c, x) })
		return
	}
	b := w.payload(moveNumbers+c.index, x.size)
	var source *cluster.Request
	if c.src >= 0 {
		source = &w.reqs[c.src]
		w.done[c.src].with = func(cluster.Status) { clear(b.Slice()) }
	}
	w.using(x.means, func() error { return w.put(c, x, source, b) })
	switch {
	case x.rpc >= 0:
		w.done[c.req] = completion{func(st cluster.Status) {
			same(w.proc, "word of a put with RPC", st.Word, rpcWord(x.rpc))
		}, true}
	case x.how == blocking, x.shape == strided: // the buffer is the program's again
		clear(b.Slice())
	}
}

func (w *player) put(c *call, x *move, source *cluster.Request, b cluster.Buf[byte]) error {
	var op *cluster.Request
	if x.how >= nonblocking {
		op = &w.reqs[c.req]
	}
	off := int64(0)
	flag := int64(8 * x.flag)
	how := cluster.SigSet
	if x.add {
		how = cluster.SigAdd
	}
	if x.shape == contiguous {
		off = x.spans[0].Off
	}
	switch {
	case x.rpc >= 0:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, off), Data: b.Data(),
			Call: cluster.Call{Fn: w.fn, Arg: int32(x.rpc)}}, op, source)
	case x.flag >= 0 && x.how == nonblocking:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, off), Data: b.Data(),
			Signal: cluster.Signal{Op: how, Off: flag, Value: x.value}}, op, source)
	case x.flag >= 0:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, off), Data: b.Data(),
			Signal: cluster.Signal{Op: how, Off: flag, Value: x.value}, Until: cluster.Source}, nil, nil)
	case x.shape == contiguous && x.how == nonblocking:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, off), Data: b.Data()}, op, source)
	case x.shape == contiguous && x.how == implicit:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, off), Data: b.Data(), Until: cluster.Later}, nil, nil)
	case x.shape == contiguous:
		return w.Put(cluster.At(x.to, off), b.Data())
	case x.shape == indexed && x.how == nonblocking:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, 0), Data: b.Data(), Spans: x.spans}, op, source)
	case x.shape == indexed:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, 0), Data: b.Data(), Spans: x.spans}, nil, nil)
	case x.how == train:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, 0), Data: b.Data(), Shape: x.blocks, Train: true}, op, source)
	case x.how == nonblocking:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, 0), Data: b.Data(), Shape: x.blocks}, op, source)
	case x.how == implicit:
		return w.PutWith(&cluster.Put{To: cluster.At(x.to, 0), Data: b.Data(), Shape: x.blocks, Until: cluster.Later}, nil,
			nil)
	}
	return w.PutWith(&cluster.Put{To: cluster.At(x.to, 0), Data: b.Data(), Shape: x.blocks}, nil, nil)
}

func (w *player) get(c *call, x *move) (err error) {
	b := w.buffer(x.size)
	check := func() {
		want := make([]byte, x.size)
		for _, p := range x.pieces() {
			copy(want[p.near:][:p.n], w.x.image[x.to][p.far:])
		}
		w.matches("get", b.Slice(), want)
	}
	if x.how == nonblocking {
		w.done[c.req].with = func(cluster.Status) { check() }
	}
	switch {
	case x.shape == contiguous && x.how == nonblocking:
		return w.GetWith(&cluster.Get{From: cluster.At(x.to, x.spans[0].Off), Data: b.Data()}, &w.reqs[c.req])
	case x.shape == indexed && x.how == nonblocking:
		return w.GetWith(&cluster.Get{From: cluster.At(x.to, 0), Data: b.Data(), Spans: x.spans}, &w.reqs[c.req])
	case x.how == implicit:
		w.quiet = append(w.quiet, check)
		return w.GetWith(&cluster.Get{From: cluster.At(x.to, x.spans[0].Off), Data: b.Data(), Until: cluster.Later}, nil)
	case x.shape == contiguous:
		err = w.Get(cluster.At(x.to, x.spans[0].Off), b.Data())
	case x.shape == indexed:
		err = w.GetWith(&cluster.Get{From: cluster.At(x.to, 0), Data: b.Data(), Spans: x.spans}, nil)
	default:
		err = w.GetWith(&cluster.Get{From: cluster.At(x.to, 0), Data: b.Data(), Shape: x.blocks}, nil)
	}
	w.ok(err)
	check()
	return nil
}

// arrived checks the bytes of a put where they are.
func (w *player) arrived(x *move) {
	for _, p := range x.pieces() {
		w.matches("put", w.Segment()[p.far:][:p.n], w.x.image[w.ID()][p.far:][:p.n])
	}
}

func (w *player) atomic(x *atomicCall) {
	got, err := x.want, error(nil)
	switch off := int64(8 * x.word); x.op {
	case addWord:
		_, err = w.Atomic(cluster.At(x.to, off), cluster.AtomicAdd, x.value)
	case fetchAdd:
		got, err = w.Atomic(cluster.At(x.to, off), cluster.AtomicAdd, x.value)
	case storeWord:
		_, err = w.Atomic(cluster.At(x.to, off), cluster.AtomicStore, x.value)
	case loadWord:
		got, err = w.Atomic(cluster.At(x.to, off), cluster.AtomicLoad, 0)
	case swapWord:
		got, err = w.Atomic(cluster.At(x.to, off), cluster.AtomicSwap, x.value)
	case compareSwap:
		got, err = w.CompareSwap(cluster.At(x.to, off), x.old, x.value)
	case putWord:
		w.PutUint64(x.to, x.word, x.value)
	case getWord:
		got = w.GetUint64(x.to, x.word)
	}
	w.ok(err)
	if !x.shared {
		same(w.proc, "word of an atomic", got, x.want)
	}
}

// rpcWord is the result of an RPC.
func rpcWord(index int) uint64 { return uint64(index)*3 + 1 }

// serve is the body of all RPCs.
func (w *player) serve(c cluster.RPC) uint64 {
	w.calls++
	x := &w.x.rpcs[c.Arg]
	if x.event >= 0 {
		cluster.FireOn(c.Poster, w.events[x.event].Handle())
	}
	if x.move >= 0 {
		w.arrived(&w.x.moves[x.move])
	} else {
		w.matches("data of an RPC", c.Data, payload(rpcNumbers+int(c.Arg), x.size))
	}
	return rpcWord(int(c.Arg))
}

func (w *player) rpc(c *call) {
	x := &w.x.rpcs[c.index]
	b := w.payload(rpcNumbers+c.index, x.size)
	if c.req < 0 {
		same(w.proc, "word of an RPC", w.word(w.RPC(x.to, w.fn, int32(c.index), b.Data())), rpcWord(c.index))
		return
	}
	w.ok(w.Irpc(&w.reqs[c.req], x.to, w.fn, int32(c.index), b.Data()))
	w.done[c.req] = completion{func(st cluster.Status) { same(w.proc, "word of an RPC", st.Word, rpcWord(c.index)) }, true}
}

func (w *player) waitEvent(c *call) {
	e := w.events[c.index]
	if c.style == 0 {
		w.ok(only(w.Wait(&e.Request)))
		return
	}
	for happened := false; !happened; {
		var err error
		_, happened, err = w.Test(&e.Request)
		w.ok(err)
	}
}

func (w *player) compute(c *call) {
	if c.style == 3 {
		before := w.Now()
		w.Progress()
		w.check(w.Now() >= before, "the clock went back from %v", before)
		return
	}
	n, ran := float64(c.n), false
	w.Compute([]cluster.Work{{Flops: n}, {Bytes: n}, {Flops: n, Bytes: n}}[c.style], func() { ran = true })
	w.check(ran, "compute did not run its body")
}
