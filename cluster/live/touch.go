//go:build !race

package live

import "sync/atomic"

// touch looks at the lines of the batch that begins here, so that they come from
// the sender's cache side by side and not one after another. The sender may be
// writing them plainly: what is read is thrown away, and never acted on.
func (r *ring) touch() {
	if r.mask < batchCells {
		return
	}
	for i := uint32(4); i < batchCells; i += 4 {
		atomic.LoadUint64(&r.cells[(r.pos+i)&r.mask].head)
	}
}
