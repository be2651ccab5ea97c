package barneshut

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// words returns children as they are stored in shared memory.
func words(c *children) []uint64 { return (*[childCount]uint64)(unsafe.Pointer(c))[:] }

// childrenOf returns the children at the start of words in shared memory, in place.
func childrenOf(w []uint64) *children { return (*children)(unsafe.Pointer((*[childCount]uint64)(w))) }

// insert builds the tree as the paper does: all threads insert their bodies from the root at the
// same time. A child changes only by compare-and-swap, from empty to a leaf, and from a leaf to a
// cell that contains the leaf. The shape of the tree thus does not depend on the order of
// insertion. A cell is complete before it is published.
func (t *tree) insert(s *simulation) error {
	t.root = cellRef(0, 0)
	part, err := t.writeLeaves(s)
	if err != nil {
		return err
	}
	if t.me == 0 {
		if _, err := t.newCell(0); err != nil {
			return err
		}
	}
	if err := t.r.Barrier(t.r.Group()); err != nil {
		return err
	}
	for i := range part.len() {
		if err := t.insertLeaf(leafRef(t.me, i), s.order.keys[part.lo+i], s); err != nil {
			return err
		}
	}
	return nil
}

// A slot is a child of a cell.
type slot struct {
	cell  ref
	level int // of the cell
	child int
}

// full reports whether a leaf in the slot stays there: it does in a list, except in the last
// child, which continues the list.
func (at slot) full(leaf ref) bool {
	return leaf.leaf() && at.level >= depth && at.child < childCount-1
}

// insertLeaf moves a leaf down from the root to an empty slot. Its Morton number decides the way
// through the cells; in a list below them, it tries one child after the other.
func (t *tree) insertLeaf(leaf ref, key uint64, s *simulation) error {
	at := slot{cell: t.root}
	for {
		if at.level < depth {
			at.child = octant(key, at.level)
		}
		found, err := t.claim(at, leaf, s)
		switch {
		case err != nil || found == leaf:
			return err
		case found.leaf():
			at.child++
		default:
			at = slot{cell: found, level: at.level + 1}
		}
	}
}

// claim puts a leaf into a slot if the slot is empty. If another leaf is there, claim puts a new
// cell with that leaf in its place, unless the slot is full. It returns the content of the slot.
func (t *tree) claim(at slot, leaf ref, s *simulation) (ref, error) {
	i := t.child(at.cell, at.child)
	word := cluster.At(t.links.Owner(i), t.links.Ptr(i).Offset())
	content, err := t.r.Atomic(word, cluster.AtomicLoad, 0)
	for err == nil {
		found, next := ref(content), leaf
		if found.cell() || at.full(found) {
			return found, nil
		}
		if found != 0 {
			if next, err = t.split(found, at.level+1, s); err != nil {
				return 0, err
			}
		}
		if content, err = t.r.CompareSwap(word, uint64(found), uint64(next)); err == nil && ref(content) == found {
			return next, nil
		}
		if next != leaf { // another thread was first: the new cell is not used
			t.levels = t.levels[:len(t.levels)-1]
		}
	}
	return 0, err
}

// split returns a new cell that contains a leaf.
func (t *tree) split(leaf ref, level int, s *simulation) (ref, error) {
	c, err := t.newCell(level)
	if err != nil {
		return 0, err
	}
	slot := 0
	if level < depth {
		var there summary
		if err := t.read(leaf, &there); err != nil {
			return 0, err
		}
		slot = octant(s.order.cube.key(there[:3]), level)
	}
	t.ownChildren(c.index())[slot] = uint64(leaf)
	return c, nil
}
