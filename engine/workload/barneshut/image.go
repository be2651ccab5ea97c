package barneshut

// An image is one tree for all groups of a simulated launch, because their replicas would be
// bitwise identical. It makes large problems possible: reads of the image are counted, and
// charged together.
type image struct {
	state  []float64 // all bodies
	next   []float64 // all bodies of the next step, written by the ranks that compute them
	order  order
	census census
	hashed uint64 // hash of state

	root      ref
	leaves    []int     // by thread: index of its first leaf
	cells     []int     // by thread: index of its first cell
	summaries []summary // leaves, then cells
	links     []children
}

// imageKey is the key of the image in a launch.
type imageKey struct{}

func (m *image) build(s *simulation) {
	n := len(m.state) / bodySize
	m.order.arrange(m.state, s.byCost)
	p := planTree(&m.order, s.threads, s.p.Text("build") == buildInsert)
	m.root, m.census, m.hashed = p.root, census{}, hash(m.state)
	m.leaves, m.cells = m.leaves[:0], m.cells[:0]
	total := 0
	for t, part := range p.parts {
		m.leaves = append(m.leaves, part.lo)
		m.cells = append(m.cells, total)
		total += len(p.cells[t])
	}
	m.summaries, m.links = make([]summary, n+total), make([]children, total)
	for i := range n {
		m.summaries[i] = leafOf(m.state, int(m.order.bodies[i]))
	}
	for t, cells := range p.cells {
		for i := range cells {
			m.links[m.cells[t]+i] = cells[i].children
		}
	}
	m.sum(m.root, 0)
}

// sum computes the summary of a cell, its children first.
func (m *image) sum(r ref, level int) *summary {
	i := m.cells[r.owner()] + r.index()
	s := &m.summaries[len(m.order.bodies)+i]
	for _, c := range m.links[i] {
		switch {
		case c == 0:
		case c.leaf():
			leaf := m.at(c)
			m.census.count(leaf[summaryBody])
			s.add(leaf)
		default:
			s.add(m.sum(c, level+1))
		}
	}
	s.centre()
	s[summaryHalf] = m.order.cube.half(level)
	return s
}

// at returns a record's summary.
func (m *image) at(r ref) *summary {
	if r.leaf() {
		return &m.summaries[m.leaves[r.owner()]+r.index()]
	}
	return &m.summaries[len(m.order.bodies)+m.cells[r.owner()]+r.index()]
}

// imageReader reads the image, and counts the reads that a shared tree would need.
type imageReader struct {
	*image
	reads *reads
}

func (m *imageReader) summary(r ref, depth int) (*summary, error) {
	m.reads.summary(r.owner(), depth)
	return m.at(r), nil
}

func (m *imageReader) children(r ref, depth int) (*children, error) {
	m.reads.opened(r.owner(), depth)
	return &m.links[m.cells[r.owner()]+r.index()], nil
}
