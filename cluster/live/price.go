package live

import (
	"cmp"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// price has the costs of a locality class on the wire, in wall ns. They are the costs that a
// simulation charges.
type price struct {
	l, o, gap    int64
	handshakeGap int64
	adapter      perByte // of an adapter, or of the core that moves bytes inside a node
	inject       perByte // of a thread that injects; 0: not limited
	receive      perByte // of a thread that receives a rendezvous; 0: free
	copy         perByte // of a thread's copy of an eager message; 0: free
	access       int64   // of a load or store; 0: no loads and stores
	accessByte   perByte // beyond a cache line
	inline       int64   // longest inline message; -1: none
	inlineL      int64
	inlineO      int64
	inlineGap    int64
	pull         perByte // of the receiver's copy of a rendezvous
	pulls        bool    // the receiver copies
	cached       int64   // maximum bytes in the sender's cache
	uncached     perByte // pull beyond them
}

// perByte is wall ns per byte.
type perByte float64

func (p perByte) time(n int64) int64 {
	if p == 0 || n <= 0 {
		return 0
	}
	return int64(math.Round(float64(p) * float64(n)))
}

// perByte converts a rate in bytes per second; 0: free.
func (x *wire) perByte(rate float64) perByte {
	if !(rate > 0) {
		return 0
	}
	return perByte(x.dilation * 1e9 / rate)
}

// sameSocket is an additional locality class: in one socket of a node.
const sameSocket cluster.Class = cluster.Classes

// setPrices sets the prices of all classes.
func (x *wire) setPrices(m *cluster.Machine) {
	for c := range cluster.Classes {
		x.prices[c] = x.priceOf(&m.Classes[c])
	}
	r := &x.prices[cluster.Remote]
	r.copy, r.pulls, r.inline = x.perByte(m.CopyRate), false, -1
	if gap := m.Classes[cluster.Remote].HandshakeGap; gap > 0 {
		r.handshakeGap = x.wallTime(gap)
	}
	if m.Sockets > 1 && m.Socket != (cluster.Link{}) {
		l := m.InSocket()
		x.prices[sameSocket] = x.priceOf(&l)
	}
}

func (x *wire) priceOf(l *cluster.Link) price {
	p := price{l: x.wallTime(l.Latency), o: x.wallTime(l.Overhead), gap: x.wallTime(l.Gap), adapter: x.perByte(l.Bandwidth),
		inject: x.perByte(l.ThreadRate), receive: x.perByte(l.ReceiveRate), copy: x.perByte(l.EagerCopy),
		access: x.wallTime(l.Access), accessByte: x.perByte(cmp.Or(l.AccessRate, l.Bandwidth)), inline: -1,
		pull: x.perByte(l.SingleCopy), pulls: l.SingleCopy > 0}
	p.handshakeGap = p.gap
	p.cached, p.uncached = math.MaxInt64, p.pull
	if l.Inline.Limit > 0 {
		p.inline = l.Inline.Limit
		p.inlineL, p.inlineO = x.wallTime(l.Inline.Latency), x.wallTime(l.Inline.Overhead)
		p.inlineGap = x.wallTime(cmp.Or(l.Inline.Gap, l.Gap))
	}
	if l.Uncached.Limit > 0 {
		p.cached, p.uncached = l.Uncached.Limit, x.perByte(l.Uncached.Copy)
	}
	if l.Adapters == 1 && l.ThreadRate >= l.Bandwidth && l.ReceiveRate == 0 {
		p.inject = 0 // the adapter is not faster
	}
	return p
}

// overhead returns the CPU time of an eager message of n bytes at each end, without copies.
func (p *price) overhead(n int64) int64 {
	if n <= p.inline {
		return p.inlineO
	}
	return p.o
}

// copies returns the time of a thread's copy of an eager message.
func (p *price) copies(n int64) int64 {
	if n <= p.inline {
		return 0
	}
	return p.copy.time(n)
}

func (p *price) latency(n int64) int64 {
	if n <= p.inline {
		return p.inlineL
	}
	return p.l
}

// movedByThreads reports whether the threads at both ends move the bytes of an eager message.
func (p *price) movedByThreads(n int64) bool { return n <= p.inline || p.copy > 0 }

// loads returns the time of loads or stores of n bytes.
func (p *price) loads(times, n int64) int64 {
	return times * (p.access + p.accessByte.time(n-cluster.AccessLine))
}

// handling returns the CPU time of answering an RTS or a CTS. An adapter that progresses by itself
// answers for free.
func (x *wire) handling(p *price) int64 {
	if x.w.spec.Machine.Progress == cluster.ProgressOffload {
		return 0
	}
	return p.o
}

// charge implements transport: the receiver pays for a message that it receives into slot s, or at
// once (nil).
func (x *wire) charge(e *engine, s *slot, p *parcel) {
	way := x.price(p, p.src, p.dst)
	device := s != nil && s.toDevice
	fee := way.o
	stored := s != nil && x.w.spec.Machine.Progress == cluster.ProgressOffload && x.classOf(p, p.src, p.dst) == cluster.Remote
	if p.kind == parcelEager && !device && !stored && way.movedByThreads(p.size) {
		fee = way.overhead(p.size) + way.copies(p.size)
	}
	switch {
	case s == nil:
		e.cpu.at += fee
	case s.detached || device || e.inRegion || e.away.Load(): // its thread pays later
		s.at, s.fee = p.at, fee
	default:
		e.cpu.at += fee
	}
}

// bodyTime implements transport: the receiver's CPU time before the body of an RPC.
func (x *wire) bodyTime(p *parcel) int64 {
	return x.handling(x.price(p, p.src, p.dst)) + x.wallTime(x.w.spec.Machine.HandlerTime)
}

// price returns the costs of a parcel's transfer.
func (x *wire) price(p *parcel, from, to int32) *price { return &x.prices[x.classOf(p, from, to)] }

// pay charges the sender of a parcel with n bytes of data.
func (x *wire) pay(e *engine, p *parcel, n int64) {
	way := x.price(p, p.src, p.dst)
	switch p.kind {
	case parcelEager:
		e.cpu.at += way.overhead(n)
		if !p.fromDevice {
			e.cpu.at += way.copies(n)
		}
	case parcelCTS, parcelData:
		e.cpu.at += x.handling(way)
	default:
		e.cpu.at += way.o
	}
}
