package collective

import (
	"encoding/binary"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// unit is the size of an element in bytes.
const unit = 8

// word returns element i of a rank's block in a call. Sums over ranks have a closed form, and a
// misplaced block is noticed.
func word(rank, block, i int, stamp uint64) uint64 {
	return uint64(rank+1)*weight(block, i) + offset(block, i, stamp)
}

func weight(block, i int) uint64 { return (uint64(block)<<32+uint64(i)+1)*0x9e3779b97f4a7c15 | 1 }

func offset(block, i int, stamp uint64) uint64 {
	return (stamp+uint64(i))*0xbf58476d1ce4e5b9 ^ uint64(block)
}

// sum returns the sum of the words of ranks 0 to n−1, modulo 2⁶⁴.
func sum(n, block, i int, stamp uint64) uint64 {
	return uint64(n)*uint64(n+1)/2*weight(block, i) + uint64(n)*offset(block, i, stamp)
}

// buffers hold the input and the output of a rank in a call.
type buffers struct {
	store     cluster.Store
	in, out   cluster.Buf[uint64] // at least as long as the data
	inN, outN int64               // bytes of the data
}

// resize sets the buffer sizes of a rank that is the root or not.
func (b *buffers) resize(c coll.Collective, ranks int, root bool, n int64) {
	b.inN, b.outN = c.Lengths(ranks, root, n)
	b.in, b.out = b.atLeast(b.in, b.inN), b.atLeast(b.out, b.outN)
}

func (b *buffers) atLeast(have cluster.Buf[uint64], n int64) cluster.Buf[uint64] {
	if words := int((n + unit - 1) / unit); words > have.Len() {
		return cluster.Make[uint64](b.store, words)
	}
	return have
}

func (b *buffers) inData() cluster.Data  { return b.in.Data().Part(0, b.inN) }
func (b *buffers) outData() cluster.Data { return b.out.Data().Part(0, b.outN) }
func (b *buffers) inBytes() []byte       { return b.inData().Bytes() }
func (b *buffers) outBytes() []byte      { return b.outData().Bytes() }

// A call is one collective of a rank, for filling and checking its buffers.
type call struct {
	what            coll.Collective
	ranks, me, root int
	n               int64
	stamp           uint64
}

// fill writes the input, and sets the output to a value that no result has.
func (x *call) fill(b *buffers) {
	out := b.out.Slice()
	for i := range out {
		out[i] = ^uint64(0)
	}
	switch {
	case x.what == coll.OpBcast:
		if x.me == x.root {
			x.put(b.outBytes(), func(i int) uint64 { return word(x.root, 0, i, x.stamp) })
		}
	case b.inN == x.n*int64(x.ranks) && x.what.ByMember() && (x.what == coll.OpScatter || x.what == coll.OpExchange ||
		x.what == coll.OpReduceScatter):
		for j := range x.ranks {
			x.put(x.block(b.inBytes(), j), func(i int) uint64 { return word(x.me, j, i, x.stamp) })
		}
	default:
		x.put(b.inBytes(), func(i int) uint64 { return word(x.me, 0, i, x.stamp) })
	}
}

// block returns a rank's block of b.
func (x *call) block(b []byte, rank int) []byte { return b[int64(rank)*x.n:][:x.n] }

// put fills b with words and cuts the last one to fit.
func (x *call) put(b []byte, word func(i int) uint64) {
	i := 0
	for ; len(b) >= unit; b, i = b[unit:], i+1 {
		binary.LittleEndian.PutUint64(b, word(i))
	}
	if len(b) > 0 {
		var last [unit]byte
		binary.LittleEndian.PutUint64(last[:], word(i))
		copy(b, last[:])
	}
}

// check returns a message about the first wrong byte of the result, or "".
func (x *call) check(b *buffers) string {
	out := b.outBytes()
	at := func(from int, b []byte, word func(i int) uint64) string {
		if i := x.differs(b, word); i >= 0 {
			return fmt.Sprintf("%s among %d ranks, root %d: rank %d has wrong byte %d of the data from rank %d", x.what,
				x.ranks, x.root, x.me, i, from)
		}
		return ""
	}
	added := func(n, block int) string {
		if i := x.differs(out, func(i int) uint64 { return sum(n, block, i, x.stamp) }); i >= 0 {
			return fmt.Sprintf("%s among %d ranks, root %d: rank %d has wrong byte %d of the sum", x.what, x.ranks, x.root,
				x.me, i)
		}
		return ""
	}
	switch x.what {
	case coll.OpBcast:
		return at(x.root, out, func(i int) uint64 { return word(x.root, 0, i, x.stamp) })
	case coll.OpScatter:
		return at(x.root, out, func(i int) uint64 { return word(x.root, x.me, i, x.stamp) })
	case coll.OpGather, coll.OpAllgather, coll.OpExchange:
		if len(out) == 0 {
			return ""
		}
		block := 0
		if x.what == coll.OpExchange {
			block = x.me
		}
		for from := range x.ranks {
			if wrong := at(from, x.block(out, from), func(i int) uint64 { return word(from, block, i, x.stamp) }); wrong != "" {
				return wrong
			}
		}
	case coll.OpReduce:
		if x.me == x.root {
			return added(x.ranks, 0)
		}
	case coll.OpAllreduce:
		return added(x.ranks, 0)
	case coll.OpReduceScatter:
		return added(x.ranks, x.me)
	case coll.OpScan:
		return added(x.me+1, 0)
	}
	return ""
}

// differs returns the index of the first wrong byte, or −1.
func (x *call) differs(b []byte, word func(i int) uint64) int {
	at := 0
	for i := 0; len(b) > 0; i++ {
		var want [unit]byte
		binary.LittleEndian.PutUint64(want[:], word(i))
		for j := range min(unit, len(b)) {
			if b[j] != want[j] {
				return at + j
			}
		}
		at += unit
		b = b[min(unit, len(b)):]
	}
	return -1
}

// add computes acc += in, element by element.
func add(acc, in []byte) {
	for ; len(acc) >= unit && len(in) >= unit; acc, in = acc[unit:], in[unit:] {
		binary.LittleEndian.PutUint64(acc, binary.LittleEndian.Uint64(acc)+binary.LittleEndian.Uint64(in))
	}
}
