package coll

import "github.com/hybridtop/hybridtop/cluster"

// Collectives composed of other collectives (paper 5, section 3.5).
func init() {
	tree := &shapes[0]
	register(&Algorithm{
		Collective: OpBcast, Name: "scatter-allgather", Paper: "paper 5, section 3.5", Radix: 2,
		Doc:  "a scatter down a k-nomial tree, then an allgather of the missing blocks around the ring",
		Make: scatterAllgather,
		Class: func(k Key, rel int32) int64 {
			v, right := tree.vertex(k.Ranks, k.Radix, rel), tree.vertex(k.Ranks, k.Radix, wrap(rel+1, k.Ranks))
			return int64(v.up)<<42 | int64(v.size)<<21 | int64(right.size)
		},
		Parts: func(k Key) int32 { return k.Ranks },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			each := (n + int64(k.Ranks) - 1) / int64(k.Ranks)
			return tree.walk(k, 0, func(d edge) int64 { return int64(d.size) * each }, c) +
				cluster.Time(k.Ranks-2)*c.message(each) + max(c.sendInterval(each), c.O+c.recvTime())
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "reduce-bcast", Paper: "paper 5, section 3.5", Radix: 2, Segmented: true,
		Doc: "a reduce up a k-nomial tree, then a broadcast down it, segment by segment",
		Make: func(b *Builder) {
			done := b.fold(tree)
			b.cast(tree, func(i int32) []id { return []id{done[i]} })
		},
		Class: tree.childClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			up, in, before := tree.upward(c, k, n, true)
			down, out, behind := tree.downward(c, k, n)
			return c.copies(n) + up + down + cluster.Time(k.Segments-1)*max(in+out, before, behind)
		},
	}, &Algorithm{
		Collective: OpAllgather, Name: "gather-bcast", Paper: "paper 5, section 3.5", Radix: 2,
		Doc: "a gather up a k-nomial tree, then a broadcast down it",
		Make: func(b *Builder) {
			v := tree.vertex(b.P, b.Radix, b.Rel)
			have := b.gather(tree, true)
			if v.up > 0 {
				have = b.recv(me(-v.up), part(Out, 0, -1), have)
			}
			for _, c := range v.largest() {
				b.send(me(c.d), part(Out, 0, -1), have)
			}
		},
		Class: tree.subtreeClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			all := n * int64(k.Ranks)
			return c.copies(n) + tree.rise(k, func(size int32) int64 { return int64(size) * n }, func(int32) cluster.Time {
				return 0
			}, c) +
				tree.walk(k, 0, func(edge) int64 { return all }, c)
		},
	}, &Algorithm{
		Collective: OpReduceScatter, Name: "reduce-scatter", Paper: "paper 5, section 3.5", Radix: 2,
		Doc: "a reduce up a k-nomial tree, then a scatter down it",
		Make: func(b *Builder) {
			all, done := b.foldAll(tree)
			b.scatter(tree, all, Out, done)
		},
		Class: tree.subtreeClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			all := n * int64(k.Ranks)
			return c.copies(all) + tree.rise(k, func(int32) int64 { return all }, func(int32) cluster.Time {
				return c.combines(all)
			}, c) +
				tree.walk(k, 0, func(d edge) int64 { return int64(d.size) * n }, c)
		},
	}, &Algorithm{
		Collective: OpBarrier, Name: "tree", Paper: "paper 5, section 3.2", Radix: 2,
		Doc: "empty messages up a k-nomial tree, then down it",
		Make: func(b *Builder) {
			v := tree.vertex(b.P, b.Radix, b.Rel)
			var arrived []id
			for _, c := range v.children {
				arrived = append(arrived, b.recv(me(c.d), noWindow))
			}
			if v.up > 0 {
				arrived = []id{b.recv(me(-v.up), noWindow, b.send(me(-v.up), noWindow, arrived...))}
			}
			for _, c := range v.largest() {
				b.send(me(c.d), noWindow, arrived...)
			}
		},
		Class: tree.subtreeClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			none := func(int32) cluster.Time { return 0 }
			return tree.rise(k, func(int32) int64 { return 0 }, none, c) + tree.walk(k, 0, func(edge) int64 { return 0 }, c)
		},
	}, &Algorithm{
		Collective: OpScan, Name: "chain", Paper: "paper 5, section 3.2", Segmented: true,
		Doc: "each rank combines the data of the previous rank with its own and sends them on",
		Make: func(b *Builder) {
			var theirs Buf
			if b.Rel > 0 {
				theirs = b.temp(part(0, 0, -1))
			}
			last := [2]id{none, none}
			for i := range b.s.Parts {
				b.channel = uint16(i)
				have := b.copy(part(Out, i, 1), part(In, i, 1))
				if b.Rel > 0 {
					got := b.recv(me(-1), part(theirs, i, 1), last[i%2])
					last[i%2] = got
					have = b.precede(part(Out, i, 1), part(theirs, i, 1), got, have)
				}
				if b.Rel < b.P-1 {
					b.send(me(1), part(Out, i, 1), have)
				}
			}
		},
		Class: (&shape{name: "chain"}).childClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			piece := (n + int64(k.Segments) - 1) / int64(k.Segments)
			works := c.recvTime() + c.combines(piece) // at the last rank
			passes := c.O                             // at the ranks between
			ahead := 2 * c.adapterTime(1, piece)      // before their requests and bytes
			if k.Ranks == 2 {
				passes, ahead = 0, 0
			}
			return c.copies(n) + cluster.Time(k.Ranks-1)*(c.message(piece)+c.combines(piece)) +
				cluster.Time(k.Segments-1)*max(c.sendInterval(piece), works+passes,
					c.landing(min(int(k.Segments), 2), piece, c.combines(piece)+passes, ahead))
		},
	})
}

// scatterAllgather builds a broadcast. After the scatter a rank has the blocks of its subtree. The
// ring brings the blocks before them.
func scatterAllgather(b *Builder) {
	tree := &shapes[0]
	v := tree.vertex(b.P, b.Radix, b.Rel)
	right := tree.vertex(b.P, b.Radix, wrap(b.Rel+1, b.P))
	have := none
	if v.up > 0 {
		have = b.recv(me(-v.up), from(Out, 0, v.size))
	}
	for _, c := range v.largest() {
		b.send(me(c.d), from(Out, c.d, c.size), have)
	}
	last := [2]id{have, have}
	for i := range b.P - 1 {
		b.channel = uint16(i + 1)
		if i < b.P-right.size {
			b.send(me(1), from(Out, -i, 1), last[1], have)
		}
		if i < b.P-v.size {
			last[0], last[1] = last[1], b.recv(me(-1), from(Out, -i-1, 1), last[0])
		}
	}
}

// foldAll folds all blocks at once, into a temporary buffer at the root.
func (b *Builder) foldAll(s *shape) (all Buf, done id) {
	v := s.vertex(b.P, b.Radix, b.Rel)
	all = In
	done = none
	if len(v.children) > 0 || v.up == 0 {
		all = b.temp(part(0, 0, -1))
		done = b.copy(part(all, 0, -1), part(In, 0, -1))
	}
	theirs, free := b.landings(len(v.children), func() Buf { return b.temp(part(0, 0, -1)) })
	for i, c := range v.children {
		slot := i % len(theirs)
		t := part(theirs[slot], 0, -1)
		done = b.combine(part(all, 0, -1), t, b.recv(me(c.d), t, free[slot]), done)
		free[slot] = done
	}
	if v.up > 0 {
		done = b.send(me(-v.up), part(all, 0, -1), done)
	}
	return all, done
}
