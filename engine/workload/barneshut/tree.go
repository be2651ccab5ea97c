package barneshut

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/upc"
)

// A ref identifies a record of the tree: the thread that owns it, and its number among the owner's
// leaves or cells. The zero ref means that there is no record.
type ref uint64

const leafBit ref = 1 << 63

func cellRef(owner, i int) ref { return ref(owner+1)<<32 | ref(i) }
func leafRef(owner, i int) ref { return leafBit | cellRef(owner, i) }
func (r ref) leaf() bool       { return r&leafBit != 0 }
func (r ref) cell() bool       { return r != 0 && !r.leaf() }
func (r ref) owner() int       { return int(r&^leafBit>>32) - 1 }
func (r ref) index() int       { return int(uint32(r)) }

// A summary is the centre of mass and the mass of a leaf or a cell. The last number is half of the
// side of a cell, or the number of a leaf's body.
type summary [summarySize]float64

const (
	summarySize = 5 // numbers per summary; the first three are the centre
	summaryMass = 3
	summaryHalf = 4
	summaryBody = 4
)

// children are the children of a cell. Cells at the last level have a list of leaves, which
// continues in the last child.
type children [childCount]ref

// childCount is the number of children of a cell.
const childCount = 8

// Bytes that a read transfers; both reads of a record are 104 B.
const (
	summaryBytes  = summarySize * 8
	childrenBytes = childCount * 8
)

// add adds a child to a sum.
func (s *summary) add(c *summary) {
	for k := range 3 {
		s[k] += c[k] * c[summaryMass]
	}
	s[summaryMass] += c[summaryMass]
}

// centre completes a sum.
func (s *summary) centre() {
	for k := range 3 {
		s[k] /= s[summaryMass]
	}
}

// capacity is the number of records that a thread can have.
type capacity struct{ leaves, cells int }

// capacityFor returns the capacity for one thread's share of n bodies, twice as large if bodies are
// divided by cost.
func capacityFor(n, threads int, byCost bool) capacity {
	leaves := (n + threads - 1) / threads
	if byCost {
		leaves = min(n, 2*leaves+16)
	}
	return capacity{leaves, 2*leaves + 64}
}

// bytes returns the bytes of a thread's records.
func (m capacity) bytes() int64 {
	return alignLine(int64(m.leaves+m.cells)*summaryBytes) + alignLine(int64(m.cells)*childrenBytes)
}

// alignLine rounds n up as the segment's allocator does.
func alignLine(n int64) int64 { return (n + 63) &^ 63 }

// A tree is a group's oct-tree in shared memory.
type tree struct {
	capacity
	r         *cluster.Rank
	me        int
	root      ref
	summaries *upc.Shared[float64] // per thread: leaves, then cells
	links     *upc.Shared[uint64]  // per thread: children of its cells
	levels    []uint16             // levels of this thread's cells in use
}

func newTree(r *cluster.Rank, m capacity) (*tree, error) {
	t := &tree{capacity: m, r: r, me: r.Group().Rank()}
	threads := r.Group().Size()
	var err error
	if t.summaries, err = upc.NewShared[float64](r, threads*(m.leaves+m.cells)*summarySize, (m.leaves+m.cells)*summarySize); err != nil {
		return nil, err
	}
	t.links, err = upc.NewShared[uint64](r, threads*m.cells*childCount, m.cells*childCount)
	return t, err
}

// at returns the index of the first element of a record's summary.
func (t *tree) at(r ref) int {
	i := r.index()
	if !r.leaf() {
		i += t.leaves
	}
	return (r.owner()*(t.leaves+t.cells) + i) * summarySize
}

// child returns the index of a cell's child.
func (t *tree) child(r ref, octant int) int { return (r.owner()*t.cells+r.index())*childCount + octant }

// ownSummary returns the summary of a record that this thread owns, in place.
func (t *tree) ownSummary(r ref) *summary {
	i := t.at(r) - t.me*(t.leaves+t.cells)*summarySize
	return (*summary)(t.summaries.Local()[i:])
}

// ownChildren returns the children of one of this thread's cells, in place.
func (t *tree) ownChildren(i int) []uint64 { return t.links.Local()[i*childCount:][:childCount] }

// newCell allocates a cell of this thread.
func (t *tree) newCell(level int) (ref, error) {
	i := len(t.levels)
	if i >= t.cells {
		return 0, t.r.Lib().Errorf("oct-tree: all cells of a thread are in use: %d of %d (use more bodies per thread, or partition = count)", i, t.cells)
	}
	t.levels = append(t.levels, uint16(level))
	clear(t.ownChildren(i))
	return cellRef(t.me, i), nil
}

// writeLeaves writes this thread's leaves.
func (t *tree) writeLeaves(s *simulation) (span, error) {
	part := s.order.inserted(t.me, s.threads)
	if part.len() > t.leaves {
		return part, t.r.Lib().Errorf("oct-tree: too many leaves for a thread: %d of %d (set partition = count)", part.len(), t.leaves)
	}
	for i := range part.len() {
		*t.ownSummary(leafRef(t.me, i)) = s.leaf(part.lo + i)
	}
	t.levels = t.levels[:0]
	return part, nil
}

// read reads a summary.
func (t *tree) read(r ref, into *summary) error { return t.summaries.GetRange(t.at(r), into[:]) }

// readChildren reads a cell's children.
func (t *tree) readChildren(r ref, into *children) error {
	return t.links.GetRange(t.child(r, 0), words(into))
}
