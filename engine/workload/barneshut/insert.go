package barneshut

import (
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// words returns children as they are stored in shared memory.
func words(c *children) []uint64 { return (*[8]uint64)(unsafe.Pointer(c))[:] }

// childrenOf returns the children at the start of words in shared memory, in place.
func childrenOf(w []uint64) *children { return (*children)(unsafe.Pointer((*[8]uint64)(w))) }

// insert builds the tree as the paper does: all threads insert their bodies from the root at the
// same time. A child changes only by compare-and-swap, from empty to a leaf, and from a leaf to a
// cell that contains the leaf. The shape of the tree thus does not depend on the order of
// insertion. A cell is complete before it is published.
func (t *tree) insert(s *simulation) error {
	t.root = cellRef(0, 0)
	part, err := t.place(s)
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
		if err := t.bring(leafRef(t.me, i), s.order.keys[part.lo+i], s); err != nil {
			return err
		}
	}
	return nil
}

// bring moves a leaf down from the root to an empty child.
func (t *tree) bring(leaf ref, key uint64, s *simulation) error {
	at, level, slot := t.root, 0, 0
	for {
		if level < depth {
			slot = octant(key, level)
		}
		e := t.child(at, slot)
		word, err := t.r.Atomic(cluster.At(t.links.Owner(e), t.links.Ptr(e).Offset()), cluster.AtomicLoad, 0)
		if err != nil {
			return err
		}
		next := ref(word)
		for next == 0 || next.leaf() {
			put := leaf
			if next != 0 {
				if level >= depth && slot < len(children{})-1 {
					break // try the next child of the list
				}
				if put, err = t.split(next, level+1, s); err != nil {
					return err
				}
			}
			old, err := t.r.CompareSwap(cluster.At(t.links.Owner(e), t.links.Ptr(e).Offset()), uint64(next), uint64(put))
			switch {
			case err != nil:
				return err
			case ref(old) == next && put == leaf:
				return nil
			case ref(old) == next:
				next = put
			default: // another thread was first
				if put != leaf {
					t.levels = t.levels[:len(t.levels)-1]
				}
				next = ref(old)
			}
		}
		if next.leaf() {
			slot++
			continue
		}
		at, level, slot = next, level+1, 0
	}
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
