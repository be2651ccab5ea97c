package coll

import "github.com/hybridtop/hybridtop/cluster"

func init() {
	register(&Algorithm{
		Collective: OpAllgather, Name: "bruck", Paper: "paper 5, section 3.4", Radix: 2,
		Doc: "dissemination: each round multiplies a rank's blocks by the radix; the rank rotates them into place at the end",
		Make: func(b *Builder) {
			t := b.temp(from(0, 0, b.P))
			have := b.copy(from(t, 0, 1), from(In, 0, 1))
			b.copy(from(Out, 0, b.P), from(t, 0, b.P), b.spread(t, have, nil))
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n) + spreadTime(c, k, n, 0) + c.copies(n*int64(k.Ranks))
		},
	}, &Algorithm{
		Collective: OpReduceScatter, Name: "bruck", Paper: "paper 5, section 3.5", Radix: 2, Needs: Commutative,
		Doc: "reversed dissemination: each round a rank sends the sums for all ranks beyond a distance, which shrinks " +
			"by the radix",
		Make: func(b *Builder) {
			t := b.temp(from(0, 0, b.P))
			have, _ := b.collapse(t, b.copy(from(t, 0, b.P), from(In, 0, b.P)))
			b.copy(from(Out, 0, 1), from(t, 0, 1), have)
		},
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			return c.copies(n*int64(k.Ranks)) + spreadTime(c, k, n, c.Combine) + c.copies(n)
		},
	}, &Algorithm{
		Collective: OpAllreduce, Name: "bruck", Paper: "paper 5, section 3.5", Radix: 2, Needs: Commutative,
		Doc: "a reduce-scatter and then an allgather by dissemination, for any number of ranks",
		Make: func(b *Builder) {
			t := b.temp(from(0, 0, b.P))
			have, sent := b.collapse(t, b.copy(from(t, 0, b.P), from(In, 0, b.P)))
			b.copy(from(Out, 0, b.P), from(t, 0, b.P), b.spread(t, have, sent))
		},
		Parts: func(k Key) int32 { return k.Ranks },
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			each := (n + int64(k.Ranks) - 1) / int64(k.Ranks)
			return 2*c.copies(n) + spreadTime(c, k, each, c.Combine) + spreadTime(c, k, each, 0)
		},
	}, &Algorithm{
		Collective: OpExchange, Name: "bruck", Paper: "paper 5, section 3.4", Radix: 2, Needs: EvenBlocks,
		Doc: "dissemination: blocks travel by the digits of their distance, one digit per round; blocks with the same " +
			"digit share a message",
		Make: bruckExchange,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			t := 2 * c.copies(n*int64(k.Ranks))
			have, messages := digits(k.Ranks, k.Radix)
			for i, w := range have {
				var sizes []int64
				for d := range messages[i] {
					sizes = append(sizes, n*int64(digit(k.Ranks, k.Radix, w, d+1)))
					t += c.copies(sizes[d])
				}
				t += c.round(sizes, c.Copy)
			}
			return t
		},
	}, &Algorithm{
		Collective: OpBarrier, Name: "dissemination", Paper: "paper 5, section 3.4", Radix: 2,
		Doc:  "each round a rank sends to (radix − 1) others, and the distance grows by the radix",
		Make: disseminate,
		Predict: func(c *Cost, k Key, n int64) cluster.Time {
			var t cluster.Time
			_, messages := digits(k.Ranks, k.Radix)
			for _, m := range messages {
				t += c.all(m, 0)
			}
			return t
		},
	})
}

// disseminate builds a barrier. A round begins after all messages of the previous round have
// arrived.
func disseminate(b *Builder) {
	have, messages := digits(b.P, b.Radix)
	var arrived []id
	for i, w := range have {
		b.channel = uint16(i)
		var next []id
		for d := range messages[i] {
			next = append(next, b.recv(me(-(d+1)*w), noWindow, arrived...))
		}
		for d := range messages[i] {
			b.send(me((d+1)*w), noWindow, arrived...)
		}
		arrived = next
	}
}

// noWindow is an empty window.
var noWindow = part(Out, 0, 0)

// ring describes a dissemination among n ranks: the windows of a buffer for a number of ranks,
// starting at a distance.
type ring struct {
	n    int32
	to   func(d int32) Peer
	some func(d, n int32) Ref
}

// spread fills a rotated buffer, which begins with the rank's own block, with the blocks of all
// following ranks. That block is ready when node begin is complete. Blocks at a distance are
// overwritten only after the nodes that busy lists for the distance. spread returns the node that
// completes it.
func (b *Builder) spread(t Buf, begin id, busy map[int32]id) id {
	return b.around(ring{n: b.P, to: me, some: func(d, n int32) Ref { return from(t, d, n) }}, begin, busy)
}

// around sends each rank's data to all ranks. In each round, a rank sends its first windows back by
// their number.
func (b *Builder) around(r ring, begin id, busy map[int32]id) id {
	have, messages := digits(r.n, b.Radix)
	ready := []id{begin}
	all := []id{begin}
	for i, w := range have {
		var next []id
		for d := range messages[i] {
			far := (d + 1) * w
			n := min(w, r.n-far)
			before := none
			if busy != nil {
				before = busy[far]
			}
			next = append(next, b.recv(r.to(far), r.some(far, n), append(ready, before)...))
		}
		for d := range messages[i] {
			far := (d + 1) * w
			all = append(all, b.send(r.to(-far), r.some(0, min(w, r.n-far)), ready...))
		}
		b.channel++
		ready = append(ready[:len(ready):len(ready)], next...)
		all = append(all, next...)
	}
	return b.join(all)
}

// collapse is the reverse of spread. A rank begins with its data for all following ranks, and sends
// the blocks beyond a distance in each round. collapse returns the node that completes the
// combination of the rank's own block, and the sends by distance.
func (b *Builder) collapse(t Buf, whole id) (done id, sent map[int32]id) {
	have, messages := digits(b.P, b.Radix)
	sent = map[int32]id{}
	ready := whole
	for i := len(have) - 1; i >= 0; i-- {
		w := have[i]
		next := ready
		var theirs []id
		var bufs []Buf
		for d := range messages[i] {
			far := (d + 1) * w
			bufs = append(bufs, b.loose(min(w, b.P-far)))
			theirs = append(theirs, b.recv(me(-far), from(bufs[d], 0, min(w, b.P-far)), ready))
		}
		for d := range messages[i] {
			far := (d + 1) * w
			sent[far] = b.send(me(far), from(t, far, min(w, b.P-far)), ready)
		}
		for d := range messages[i] {
			n := min(w, b.P-(d+1)*w)
			next = b.combine(from(t, 0, n), from(bufs[d], 0, n), theirs[d], next)
		}
		b.channel++
		ready = next
	}
	return ready, sent
}

// spreadTime returns the time of a dissemination of blocks of n bytes, with work per received byte.
func spreadTime(c *Cost, k Key, n int64, work cluster.Time) cluster.Time {
	var t cluster.Time
	have, messages := digits(k.Ranks, k.Radix)
	for i, w := range have {
		var sizes []int64
		for d := range messages[i] {
			sizes = append(sizes, n*int64(min(w, k.Ranks-(d+1)*w)))
		}
		t += c.round(sizes, work)
	}
	return t
}

// digit returns the number of integers below p with digit d at the position of weight w.
func digit(p, k, w, d int32) int32 {
	row := int64(w) * int64(k)
	n := int64(p) / row * int64(w)
	return int32(n + min(max(int64(p)%row-int64(d)*int64(w), 0), int64(w)))
}

func bruckExchange(b *Builder) {
	t := b.slots(b.P)
	ready := b.copy(part(t, 0, b.P), from(In, 0, b.P))
	last := b.relay(t, b.P, 1, me, ready)
	b.copy(Ref{Buf: Out, Base: FromMe, N: b.P, Run: 1, Stride: -1}, part(t, 0, b.P), last...)
}

// relay sends blocks by the digits of their distance, among n disseminating ranks. Position i of t,
// with group slots, has the blocks with distance i, from the digit of the round on. relay returns
// the nodes that complete it.
func (b *Builder) relay(t Buf, n, group int32, to func(d int32) Peer, begin id) []id {
	positions := func(buf Buf, w, d int32) Ref {
		return Ref{Buf: buf, Lo: d * w * group, N: digit(n, b.Radix, w, d) * group, Run: w * group,
			Stride: int32(min(int64(w)*int64(b.Radix), int64(n))) * group}
	}
	all := func(buf Buf, w, d int32) Ref { return part(buf, 0, digit(n, b.Radix, w, d)*group) }
	ready := []id{begin}
	have, messages := digits(n, b.Radix)
	longest := int32(0) // positions of a message
	for _, w := range have {
		longest = max(longest, digit(n, b.Radix, w, 1))
	}
	var out, in []Buf
	var sent []id
	if len(messages) > 0 {
		for range messages[0] {
			out = append(out, b.slots(longest*group))
			in = append(in, b.slots(longest*group))
			sent = append(sent, none)
		}
	}
	for i, w := range have {
		if b.Transfer.lands() && i > 0 {
			for d := range messages[i] {
				in[d] = b.slots(longest * group)
			}
		}
		var next, theirs []id
		for d := range messages[i] {
			theirs = append(theirs, b.recv(to(-(d+1)*w), all(in[d], w, d+1), ready...))
		}
		for d := range messages[i] {
			packed := b.copy(all(out[d], w, d+1), positions(t, w, d+1), append(ready, sent[d])...)
			sent[d] = b.send(to((d+1)*w), all(out[d], w, d+1), packed)
			next = append(next, b.copy(positions(t, w, d+1), all(in[d], w, d+1), theirs[d], packed))
		}
		b.channel++
		ready = next
	}
	return ready
}
