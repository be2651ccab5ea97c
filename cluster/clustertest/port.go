package clustertest

import (
	"bytes"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var portCases = []testCase{
	{"size-only messages have sizes without bytes, and are truncated like others", onRanks(2, sizeOnlyMessages)},
	{"a size-only message leaves a buffer as it is, and bytes fit a size-only receive",
		forSizes(2, sizesMeetBytes, 8, eager, eager+1)},
	{"size-only puts and gets move nothing and stay in the segment", onRanks(2, sizeOnlyTransfers)},
	{"spans of the target are packed in the buffer", onRanks(2, spansArePacked)},
	{"handle 0 counts as complete in a wait", onRanks(2, handleZeroIsComplete)},
	{"a freed handle is refused, also when another operation has its slot", freedHandleIsRefused},
	{"an operation is not complete because its slot's last operation is", onRanks(1, slotsStartIncomplete)},
	{"an Op may be used again as soon as Post returns", onRanks(2, opsAreReusable)},
}

func sizeOnlyMessages(p *proc) {
	huge := int64(1) << 40
	if p.suite.machine.Emulated {
		huge = 1 << 16 // its bytes take time, if no memory
	}
	for _, c := range []struct {
		size, capacity int64
		code           cluster.Code
	}{
		{0, 0, cluster.OK}, {8, 8, cluster.OK}, {eager, eager, cluster.OK}, {eager + 1, eager + 1, cluster.OK},
		{huge, huge, cluster.OK},
		{100, 99, cluster.Truncated}, {5000, 99, cluster.Truncated},
	} {
		if p.ID() == 0 {
			p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 1, Size: c.size})
			p.finish(&cluster.Op{Kind: cluster.KindSsend, Ctx: stepCtx, Peer: 1, Tag: 2, Size: c.size})
			continue
		}
		d := p.finish(&cluster.Op{Kind: cluster.KindProbe, Ctx: stepCtx, Peer: 0, Tag: 1})
		p.check(d.Size == c.size, "probe of %d B: %+v", c.size, d)
		for tag := int32(1); tag <= 2; tag++ {
			d = p.finish(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: tag, Size: c.capacity})
			p.check(d.Size == c.size && d.Err == c.code && d.Peer == 0 && d.Tag == tag, "%d B into %d: %+v", c.size,
				c.capacity, d)
		}
	}
}

func sizesMeetBytes(p *proc, size int) {
	n := int64(size)
	if p.ID() == 0 {
		p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 1, Size: n})
		p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 2, Buf: data(size, 1)})
		return
	}
	b := data(size, 2)
	d := p.finish(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: b})
	p.check(d.Size == n && d.Err == cluster.OK, "size-only message into bytes: %+v", d)
	p.holds("buffer", b, 2)
	d = p.finish(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 2, Size: n})
	p.check(d.Size == n && d.Err == cluster.OK, "bytes into a size-only receive: %+v", d)
}

func sizeOnlyTransfers(p *proc) {
	peer, size := int32(1-p.ID()), int64(len(p.Segment()))
	for _, kind := range []cluster.Kind{cluster.KindPut, cluster.KindGet} {
		d := p.finish(&cluster.Op{Kind: kind, Peer: peer, Size: size})
		p.check(d.Err == cluster.OK, "size-only %v of the segment: %+v", kind, d)
		d = p.finish(&cluster.Op{Kind: kind, Peer: peer, Size: size + 1})
		p.check(d.Err == cluster.OutOfSegment, "size-only %v beyond the segment: %+v", kind, d)
	}
	p.ok(p.Barrier(p.All()))
	p.check(bytes.Equal(p.Segment(), make([]byte, size)), "a size-only put wrote to the segment")
}

func spansArePacked(p *proc) {
	peer, seg := int32(1-p.ID()), p.Segment()
	spans := []cluster.Span{{Off: 100, Len: 3}, {Off: 7, Len: 1}, {Off: 200, Len: 0}, {Off: 4000, Len: 1500}}
	d := p.finish(&cluster.Op{Kind: cluster.KindPut, Peer: peer, Buf: data(1504, p.ID()), Vec: spans})
	p.check(d.Err == cluster.OK, "put: %+v", d)
	p.ok(p.Barrier(p.All()))
	want, rest := make([]byte, len(seg)), data(1504, int(peer))
	for _, sp := range spans {
		rest = rest[copy(want[sp.Off:][:sp.Len], rest):]
	}
	p.check(bytes.Equal(seg, want), "the spans differ from what was put")
	got := make([]byte, 1504)
	d = p.finish(&cluster.Op{Kind: cluster.KindGet, Peer: peer, Buf: got, Vec: spans})
	p.check(d.Err == cluster.OK, "get: %+v", d)
	p.holds("get", got, p.ID())
	p.ok(p.Barrier(p.All()))
	for _, kind := range []cluster.Kind{cluster.KindPut, cluster.KindGet} {
		beyond := []cluster.Span{{Off: 0, Len: 8}, {Off: int64(len(seg)) - 4, Len: 8}}
		d = p.finish(&cluster.Op{Kind: kind, Peer: peer, Buf: make([]byte, 16), Vec: beyond})
		p.check(d.Err == cluster.OutOfSegment, "%v of a span beyond the segment: %+v", kind, d)
	}
}

func handleZeroIsComplete(p *proc) {
	port := p.Lib().Port()
	if p.ID() == 1 {
		p.finish(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 9})
		p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: data(8, 1)})
		return
	}
	h := port.Post(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 1, Tag: 1, Buf: make([]byte, 8)})
	port.Wait([]cluster.Handle{h, 0, 0}, 2) // would hang if it did not
	port.Wait([]cluster.Handle{h}, 0)
	port.Wait(nil, 0)
	p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 9})
	port.Wait([]cluster.Handle{0, h, 0}, 3)
	port.Wait([]cluster.Handle{h}, 1) // complete, and valid until Test
	var d cluster.Done
	ok := port.Test(h, &d)
	p.check(ok && d.Size == 8, "after Wait: %+v %v", d, ok)
}

// selfReceive receives a message of the rank itself and returns the handle. It checks
// that the receive is complete only after the message is sent.
func (p *proc) selfReceive() cluster.Handle {
	h := p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: make([]byte, 8)})
	var d cluster.Done
	ok := p.Lib().Port().Test(h, &d)
	p.check(!ok, "a receive is complete before its message was sent: %+v", d)
	p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: data(8, 1)})
	p.Lib().Port().Wait([]cluster.Handle{h}, 1)
	return h
}

func freedHandleIsRefused(s *suite, t *testing.T) {
	a := s.aborts(t, s.spec(1), cluster.ReasonPanic, func(p *proc) {
		stale := p.selfReceive()
		p.check(p.Lib().Test(stale), "a receive is not complete after its wait")
		p.selfReceive()
		var d cluster.Done
		ok := p.Lib().Port().Test(stale, &d)
		p.failf("a stale handle returns %+v %v", d, ok)
	})
	if !contains(a, "invalid or freed handle") {
		t.Errorf("error %v, want a panic: invalid or freed handle", a)
	}
}

func slotsStartIncomplete(p *proc) {
	for i := range p.times(20) {
		p.check(p.Lib().Test(p.selfReceive()), "receive %d is not complete after its wait", i)
	}
}

func opsAreReusable(p *proc) {
	n := p.times(100)
	var op cluster.Op
	hs, b := make([]cluster.Handle, n), make([][]byte, n)
	for i := range n {
		b[i] = data(eager+i, i)
		op = cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: int32(i), Buf: b[i]}
		if p.ID() == 1 {
			clear(b[i])
			op.Kind, op.Peer = cluster.KindRecv, 0
		}
		hs[i] = p.Lib().Port().Post(&op)
		op = cluster.Op{Kind: cluster.KindNone, Ctx: -7, Peer: -7, Tag: -7, A: 7}
	}
	p.Lib().Port().Wait(hs, n)
	for i, h := range hs {
		if h != 0 {
			var d cluster.Done
			ok := p.Lib().Port().Test(h, &d)
			p.check(ok && d.Err == cluster.OK, "operation %d: %+v %v", i, d, ok)
		}
		p.holds("message", b[i], i)
	}
}
