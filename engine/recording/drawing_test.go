package recording_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/collective"
	"github.com/hybridtop/hybridtop/engine/workload/domain"
)

// Snapshots of version 7 had three drawings as fields. They are read and written as drawings. The
// files are simulations of one iteration, recorded by version 7.
func TestDrawingsOfVersion7(t *testing.T) {
	read := func(name string) *engine.Snapshot {
		t.Helper()
		b, err := os.ReadFile("testdata/version7-" + name + ".snapshot")
		if err != nil {
			t.Fatal(err)
		}
		old, err := new(engine.Decoder).Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		s, err := new(engine.Decoder).Decode(new(engine.Encoder).Append(nil, old))
		if err != nil {
			t.Fatal(err)
		}
		if !s.Verification.OK || s.Scenario.Workload != name || s.LaunchLine == "" {
			t.Errorf("%s is read as %s, verification %+v", name, s.Scenario.Workload, s.Verification)
		}
		return s
	}
	s := read("collective")
	f := engine.DrawingOf[*collective.Flow](s)
	if f == nil || f.Name != "bcast by knomial, radix 2" || f.Ranks != 4 || !f.Tree || f.Bytes != 192 ||
		f.DoneKind != engine.Simulated || len(f.Done) != 4 ||
		!slices.Equal(f.Hops,
			[]collective.Hop{{From: 0, To: 2, Bytes: 64, Step: 1, Arrived: 2.0063e-06},
				{From: 0, To: 1, Bytes: 64, Step: 2, Sent: 6.3e-09, Arrived: 2.0126e-06},
				{From: 2, To: 3, Bytes: 64, Step: 2, Sent: 2.0063e-06, Arrived: 4.0126e-06}}) {
		t.Errorf("the flow of a collective is %+v", f)
	}
	w := engine.DrawingOf[*collective.Map](s)
	if w == nil || w.Of != "algorithm of bcast" || len(w.X) != 11 || len(w.Y) != 10 || w.At(0, 0).Best != 6 ||
		w.At(0, 0).Time != 2.0006e-06 {
		t.Errorf("decision map %+v", w)
	}
	want := &domain.Boxes{Ranks: 4}
	for i, n := range []int{16, 8, 4, 2, 1} {
		boxes, cells := max(2-i, 1), min(n, 8)
		want.Grids = append(want.Grids,
			domain.Grid{Name: fmt.Sprintf("%d³", n), Boxes: [3]int{boxes, boxes, boxes}, Cells: [3]int{cells, cells, cells}})
	}
	if d := engine.DrawingOf[*domain.Boxes](read("multigrid")); !cmp.Equal(d, want) {
		t.Errorf("the boxes of multigrid differ: %s", cmp.Diff(want, d))
	}
}
