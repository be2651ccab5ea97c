package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testPort(t *testing.T) {
	t.Run("phantom payloads carry sizes without bytes", func(t *testing.T) {
		huge := int64(1) << 40
		if s.machine.Emulated {
			huge = 1 << 16 // its bytes take time, if no memory
		}
		for _, size := range []int64{0, 8, eager, eager + 1, huge} {
			s.portsOK(t, 2, func(p cluster.Port) error {
				if p.ID() == 0 {
					finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 1, Size: size})
					finish(p, &cluster.Op{Kind: cluster.KindSsend, Ctx: stepCtx, Peer: 1, Tag: 2, Size: size})
					return nil
				}
				d := finish(p, &cluster.Op{Kind: cluster.KindProbe, Ctx: stepCtx, Peer: 0, Tag: 1})
				if d.Size != size {
					return fmt.Errorf("probe of %d B: %+v", size, d)
				}
				for tag := int32(1); tag <= 2; tag++ {
					d = finish(p, &cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: tag, Size: size})
					if d.Size != size || d.Err != cluster.OK || d.Peer != 0 || d.Tag != tag {
						return fmt.Errorf("receive of %d B: %+v", size, d)
					}
				}
				return nil
			})
		}
	})

	t.Run("a phantom message leaves a real buffer, a real one fits a phantom receive", func(t *testing.T) {
		for _, size := range []int{8, eager, eager + 1} {
			s.portsOK(t, 2, func(p cluster.Port) error {
				if p.ID() == 0 {
					finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 1, Size: int64(size)})
					finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 2, Buf: data(size, 1)})
					return nil
				}
				b := data(size, 2)
				d := finish(p, &cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: b})
				if d.Size != int64(size) || d.Err != cluster.OK || !bytes.Equal(b, data(size, 2)) {
					return fmt.Errorf("phantom into %d B: %+v, buffer changed: %v", size, d, !bytes.Equal(b, data(size, 2)))
				}
				d = finish(p, &cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 2, Size: int64(size)})
				if d.Size != int64(size) || d.Err != cluster.OK {
					return fmt.Errorf("%d B into phantom: %+v", size, d)
				}
				return nil
			})
		}
	})

	t.Run("phantom messages are truncated as real ones", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			for _, size := range []int64{100, 5000} {
				if p.ID() == 0 {
					finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 1, Size: size})
				} else if d := finish(p, &cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 1, Size: 99}); d.Err != cluster.Truncated || d.Size != size {
					return fmt.Errorf("%d B into 99: %+v", size, d)
				}
			}
			return nil
		})
	})

	t.Run("phantom puts and gets move nothing, and are checked", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			peer := int32(1 - p.ID())
			size := int64(len(p.Segment()))
			for _, kind := range []cluster.Kind{cluster.KindPut, cluster.KindGet} {
				if d := finish(p, &cluster.Op{Kind: kind, Peer: peer, Size: size}); d.Err != cluster.OK {
					return fmt.Errorf("phantom %v of the segment: %+v", kind, d)
				}
				if d := finish(p, &cluster.Op{Kind: kind, Peer: peer, Size: size + 1}); d.Err != cluster.OutOfSegment {
					return fmt.Errorf("phantom %v beyond the segment: %+v", kind, d)
				}
			}
			finish(p, &cluster.Op{Kind: cluster.KindBarrier, Ctx: stepCtx})
			if !bytes.Equal(p.Segment(), make([]byte, size)) {
				return fmt.Errorf("a phantom put wrote to rank %d", p.ID())
			}
			return nil
		})
	})

	t.Run("spans of the target are packed in the buffer", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			peer := int32(1 - p.ID())
			spans := []cluster.Span{{Off: 100, Len: 3}, {Off: 7, Len: 1}, {Off: 200, Len: 0}, {Off: 4000, Len: 1500}}
			b := data(1504, p.ID())
			if d := finish(p, &cluster.Op{Kind: cluster.KindPut, Peer: peer, Buf: b, Vec: spans}); d.Err != cluster.OK {
				return fmt.Errorf("put: %+v", d)
			}
			finish(p, &cluster.Op{Kind: cluster.KindBarrier, Ctx: stepCtx})
			want := make([]byte, len(p.Segment()))
			at := int64(0)
			for _, sp := range spans {
				at += int64(copy(want[sp.Off:][:sp.Len], data(1504, int(peer))[at:]))
			}
			if !bytes.Equal(p.Segment(), want) {
				return fmt.Errorf("rank %d: the spans do not hold what was put", p.ID())
			}
			got := make([]byte, 1504)
			if d := finish(p, &cluster.Op{Kind: cluster.KindGet, Peer: peer, Buf: got, Vec: spans}); d.Err != cluster.OK || !bytes.Equal(got, b) {
				return fmt.Errorf("get: %+v, equal %v", d, bytes.Equal(got, b))
			}
			finish(p, &cluster.Op{Kind: cluster.KindBarrier, Ctx: stepCtx})
			for _, kind := range []cluster.Kind{cluster.KindPut, cluster.KindGet} {
				bad := []cluster.Span{{Off: 0, Len: 8}, {Off: int64(len(p.Segment())) - 4, Len: 8}}
				if d := finish(p, &cluster.Op{Kind: kind, Peer: peer, Buf: make([]byte, 16), Vec: bad}); d.Err != cluster.OutOfSegment {
					return fmt.Errorf("%v of a span beyond the segment: %+v", kind, d)
				}
			}
			return nil
		})
	})

	t.Run("handle 0 counts as complete in a wait", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			if p.ID() == 1 {
				finish(p, &cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 9})
				finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: data(8, 1)})
				return nil
			}
			op := cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 1, Tag: 1, Buf: make([]byte, 8)}
			h := p.Post(&op)
			p.Wait([]cluster.Handle{h, 0, 0}, 2) // would hang if it did not
			p.Wait([]cluster.Handle{h}, 0)
			p.Wait(nil, 0)
			finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 9})
			p.Wait([]cluster.Handle{0, h, 0}, 3)
			p.Wait([]cluster.Handle{h}, 1) // complete, and valid until Test
			if d, ok := p.Test(h); !ok || d.Size != 8 {
				return fmt.Errorf("after Wait: %+v %v", d, ok)
			}
			return nil
		})
	})

	t.Run("a handle that was freed is refused, also when another operation has its place", func(t *testing.T) {
		err := s.ports(t, s.spec(1), func(p cluster.Port) error {
			p.Team(stepCtx, []int32{0})
			receive := func() cluster.Handle {
				h := p.Post(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: make([]byte, 8)})
				finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: data(8, 1)})
				p.Wait([]cluster.Handle{h}, 1)
				return h
			}
			stale := receive()
			if _, ok := p.Test(stale); !ok {
				return fmt.Errorf("a receive is not complete after its wait")
			}
			receive()
			d, ok := p.Test(stale)
			return fmt.Errorf("a stale handle gives %+v %v", d, ok)
		})
		var a *cluster.Abort
		if !errors.As(err, &a) || a.Reason != cluster.ReasonPanic || !contains(a, "a handle that was freed") {
			t.Errorf("error %v, want a panic: a handle that was freed", err)
		}
	})

	t.Run("an operation is not complete because one was that had its place", func(t *testing.T) {
		s.portsOK(t, 1, func(p cluster.Port) error {
			for i := range s.times(20) {
				h := p.Post(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: make([]byte, 8)})
				if d, ok := p.Test(h); ok {
					return fmt.Errorf("receive %d is complete before its message was sent: %+v", i, d)
				}
				finish(p, &cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 0, Tag: 1, Buf: data(8, 1)})
				p.Wait([]cluster.Handle{h}, 1)
				if _, ok := p.Test(h); !ok {
					return fmt.Errorf("receive %d is not complete after its wait", i)
				}
			}
			return nil
		})
	})

	t.Run("an op may be used again as soon as Post returns", func(t *testing.T) {
		s.portsOK(t, 2, func(p cluster.Port) error {
			n := s.times(100)
			var op cluster.Op
			hs := make([]cluster.Handle, 0, n)
			b := make([][]byte, n)
			for i := range n {
				op = cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: int32(i), Buf: data(eager+i, i)}
				if p.ID() == 1 {
					b[i] = make([]byte, eager+i)
					op = cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: int32(i), Buf: b[i]}
				}
				hs = append(hs, p.Post(&op))
				op = cluster.Op{Kind: cluster.KindNone, Ctx: -7, Peer: -7, Tag: -7, A: 7}
			}
			p.Wait(hs, n)
			for i, h := range hs {
				if h != 0 {
					if d, ok := p.Test(h); !ok || d.Err != cluster.OK {
						return fmt.Errorf("operation %d: %+v %v", i, d, ok)
					}
				}
				if p.ID() == 1 && !bytes.Equal(b[i], data(eager+i, i)) {
					return fmt.Errorf("message %d is not what was sent", i)
				}
			}
			return nil
		})
	})
}
