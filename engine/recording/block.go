package recording

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// blockLength is the maximum number of intervals or messages of a block.
const blockLength = 8192

// maxPlain is the maximum size in bytes of an unpacked block.
const maxPlain = 64 << 20

// castagnoli is the CRC polynomial for which most hosts have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) int64 { return int64(crc32.Checksum(b, castagnoli)) }

// packer compresses blocks.
type packer struct{ z *zstd.Encoder }

func newPacker() *packer {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false))
	if err != nil {
		panic("recording: " + err.Error()) // its options are constant
	}
	return &packer{z}
}

func (p *packer) pack(b []byte) []byte { return p.z.EncodeAll(b, nil) }

// unpacker decompresses blocks. It reuses its memory, because a replay unpacks a hundred blocks
// per frame: a result is valid only until the next call.
type unpacker struct {
	z       *zstd.Decoder
	plain   []byte
	scratch intervalBuffers
}

// intervalBuffers is reused memory for the intervals of a block.
type intervalBuffers struct {
	intervals []interval
	numbers   []uint64
}

func newUnpacker() *unpacker {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		panic("recording: " + err.Error())
	}
	return &unpacker{z: z}
}

func (u *unpacker) unpack(b []byte, crc int64) ([]byte, error) {
	if checksum(b) != crc {
		return nil, errors.New("wrong checksum")
	}
	plain, err := u.z.DecodeAll(b, u.plain[:0])
	if cap(plain) <= maxKeptPlain {
		u.plain = plain
	}
	return plain, err
}

// maxKeptPlain is the maximum capacity in bytes that an unpacker reuses.
const maxKeptPlain = 1 << 20

// unpackLane unpacks the first upTo of the n intervals of a block.
func (u *unpacker) unpackLane(b []byte, crc int64, n, upTo int) ([]interval, error) {
	plain, err := u.unpack(b, crc)
	if err != nil {
		return nil, err
	}
	return decodeIntervals(plain, n, upTo, &u.scratch)
}

// label is an interval without its times.
type label struct {
	activity timeline.Activity
	call     cluster.Kind
	peer     int32
}

// openBlock is the open block of intervals of a lane.
type openBlock struct {
	first      uint64 // number of the first interval
	dropped    uint64 // intervals lost before it
	begin      cluster.Time
	end        cluster.Time
	before     timeline.Sums
	sums       timeline.Sums
	labels     []label
	labelIndex map[label]uint32
	labelOf    []uint32
	spans      []uint64
}

// start empties the block; its next interval has number first and starts at begin.
func (b *openBlock) start(first, dropped uint64, begin cluster.Time, before timeline.Sums) {
	if b.labelIndex == nil {
		b.labelIndex = make(map[label]uint32)
	}
	clear(b.labelIndex)
	*b = openBlock{first: first, dropped: dropped, begin: begin, end: begin, before: before,
		labels: b.labels[:0], labelIndex: b.labelIndex, labelOf: b.labelOf[:0], spans: b.spans[:0]}
}

func (b *openBlock) add(s *timeline.Interval) {
	l := label{activity: s.Activity, call: s.Call, peer: s.Peer}
	n := len(b.labelOf)
	var at uint32
	if n > 1 && b.labels[b.labelOf[n-2]] == l { // two alternating labels are the most common case
		at = b.labelOf[n-2]
	} else {
		var ok bool
		at, ok = b.labelIndex[l]
		if !ok {
			at = uint32(len(b.labels))
			b.labelIndex[l] = at
			b.labels = append(b.labels, l)
		}
	}
	b.labelOf = append(b.labelOf, at)
	b.spans = append(b.spans, uint64(s.End-b.end))
	b.sums[s.Activity] += s.End - b.end
	b.end = s.End
}

// gcd returns the greatest common divisor; gcd(0, n) is n.
func gcd(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return a | b
	}
	shift := bits.TrailingZeros64(a | b)
	a >>= bits.TrailingZeros64(a)
	for b != 0 {
		b >>= bits.TrailingZeros64(b)
		if a > b {
			a, b = b, a
		}
		b -= a
	}
	return a << shift
}

// encode returns the block as bytes: the number of intervals, the length of a clock tick, the
// labels, and for each interval its label and its length in ticks.
func (b *openBlock) encode() []byte {
	tick := uint64(0)
	for _, s := range b.spans {
		tick = gcd(tick, s)
		if tick == 1 {
			break
		}
	}
	tick = max(tick, 1)
	c := codec.Encode(make([]byte, 0, 4*len(b.spans)+64))
	n, labels := uint64(len(b.spans)), uint64(len(b.labels))
	c.Natural(&n)
	c.Natural(&tick)
	c.Natural(&labels)
	for i := range b.labels {
		b.labels[i].fields(c)
	}
	if labels > 1 {
		for _, w := range b.labelOf {
			at := uint64(w)
			c.Natural(&at)
		}
	}
	for i := range b.spans {
		b.spans[i] /= tick
	}
	c.Naturals(b.spans)
	return c.Bytes()
}

func (l *label) fields(c *codec.Walk) {
	codec.Below(c, &l.activity, timeline.Activities)
	codec.Integer(c, &l.call)
	codec.Integer(c, &l.peer)
}

// interval is an interval of a decoded block: its label and its length.
type interval struct {
	label
	span cluster.Time
}

// decodeIntervals decodes the first upTo of the n intervals of a block. The result is valid until
// buf is used again.
func decodeIntervals(b []byte, n, upTo int, buf *intervalBuffers) ([]interval, error) {
	c := codec.Decode(b)
	var count, tick, kinds uint64
	c.Natural(&count)
	c.Natural(&tick)
	c.Natural(&kinds)
	if c.Err() == nil && (count != uint64(n) || n < 1 || n > blockLength || tick < 1 || kinds < 1 || kinds > count) {
		return nil, fmt.Errorf("%d intervals with %d labels: want %d intervals", count, kinds, n)
	}
	if c.Err() != nil {
		return nil, c.Err()
	}
	labels := make([]label, kinds)
	for i := range labels {
		labels[i].fields(c)
	}
	upTo = min(upTo, n)
	buf.intervals, buf.numbers = slices.Grow(buf.intervals[:0], upTo)[:upTo], slices.Grow(buf.numbers[:0], upTo)[:upTo]
	clear(buf.numbers)
	if kinds > 1 {
		c.Naturals(buf.numbers)
		c.Pass(n - upTo)
	}
	for i, at := range buf.numbers {
		if at >= kinds {
			return nil, fmt.Errorf("label %d: out of range, the block has %d", at, kinds)
		}
		buf.intervals[i].label = labels[at]
	}
	c.Naturals(buf.numbers)
	c.Pass(n - upTo)
	if c.Err() != nil {
		return nil, c.Err()
	}
	for i, ticks := range buf.numbers {
		hi, span := bits.Mul64(ticks, tick)
		buf.intervals[i].span = cluster.Time(span)
		if hi != 0 || buf.intervals[i].span <= 0 {
			return nil, fmt.Errorf("interval length %d × %d ps: out of range", ticks, tick)
		}
	}
	return buf.intervals, c.End()
}

// encodeColumns encodes a block of messages or samples by columns.
func encodeColumns[T any](all []T, fields func(*codec.Walk, []T)) []byte {
	c := codec.Encode(make([]byte, 0, 16*len(all)))
	fields(c, all)
	return c.Bytes()
}

// decodeColumns decodes the n messages or samples of a block; maxEntries is the allowed maximum.
func decodeColumns[T any](b []byte, n, maxEntries int, fields func(*codec.Walk, []T)) ([]T, error) {
	if n < 1 || n > maxEntries || n > len(b) {
		return nil, fmt.Errorf("%d entries in a block of %d bytes: out of range", n, len(b))
	}
	all := make([]T, n)
	c := codec.Decode(b)
	fields(c, all)
	return all, c.End()
}

// arrowFields encodes or decodes the columns of messages. Times are stored as differences, which
// are shorter.
func arrowFields(c *codec.Walk, all []timeline.Arrow) {
	column := func(of func(*timeline.Arrow) *int32) {
		for i := range all {
			codec.Integer(c, of(&all[i]))
		}
	}
	column(func(a *timeline.Arrow) *int32 { return &a.From })
	column(func(a *timeline.Arrow) *int32 { return &a.FromThread })
	column(func(a *timeline.Arrow) *int32 { return &a.To })
	column(func(a *timeline.Arrow) *int32 { return &a.ToThread })
	column(func(a *timeline.Arrow) *int32 { return &a.Tag })
	for i := range all {
		codec.Integer(c, &all[i].Bytes)
	}
	var last cluster.Time
	for i := range all {
		d := all[i].Sent - last
		codec.Integer(c, &d)
		last += d
		all[i].Sent = last
	}
	for i := range all {
		d := all[i].Received - all[i].Sent
		codec.Integer(c, &d)
		all[i].Received = all[i].Sent + d
	}
}
