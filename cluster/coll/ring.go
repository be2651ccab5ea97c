package coll

import "github.com/hybridtop/hybridtop/cluster"

func init() {
	register(&Algorithm{
		Collective: OpAllgather, Name: "ring", Paper: "Thakur, Rabenseifner and Gropp 2005",
		Doc:  "each rank passes the block that it received last to the next rank",
		Make: func(b *Builder) { b.ring(b.copy(from(Out, 0, 1), from(In, 0, 1)), nil) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n) + cluster.Time(k.Ranks-1)*c.message(n)
		},
	}, &Algorithm{
		Collective: OpReduceScatter, Name: "ring", Paper: "Thakur, Rabenseifner and Gropp 2005", Needs: Commutative,
		Doc:  "a partial sum of each block travels around the ring to its owner, and each rank adds its block",
		Make: ringReduceScatter,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return cluster.Time(k.Ranks-1) * (c.message(n) + c.combines(n))
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "ring", Paper: "Thakur, Rabenseifner and Gropp 2005", Needs: Commutative,
		Doc:   "a reduce-scatter around the ring, then an allgather",
		Make:  ringAllreduce,
		Parts: func(k Key) int32 { return k.Ranks },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			each := (n + int64(k.Ranks) - 1) / int64(k.Ranks)
			return cluster.Time(k.Ranks-1) * (2*c.message(each) + c.combines(each))
		},
	})
}

// ring passes the blocks of Out around, starting with the rank's own block, which is ready when
// node begin is complete. Block −i is overwritten only after the node that busy returns for i, if
// any. Two receives are posted at a time.
func (b *Builder) ring(begin id, busy func(i int32) id) {
	first := b.channel
	last := [2]id{begin, begin}
	for i := range b.P - 1 {
		b.channel = first + uint16(i)
		b.send(me(1), from(Out, -i, 1), last[1])
		before := none
		if busy != nil {
			before = busy(i + 1)
		}
		last[0], last[1] = last[1], b.recv(me(-1), from(Out, -i-1, 1), last[0], before)
	}
}

func ringReduceScatter(b *Builder) {
	if b.P == 1 {
		b.copy(from(Out, 0, 1), from(In, 0, 1))
		return
	}
	bufs, free := b.landings(max(2, int(b.P-2)), func() Buf { return b.loose(1) })
	b.send(me(1), from(In, -1, 1))
	for i := range b.P - 1 {
		slot := int(i) % len(bufs)
		buf, block := bufs[slot], -i-2
		if i == b.P-2 {
			buf, block = Out, 0
		}
		b.channel = uint16(i)
		got := b.recv(me(-1), from(buf, block, 1), free[slot])
		have := b.combine(from(buf, block, 1), from(In, block, 1), got)
		if i < b.P-2 {
			b.channel = uint16(i + 1)
			free[slot] = b.send(me(1), from(buf, block, 1), have)
		}
	}
}

func ringAllreduce(b *Builder) {
	if b.P == 1 {
		b.copy(part(Out, 0, -1), part(In, 0, -1))
		return
	}
	sent := make([]id, b.P) // by distance of the block
	b.send(me(1), from(In, -1, 1))
	sent[1] = none
	have, before := none, none
	for i := range b.P - 1 {
		b.channel = uint16(i)
		got := b.recv(me(-1), from(Out, -i-2, 1), before)
		before = have
		have = b.combine(from(Out, -i-2, 1), from(In, -i-2, 1), got)
		if i < b.P-2 {
			b.channel = uint16(i + 1)
			sent[i+2] = b.send(me(1), from(Out, -i-2, 1), have)
		}
	}
	b.channel = uint16(b.P - 1)
	b.ring(have, func(i int32) id { return sent[i] })
}
