package sim

import "unsafe"

// data is the address of bytes. The owner has their number. It is a third of a slice, so that
// messages and operations fit in one cache line.
type data struct{ first *byte }

// dataOf returns the address of b, which is nil for a nil slice.
func dataOf(b []byte) data { return data{unsafe.SliceData(b)} }

// bytes returns the n bytes, or nil.
func (d data) bytes(n int64) []byte {
	if d.first == nil {
		return nil
	}
	return unsafe.Slice(d.first, n)
}
