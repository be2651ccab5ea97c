package domain

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster/codec/codectest"
)

// Recordings have all fields of the boxes.
func TestRecordBoxes(t *testing.T) { codectest.Travels(t, (*Boxes).Fields, nil) }

// Every box has one owner, owners own something, and the others nothing.
func TestOwnersOfBoxes(t *testing.T) {
	for _, d := range []Boxes{
		{Ranks: 64, Grids: []Grid{{Boxes: [3]int{4, 4, 4}}, {Boxes: [3]int{2, 2, 2}}, {Boxes: [3]int{1, 1, 1}}}},
		{Ranks: 7, Grids: []Grid{{Boxes: [3]int{3, 3, 3}}, {Boxes: [3]int{1, 2, 3}}}},
		{Ranks: 6, Grids: []Grid{{Boxes: [3]int{1, 2, 3}}}},
	} {
		for k := range d.Grids {
			g := &d.Grids[k]
			has, last := make([]bool, d.Ranks), 0
			for z := range g.Boxes[2] {
				for y := range g.Boxes[1] {
					for x := range g.Boxes[0] {
						r := d.Owner(k, x, y, z)
						if r < last || r >= d.Ranks {
							t.Fatalf("%+v: box %d, %d, %d is rank %d's, behind rank %d", d, x, y, z, r, last)
						}
						has[r], last = true, r
					}
				}
			}
			n := 0
			for r, owns := range has {
				if owns {
					n++
				}
				if d.Owns(k, r) != owns {
					t.Errorf("%+v, grid %d: rank %d owns: %t, want %t", d, k, r, !owns, owns)
				}
			}
			if n != d.Owners(k) {
				t.Errorf("%+v, grid %d: %d owners, want %d", d, k, d.Owners(k), n)
			}
		}
	}
}
