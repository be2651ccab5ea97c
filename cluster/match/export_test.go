package match

// Bytes returns the memory of the posted receives.
func (q *Queues) Bytes() int {
	if x := q.posted.index; x != nil && q.posted.isHashed() {
		return 64*len(x.table.buckets) + 24*len(x.nodes)
	}
	return 16 * len(q.posted.line)
}

// Age sets the sequence numbers of each index so that they wrap after left more entries.
func (q *Queues) Age(left uint32) {
	for _, p := range []*queue{&q.posted, &q.arrived} {
		if p.index != nil {
			p.index.seq = max(p.index.seq, ^left)
		}
	}
}

// Nodes returns the number of list entries and references of the messages.
func (q *Queues) Nodes() int { return len(q.arrived.index.nodes) }
