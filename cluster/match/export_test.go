package match

// Bytes is the memory that the posted receives stand in.
func (q *Queues) Bytes() int {
	if x := q.posted.index; x != nil && q.posted.hashed() {
		return 64*len(x.table.buckets) + 24*len(x.nodes)
	}
	return 16 * len(q.posted.line)
}

// Age makes the next entry of each index one of the last before the sequence
// numbers start anew.
func (q *Queues) Age(left uint32) {
	for _, p := range []*queue{&q.posted, &q.arrived} {
		if p.index != nil {
			p.index.seq = max(p.index.seq, ^left)
		}
	}
}

// Nodes is how many entries of lists and references the messages take.
func (q *Queues) Nodes() int { return len(q.arrived.index.nodes) }
