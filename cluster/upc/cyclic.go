package upc

// cyclic is UPC's block-cyclic distribution of n elements over threads in blocks of block elements:
// element i belongs to thread ⌊i/block⌋ mod threads (UPC 1.3, section 6.5.2). No intermediate
// result exceeds n, for any block.
type cyclic struct{ n, block, threads int }

// locate returns the thread of element i, 0 ≤ i < n, and its index in the thread's part,
// (⌊i/(block·threads)⌋)·block + i mod block.
func (c *cyclic) locate(i int) (thread, local int) {
	if uint64(i|c.block)>>32 == 0 { // a 32-bit division takes half the time
		b, t := uint32(i)/uint32(c.block), uint32(c.threads)
		q := b / t
		return int(b - q*t), int(q*uint32(c.block) + uint32(i) - b*uint32(c.block))
	}
	b := i / c.block
	q := b / c.threads
	return b - q*c.threads, q*c.block + i - b*c.block
}

// index returns the element at a local index of a thread's part.
func (c *cyclic) index(thread, local int) int {
	q := local / c.block
	return (q*c.threads+thread)*c.block + local - q*c.block
}

// length returns the number of elements of a thread's part.
func (c *cyclic) length(thread int) int {
	if c.n == 0 {
		return 0
	}
	last := (c.n - 1) / c.block // the last block, which can be partial
	if thread > last {
		return 0
	}
	blocks := (last-thread)/c.threads + 1
	if last%c.threads == thread {
		return (blocks-1)*c.block + c.n - last*c.block
	}
	return blocks * c.block
}
