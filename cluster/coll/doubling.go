package coll

import "github.com/hybridtop/hybridtop/cluster"

func init() {
	register(&Algorithm{
		Collective: OpAllgather, Name: "recursive-doubling", Paper: "Thakur, Rabenseifner and Gropp 2005", Needs: PowerOfTwo,
		Doc: "ranks exchange all their blocks with the partner whose number differs in one bit, from the lowest bit up",
		Make: func(b *Builder) {
			b.double(func(int32) []id { return []id{none} }, b.copy(from(Out, 0, 1), from(In, 0, 1)))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			t := c.copies(n)
			for have := int64(1); have < int64(k.Ranks); have *= 2 {
				t += c.message(have * n)
			}
			return t
		},
	}, &Algorithm{
		Collective: OpReduceScatter, Name: "recursive-halving", Paper: "Thakur, Rabenseifner and Gropp 2005",
		Needs: PowerOfTwo | Commutative,
		Doc: "ranks exchange half of their blocks with the partner whose number differs in one bit, from the " +
			"highest bit down",
		Make: func(b *Builder) {
			acc := b.temp(part(0, 0, -1))
			have, _ := b.halve(acc, b.copy(part(acc, 0, -1), part(In, 0, -1)))
			b.copy(from(Out, 0, 1), from(acc, 0, 1), have)
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n*int64(k.Ranks)) + halveTime(c, k.Ranks, n) + c.copies(n)
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "recursive-doubling", Paper: "Thakur, Rabenseifner and Gropp 2005", Needs: Commutative,
		Doc: "ranks exchange all data with the partner whose number differs in one bit; ranks beyond a power of two " +
			"are folded into others",
		Make: doublingAllreduce, Class: foldedClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			q, _ := core(k.Ranks)
			return foldTime(c, k, n, rounds(q), func(int) (all, late cluster.Time) {
				return c.message(n) + c.combines(n), c.O + c.recvTime() + c.combines(n)
			})
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "rabenseifner", Paper: "paper 5, section 3.5; Rabenseifner 2004", Needs: Commutative,
		Doc: "a reduce-scatter by recursive halving, then an allgather by recursive doubling; ranks beyond a power of " +
			"two are folded into others",
		Make: func(b *Builder) {
			have, unfold, member := b.folding()
			if !member {
				return
			}
			have, sent := b.halve(Out, have)
			unfold(b.double(func(n int32) []id { return []id{sent[n]} }, have))
		},
		Class: foldedClass, Parts: coreParts,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			q, _ := core(k.Ranks)
			each := (n + int64(q) - 1) / int64(q)
			return foldTime(c, k, n, 2*rounds(q), func(i int) (both, waiting cluster.Time) {
				half := int64(q) / 2 >> i
				if down := 2*rounds(q) - 1 - i; down < rounds(q) {
					half = int64(q) / 2 >> down
					both = c.message(half * each)
					return both, both // the partner waited for the late rank on the way up
				}
				return c.message(half*each) + c.combines(half*each), c.O + c.recvTime() + c.combines(half*each)
			})
		},
	}, &Algorithm{
		Collective: OpReduce, Name: "rabenseifner", Paper: "paper 5, section 3.5; Rabenseifner 2004", Needs: Commutative,
		Doc:  "a reduce-scatter by recursive halving, then a gather up a binomial tree",
		Make: halvingReduce,
		Class: func(k Key, rel int32) int64 {
			if folded(k.Ranks, rel) {
				return -1
			}
			v, class := fold(k.Ranks, rel), foldedClass(k, rel)
			return class<<32 | int64(v&-v)
		},
		Parts: coreParts,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			q, beyond := core(k.Ranks)
			each := (n + int64(q) - 1) / int64(q)
			t := c.copies(n) + halveTime(c, q, each)
			if beyond > 0 {
				t += c.message(n) + c.combines(n)
			}
			for have := int64(1); have < int64(q); have *= 2 {
				t += c.message(have * each)
			}
			return t
		},
	}, &Algorithm{
		Collective: OpScan, Name: "recursive-doubling", Paper: "Hillis and Steele 1986",
		Doc:  "each round a rank sends its partial result twice as far as in the previous round",
		Make: doublingScan,
		Class: func(k Key, rel int32) int64 {
			return int64(rounds(rel+1))<<32 | int64(rounds(k.Ranks-rel))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			q, beyond := core(k.Ranks)
			t := c.copies(n) + cluster.Time(rounds(q))*(c.message(n)+c.combines(n))
			switch {
			case beyond == 0:
			case c.pulls > 0:
				t += c.message(n) + c.combines(n)
			default: // in one more round, the message has left the first rank after all others
				t = max(t, c.copies(n)+c.message(n)-c.recvTime()+c.adapterTime(rounds(q), n)) + c.recvTime() + c.combines(n)
			}
			return t
		},
	}, &Algorithm{
		Collective: OpBarrier, Name: "recursive-doubling", Paper: "Thakur, Rabenseifner and Gropp 2005",
		Doc: "ranks notify the partner whose number differs in one bit, from the lowest bit up; ranks beyond a power of " +
			"two are folded into others",
		Make: func(b *Builder) {
			q, beyond := core(b.P)
			if folded(b.P, b.Rel) {
				b.recv(me(-1), noWindow, b.send(me(-1), noWindow))
				return
			}
			have := none
			if b.Rel < 2*beyond {
				have = b.recv(me(1), noWindow)
			}
			for bit := int32(1); bit < q; bit *= 2 {
				b.channel++
				b.send(across(bit), noWindow, have)
				have = b.recv(across(bit), noWindow, have)
			}
			if b.Rel < 2*beyond {
				b.channel = 0
				b.send(me(1), noWindow, have)
			}
		},
		Class: foldedClass,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			q, _ := core(k.Ranks)
			return foldTime(c, k, 0, rounds(q), func(int) (both, waiting cluster.Time) { return c.message(0), 2 * c.O })
		},
	})
}

// foldedClass distinguishes ranks that are folded, ranks that receive a folded rank's data, and
// other ranks.
func foldedClass(k Key, rel int32) int64 {
	_, beyond := core(k.Ranks)
	switch {
	case rel >= 2*beyond:
		return 0
	case rel%2 == 0:
		return 1
	}
	return 2
}

// coreParts returns the number of shares: one for each rank that is not folded.
func coreParts(k Key) int32 {
	q, _ := core(k.Ranks)
	return q
}

// folding begins a reduction of all data in Out. A rank beyond a power of two sends its data to the
// rank before it. It receives the result from that rank later. unfold adds these sends. done is the
// node after which the result is ready. A folded rank is not a member of the steps between.
func (b *Builder) folding() (have id, unfold func(done id), member bool) {
	all := part(Out, 0, -1)
	if folded(b.P, b.Rel) {
		b.recv(me(-1), all, b.send(me(-1), part(In, 0, -1)))
		return none, nil, false
	}
	have = b.copy(all, part(In, 0, -1))
	_, beyond := core(b.P)
	if b.Rel >= 2*beyond {
		return have, func(id) {}, true
	}
	t := b.temp(part(0, 0, -1))
	have = b.combine(all, part(t, 0, -1), b.recv(me(1), part(t, 0, -1)), have)
	return have, func(done id) {
		b.channel = 0
		b.send(me(1), all, done)
	}, true
}

// foldTime returns the time of a reduction of n bytes with folding before and after steps. each
// returns two times of a step. A rank is late if it received a folded rank's data. both is the time
// of two late ranks. waiting is the time of a late rank with a partner that is not late. With gets, the bytes do
// not leave before the late rank's request.
func foldTime(c *Cost, k Key, n int64, steps int, each func(step int) (both, waiting cluster.Time)) cluster.Time {
	_, beyond := core(k.Ranks)
	var all, late cluster.Time
	for i := range steps {
		both, waiting := each(i)
		all += both
		if i < rounds(beyond) || c.pulls > 0 {
			waiting = both
		}
		late += waiting
	}
	if beyond == 0 {
		return c.copies(n) + all
	}
	return max(c.copies(n), c.message(n)) + c.combines(n) + max(all, late+c.message(n))
}

// double gathers blocks in Out by recursive doubling. The rank sends its group of blocks to the
// partner and receives the partner's group, after the nodes that busy lists for the group's size.
// double returns the node after which all blocks have arrived and left.
func (b *Builder) double(busy func(n int32) []id, have id) id {
	q, _ := core(b.P)
	ready, all := []id{have}, []id{have}
	for n := int32(1); n < q; n *= 2 {
		b.channel++
		all = append(all, b.send(across(n), aligned(Out, 0, n), ready...))
		got := b.recv(across(n), aligned(Out, n, n), append(busy(n), ready...)...)
		ready = append(ready[:len(ready):len(ready)], got)
		all = append(all, got)
	}
	return b.join(all)
}

// halve reduces acc by recursive halving. The rank sends the partner's group of blocks and receives
// the partner's contribution to its own group. halve returns the node after which the rank's block
// is completely combined, and the sends by size.
func (b *Builder) halve(acc Buf, have id) (done id, sent map[int32]id) {
	q, _ := core(b.P)
	sent = map[int32]id{}
	if q == 1 {
		return have, sent
	}
	theirs := b.temp(part(0, 0, -1))
	for n := q / 2; n > 0; n /= 2 {
		if b.Transfer.lands() && n < q/2 {
			theirs = b.temp(aligned(0, 0, n))
		}
		b.channel++
		sent[n] = b.send(across(n), aligned(acc, n, n), have)
		got := b.recv(across(n), aligned(theirs, 0, n), have)
		have = b.combine(aligned(acc, 0, n), aligned(theirs, 0, n), got)
	}
	return have, sent
}

func halveTime(c *Cost, q int32, n int64) cluster.Time {
	var t cluster.Time
	for have := int64(q) / 2; have > 0; have /= 2 {
		t += c.message(have*n) + c.combines(have*n)
	}
	return t
}

func doublingAllreduce(b *Builder) {
	have, unfold, member := b.folding()
	if !member {
		return
	}
	q, _ := core(b.P)
	all := part(Out, 0, -1)
	theirs, _ := b.landings(rounds(q), func() Buf { return b.temp(part(0, 0, -1)) })
	slot := 0
	for bit := int32(1); bit < q; bit *= 2 {
		b.channel++
		t := part(theirs[slot], 0, -1)
		sent := b.send(across(bit), all, have)
		have = b.combine(all, t, sent, b.recv(across(bit), t, have))
		slot = (slot + 1) % len(theirs)
	}
	unfold(have)
}

// halvingReduce builds a reduce. In its gather, the rank with the lowest bit set sends.
func halvingReduce(b *Builder) {
	if folded(b.P, b.Rel) {
		b.send(me(-1), part(In, 0, -1))
		return
	}
	acc := Out
	if b.Rel > 0 {
		acc = b.temp(part(0, 0, -1))
	}
	have := b.copy(part(acc, 0, -1), part(In, 0, -1))
	q, beyond := core(b.P)
	if b.Rel < 2*beyond {
		t := part(b.temp(part(0, 0, -1)), 0, -1)
		have = b.combine(part(acc, 0, -1), t, b.recv(me(1), t), have)
	}
	have, sent := b.halve(acc, have)
	ready := []id{have}
	v := fold(b.P, b.Rel)
	for n := int32(1); n < q; n *= 2 {
		b.channel++
		if v&n != 0 {
			b.send(across(n), aligned(acc, 0, n), ready...)
			return
		}
		ready = append(ready, b.recv(across(n), aligned(acc, n, n), have, sent[n]))
	}
}

func doublingScan(b *Builder) {
	all := part(Out, 0, -1)
	have := b.copy(all, part(In, 0, -1))
	theirs, _ := b.landings(rounds(b.Rel+1), func() Buf { return b.temp(part(0, 0, -1)) })
	slot := 0
	for d := int32(1); d < b.P; d *= 2 {
		sent := none
		if b.Rel+d < b.P {
			sent = b.send(me(d), all, have)
		}
		if b.Rel >= d {
			t := part(theirs[slot], 0, -1)
			have = b.precede(all, t, sent, b.recv(me(-d), t, have), have)
			slot = (slot + 1) % len(theirs)
		}
		b.channel++
	}
}
