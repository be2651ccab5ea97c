package coll

import "github.com/hybridtop/hybridtop/cluster"

func init() {
	register(&Algorithm{
		Collective: OpExchange, Name: "flat", Paper: "paper 5, section 3.4",
		Doc: "each rank sends its blocks directly to all others at the same time, starting with the next rank",
		Make: func(b *Builder) {
			for d := int32(1); d < b.P; d++ {
				b.recv(me(-d), from(Out, -d, 1))
			}
			for d := int32(1); d < b.P; d++ {
				b.send(me(d), from(In, d, 1))
			}
			b.copy(from(Out, 0, 1), from(In, 0, 1))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time { return c.all(k.Ranks-1, n) + c.copies(n) },
	}, &Algorithm{
		Collective: OpExchange, Name: "pairwise", Paper: "Thakur, Rabenseifner and Gropp 2005",
		Doc: "one round per distance: a rank sends to the rank at that distance and receives from the opposite one",
		Make: func(b *Builder) {
			b.copy(from(Out, 0, 1), from(In, 0, 1))
			sent, got := none, none
			for d := int32(1); d < b.P; d++ {
				before := []id{sent, got}
				got = b.recv(me(-d), from(Out, -d, 1), before...)
				sent = b.send(me(d), from(In, d, 1), before...)
			}
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n) + cluster.Time(k.Ranks-1)*c.message(n)
		},
	}, &Algorithm{
		Collective: OpAllgather, Name: "flat", Paper: "paper 5, section 3.4",
		Doc: "each rank sends its block directly to all others, starting with the next rank",
		Make: func(b *Builder) {
			for d := int32(1); d < b.P; d++ {
				b.recv(me(-d), from(Out, -d, 1))
			}
			for d := int32(1); d < b.P; d++ {
				b.send(me(d), from(In, 0, 1))
			}
			b.copy(from(Out, 0, 1), from(In, 0, 1))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time { return c.all(k.Ranks-1, n) + c.copies(n) },
	}, &Algorithm{
		Collective: OpReduceScatter, Name: "pairwise", Paper: "Thakur, Rabenseifner and Gropp 2005", Needs: Commutative,
		Doc: "one round per distance: a rank sends the block of the rank at that distance, and adds the received block " +
			"to its own",
		Make: func(b *Builder) {
			have := b.copy(from(Out, 0, 1), from(In, 0, 1))
			theirs, free := b.landings(int(b.P-1), func() Buf { return b.loose(1) })
			for d := int32(1); d < b.P; d++ {
				slot := int(d) % len(theirs)
				t := from(theirs[slot], 0, 1)
				b.send(me(d), from(In, d, 1), free[slot])
				got := b.recv(me(-d), t, free[slot])
				have = b.combine(from(Out, 0, 1), t, got, have)
				free[slot] = have
			}
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			one := c.message(n) + c.combines(n) // two messages are in flight
			return c.copies(n) + one + cluster.Time(k.Ranks-2)*max(c.sendInterval(n), c.O+c.recvTime()+c.combines(n), one/2)
		},
	}, &Algorithm{
		Collective: OpAllgather, Name: "neighbour-exchange", Paper: "Chen and others 2005", Needs: EvenRanks,
		Doc:  "ranks exchange with their two neighbours in turn: first their own blocks, then the two blocks received last",
		Make: neighbourExchange, Class: func(_ Key, rel int32) int64 { return int64(rel % 2) },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			if k.Ranks == 1 {
				return c.copies(n)
			}
			return c.copies(n) + c.message(n) + cluster.Time(k.Ranks/2-1)*c.message(2*n)
		},
	})
}

// neighbourExchange builds an allgather. An even rank begins with the next rank, an odd rank with
// the previous one. Pairs of blocks begin at even numbers.
func neighbourExchange(b *Builder) {
	copied := b.copy(from(Out, 0, 1), from(In, 0, 1))
	if b.P == 1 {
		return
	}
	sides := [2]int32{1, -1}
	step := [2]int32{2, -2}
	pair := int32(0) // first pair, counted from the rank: its own block and the first received one
	if b.Rel%2 == 1 {
		sides = [2]int32{-1, 1}
		step = [2]int32{-2, 2}
		pair = -1
	}
	b.send(me(sides[0]), from(Out, 0, 1), copied)
	have := b.join([]id{copied, b.recv(me(sides[0]), from(Out, sides[0], 1))})
	gets := [2]int32{pair, pair}
	gives := pair
	for i := int32(1); i < b.P/2; i++ {
		b.channel = uint16(i)
		side := i % 2
		gets[side] += step[side]
		b.send(me(sides[side]), from(Out, gives, 2), have)
		have = b.recv(me(sides[side]), from(Out, gets[side], 2), have)
		gives = gets[side]
	}
}
