package coll

import (
	"cmp"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

func init() {
	for i := range shapes {
		s := &shapes[i]
		register(&Algorithm{
			Collective: OpReduce, Name: s.name, Doc: "up " + s.doc, Paper: s.paper, Radix: s.radix, MinRadix: s.least,
			Segmented: true,
			Make:      func(b *Builder) { b.fold(s) }, Class: s.childClass,
			Predict: func(c *Cost, k Key, n int64) cluster.Time { return s.up(c, k, n) },
		}, &Algorithm{
			Collective: OpGather, Name: s.name, Doc: "up " + s.doc, Paper: s.paper, Radix: s.radix, MinRadix: s.least,
			Make: func(b *Builder) { b.gather(s, false) }, Class: s.subtreeClass,
			Predict: func(c *Cost, k Key, n int64) cluster.Time {
				return s.rise(k, func(size int32) int64 { return int64(size) * n }, func(int32) cluster.Time { return 0 }, c)
			},
		})
	}
}

// fold reduces the parts of In, one after another, into Out at the root and into a temporary buffer
// elsewhere. A rank combines its children in ascending order, so its result combines consecutive
// members in order. Two receives are posted at a time. fold returns the nodes after which a part is
// complete at the root, or sent elsewhere.
func (b *Builder) fold(s *shape) (done []id) {
	v := s.vertex(b.P, b.Radix, b.Rel)
	acc := Out
	if v.up > 0 {
		acc = In
		if len(v.children) > 0 {
			acc = b.temp(part(0, 0, -1))
		}
	}
	theirs, free := b.landings(len(v.children), func() Buf { return b.temp(part(0, 0, -1)) })
	slot := 0
	for i := range b.s.Parts {
		b.channel = uint16(i)
		have := none
		if acc != In {
			have = b.copy(part(acc, i, 1), part(In, i, 1))
		}
		for _, c := range v.children {
			t := theirs[slot]
			got := b.recv(me(c.d), part(t, i, 1), free[slot])
			have = b.combine(part(acc, i, 1), part(t, i, 1), got, have)
			free[slot] = have
			slot = (slot + 1) % len(theirs)
		}
		if v.up > 0 {
			have = b.send(me(-v.up), part(acc, i, 1), have)
		}
		done = append(done, have)
	}
	return done
}

// gather collects the blocks of all ranks into Out at the root. Other ranks use a temporary buffer,
// or Out if every rank has one. gather returns the node after which all blocks have arrived, or
// left.
func (b *Builder) gather(s *shape, everywhere bool) id {
	v := s.vertex(b.P, b.Radix, b.Rel)
	all := Out
	if v.up > 0 && !everywhere {
		all = In
		if v.size > 1 {
			all = b.temp(from(0, 0, v.size))
		}
	}
	ready := []id{none}
	if all != In {
		ready[0] = b.copy(from(all, 0, 1), from(In, 0, 1))
	}
	for _, c := range v.children {
		ready = append(ready, b.recv(me(c.d), from(all, c.d, c.size)))
	}
	if v.up > 0 {
		return b.send(me(-v.up), from(all, 0, v.size), ready...)
	}
	return b.join(ready)
}

// up returns the time of a reduction: like down, with the work between. Ranks copy all of their own
// segments before they receive or request the first message.
func (s *shape) up(c *Cost, k Key, n int64) cluster.Time {
	first, each, behind := s.upward(c, k, n, false)
	ownTime := c.copies((n + int64(k.Segments) - 1) / int64(k.Segments))
	each += ownTime
	if c.pulls > 0 {
		behind += ownTime
	}
	return first + cluster.Time(k.Segments-1)*max(each, behind)
}

// upward is downward for a reduction. If the result goes down again, requests of a segment wait
// behind the outgoing bytes of another one.
func (s *shape) upward(c *Cost, k Key, n int64, again bool) (first, processor, elsewhere cluster.Time) {
	piece := (n + int64(k.Segments) - 1) / int64(k.Segments)
	wait := cluster.Time(0) // waiting time for a free buffer
	s.busiest(k, func(v *vertex, _ int) {
		kids, up := cluster.Time(len(v.children)), cluster.Time(min(v.up, 1))
		processor = max(processor, kids*(c.recvTime()+c.combines(piece))+up*c.O)
		elsewhere = max(elsewhere, max(kids, up)*c.adapterTime(1, piece))
		if c.pulls == 0 {
			return
		}
		down := cluster.Time(0)
		if again && len(v.children) > 1 {
			down = c.adapterTime(len(v.children), piece)
		}
		buffers := min(len(v.children), 2)
		if len(v.children) > 2 {
			wait = max(wait, c.landing(buffers, piece, c.combines(piece), 0)-c.recvTime()-c.combines(piece))
		}
		elsewhere = max(elsewhere, down+kids*c.landing(buffers, piece, c.combines(piece), up*c.adapterTime(1, piece)))
	})
	first = s.rise(k, func(int32) int64 { return piece }, func(int32) cluster.Time { return c.combines(piece) + wait }, c)
	return first, processor, elsewhere
}

// rise returns the time at which the root has received everything. Each rank sends to its parent
// after it has received from its children; the size depends on its subtree.
func (s *shape) rise(k Key, bytes func(subtree int32) int64, work func(subtree int32) cluster.Time,
	c *Cost) cluster.Time {
	return rise(func(rel int32) vertex { return s.vertex(k.Ranks, k.Radix, rel) }, func(rel int32) int64 {
		return s.subtreeClass(k, rel)
	}, bytes, work, c)
}

// rise is shape.rise for any tree whose vertices of one class have equal subtrees.
func rise(at func(rel int32) vertex, class func(rel int32) int64, bytes func(subtree int32) int64,
	work func(subtree int32) cluster.Time, c *Cost) cluster.Time {
	times := map[int64]cluster.Time{}
	var whole func(rel int32) cluster.Time
	whole = func(rel int32) cluster.Time {
		first := class(rel)
		if t, ok := times[first]; ok {
			return t
		}
		v := at(rel)
		var above cluster.Time
		for len(v.children) == 1 { // a chain can be as long as the team
			d := v.children[0]
			above += c.O + c.L + c.bytesTime(bytes(d.size)) + c.recvTime() + work(d.size)
			rel += d.d
			v = at(rel)
		}
		sent := make([]cluster.Time, len(v.children)) // arrival of each first byte
		order := make([]int, len(v.children))
		for i, d := range v.children {
			sent[i], order[i] = c.O+c.L, i
			if d.size > 1 {
				sent[i] += whole(rel + d.d)
			}
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(sent[i], sent[j]) })
		var processor, adapter cluster.Time
		for _, i := range order {
			n := bytes(v.children[i].size)
			begins := max(sent[i], adapter)
			adapter = begins + c.Gap + c.bytesTime(n)
			processor = max(processor, begins+c.bytesTime(n)) + c.recvTime() + work(v.children[i].size)
		}
		times[first] = above + processor
		return above + processor
	}
	return whole(0)
}
