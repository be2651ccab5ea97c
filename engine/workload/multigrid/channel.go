package multigrid

import (
	"cmp"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// piece is a region of cells that one box sends to another in a step. It consists of rows at both
// ends.
type piece struct {
	from, to int     // ranks
	key      int     // number of the piece between the two ranks; both sort by it
	image    int     // down, up: the first cell of the coarse box below the fine one
	ends     [3]bool // down: the fine box is at the coarse one's upper end
	slots    [2]int
	of       cluster.Strided // Near: in the sender's memory, Far: in the receiver's data
}

// group is the pieces between this rank and another one, in the order of their keys.
type group struct {
	peer   int
	pieces []piece
	bytes  int64
	rows   int64 // of all pieces
	source int   // bulk: index of this rank's flag at the peer
	inbox  int64 // bulk: position in the peer's inbox
}

// channel holds all data movements of a rank in a step.
type channel struct {
	level, way int
	local      []piece // between boxes of this rank
	localBytes int64   // bytes of local
	localRows  int64   // rows of local
	localCount int     // pieces of local
	out, in    []group
	peers      []int // of out and in
	epoch      uint64
}

// region is a part of a vector: its first cell and how many there are along each
// dimension.
type region struct{ first, n [3]int }

func (s shape) lattice(r region, at int64) cluster.Lattice {
	return cluster.Lattice{Off: at + 8*int64(s.index(r.first[0], r.first[1], r.first[2])),
		Stride: [2]int64{8 * int64(s.stride()), 8 * int64(s.stride()*s.stride())}}
}

// rows returns a region as the blocks of a strided transfer.
func rows(n [3]int) cluster.Strided {
	return cluster.Strided{Block: 8 * int64(n[0]), Count: [2]int{n[1], n[2]}}
}

// packed returns the lattice of contiguous rows from cell at on.
func packed(n [3]int, at int) cluster.Lattice {
	return cluster.Lattice{Off: 8 * int64(at), Stride: [2]int64{8 * int64(n[0]), 8 * int64(n[0]*n[1])}}
}

// directions are the directions to a box's neighbours, faces first.
var directions = func() (all [][3]int) {
	for touching := 1; touching <= 3; touching++ {
		for k := -1; k <= 1; k++ {
			for j := -1; j <= 1; j++ {
				for i := -1; i <= 1; i++ {
					if i*i+j*j+k*k == touching {
						all = append(all, [3]int{i, j, k})
					}
				}
			}
		}
	}
	return all
}()

// sideOf returns the region that a box sends in a direction, and the position of the data at its
// neighbour.
func (s shape) sideOf(d [3]int) (near, far region) {
	for x, to := range d {
		near.n[x] = s.side
		near.first[x] = 1
		far.first[x] = 1
		switch to {
		case 1:
			near.n[x] = 1
			near.first[x] = s.side
			far.first[x] = 0
		case -1:
			near.n[x] = 1
			near.first[x] = 1
			far.first[x] = s.side + 1
		}
	}
	far.n = near.n
	return near, far
}

// neighbourPieces lists the pieces that the boxes of a rank send (sending) or receive within a
// level.
func (l *layout) neighbourPieces(level, rank, count int, sending bool) (all []piece) {
	s := l.shapes[level]
	begin, end := s.first(rank, l.ranks), s.first(rank+1, l.ranks)
	for box := begin; box < end; box++ {
		at := s.at(box)
		for k, d := range directions[:count] {
			sign := 1
			if !sending {
				sign = -1
			}
			other, ok := s.box([3]int{at[0] + sign*d[0], at[1] + sign*d[1], at[2] + sign*d[2]})
			if !ok {
				continue
			}
			from, to := box, other
			if !sending {
				from, to = other, box
			}
			p := piece{from: s.owner(from, l.ranks), to: s.owner(to, l.ranks), key: from*len(directions) + k}
			p.slots = [2]int{from - s.first(p.from, l.ranks), to - s.first(p.to, l.ranks)}
			near, far := s.sideOf(d)
			p.of = rows(near.n)
			p.of.Near, p.of.Far = s.lattice(near, l.vector(level, p.slots[0], 0)), s.lattice(far, l.vector(level, p.slots[1], 0))
			all = append(all, p)
		}
	}
	return all
}

// childPieces lists the pieces between a fine level's boxes and the coarse boxes that cover them:
// for the fine boxes of a rank, or for its coarse boxes.
func (l *layout) childPieces(level, rank int, fine bool) (all []piece) {
	f, c := l.shapes[level], l.shapes[level+1]
	half := max(f.side/2, 1)
	add := func(box int) {
		at := f.at(box)
		var in [3]int // the coarse box
		var r region  // of it, below the fine box
		for x := range at {
			cell := at[x] * f.side / 2
			in[x] = cell / c.side
			r.first[x] = cell%c.side + 1
			r.n[x] = half
		}
		coarse, _ := c.box(in)
		p := piece{key: box, image: c.index(r.first[0], r.first[1], r.first[2]), from: f.owner(box, l.ranks),
			to: c.owner(coarse, l.ranks)}
		for x := range at {
			p.ends[x] = r.first[x]+half-1 == c.side
		}
		p.slots = [2]int{box - f.first(p.from, l.ranks), coarse - c.first(p.to, l.ranks)}
		p.of = rows(r.n)
		p.of.Near = packed(r.n, p.slots[0]*half*half*half)
		p.of.Far = c.lattice(r, l.vector(level+1, p.slots[1], vR))
		all = append(all, p)
	}
	if fine {
		for box := f.first(rank, l.ranks); box < f.first(rank+1, l.ranks); box++ {
			add(box)
		}
		return all
	}
	ratio := f.boxes / c.boxes
	if ratio == 0 {
		return nil
	}
	for box := c.first(rank, l.ranks); box < c.first(rank+1, l.ranks); box++ {
		at := c.at(box)
		for k := range ratio {
			for j := range ratio {
				for i := range ratio {
					b, _ := f.box([3]int{at[0]*ratio + i, at[1]*ratio + j, at[2]*ratio + k})
					add(b)
				}
			}
		}
	}
	return all
}

// reversed reverses pieces: data that a fine box sent down returns to all its cells.
func (l *layout) reversed(level int, all []piece) []piece {
	f := l.shapes[level]
	for i := range all {
		p := &all[i]
		p.from, p.to = p.to, p.from
		p.slots[0], p.slots[1] = p.slots[1], p.slots[0]
		whole := region{first: [3]int{1, 1, 1}, n: [3]int{f.side, f.side, f.side}}
		far := p.of.Far
		p.of = rows(whole.n)
		p.of.Near, p.of.Far = far, f.lattice(whole, l.vector(level, p.slots[1], vTemp))
	}
	return all
}

// sends and receives return all pieces that a rank sends or receives in a step.
func (l *layout) sends(level, way, rank int) []piece {
	switch way {
	case faces:
		return l.neighbourPieces(level, rank, 6, true)
	case sides:
		return l.neighbourPieces(level, rank, 26, true)
	case down:
		return l.childPieces(level, rank, true)
	}
	return l.reversed(level, l.childPieces(level, rank, false))
}

func (l *layout) receives(level, way, rank int) []piece {
	switch way {
	case faces:
		return l.neighbourPieces(level, rank, 6, false)
	case sides:
		return l.neighbourPieces(level, rank, 26, false)
	case down:
		return l.childPieces(level, rank, false)
	}
	return l.reversed(level, l.childPieces(level, rank, true))
}

// groupByPeer sorts pieces by the other rank.
func groupByPeer(all []piece, rank int, other func(piece) int) (local []piece, groups []group) {
	slices.SortFunc(all, func(a, b piece) int {
		return cmp.Or(cmp.Compare(other(a), other(b)), cmp.Compare(a.key, b.key))
	})
	for _, p := range all {
		to := other(p)
		if to == rank {
			local = append(local, p)
			continue
		}
		if n := len(groups); n == 0 || groups[n-1].peer != to {
			groups = append(groups, group{peer: to})
		}
		g := &groups[len(groups)-1]
		g.pieces = append(g.pieces, p)
		g.bytes += p.of.Bytes()
		g.rows += int64(p.of.Blocks())
	}
	return local, groups
}

func (l *layout) arrivals(level, way, rank int) []group {
	_, in := groupByPeer(l.receives(level, way, rank), rank, func(p piece) int { return p.from })
	return in
}

// channel returns a rank's part of a step. The bulk variant computes the positions of its data in
// its peers' inboxes.
func (l *layout) channel(level, way, rank int) *channel {
	c := &channel{level: level, way: way}
	c.local, c.out = groupByPeer(l.sends(level, way, rank), rank, func(p piece) int { return p.to })
	c.localCount = len(c.local)
	for i := range c.local {
		c.localBytes += c.local[i].of.Bytes()
		c.localRows += int64(c.local[i].of.Blocks())
	}
	c.in = l.arrivals(level, way, rank)
	if way == up { // each fine box's image has a position in the scratch buffer of the coarse box's rank
		side, at := l.shapes[level].side, 0
		for i := range c.out {
			for k := range c.out[i].pieces {
				c.out[i].pieces[k].of.Near = packed([3]int{side, side, side}, at)
				at += side * side * side
			}
		}
	}
	for _, groups := range [...][]group{c.out, c.in} {
		for i := range groups {
			c.peers = append(c.peers, groups[i].peer)
		}
	}
	slices.Sort(c.peers)
	c.peers = slices.Compact(c.peers)
	var senders []int
	for i := range c.out {
		if !l.bulk {
			break
		}
		g := &c.out[i]
		g.inbox, senders = l.bytesBelow(level, way, g.peer, rank, senders[:0])
		g.source = len(senders)
	}
	return c
}

// trimmed returns the channel with only the pieces that operations name: a variant that does not
// pack puts them one by one. Only the copying of bytes reads the others, and they use most of the
// memory of many ranks.
func (c *channel) trimmed(packs bool) *channel {
	l := *c
	l.local = nil
	l.in = slices.Clone(c.in) // clones have no spare capacity
	l.out = slices.Clone(c.out)
	for i := range l.in {
		l.in[i].pieces = nil
	}
	for i := range l.out {
		if g := &l.out[i]; packs {
			g.pieces = nil
		} else {
			g.pieces = slices.Clone(g.pieces)
		}
	}
	return &l
}

// bytesBelow returns the bytes of a rank's arrivals that come from ranks below another one, and
// appends these ranks.
func (l *layout) bytesBelow(level, way, rank, other int, senders []int) (bytes int64, below []int) {
	s := l.shapes[level]
	add := func(from int, n int64) {
		if from < other && from != rank {
			bytes += n
			senders = append(senders, from)
		}
	}
	switch way {
	case faces, sides:
		count := len(directions)
		if way == faces {
			count = 6
		}
		for box := s.first(rank, l.ranks); box < s.first(rank+1, l.ranks); box++ {
			at := s.at(box)
			for _, d := range directions[:count] {
				if from, ok := s.box([3]int{at[0] - d[0], at[1] - d[1], at[2] - d[2]}); ok {
					add(s.owner(from, l.ranks), s.sideBytes(d))
				}
			}
		}
	default:
		all := l.receives(level, way, rank)
		for i := range all {
			add(all[i].from, all[i].of.Bytes())
		}
	}
	slices.Sort(senders)
	return bytes, slices.Compact(senders)
}

// sideBytes returns the bytes that a box sends in a direction.
func (s shape) sideBytes(d [3]int) int64 {
	n := int64(8)
	for _, to := range d {
		if to == 0 {
			n *= int64(s.side)
		}
	}
	return n
}
