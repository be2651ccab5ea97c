package coll

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

func init() {
	for i := range shapes {
		s := &shapes[i]
		register(&Algorithm{
			Collective: OpBcast, Name: s.name, Doc: "down " + s.doc, Paper: s.paper, Radix: s.radix, LeastRadix: s.least, Segmented: true,
			Make: func(b *Builder) { b.cast(s, nil) }, Class: s.place,
			Predict: func(c *Cost, k Key, n int64) cluster.Time { return s.down(c, k, n) },
		}, &Algorithm{
			Collective: OpScatter, Name: s.name, Doc: "down " + s.doc, Paper: s.paper, Radix: s.radix, LeastRadix: s.least,
			Make: func(b *Builder) { b.scatter(s, In, Out) }, Class: s.subtree,
			Predict: func(c *Cost, k Key, n int64) cluster.Time {
				return s.walk(k, 0, func(d limb) int64 { return int64(d.size) * n }, c)
			},
		})
	}
}

// cast broadcasts the parts of Out, one after another, each passed on as it comes:
// once the nodes that after gives for a part are complete, if there are any. Two
// receives are under way; puts come when they come.
func (b *Builder) cast(s *shape, after func(part int32) []id) {
	v := s.vertex(b.P, b.Radix, b.Rel)
	order := v.largest()
	if s.far {
		order = slices.Clone(v.kids)
		slices.Reverse(order)
	}
	last := [2]id{none, none}
	for i := range b.s.Parts {
		b.lane = uint16(i)
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

// scatter divides what the root has in a buffer by whose rank it is for, and leaves
// the own block in another one. Ranks with children keep those of their subtree.
func (b *Builder) scatter(s *shape, root, own Buf, after ...id) {
	v := s.vertex(b.P, b.Radix, b.Rel)
	all := root
	if v.up > 0 {
		if v.size == 1 {
			b.recv(me(-v.up), from(own, 0, 1), after...)
			return
		}
		all = b.temp(from(0, 0, v.size))
		after = []id{b.recv(me(-v.up), from(all, 0, v.size), after...)}
	}
	for _, c := range v.largest() {
		b.send(me(c.d), from(all, c.d, c.size), after...)
	}
	b.copy(from(own, 0, 1), from(all, 0, 1), after...)
}

// walk is when the last rank below a vertex has a message whose size is by child, its
// parent having it at 0 and sending to each child in turn.
func (s *shape) walk(k Key, rel int32, size func(limb) int64, c *Cost) cluster.Time {
	return walk(func(rel int32) vertex { return s.vertex(k.Ranks, k.Radix, rel) }, func(rel int32) int64 { return s.subtree(k, rel) }, rel, size, c)
}

// walk is the same in any tree whose vertices of one class have equal subtrees.
func walk(at func(rel int32) vertex, class func(rel int32) int64, rel int32, size func(limb) int64, c *Cost) cluster.Time {
	known := map[int64]cluster.Time{} // by class
	var below func(rel int32) cluster.Time
	below = func(rel int32) cluster.Time {
		class := class(rel)
		if t, ok := known[class]; ok {
			return t
		}
		v := at(rel)
		var last, processor, adapter cluster.Time
		for _, d := range v.largest() {
			n := size(d)
			processor += c.O
			leaves := max(processor, adapter)
			adapter = leaves + c.Gap + c.carry(n)
			last = max(last, processor, leaves+c.L+c.carry(n)+c.in()+below(rel+d.d))
		}
		known[class] = last
		return last
	}
	return below(rel)
}

// down is the time of a broadcast: one segment goes down the tree, and the others
// follow as far apart as the busiest rank takes to pass one on.
func (s *shape) down(c *Cost, k Key, n int64) cluster.Time {
	first, each, behind := s.downward(c, k, n)
	return first + cluster.Time(k.Segments-1)*max(each, behind)
}

// downward is the time of the first segment, and what each further one takes of the
// busiest rank's processor, and of what else it goes through.
func (s *shape) downward(c *Cost, k Key, n int64) (first, processor, elsewhere cluster.Time) {
	piece := (n + int64(k.Segments) - 1) / int64(k.Segments)
	s.busiest(k, func(v *vertex, siblings int) {
		kids, up := cluster.Time(len(v.kids)), cluster.Time(min(v.up, 1))
		processor = max(processor, kids*c.O+up*c.in())
		ahead := siblings - 1 // segments that leave the parent for the others
		if len(v.kids) > 0 {  // it passes on: then also its own, and the requests come in pairs
			ahead = len(v.kids) + siblings
		}
		elsewhere = max(elsewhere, c.offers(len(v.kids))+c.leaves(max(len(v.kids), 1), piece), up*c.landing(2, piece, kids*c.O, c.leaves(ahead, piece)))
	})
	return s.walk(k, 0, func(limb) int64 { return piece }, c), processor, elsewhere
}

// busiest visits the root and its children, which have the most children of all, and says
// how many have the same parent.
func (s *shape) busiest(k Key, visit func(v *vertex, siblings int)) {
	root := s.vertex(k.Ranks, k.Radix, 0)
	visit(&root, 0)
	last := int32(-1)
	for _, d := range root.kids {
		if d.size != last {
			v := s.vertex(k.Ranks, k.Radix, d.d)
			visit(&v, len(root.kids))
			last = d.size
		}
	}
}
