package bench

import (
	"fmt"
	"testing"
)

// BenchmarkCopy measures a large copy in one call, and in pieces. The pieces are shorter than the
// length from which Go's copy bypasses the caches. Cold buffers are not in any cache at the start
// of their turn.
func BenchmarkCopy(b *testing.B) {
	const area = 256 << 20
	to, from := make([]byte, area), make([]byte, area)
	for i := range to {
		to[i], from[i] = 1, byte(i)
	}
	for _, size := range []int{256 << 10, mebi, 4 * mebi, 16 * mebi, 64 * mebi} {
		for i, piece := range []int{size, 256 << 10, mebi - 64} {
			if i > 0 && piece >= size {
				continue
			}
			for _, cold := range []bool{false, true} {
				b.Run(fmt.Sprintf("size=%d/piece=%d/cold=%v", size, piece, cold), func(b *testing.B) {
					b.SetBytes(int64(size))
					off := 0
					for b.Loop() {
						if cold {
							off += size
							if off+size > area {
								off = 0
							}
						}
						for at := off; at < off+size; at += piece {
							end := min(at+piece, off+size)
							copy(to[at:end], from[at:end])
						}
					}
				})
			}
		}
	}
}
