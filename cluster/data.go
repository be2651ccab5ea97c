package cluster

import "unsafe"

// Data is the payload of a transfer: bytes, or only a size. A size-only transfer has the cost of
// the same number of bytes and moves none. The zero Data is empty.
//
// Both ends of a transfer may differ. A size-only message leaves the bytes of its receive
// as they are. A size-only receive drops the bytes of its message. A size-only put changes
// no byte at its target, except the flag that it signals. A size-only get reads none. A put
// or get of bytes needs bytes at its target: one that reaches into size-only memory is an
// error.
type Data struct {
	p unsafe.Pointer // nil with n > 0: size-only
	n int64
}

// Of returns the elements of xs as a payload. The payload points to xs and is not a copy. The other
// end may have another element type.
func Of[T Number](xs []T) Data {
	return Data{unsafe.Pointer(unsafe.SliceData(xs)), int64(len(xs)) * sizeOf[T]()}
}

// Sized returns a size-only payload of n bytes.
func Sized(n int64) Data { return Data{n: n} }

// Len returns the length in bytes.
func (d Data) Len() int64 { return d.n }

// SizeOnly reports whether the payload has a size and no bytes. Fabrics and libraries use
// it; a program does not need it.
func (d Data) SizeOnly() bool { return d.p == nil && d.n > 0 }

// Bytes returns the bytes, or nil for a size-only payload.
func (d Data) Bytes() []byte {
	if d.p == nil {
		return nil
	}
	return unsafe.Slice((*byte)(d.p), d.n)
}

// Part returns n bytes of the payload, starting at byte off.
func (d Data) Part(off, n int64) Data {
	if off < 0 || n < 0 || off > d.n-n {
		panic("cluster: part of a payload out of range")
	}
	if d.p == nil {
		return Data{n: n}
	}
	return Of(d.Bytes()[off : off+n])
}

// Store selects whether a part of a program (a process, a phase) has its data as bytes or only as
// sizes. A program chooses it once. It then makes its buffers with [Make] and [Alloc], and fills
// and verifies them with Body and Do. The zero Store keeps bytes.
type Store struct {
	_     [0]func() // not comparable
	sizes bool
}

// Bytewise returns a store that keeps bytes if yes, and only sizes otherwise.
func Bytewise(yes bool) Store { return Store{sizes: !yes} }

// SizeOnly reports whether the store keeps only sizes. Libraries use it; a program does not
// need it.
func (s Store) SizeOnly() bool { return s.sizes }

// Body returns f, a function that computes with data. In a size-only store it returns nil.
func (s Store) Body(f func()) func() {
	if s.sizes {
		return nil
	}
	return f
}

// Do runs f, which fills or verifies data. In a size-only store it does nothing.
func (s Store) Do(f func() error) error {
	if s.sizes {
		return nil
	}
	return f()
}

// Buf is a buffer of numbers. In a size-only store it has a length and no elements.
type Buf[T Number] struct {
	p *T
	n int
}

// Make returns a buffer of n elements.
func Make[T Number](s Store, n int) Buf[T] {
	if s.sizes {
		return Buf[T]{n: n}
	}
	return Wrap(make([]T, n))
}

// Wrap returns the elements of xs as a buffer.
func Wrap[T Number](xs []T) Buf[T] { return Buf[T]{unsafe.SliceData(xs), len(xs)} }

// Len returns the number of elements.
func (b Buf[T]) Len() int { return b.n }

// Data returns the buffer as a payload.
func (b Buf[T]) Data() Data { return Data{unsafe.Pointer(b.p), int64(b.n) * sizeOf[T]()} }

// Part returns the elements from i to j − 1.
func (b Buf[T]) Part(i, j int) Buf[T] {
	if i < 0 || j < i || j > b.n {
		panic("cluster: part of a buffer out of range")
	}
	if b.p == nil {
		return Buf[T]{n: j - i}
	}
	return Wrap(b.Slice()[i:j])
}

// Slice returns the elements, or nil in a size-only store.
func (b Buf[T]) Slice() []T {
	if b.p == nil {
		return nil
	}
	return unsafe.Slice(b.p, b.n)
}

// sizeOf returns the bytes of an element.
func sizeOf[T Number]() int64 {
	var zero T
	return int64(unsafe.Sizeof(zero))
}
