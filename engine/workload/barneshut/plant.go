package barneshut

import "math"

// An outline is a tree that depends only on the order of the bodies. Every thread can compute it
// without communication, because the owner of a cell's first body creates the cell.
type outline struct {
	parts []span // inserted bodies, by thread
	paced bool   // the creators of cells are as with insert, if all threads insert at the same pace
	cells [][]planned
	root  ref
}

// planned is a cell of a thread.
type planned struct {
	children children
	level    int
}

// planTree returns the outline with the cells of each thread.
func planTree(o *order, threads int, paced bool) *outline {
	p := &outline{paced: paced, parts: make([]span, threads), cells: make([][]planned, threads)}
	for t := range p.parts {
		p.parts[t] = o.inserted(t, threads)
	}
	p.root = p.cell(o, o.all(), 0, 0)
	return p
}

// cell plans the cell of a span of bodies. The span begins in the part of thread t or of a later
// one.
func (p *outline) cell(o *order, s span, level, t int) ref {
	t = p.owner(s.lo, t)
	maker := t
	if p.paced && level > 0 {
		maker = p.second(s, t)
	}
	c := cellRef(maker, len(p.cells[maker]))
	p.cells[maker] = append(p.cells[maker], planned{level: level})
	var all children
	for i, at := 0, s.lo; at < s.hi; i++ {
		to := at
		if level < depth {
			i = octant(o.keys[at], level)
			for to < s.hi && octant(o.keys[to], level) == i {
				to++
			}
		} else if to = at + 1; i == len(all)-1 {
			to = s.hi
		}
		if to == at+1 {
			owner := p.owner(at, t)
			all[i] = leafRef(owner, at-p.parts[owner].lo)
		} else {
			all[i] = p.cell(o, span{at, to}, level+1, t)
		}
		at = to
	}
	p.cells[maker][c.index()].children = all
	return c
}

// second returns the thread that inserts the second body of a span if all threads insert at the
// same pace: it finds a leaf and creates the cell. The span begins in the part of thread t.
func (p *outline) second(s span, t int) int {
	type turn struct{ at, thread int }
	least, next := turn{math.MaxInt, 0}, turn{math.MaxInt, 0}
	for ; t < len(p.parts) && p.parts[t].lo < s.hi; t++ {
		part := p.parts[t]
		first := max(s.lo, part.lo)
		for at := first; at < min(first+2, s.hi, part.hi); at++ {
			switch now := (turn{at - part.lo, t}); {
			case now.at < least.at:
				least, next = now, least
			case now.at < next.at:
				next = now
			}
		}
	}
	return next.thread
}

// owner returns the thread whose part contains a position of the order: t or a later one.
func (p *outline) owner(at, t int) int {
	for at >= p.parts[t].hi {
		t++
	}
	return t
}

// plant builds the shared tree from the outline. Each thread creates its own cells.
func (t *tree) plant(s *simulation) error {
	if _, err := t.place(s); err != nil {
		return err
	}
	p := planTree(&s.order, s.threads, false)
	t.root = p.root
	for i := range p.cells[t.me] {
		c := &p.cells[t.me][i]
		if _, err := t.newCell(c.level); err != nil {
			return err
		}
		copy(t.ownChildren(i), words(&c.children))
	}
	return nil
}
