package sim

import "math/bits"

// buffers are free buffers for bytes in flight, by powers of two from 64.
type buffers [26][]data

func bufferClass(n int) int { return bits.Len(uint(max(n, 64)-1)) - 6 }

func (b *buffers) hold(p []byte) []byte {
	k := bufferClass(len(p))
	if k >= len(b) {
		return append([]byte(nil), p...)
	}
	var q []byte
	if n := len(b[k]); n > 0 {
		q = b[k][n-1].bytes(int64(len(p)))
		b[k] = b[k][:n-1]
	} else {
		q = make([]byte, max(len(p), 1), 64<<k)[:len(p)]
	}
	copy(q, p)
	return q
}

func (b *buffers) give(p []byte) {
	if k := bufferClass(len(p)); k < len(b) {
		b[k] = append(b[k], dataOf(p))
	}
}
