package barneshut

import "math"

// An outline is a tree that depends only on the order of the bodies. Every thread can compute it
// without communication, because the owner of a cell's first body creates the cell.
type outline struct {
	parts    []span // inserted bodies, by thread
	samePace bool   // the creators of cells are as with insert, if all threads insert at the same pace
	cells    [][]plannedCell
	root     ref
}

// plannedCell is a cell of a thread.
type plannedCell struct {
	children children
	level    int
}

// planTree returns the outline with the cells of each thread.
func planTree(o *order, threads int, samePace bool) *outline {
	p := &outline{samePace: samePace, parts: make([]span, threads), cells: make([][]plannedCell, threads)}
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
	if p.samePace && level > 0 {
		maker = p.secondInserter(s, t)
	}
	c := cellRef(maker, len(p.cells[maker]))
	p.cells[maker] = append(p.cells[maker], plannedCell{level: level})
	var all children
	for i, rest := 0, s; rest.len() > 0; i++ {
		child, bodies := o.nextChild(rest, level, i)
		if bodies.len() == 1 {
			owner := p.owner(bodies.lo, t)
			all[child] = leafRef(owner, bodies.lo-p.parts[owner].lo)
		} else {
			all[child] = p.cell(o, bodies, level+1, t)
		}
		rest.lo = bodies.hi
	}
	p.cells[maker][c.index()].children = all
	return c
}

// nextChild returns the next child of a cell at a level, and its bodies at the start of rest, the
// bodies without a child so far. In a list, child i has one body, and the last child has the rest.
func (o *order) nextChild(rest span, level, i int) (child int, bodies span) {
	switch last := childCount - 1; {
	case level >= depth && i == last:
		return i, rest
	case level >= depth:
		return i, span{rest.lo, rest.lo + 1}
	}
	child = octant(o.keys[rest.lo], level)
	end := rest.lo + 1
	for end < rest.hi && octant(o.keys[end], level) == child {
		end++
	}
	return child, span{rest.lo, end}
}

// secondInserter returns the thread that inserts the second body of a span if all threads insert
// at the same pace: it finds a leaf and creates the cell. The span begins in the part of thread t.
func (p *outline) secondInserter(s span, t int) int {
	type insertion struct{ index, thread int }
	first, second := insertion{math.MaxInt, 0}, insertion{math.MaxInt, 0}
	for ; t < len(p.parts) && p.parts[t].lo < s.hi; t++ {
		part := p.parts[t]
		from := max(s.lo, part.lo)
		for at := from; at < min(from+2, s.hi, part.hi); at++ { // only two of a thread can be early enough
			switch now := (insertion{at - part.lo, t}); {
			case now.index < first.index:
				first, second = now, first
			case now.index < second.index:
				second = now
			}
		}
	}
	return second.thread
}

// owner returns the thread whose part contains a position of the order: t or a later one.
func (p *outline) owner(at, t int) int {
	for at >= p.parts[t].hi {
		t++
	}
	return t
}

// buildFromOutline builds the shared tree from the outline. Each thread creates its own cells.
func (t *tree) buildFromOutline(s *simulation) error {
	if _, err := t.writeLeaves(s); err != nil {
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
