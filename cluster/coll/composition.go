package coll

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// Level is the team of a part of a composition.
type Level uint8

// The levels.
const (
	WholeTeam Level = iota
	InNode          // the ranks of each node
	Leaders         // one rank of each node
)

var levelNames = []string{"team", "node", "leaders"}

// LevelOf returns the level with a name.
func LevelOf(name string) (Level, error) { return named[Level]("level", levelNames, name) }

// Part is one of the algorithms that a composition runs one after another.
type Part struct {
	Level     Level
	Algorithm *Algorithm
	Radix     int32 // 0: the algorithm's default
}

// String returns the part as ParsePart reads it.
func (p Part) String() string {
	text := p.Algorithm.Collective.String() + " " + p.Algorithm.Name
	if p.Level != WholeTeam {
		text = levelNames[p.Level] + " " + text
	}
	if p.Radix != 0 {
		text += fmt.Sprintf(" radix %d", p.Radix)
	}
	return text
}

// ParsePart reads a part: a level (may be omitted), a collective, its algorithm, and a radix (may be
// omitted), as in "node reduce knomial radix 4".
func ParsePart(text string) (p Part, err error) {
	words := strings.Fields(text)
	if len(words) > 0 && slices.Contains(levelNames, words[0]) {
		p.Level, _ = LevelOf(words[0])
		words = words[1:]
	}
	if len(words) == 4 && words[2] == "radix" {
		radix, err := strconv.ParseUint(words[3], 10, 12)
		if err != nil || radix == 0 {
			return p, fmt.Errorf("radix %s: want a whole number from 1 to %d", words[3], MaxRadix-1)
		}
		p.Radix, words = int32(radix), words[:2]
	}
	if len(words) != 2 {
		return p, fmt.Errorf("%q: want a collective and its algorithm, such as \"allgather ring\" or \"node reduce knomial "+
			"radix 4\"", text)
	}
	what, err := CollectiveOf(words[0])
	if err != nil {
		return p, err
	}
	p.Algorithm, err = findRegistered(what, words[1])
	return p, err
}

// A form is a list of collectives that another one can be composed of (paper 5, sections 3.1 and
// 3.5).
type form struct {
	of    Collective
	parts []formPart
	mid   Ref // blocks of the buffer Mid
}

// formPart is a part of a form, with the buffers that replace its In and Out.
type formPart struct {
	level   Level
	what    Collective
	in, out Buf
}

// mid is the temporary buffer between two parts of a form.
const mid Buf = -1

var forms = []form{
	{of: OpBcast, parts: []formPart{{WholeTeam, OpScatter, Out, Out}, {WholeTeam, OpAllgather, Out, Out}}},
	{of: OpReduce, parts: []formPart{{WholeTeam, OpReduceScatter, In, mid}, {WholeTeam, OpGather, mid, Out}}, mid: mine},
	{of: OpAllreduce, parts: []formPart{{WholeTeam, OpReduceScatter, In, Out}, {WholeTeam, OpAllgather, Out, Out}}},
	{of: OpAllreduce, parts: []formPart{{WholeTeam, OpReduce, In, Out}, {WholeTeam, OpBcast, Out, Out}}},
	{of: OpAllgather, parts: []formPart{{WholeTeam, OpGather, In, Out}, {WholeTeam, OpBcast, Out, Out}}},
	{of: OpReduceScatter, parts: []formPart{{WholeTeam, OpReduce, In, mid}, {WholeTeam, OpScatter, mid, Out}}, mid: whole},
	{of: OpBcast, parts: []formPart{{Leaders, OpBcast, Out, Out}, {InNode, OpBcast, Out, Out}}},
	{of: OpReduce, parts: []formPart{{InNode, OpReduce, In, mid}, {Leaders, OpReduce, mid, Out}}, mid: whole},
	{of: OpAllreduce, parts: []formPart{{InNode, OpReduce, In, mid}, {Leaders, OpAllreduce, mid, Out},
		{InNode, OpBcast, Out, Out}}, mid: whole},
	{of: OpBarrier, parts: []formPart{{InNode, OpBarrier, In, Out}, {Leaders, OpBarrier, In, Out}, {InNode, OpBarrier, In, Out}}},
}

// String returns the collectives of a form: "node reduce + leaders reduce".
func (f *form) String() string {
	var all []string
	for _, p := range f.parts {
		text := p.what.String()
		if p.level != WholeTeam {
			text = levelNames[p.level] + " " + text
		}
		all = append(all, text)
	}
	return strings.Join(all, " + ")
}

// Forms returns the lists of collectives that a collective can be composed of; none if there are no
// such compositions.
func Forms(what Collective) []string {
	var all []string
	for i := range forms {
		if forms[i].of == what {
			all = append(all, forms[i].String())
		}
	}
	return all
}

// composition is the data of a composed algorithm.
type composition struct {
	*form
	use []Part
}

// composed has the composed algorithms by collective and text. Equal compositions are the same
// algorithm, so that all ranks have equal keys.
var composed atomic.Pointer[map[string]*Algorithm]

// ParseComposition returns the algorithm that runs parts one after another. The text has the parts,
// separated by plus signs, as in "reduce-scatter ring + allgather ring".
func ParseComposition(what Collective, text string) (*Algorithm, error) {
	var parts []Part
	for i, part := range strings.Split(text, "+") {
		p, err := ParsePart(part)
		if err != nil {
			return nil, fmt.Errorf("part %d of the composition: %w", i+1, err)
		}
		parts = append(parts, p)
	}
	return Compose(what, parts)
}

// Compose returns the algorithm that runs parts one after another. It has its parts' restrictions,
// and its cost is the sum of their costs.
func Compose(what Collective, parts []Part) (*Algorithm, error) {
	var names []string
	for _, p := range parts {
		names = append(names, p.String())
	}
	name := strings.Join(names, " + ")
	c, err := newComposition(what, parts)
	if err != nil {
		return nil, fmt.Errorf("%s composed of %s: %w", what, name, err)
	}
	key := what.String() + ": " + name
	for {
		all := composed.Load()
		next := map[string]*Algorithm{}
		if all != nil {
			if a := (*all)[key]; a != nil {
				return a, nil
			}
			next = maps.Clone(*all)
		}
		next[key] = c.algorithm(what, name)
		if composed.CompareAndSwap(all, &next) {
			return next[key], nil
		}
	}
}

// newComposition checks that the parts make a form, and fit together.
func newComposition(what Collective, parts []Part) (*composition, error) {
	c := &composition{use: parts}
	for i := range forms {
		f := &forms[i]
		if f.of == what && slices.EqualFunc(f.parts, parts, func(a formPart, b Part) bool {
			return a.level == b.Level && a.what == b.Algorithm.Collective
		}) {
			c.form = f
		}
	}
	switch forms := Forms(what); {
	case c.form == nil && len(forms) == 0:
		return nil, errors.New("there are no compositions of this collective (use one of its algorithms)")
	case c.form == nil:
		return nil, fmt.Errorf("these parts do not make %s: want %s", what, strings.Join(forms, ", or "))
	}
	for _, p := range parts {
		a := p.Algorithm
		switch {
		case a.Needs&(Reach|Network) != 0:
			return nil, fmt.Errorf("%s: it uses no messages (use an algorithm with messages)", p)
		case a.Needs&EvenBlocks != 0 && !what.ByMember():
			return nil, fmt.Errorf("%s: it needs blocks of equal size (use another algorithm)", p)
		case a.UsesPlaces && what.Rooted() && !a.Collective.Rooted():
			return nil, fmt.Errorf("%s: it groups ranks by nodes from rank 0 on, not from the root (use an algorithm that is not "+
				"hierarchical)", p)
		case p.Level != WholeTeam && a.UsesPlaces:
			return nil, fmt.Errorf("%s: a level has no further levels (use an algorithm that is not hierarchical)", p)
		case p.Level == InNode && a.Parts != nil:
			return nil, fmt.Errorf("%s: it divides the data by ranks, which nodes may have different numbers of (use an "+
				"algorithm of a tree)", p)
		case p.Radix != 0 && a.Radix == 0:
			return nil, fmt.Errorf("%s: the algorithm has no radix", p)
		case p.Radix != 0 && int(p.Radix) < a.least():
			return nil, fmt.Errorf("%s: want a radix of at least %d", p, a.least())
		}
	}
	return c, nil
}

// maxComposed is the maximum number of ranks and of segments of a composition, whose parts share the
// numbers of channels.
const maxComposed = 1 << 14

// algorithm returns the composed algorithm.
func (c *composition) algorithm(what Collective, name string) *Algorithm {
	a := &Algorithm{
		Collective: what, Name: name, Doc: "composed by the user: " + name, Paper: "paper 5, section 3.5",
		Segmented: !what.ByMember() && what != OpBarrier,
		Make:      c.build, Class: c.class, Check: c.check, Predict: c.predict,
	}
	for _, p := range c.use {
		a.Needs |= p.Algorithm.Needs
		a.UsesPlaces = a.UsesPlaces || p.Level != WholeTeam || p.Algorithm.UsesPlaces
		a.Segmented = a.Segmented && p.Algorithm.Segmented
		if p.Level == Leaders && what.Combines() {
			a.Needs |= Commutative // nodes combine their data first
		}
		if p.Level != WholeTeam {
			a.Needs &^= PowerOfTwo | EvenRanks // of the level, see check
		}
	}
	if !what.ByMember() {
		a.Parts = c.parts
	}
	return a
}

// key returns the key of part i for a team of ranks, or for the ranks of a node.
func (c *composition) key(k Key, i int, ranks int32) Key {
	p := &c.use[i]
	of := Key{Algorithm: p.Algorithm, Ranks: ranks, Radix: p.Radix, Segments: 1, Modes: k.Modes}
	if of.Radix == 0 {
		of.Radix = p.Algorithm.Radix
	}
	if p.Algorithm.Segmented {
		of.Segments = k.Segments
	}
	if p.Algorithm.UsesPlaces {
		of.Places, of.rootAt = k.Places, k.rootAt
	}
	return of
}

// team returns the number of ranks of part i, and the rank's number among them, counted from their
// root; −1: it has no part.
func (c *composition) team(k Key, i int, rel int32) (ranks, me int32) {
	if c.use[i].Level == WholeTeam {
		return k.Ranks, rel
	}
	h := k.nodeGroup(rel)
	if c.use[i].Level == InNode {
		return h.size, h.index
	}
	if h.index > 0 {
		return h.nodes, -1
	}
	return h.nodes, h.node
}

// parts returns the number of blocks: of the parts that divide the data by ranks, otherwise the
// number of segments.
func (c *composition) parts(k Key) int32 {
	n := int32(1)
	for i := range c.use {
		ranks, _ := c.team(k, i, 0)
		n = max(n, c.key(k, i, ranks).parts())
	}
	return n
}

// check returns an error if a part does not support its number of ranks, or if parts divide the data
// differently.
func (c *composition) check(k Key) error {
	if k.Ranks > maxComposed || k.Segments > maxComposed {
		return fmt.Errorf("%d ranks, %d segments: want at most %d in a composition", k.Ranks, k.Segments, maxComposed)
	}
	all := k.parts()
	for i, p := range c.use {
		sizes := []int32{k.Ranks}
		switch h := k.nodeGroup(0); {
		case p.Level == Leaders:
			sizes[0] = h.nodes
		case p.Level == InNode:
			sizes[0] = h.size
			for node := range h.nodes {
				if n := h.sizeOf(node); !slices.Contains(sizes, n) {
					sizes = append(sizes, n)
				}
			}
		}
		for _, ranks := range sizes {
			of := c.key(k, i, ranks)
			if err := p.Algorithm.checkSizes(Parameters{Ranks: int(ranks), Radix: int(p.Radix), Segments: int(of.Segments),
				Places: of.Places}); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			if p.Algorithm.Check != nil {
				if err := p.Algorithm.Check(of); err != nil {
					return fmt.Errorf("%s: %w", p, err)
				}
			}
			if n := of.parts(); n != 1 && n != all && k.Ranks > 1 {
				return fmt.Errorf("%s: it divides the data into %d blocks, another part into %d (use parts that divide it alike)",
					p, n, all)
			}
		}
	}
	return nil
}

// class distinguishes ranks by their classes in the parts, and by their numbers in a level, whose
// blocks and peers have fixed numbers. Without equal nodes, each rank has its own class.
func (c *composition) class(k Key, rel int32) int64 {
	all := emptyHash
	for i, p := range c.use {
		ranks, at := c.team(k, i, rel)
		if p.Level != WholeTeam {
			if k.rootAt != 0 || k.Places.Places == 0 && k.Ranks%max(k.Places.Per, 1) != 0 {
				return int64(rel)
			}
			all.add(at)
			continue
		}
		class := c.key(k, i, ranks).class(at)
		all.add(int32(class), int32(class>>32))
	}
	return int64(all)
}

// predict returns the sum of the times of the parts.
func (c *composition) predict(cost *Cost, k Key, n int64) (total cluster.Time) {
	whole, each := n, (n+int64(k.Ranks)-1)/int64(k.Ranks)
	if k.Algorithm.Collective.ByMember() {
		whole, each = n*int64(k.Ranks), n
	}
	for i, p := range c.use {
		ranks, _ := c.team(k, i, 0)
		if p.Level == InNode && k.Places.Per > 0 {
			ranks = min(k.Places.Per, k.Ranks)
		}
		bytes := whole
		if p.Algorithm.Collective.ByMember() {
			bytes = each
		}
		if of := c.key(k, i, ranks); ranks > 1 {
			total += p.Algorithm.Predict(cost, of, bytes)
		} else if p.Algorithm.Collective.Combines() {
			total += cost.copies(bytes)
		}
	}
	return total
}

// build builds the schedules of the parts one after another. A part begins when the part before it is
// complete on this rank.
func (c *composition) build(b *Builder) {
	between := none // buffer between parts
	end := none     // node that completes a part
	for i := range c.use {
		ranks, at := c.team(b.Key, i, b.Rel)
		if at < 0 {
			continue
		}
		sub := &Builder{Key: c.key(b.Key, i, ranks), Rel: at, P: ranks, entry: none}
		sub.s.Collective, sub.s.Ranks, sub.s.Parts = c.use[i].Algorithm.Collective, ranks, sub.Key.parts()
		sub.Algorithm.Make(sub)
		t := transplant{to: b, sub: sub, c: c, part: i, end: end, temps: Buf(len(b.s.Temps)), between: &between}
		end = t.run()
	}
}

// transplant adds the schedule of a part to the schedule of the whole.
type transplant struct {
	to, sub *Builder
	c       *composition
	part    int
	end     id  // node that completes the part before; none: it is the first
	temps   Buf // number of temporary buffers before
	between *id // temporary buffer mid; none: there is none yet
}

// run adds the nodes and returns a node that is complete when all of them are.
func (t *transplant) run() id {
	b, first := t.to, id(len(t.to.s.Nodes))
	for _, temp := range t.sub.s.Temps {
		if !temp.Loose && !temp.Slots {
			temp.Window = t.blocks(temp.Window)
		} else if t.sub.s.Parts == 1 && b.s.Parts > 1 {
			temp = Temp{Window: Ref{N: -1}}
		}
		b.s.Temps = append(b.s.Temps, temp)
	}
	isLast := make([]bool, len(t.sub.s.Nodes))
	for i, n := range t.sub.s.Nodes {
		var after []id
		for _, d := range t.sub.after[i] {
			after = append(after, first+d)
			isLast[d] = false
		}
		if len(after) == 0 && t.end != none {
			after = []id{t.end}
		}
		isLast[i] = true
		n.Peer = t.peer(n.Peer)
		n.Channel = n.Channel*uint16(len(t.c.use)) + uint16(t.part)
		n.Ref, n.From = t.ref(n.Ref), t.ref(n.From)
		if n.Kind == Copy && n.Ref == n.From { // the part before has left the data there
			n.Ref.N, n.From.N = 0, 0
		}
		b.add(n, after)
	}
	var last []id
	for i, is := range isLast {
		if is {
			last = append(last, first+id(i))
		}
	}
	if len(last) == 0 {
		return t.end
	}
	return b.join(last)
}

// peer returns a peer of the part as a peer in the team.
func (t *transplant) peer(p Peer) Peer {
	level := t.c.use[t.part].Level
	if level == WholeTeam {
		return p
	}
	at := Place{Schedule: &t.sub.s, Rel: t.sub.Rel}
	h := t.to.nodeGroup(t.to.Rel)
	if level == InNode {
		return me(h.member(at.Peer(p)) - t.to.Rel)
	}
	return me(h.leader(at.Peer(p)) - t.to.Rel)
}

// ref returns a reference of the part as a reference in the whole.
func (t *transplant) ref(r Ref) Ref {
	if r.N == 0 {
		return Ref{Buf: Out}
	}
	r = t.blocks(r)
	form := &t.c.form.parts[t.part]
	switch r.Buf {
	case In:
		r.Buf = form.in
	case Out:
		r.Buf = form.out
	default:
		r.Buf += t.temps
	}
	if r.Buf == mid {
		if *t.between == none {
			*t.between = id(t.to.temp(t.c.form.mid))
		}
		r.Buf = Buf(*t.between)
	}
	return r
}

// blocks returns a reference with the blocks of the whole.
func (t *transplant) blocks(r Ref) Ref {
	switch {
	case r.N == 0:
	case t.sub.s.Parts == 1 && t.to.s.Parts > 1: // all blocks of the whole
		return Ref{Buf: r.Buf, N: -1}
	case t.c.use[t.part].Level != WholeTeam: // the part has other numbers of ranks
		at := Place{Schedule: &t.sub.s, Rel: t.sub.Rel}
		r.Lo = at.first(&r, t.sub.Rel, t.sub.Rel)
		r.Base = Fixed
	}
	return r
}
