package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// A part lasts from the start of its first rank to the end of its last one. It is whole when a rank
// has started another part, or when the launch has ended.
func TestPartsOfAnIteration(t *testing.T) {
	rec, l := oneLane(0)
	wants := func(when string, all ...timeline.Part) {
		t.Helper()
		if diff := cmp.Diff(all, rec.View().Parts); diff != "" {
			t.Errorf("%s (−want +got):\n%s", when, diff)
		}
	}
	wants("before any")
	rec.Enter(3, 0, "first", 12)
	rec.Leave(3, 0, 20)
	wants("a rank may still begin it", timeline.Part{Name: "first", Round: 3, Begin: 12, End: 20})
	rec.Enter(3, 0, "first", 10)
	rec.Leave(3, 0, 18)
	rec.Leave(4, 0, 1) // no rank has started it
	rec.Enter(3, 1, "second", 30)
	first := timeline.Part{Name: "first", Round: 3, Begin: 10, End: 20, Whole: true}
	wants("another one has begun", first, timeline.Part{Name: "second", Round: 3, Row: 1, Begin: 30, End: 30})
	rec.Leave(3, 1, 40)
	l.Until(41, timeline.ActivityCompute, 0, timeline.NoPeer)
	rec.Close(50)
	wants("the launch is over", first, timeline.Part{Name: "second", Round: 3, Row: 1, Begin: 30, End: 40, Whole: true})
	for round := range 1000 {
		rec.Enter(10+round, 0, "many", 60)
	}
	if n := len(rec.View().Parts); n < 100 || n > 256 {
		t.Errorf("%d parts are kept, want the latest", n)
	}
}
