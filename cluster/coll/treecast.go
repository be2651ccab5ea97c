package coll

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

func init() {
	for i := range shapes {
		s := &shapes[i]
		register(&Algorithm{
			Collective: OpBcast, Name: s.name, Doc: "down " + s.doc, Paper: s.paper, Radix: s.radix, MinRadix: s.least,
			Segmented: true,
			Make:      func(b *Builder) { b.cast(s, nil) }, Class: s.childClass,
			Predict: func(c *Cost, k Key, n int64) cluster.Time { return s.down(c, k, n) },
		}, &Algorithm{
			Collective: OpScatter, Name: s.name, Doc: "down " + s.doc, Paper: s.paper, Radix: s.radix, MinRadix: s.least,
			Make: func(b *Builder) { b.scatter(s, In, Out) }, Class: s.subtreeClass,
			Predict: func(c *Cost, k Key, n int64) cluster.Time {
				return s.walk(k, 0, func(d edge) int64 { return int64(d.size) * n }, c)
			},
		})
	}
}

// cast broadcasts the parts of Out, one after another. A rank passes on each part when it arrives,
// and after the nodes that after returns for it. Two receives are posted at a time; puts arrive at
// any time.
func (b *Builder) cast(s *shape, after func(part int32) []id) {
	v := s.vertex(b.P, b.Radix, b.Rel)
	order := v.largest()
	if s.far {
		order = slices.Clone(v.children)
		slices.Reverse(order)
	}
	last := [2]id{none, none}
	for i := range b.s.Parts {
		b.channel = uint16(i)
		var ready []id
		if after != nil {
			ready = after(i)
		}
		if v.up > 0 {
			got := b.recv(me(-v.up), part(Out, i, 1), append(ready, last[i%2])...)
			if !b.Transfer.lands() {
				last[i%2] = got
			}
			ready = []id{got}
		}
		for _, c := range order {
			b.send(me(c.d), part(Out, i, 1), ready...)
		}
	}
}

// scatter distributes the blocks of a buffer of the root, and leaves each rank's block in another
// buffer. Ranks with children keep the blocks of their subtree.
func (b *Builder) scatter(s *shape, root, block Buf, after ...id) {
	v := s.vertex(b.P, b.Radix, b.Rel)
	all := root
	if v.up > 0 {
		if v.size == 1 {
			b.recv(me(-v.up), from(block, 0, 1), after...)
			return
		}
		all = b.temp(from(0, 0, v.size))
		after = []id{b.recv(me(-v.up), from(all, 0, v.size), after...)}
	}
	for _, c := range v.largest() {
		b.send(me(c.d), from(all, c.d, c.size), after...)
	}
	b.copy(from(block, 0, 1), from(all, 0, 1), after...)
}

// walk returns the time at which the last rank below a vertex has its message. The size depends on
// the child. A parent has the message at time 0 and sends to one child after another.
func (s *shape) walk(k Key, rel int32, size func(edge) int64, c *Cost) cluster.Time {
	return walk(func(rel int32) vertex { return s.vertex(k.Ranks, k.Radix, rel) }, func(rel int32) int64 {
		return s.subtreeClass(k, rel)
	}, rel, size, c)
}

// walk is shape.walk for any tree whose vertices of one class have equal subtrees.
func walk(at func(rel int32) vertex, class func(rel int32) int64, rel int32, size func(edge) int64,
	c *Cost) cluster.Time {
	times := map[int64]cluster.Time{} // by class
	var below func(rel int32) cluster.Time
	below = func(rel int32) cluster.Time {
		first := class(rel)
		if t, ok := times[first]; ok {
			return t
		}
		v := at(rel)
		var clock sendClock
		var last, above cluster.Time
		for len(v.children) == 1 { // a chain can be as long as the team
			var clock sendClock
			above += clock.send(c, size(v.children[0]), 0)
			rel += v.children[0].d
			v = at(rel)
		}
		for _, d := range v.largest() {
			var under cluster.Time
			if d.size > 1 {
				under = below(rel + d.d)
			}
			last = max(last, clock.send(c, size(d), 0)+under, clock.processor)
		}
		times[first] = above + last
		return above + last
	}
	return below(rel)
}

// down returns the time of a broadcast. The first segment goes down the tree. The others follow at
// the interval that the busiest rank needs to pass one on.
func (s *shape) down(c *Cost, k Key, n int64) cluster.Time {
	first, each, behind := s.downward(c, k, n)
	return first + cluster.Time(k.Segments-1)*max(each, behind)
}

// downward returns the time of the first segment, and the time of each further segment on the
// busiest rank's CPU and on the other resources.
func (s *shape) downward(c *Cost, k Key, n int64) (first, processor, elsewhere cluster.Time) {
	piece := (n + int64(k.Segments) - 1) / int64(k.Segments)
	s.busiest(k, func(v *vertex, siblings int) {
		kids, up := cluster.Time(len(v.children)), cluster.Time(min(v.up, 1))
		processor = max(processor, kids*c.O+up*c.recvTime())
		ahead := siblings - 1    // segments that the parent sends to the siblings
		if len(v.children) > 0 { // an inner rank also sends, and requests arrive in pairs
			ahead = len(v.children) + siblings
		}
		elsewhere = max(elsewhere, c.offers(len(v.children))+c.adapterTime(max(len(v.children), 1), piece),
			up*c.landing(2, piece, kids*c.O, c.adapterTime(ahead, piece)))
	})
	return s.walk(k, 0, func(edge) int64 { return piece }, c), processor, elsewhere
}

// busiest visits the root and its children, which have the most children, with the number of their
// siblings.
func (s *shape) busiest(k Key, visit func(v *vertex, siblings int)) {
	root := s.vertex(k.Ranks, k.Radix, 0)
	visit(&root, 0)
	last := int32(-1)
	for _, d := range root.children {
		if d.size != last {
			v := s.vertex(k.Ranks, k.Radix, d.d)
			visit(&v, len(root.children))
			last = d.size
		}
	}
}
