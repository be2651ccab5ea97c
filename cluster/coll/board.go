package coll

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// A call that loads uses the team's board in turn with others: in each turn a member may
// show what it has been given, what it gets, and its temporary buffers, the board's own
// memory until all members have ended the call. A turn has two words: the marks of its
// calls, and the members that have ended them. Where a raise costs what it costs the host,
// a group of turns shares the second: cores would send each other its line at every call.
const (
	boardTurns = cluster.BoardPlaces / placesOf
	placesOf   = 3 // In, Out, temporary
	groupTurns = 4
)

func marksOf(turn int) int32 { return int32(2 * turn) }

// group is the first turn of those that share the word of the members that have ended.
func (b *board) group(turn int) int { return turn &^ (b.shared - 1) }

func (b *board) endedOf(turn int) int32 { return int32(2*b.group(turn) + 1) }

func placeOf(turn int, b Buf) int { return turn*placesOf + int(min(b, temps)) }

// board is a member's side of the team's board.
type board struct {
	*cluster.Board
	asked  bool
	direct bool // loads cost what they cost the host
	node   bool // the team is in one node
	next   int
	shared int   // turns of a group, a power of two
	done   int32 // calls of the present group that were done at once, and are not counted as ended yet
	turns  [boardTurns]struct {
		calls uint64 // of this turn so far
		marks uint64 // of all of them
		words []uint64
		open  atomic.Int32 // of a group's first one: the calls of the group that have not ended here
	}
}

// Reaches reports whether loads reach all members of the team: what algorithms that need
// it can be used for. Every member is told the same.
func (c *Comm) Reaches() bool {
	if b := &c.board; !b.asked {
		b.asked, b.Board, b.direct = true, c.lib.Port().Board(c.lib.BoardContext(c.team)), c.lib.Port().Direct()
		if b.shared = 1; b.direct {
			b.shared = groupTurns
		}
		for i := range b.turns {
			b.turns[i].open.Store(int32(b.shared))
		}
		l := &c.r.Spec().Layout
		b.node = true
		for _, rank := range c.team.Members() {
			b.node = b.node && l.NodeOf(int(rank)) == c.r.Spec().Layout.NodeOf(c.r.ID())
		}
	}
	return c.board.Board != nil
}

// takeTurn gives a call its turn at the board.
func (x *Run) takeTurn() {
	b := &x.comm.board
	x.at = b.next
	if b.next++; b.next == boardTurns {
		b.next = 0
	}
	t := &b.turns[x.at]
	x.before, x.marks = t.calls*uint64(x.Schedule.Ranks), t.marks
	x.says = uint64(x.call.Key.Algorithm.id)<<56 | uint64(x.Root)<<32 | uint64(uint32(x.Blocks.Bytes()))
	t.calls++
	t.marks += uint64(x.Schedule.Marks)
}

// settle is how many calls were done at once and have to be counted now.
func (b *board) settle() int32 {
	n := b.done
	b.done = 0
	return n
}

// last reports whether the call's turn is the last one of its group.
func (x *Run) last() bool { return (x.at+1)&(x.comm.board.shared-1) == 0 }

// ends ends so many calls of the turn's group at the board; it reports whether the others
// have to be told.
func (x *Run) ends(calls int32) bool {
	b := &x.comm.board
	open := &b.turns[b.group(x.at)].open
	if open.Add(-calls) > 0 {
		return false
	}
	open.Store(int32(b.shared)) // no later call of the group ends before all members are told
	return true
}

// shelf makes the temporary buffers of a call at the board: beside the marks, where those
// of all members find room there, so that whoever awaits the marks has the bytes too.
func (x *Run) shelf(total int64) {
	b, me := &x.comm.board, x.comm.team.Rank()
	room := b.Words[marksOf(x.at)].Room[:]
	if each := len(room) / x.comm.team.Size(); total <= 8*int64(each) {
		x.temp = cluster.Bytes(room[each*me : each*(me+1)])
		return
	}
	t := &b.turns[x.at]
	if need := int(total+7) / 8; need > len(t.words) {
		t.words = make([]uint64, need)
	}
	x.temp = cluster.Bytes(t.words)
}

// differs fails a call in which a member whose bytes are wanted has made another one, or
// one on other bytes, up to 4 GiB.
func (x *Run) differs(member int32, says uint64) {
	x.fail("rank %d calls %s, this one %s: every member must make the same call, and give the same length", member, called(says), called(x.says))
}

// called is what a member says that it calls.
func called(says uint64) string {
	for _, a := range registry {
		if uint64(a.id) != says>>56 {
			continue
		}
		text := fmt.Sprintf("%s by %s", a.Collective, a.Name)
		if a.Collective.Rooted() {
			text += fmt.Sprintf(" with root %d", says>>32&(1<<24-1))
		}
		return fmt.Sprintf("%s of %d B", text, uint32(says))
	}
	return "nothing"
}

// show lets the others load a buffer.
func (x *Run) show(r *Ref) {
	x.comm.board.Note(x.at, x.comm.team.Rank(), x.says)
	if r.N == 0 || x.call.sizes {
		return
	}
	b, me, buf := &x.comm.board, x.comm.team.Rank(), x.buffer(r.Buf)
	place := placeOf(x.at, r.Buf)
	if now := b.Peer(place, me); unsafe.SliceData(now) != unsafe.SliceData(buf) || len(now) != len(buf) {
		b.Expose(place, me, buf)
	}
}

// boardWord makes an operation of a word of the call's turn.
func (x *Run) boardWord(o *cluster.Op, kind cluster.Kind, word int32, n uint64) *cluster.Op {
	o.Kind, o.Ctx, o.Tag, o.A, o.Then = kind, x.comm.lib.BoardContext(x.comm.team), word, n, nil
	return o
}

// perform does all nodes one after another, on the rank itself: none is a message.
func (x *Run) perform() error {
	c, bound := x.comm, x.bound
	x.takeTurn()
	x.wait(c.board.endedOf(x.at), x.before)
	if bound == nil {
		x.place()
	} else {
		x.temps = append(x.temps[:0], bound.temps...)
		x.reserve(bound.total)
	}
	nodes := x.Schedule.Nodes
	for i := range nodes {
		n := &nodes[i]
		switch n.Kind {
		case Mark:
			x.show(&n.Ref)
			x.raise(marksOf(x.at))
			continue
		case Meet:
			x.wait(marksOf(x.at), x.marks+uint64(n.Count))
			continue
		}
		at := &x.strides
		if bound != nil {
			at = &bound.nodes[i]
		} else {
			*at = x.stridesOf(n)
		}
		if n.Kind == Load || n.Kind == Fold {
			x.accountLoads(n, at)
		}
		x.work(n, at)
		if !c.board.direct {
			x.charge(n)
			x.op.Then = nil
			if h := c.lib.Port().Post(&x.op); h != 0 {
				c.lib.Await(h)
			}
		}
	}
	if c.board.done++; x.last() && x.ends(c.board.settle()) {
		x.raise(c.board.endedOf(x.at))
	}
	err := x.trouble
	x.rest()
	return err
}

// raise raises a word of the board by one.
func (x *Run) raise(word int32) {
	b, by := &x.comm.board, uint64(1)
	if b.direct {
		if !b.Raise(word, 1) {
			return
		}
		by = 0
	}
	x.comm.lib.Port().Post(x.boardWord(&x.op, cluster.KindRaise, word, by))
}

// wait waits at the board until a word has n.
func (x *Run) wait(word int32, n uint64) {
	c := x.comm
	if c.board.direct {
		now := &c.board.Words[word].N
		for range c.board.Looks + 1 {
			if now.Load() >= n {
				return
			}
		}
	}
	if h := c.lib.Port().Post(x.boardWord(&x.op, cluster.KindReached, word, n)); h != 0 {
		c.lib.Await(h)
	}
}

// work does what a node that is no message does to bytes.
func (x *Run) work(n *Node, at *strides) {
	switch {
	case x.trouble != nil:
	case n.Kind == Load:
		x.load(n, at)
	case n.Kind == Fold:
		x.fold(n, at)
	case !x.call.sizes:
		x.local(n, at)
	}
}

// charge is the operation of the time that a node takes which is no message.
func (x *Run) charge(n *Node) {
	o, elems := &x.op, func(size int64) uint64 { return uint64(size / max(x.Blocks.Unit, 1)) }
	switch n.Kind {
	case Load, Fold:
		o.Kind, o.Ctx, o.A, o.B, o.Buf = cluster.KindLoad, x.comm.lib.BoardContext(x.comm.team), uint64(n.Count), 0, nil
		o.Tag, o.Size = x.foremost(n), x.looked
		if n.Kind == Fold {
			o.B = elems(x.looked)
		}
	default:
		size := x.Bytes(n.From)
		o.Kind, o.A, o.B = cluster.KindWork, 0, uint64(2*size)
		if n.Kind != Copy {
			o.A, o.B = elems(size), uint64(3*size)
		}
	}
}

// foremost is the member that a load or a fold begins with.
func (x *Run) foremost(n *Node) int32 {
	if n.Kind == Load {
		return x.Peer(n.Peer)
	}
	return x.Root
}

// peers is what all members show of a node's buffer, by member.
func (x *Run) peers(n *Node) [][]byte {
	if x.call.sizes {
		return nil
	}
	return x.comm.board.Peers(placeOf(x.at, n.From.Buf))
}

// shown gives the bytes at off of what a peer shows; nil: it shows less.
func (x *Run) shown(all [][]byte, peer int32, off, size int64) []byte {
	b := all[peer]
	if off+size > int64(len(b)) {
		x.less(peer, b, off+size)
		return nil
	}
	return b[off : off+size : off+size]
}

func (x *Run) less(peer int32, b []byte, want int64) {
	x.fail("rank %d shows %d B, want %d: every member must give the same sizes", peer, len(b), want)
}

// load takes what some members show.
func (x *Run) load(n *Node, at *strides) {
	p, all := x.Schedule.Ranks, x.peers(n)
	notes := x.comm.board.Notes(x.at)
	first := wrap(x.Peer(n.Peer)-x.Root, p) // from the root on
	x.looked = 0
	if at.even {
		dst, src, to := &at.to, &at.from, x.own(n.Ref.Buf)
		for i := range n.Count {
			peer := wrap(first+i, p)
			member := wrap(peer+x.Root, p)
			if notes[member] != x.says {
				x.differs(member, notes[member])
				return
			}
			x.looked += src.each
			if all == nil || src.each == 0 {
				continue
			}
			b := x.shown(all, member, src.base+src.step*x.number(peer), src.each)
			off := dst.base + dst.step*x.number(peer)
			copy(to[off:off+dst.each], b)
		}
		return
	}
	for i := range n.Count {
		peer := wrap(first+i, p)
		if member := wrap(peer+x.Root, p); notes[member] != x.says {
			x.differs(member, notes[member])
			return
		}
		size := x.theirs(n.From, peer)
		x.looked += size
		if all != nil {
			x.between(n, all, peer)
		}
	}
}

// fold combines what the first members show, from the root on, bit by bit as a binomial
// tree of them would.
func (x *Run) fold(n *Node, at *strides) {
	p, all := x.Schedule.Ranks, x.peers(n)
	dst, src, even := at.to, at.from, at.even && at.to.step == 0
	notes, from := x.comm.board.Notes(x.at), x.sources[:0]
	x.looked = 0
	for i, peer := int32(0), x.Root; i < n.Count; i++ {
		if notes[peer] != x.says {
			x.differs(peer, notes[peer])
			return
		}
		off, size := src.base, src.each
		if !even {
			off, size = x.span(n.From, i, i)
		} else if src.step != 0 {
			off += src.step * x.number(i)
		}
		x.looked += size
		if all != nil && size > 0 {
			b := all[peer]
			if off+size > int64(len(b)) {
				x.less(peer, b, off+size)
				return
			}
			from = append(from, b[off:off+size:off+size])
		}
		if peer++; peer == p {
			peer = 0
		}
	}
	if x.sources = from; len(from) == 0 {
		return
	}
	if !even {
		dst.base, dst.each = x.span(n.Ref, x.Rel, x.Rel)
	}
	to := x.own(n.Ref.Buf)[dst.base : dst.base+dst.each]
	if x.call.CombineAll != nil {
		x.call.CombineAll(to, from)
		return
	}
	if need := bits.Len(uint(len(from))) * (len(to) + 7) / 8; need > len(x.scratch) {
		x.scratch = make([]uint64, need)
	}
	x.inTree(to, from, x.scratch)
}

// inTree is CombineAll by Combine, with room for what is half done.
func (x *Run) inTree(to []byte, from [][]byte, room []uint64) {
	if len(from) == 1 {
		copy(to, from[0])
		return
	}
	half := 1 << (bits.Len(uint(len(from)-1)) - 1)
	x.inTree(to, from[:half], room)
	rest := from[half]
	if len(from) > half+1 {
		words := (len(to) + 7) / 8
		rest = cluster.Bytes(room[:words])[:len(to)]
		x.inTree(rest, from[half:], room[words:])
	}
	x.call.Combine(to, rest)
}

// own is all of a buffer of this rank's; nil where there are sizes only.
func (x *Run) own(b Buf) []byte {
	if x.call.sizes {
		return nil
	}
	return x.buffer(b)
}

// between copies bytes of a peer, counted from the root, wherever their blocks are cut.
func (x *Run) between(n *Node, all [][]byte, peer int32) {
	most := int64(0)
	x.cuts = x.cuts[:0]
	x.runs(n.From, peer, peer, func(off, size int64) {
		x.cuts = append(x.cuts, cut{off, size})
		most = max(most, off+size)
	})
	src := x.shown(all, wrap(peer+x.Root, x.Schedule.Ranks), 0, most)
	if src == nil {
		return
	}
	dst, at := x.buffer(n.Ref.Buf), 0
	x.runs(n.Ref, x.Rel, peer, func(off, size int64) { at = x.cutting(Copy, dst, src, off, size, at) })
}

// accountLoads counts the traffic of a load or a fold.
func (x *Run) accountLoads(n *Node, at *strides) {
	r, team, p := x.comm.r, x.comm.team, x.Schedule.Ranks
	first := wrap(x.foremost(n)-x.Root, p)
	if at.shown && x.comm.board.node {
		others := int64(n.Count)
		if wrap(x.Rel-first, p) < n.Count {
			others--
		}
		if others > 0 { // any other one will do: they are all in the node
			r.Account(team.Global(int(wrap(int32(team.Rank())+1, p))), others, others*at.from.each)
		}
		return
	}
	for i := range n.Count {
		if peer := wrap(first+i, p); peer != x.Rel {
			r.Account(team.Global(int(wrap(peer+x.Root, p))), 1, x.theirs(n.From, peer))
		}
	}
}
