package dense

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/cluster/codec/codectest"
)

// Recordings contain all fields of a checkerboard.
func TestACheckerboardTravels(t *testing.T) { codectest.Travels(t, (*Checkerboard).Fields, nil) }

// A checkerboard without ranks or steps, or with too many ranks, is refused.
func TestCheckerboardsThatAreRefused(t *testing.T) {
	for _, b := range []Checkerboard{{Rows: 0, Cols: 1, Steps: 1}, {Rows: 1, Cols: -1, Steps: 1}, {Rows: 1, Cols: 1},
		{Rows: 1 << 13, Cols: 1<<11 + 1, Steps: 1}, {Rows: 1, Cols: 1, Steps: 1, Ahead: -1}} {
		c := codec.Encode(nil)
		b.Fields(c)
		d := codec.Decode(c.Bytes())
		if new(Checkerboard).Fields(d); d.End() == nil {
			t.Errorf("%+v is read without an error", b)
		}
	}
}

// A rank works in a step if it has a block on or above the diagonal that is in no row or column
// before the step.
func TestWhoWorksOnACheckerboard(t *testing.T) {
	for _, c := range []Checkerboard{{1, 1, 3, 0, true}, {2, 3, 7, 0, true}, {4, 2, 9, 0, true}, {4, 4, 4, 0, true},
		{3, 5, 2, 0, true}, {3, 2, 8, 0, false}, {3, 5, 2, 0, false}} {
		for step := range c.Steps {
			works := make([]bool, c.Rows*c.Cols)
			for i := range c.Steps {
				for j := range c.Steps {
					if !c.Upper || step <= i && i <= j {
						works[i%c.Rows*c.Cols+j%c.Cols] = true
					}
				}
			}
			for rank, want := range works {
				if got := c.Works(rank, step); got != want {
					t.Errorf("%+v: rank %d works in step %d: %t, want %t", c, rank, step, got, want)
				}
			}
			if owner := c.Row(step)*c.Cols + c.Column(step); !works[owner] {
				t.Errorf("%+v: rank %d has the block of step %d and does not work", c, owner, step)
			}
		}
	}
}
