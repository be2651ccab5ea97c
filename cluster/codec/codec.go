package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
)

// A Walk visits the fields of plain data and either encodes or decodes them.
type Walk struct {
	b    []byte // encoding: output so far; decoding: rest of the input
	read bool
	err  error // the first error
}

// Encode returns a walk that encodes. It appends to b.
func Encode(b []byte) *Walk { return &Walk{b: b} }

// Decode returns a walk that decodes b.
func Decode(b []byte) *Walk { return &Walk{b: b, read: true} }

// Reading reports whether the walk decodes.
func (c *Walk) Reading() bool { return c.read }

// Bytes returns the encoded data after the initial content of b. It panics on an error, which is a
// bug in the code that made the data.
func (c *Walk) Bytes() []byte {
	if c.err != nil {
		panic("codec: " + c.err.Error())
	}
	return c.b
}

// End returns the first error of decoding. Remaining bytes are an error, too.
func (c *Walk) End() error {
	if c.err == nil && len(c.b) > 0 {
		c.Fail(fmt.Errorf("%d extra bytes at the end", len(c.b)))
	}
	return c.err
}

// Left returns the number of bytes that remain to be decoded.
func (c *Walk) Left() int { return len(c.b) }

// Err returns the first error so far.
func (c *Walk) Err() error { return c.err }

var errShort = errors.New("truncated")

// Fail records the first error and ends the walk: no input remains.
func (c *Walk) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}

// Natural walks a whole number from 0.
func (c *Walk) Natural(p *uint64) {
	if !c.read {
		c.b = binary.AppendUvarint(c.b, *p)
		return
	}
	if len(c.b) > 0 && c.b[0] < 0x80 { // fast path: most numbers are short
		*p, c.b = uint64(c.b[0]), c.b[1:]
		return
	}
	v, n := binary.Uvarint(c.b)
	switch {
	case n == 0:
		c.Fail(errShort)
		return
	case n < 0 || n > 1 && c.b[n-1] == 0:
		c.Fail(errors.New("a number is not in its shortest form"))
		return
	}
	*p, c.b = v, c.b[n:]
}

// Naturals walks len(p) whole numbers from 0, without their length.
func (c *Walk) Naturals(p []uint64) {
	if !c.read {
		for i := range p {
			c.b = binary.AppendUvarint(c.b, p[i])
		}
		return
	}
	b := c.b // a local copy avoids a write barrier per number
	for i := range p {
		if len(b) > 0 && b[0] < 0x80 {
			p[i], b = uint64(b[0]), b[1:]
			continue
		}
		if len(b) > 1 && b[1]-1 < 0x7f { // two bytes; the last must not be 0
			p[i], b = uint64(b[0]&0x7f)|uint64(b[1])<<7, b[2:]
			continue
		}
		c.b = b
		if c.Natural(&p[i]); c.err != nil {
			return
		}
		b = c.b
	}
	c.b = b
}

// Pass skips n naturals.
func (c *Walk) Pass(n int) {
	b := c.b
	for n > 8 && len(b) >= 8 { // a byte below 0x80 ends a number; the last number is not among these eight bytes
		n -= bits.OnesCount64(^binary.LittleEndian.Uint64(b) & 0x8080808080808080)
		b = b[8:]
	}
	for ; n > 0; b = b[1:] {
		if len(b) == 0 {
			c.Fail(errShort)
			return
		}
		if b[0] < 0x80 {
			n--
		}
	}
	c.b = b
}

// Integer walks an integer of any size and sign.
func Integer[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *Walk, p *T) {
	if !c.read {
		c.b = binary.AppendVarint(c.b, int64(*p))
		return
	}
	var u uint64
	if c.Natural(&u); c.err != nil {
		return
	}
	v := int64(u>>1) ^ -int64(u&1)
	*p = T(v)
	if int64(*p) != v {
		c.Fail(fmt.Errorf("%d does not fit into %T", v, *p))
	}
}

// Below walks a whole number from 0 to bound − 1.
func Below[T ~uint8](c *Walk, p *T, bound int) {
	if Integer(c, p); c.read && int(*p) >= bound {
		c.Fail(fmt.Errorf("%T %d: want less than %d", *p, *p, bound))
		*p = 0
	}
}

// Float walks a float with all its bits, also those of a NaN.
func (c *Walk) Float(p *float64) {
	if !c.read {
		c.b = binary.LittleEndian.AppendUint64(c.b, math.Float64bits(*p))
		return
	}
	if len(c.b) < 8 {
		c.Fail(errShort)
		return
	}
	*p, c.b = math.Float64frombits(binary.LittleEndian.Uint64(c.b)), c.b[8:]
}

// Floats walks len(p) floats, without their length.
func (c *Walk) Floats(p []float64) {
	n := 8 * len(p)
	if !c.read {
		c.b = slices.Grow(c.b, n)
		b := c.b[len(c.b) : len(c.b)+n]
		for i, x := range p {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
		}
		c.b = c.b[:len(c.b)+n]
		return
	}
	if len(c.b) < n {
		c.Fail(errShort)
		return
	}
	for i := range p {
		p[i] = math.Float64frombits(binary.LittleEndian.Uint64(c.b[8*i:]))
	}
	c.b = c.b[n:]
}

// Flag walks a boolean.
func (c *Walk) Flag(p *bool) {
	n := byte(0)
	if *p {
		n = 1
	}
	if c.octet(&n); c.read {
		*p = n == 1
	}
}

// octet walks a byte that is 0 or 1.
func (c *Walk) octet(p *byte) {
	if !c.read {
		c.b = append(c.b, *p)
		return
	}
	if len(c.b) == 0 {
		c.Fail(errShort)
		return
	}
	*p, c.b = c.b[0], c.b[1:]
	if *p > 1 {
		c.Fail(fmt.Errorf("%d: want 0 or 1", *p))
	}
}

// Text walks a text of any bytes.
func Text[T ~string](c *Walk, p *T) {
	n, ok := c.length(len(*p), 1)
	switch {
	case !c.read:
		c.b = append(c.b, *p...)
	case ok:
		*p, c.b = T(c.b[:n]), c.b[n:]
	}
}

// length walks the length of data whose parts have at least least bytes each. When decoding, ok
// reports whether enough bytes remain.
func (c *Walk) length(n, least int) (int, bool) {
	u := uint64(n)
	if c.Natural(&u); !c.read || c.err != nil {
		return 0, false
	}
	if u > uint64(len(c.b)/least) {
		c.Fail(fmt.Errorf("a length of %d with %d bytes left", u, len(c.b)))
		return 0, false
	}
	return int(u), true
}

// Part has the walk of a list element, and the minimum number of bytes per element.
type Part[T any] struct {
	walk  func(*T, *Walk)
	least int
}

// PartOf returns a Part. The minimum number of bytes is that of a zero value.
func PartOf[T any](walk func(*T, *Walk)) Part[T] {
	var c Walk
	walk(new(T), &c)
	return Part[T]{walk, len(c.b)}
}

// head walks the presence and the length of a list. When decoding, ok reports whether to allocate a
// list of this length. nil and empty lists differ.
func head[T any](c *Walk, p *[]T, least int) (n int, ok bool) {
	there := *p != nil
	if c.Flag(&there); !there || c.err != nil {
		return 0, false
	}
	return c.length(len(*p), least)
}

// List walks a list of parts.
func List[T any](c *Walk, p *[]T, of Part[T]) {
	if n, ok := head(c, p, of.least); ok {
		*p = make([]T, n)
	}
	for i := range *p {
		if of.walk(&(*p)[i], c); c.err != nil {
			return
		}
	}
}

// FloatList walks a list of floats.
func (c *Walk) FloatList(p *[]float64) {
	if n, ok := head(c, p, 8); ok {
		*p = make([]float64, n)
	}
	c.Floats(*p)
}

// IntegerList walks a list of integers.
func IntegerList(p *[]int64, c *Walk) {
	if n, ok := head(c, p, 1); ok {
		*p = make([]int64, n)
	}
	if !c.read {
		b := slices.Grow(c.b, 2*len(*p))
		for _, v := range *p {
			b = binary.AppendVarint(b, v)
		}
		c.b = b
		return
	}
	for i := range *p {
		if Integer(c, &(*p)[i]); c.err != nil {
			return
		}
	}
}

// Sized walks a part and its length in bytes, which precedes it. A decoder that does not know the
// part can read it as a text.
func (c *Walk) Sized(walk func(*Walk)) {
	if c.read {
		n, ok := c.length(0, 1)
		if !ok {
			return
		}
		part := Decode(c.b[:n])
		if walk(part); part.End() != nil {
			c.Fail(part.End())
			return
		}
		c.b = c.b[n:]
		return
	}
	start := len(c.b)
	if walk(c); c.err != nil {
		return
	}
	var length [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(length[:], uint64(len(c.b)-start))
	c.b = slices.Insert(c.b, start, length[:n]...)
}

// Maybe walks the target of a pointer, or nil.
func Maybe[T any](c *Walk, p **T, walk func(*T, *Walk)) {
	there := *p != nil
	if c.Flag(&there); !there || c.err != nil {
		return
	}
	if c.read {
		*p = new(T)
	}
	walk(*p, c)
}

// Values walks a map of texts, in the order of the names.
func (c *Walk) Values(p *map[string]string) {
	there := *p != nil
	if c.Flag(&there); !there {
		return
	}
	n, ok := c.length(len(*p), 2)
	if !c.read {
		for _, name := range slices.Sorted(maps.Keys(*p)) {
			value := (*p)[name]
			Text(c, &name)
			Text(c, &value)
		}
		return
	}
	if !ok {
		return
	}
	all := make(map[string]string, n)
	last := ""
	for i := range n {
		var name, value string
		Text(c, &name)
		Text(c, &value)
		if c.err == nil && i > 0 && name <= last {
			c.Fail(fmt.Errorf("%q after %q: names must rise", name, last))
		}
		if c.err != nil {
			return
		}
		all[name], last = value, name
	}
	*p = all
}
