package coll

// This file builds the schedules of the algorithms in direct.go that exist both direct and staged.
// If an algorithm is direct, each member makes another mark when it has finished its loads. Members
// wait for these marks before they end, because their buffers belong to the caller then.

// directBcast builds a broadcast.
func (b *Builder) directBcast(staged bool) {
	buf := Out
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, 1
	}
	switch {
	case b.Rel == 0 && staged:
		b.publishCopy(part(Out, 0, -1), whole)
	case b.Rel == 0:
		b.await(b.P, b.publish(part(Out, 0, -1)))
	default:
		if staged {
			b.temp(whole)
		}
		got := b.load(Peer{Root: true}, 1, part(Out, 0, -1), part(buf, 0, -1), b.await(1))
		if !staged {
			b.publish(Ref{}, got)
		}
	}
}

// directScatter builds a scatter.
func (b *Builder) directScatter(staged bool) {
	buf := In
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, 1
	}
	if b.Rel == 0 {
		published, _ := b.publishData(staged, part(In, 0, -1), whole)
		b.copy(from(Out, 0, 1), from(In, 0, 1), published)
		if !staged {
			b.await(b.P, published)
		}
		return
	}
	if staged {
		b.temp(whole)
	}
	got := b.load(Peer{Root: true}, 1, from(Out, 0, 1), from(buf, 0, 1), b.await(1))
	if !staged {
		b.publish(Ref{}, got)
	}
}

// directGather builds a gather.
func (b *Builder) directGather(staged bool) {
	buf := In
	b.s.Marks = b.P
	if staged {
		buf, b.s.Marks = temps, b.P-1
	}
	if b.Rel != 0 {
		if published, _ := b.publishData(staged, from(In, 0, 1), mine); !staged {
			b.await(b.P, published)
		}
		return
	}
	if staged {
		b.temp(mine)
	}
	copied := b.copy(from(Out, 0, 1), from(In, 0, 1))
	if b.P == 1 {
		b.s.Marks = max(b.s.Marks, 1)
		b.publish(Ref{}, copied)
		return
	}
	got := b.load(me(1), b.P-1, ofPeer(Out), ofPeer(buf), copied, b.await(b.P-1, copied))
	if !staged {
		b.publish(Ref{}, got)
	}
}

// directExchange builds an allgather (In has the member's block) or an exchange (In has a block for
// each member).
func (b *Builder) directExchange(staged bool, window Ref) {
	b.s.Marks = 2 * b.P
	if staged {
		b.s.Marks = b.P
	}
	in := part(In, 0, -1)
	if window == mine {
		in = from(In, 0, 1)
	}
	published, buf := b.publishData(staged, in, window)
	src := from(buf, 0, 1)
	if window == mine {
		src = ofPeer(buf)
	}
	copied := b.copy(from(Out, 0, 1), from(In, 0, 1), published)
	all := b.await(b.P, copied)
	if b.P > 1 {
		all = b.load(me(1), b.P-1, ofPeer(Out), src, all)
	}
	if !staged {
		b.await(2*b.P, b.publish(Ref{}, all))
	}
}

// directReduceScatter builds a reduce-scatter.
func (b *Builder) directReduceScatter(staged bool) {
	b.s.Marks = 2 * b.P
	if staged {
		b.s.Marks = b.P
	}
	published, buf := b.publishData(staged, part(In, 0, -1), whole)
	got := b.reduce(b.P, from(Out, 0, 1), from(buf, 0, 1), b.await(b.P, published))
	if !staged {
		b.await(2*b.P, b.publish(Ref{}, got))
	}
}
