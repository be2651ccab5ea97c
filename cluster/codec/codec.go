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

// Walk goes over the fields of plain data and either encodes or decodes them.
type Walk struct {
	b    []byte // encoding: so far; decoding: what is left
	read bool
	err  error // the first
}

// Encode begins to encode behind b.
func Encode(b []byte) *Walk { return &Walk{b: b} }

// Decode begins to decode b.
func Decode(b []byte) *Walk { return &Walk{b: b, read: true} }

// Reading says that it decodes.
func (c *Walk) Reading() bool { return c.read }

// Bytes is what was encoded, behind what stood there; an error is a bug of who has made
// the data.
func (c *Walk) Bytes() []byte {
	if c.err != nil {
		panic("codec: " + c.err.Error())
	}
	return c.b
}

// End is the first error of decoding; what is left is one, too.
func (c *Walk) End() error {
	if c.err == nil && len(c.b) > 0 {
		c.Fail(fmt.Errorf("%d bytes behind its end", len(c.b)))
	}
	return c.err
}

// Left is how many bytes are to be decoded.
func (c *Walk) Left() int { return len(c.b) }

// Err is the first error so far.
func (c *Walk) Err() error { return c.err }

var errShort = errors.New("it ends too early")

// Fail keeps the first error and ends the walk: nothing is left to decode.
func (c *Walk) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}

// Natural is a whole number from 0.
func (c *Walk) Natural(p *uint64) {
	if !c.read {
		c.b = binary.AppendUvarint(c.b, *p)
		return
	}
	if len(c.b) > 0 && c.b[0] < 0x80 { // most are short
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

// Naturals are so many, without their number.
func (c *Walk) Naturals(p []uint64) {
	if !c.read {
		for i := range p {
			c.b = binary.AppendUvarint(c.b, p[i])
		}
		return
	}
	b := c.b // a step of c for each number would tell the collector of it
	for i := range p {
		if len(b) > 0 && b[0] < 0x80 {
			p[i], b = uint64(b[0]), b[1:]
			continue
		}
		if len(b) > 1 && b[1]-1 < 0x7f { // two bytes, of which the last is not 0
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

// Pass goes over so many naturals that nobody wants.
func (c *Walk) Pass(n int) {
	b := c.b
	for n > 8 && len(b) >= 8 { // a byte below 0x80 ends a number: the last one is not among eight
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

// Integer is a whole number of any size and sign.
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
	if *p = T(v); int64(*p) != v {
		c.Fail(fmt.Errorf("%d does not fit into %T", v, *p))
	}
}

// Below is a whole number from 0 below a bound.
func Below[T ~uint8](c *Walk, p *T, bound int) {
	if Integer(c, p); c.read && int(*p) >= bound {
		c.Fail(fmt.Errorf("%T %d: want one below %d", *p, *p, bound))
		*p = 0
	}
}

// Float keeps every bit, those of what is no number as well.
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

// Floats are so many, without their number.
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

// Flag is true or false.
func (c *Walk) Flag(p *bool) {
	n := byte(0)
	if *p {
		n = 1
	}
	if c.octet(&n); c.read {
		*p = n == 1
	}
}

// octet is 0 or 1.
func (c *Walk) octet(p *byte) {
	if !c.read {
		c.b = append(c.b, *p)
		return
	}
	if len(c.b) == 0 {
		c.Fail(errShort)
		return
	}
	if *p, c.b = c.b[0], c.b[1:]; *p > 1 {
		c.Fail(fmt.Errorf("%d: want 0 or 1", *p))
	}
}

// Text is a text of any bytes.
func Text[T ~string](c *Walk, p *T) {
	n, ok := c.length(len(*p), 1)
	switch {
	case !c.read:
		c.b = append(c.b, *p...)
	case ok:
		*p, c.b = T(c.b[:n]), c.b[n:]
	}
}

// length is that of something whose parts take least bytes each; decoding, it is ok if
// so many bytes are left.
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

// Part is how a part of a list is walked, and the fewest bytes that one takes.
type Part[T any] struct {
	walk  func(*T, *Walk)
	least int
}

// PartOf finds the fewest bytes: those of a zero value.
func PartOf[T any](walk func(*T, *Walk)) Part[T] {
	var c Walk
	walk(new(T), &c)
	return Part[T]{walk, len(c.b)}
}

// head is whether a list is there, and its length; decoding, ok says that a list of so
// many is to be made. nil and empty are not the same.
func head[T any](c *Walk, p *[]T, least int) (n int, ok bool) {
	there := *p != nil
	if c.Flag(&there); !there || c.err != nil {
		return 0, false
	}
	return c.length(len(*p), least)
}

// List is a list of parts.
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

// FloatList is a list of numbers.
func (c *Walk) FloatList(p *[]float64) {
	if n, ok := head(c, p, 8); ok {
		*p = make([]float64, n)
	}
	c.Floats(*p)
}

// IntegerList is a list of whole numbers.
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

// Sized walks a part with its length in bytes before it. A decoder that does not know the
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

// Maybe is what a pointer leads to, or nil.
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

// Values is texts by name, in the order of the names.
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
