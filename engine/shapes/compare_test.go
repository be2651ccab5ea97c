package shapes

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// TestUnequalResultsAreFound tests that two shapes with different checksums are an error. Shapes that did not run
// have no checksum.
func TestUnequalResultsAreFound(t *testing.T) {
	r := &Report{Shapes: []*Shape{{Ranks: 1, Threads: 4, Refusal: "too large"}, {Ranks: 2, Threads: 2, Time: 7, Checksum: 1},
		{Ranks: 4, Threads: 1, Time: 5, Checksum: 1}}}
	if err := r.differs(); err != nil {
		t.Error(err)
	}
	r.Shapes[2].Checksum = 2
	if err := r.differs(); err == nil || !strings.Contains(err.Error(), "the checksum of 2 × 2 is 0000000000000001, and of 4 × 1") {
		t.Errorf("got %v, want the two shapes", err)
	}
}

// TestConclusion tests the sentence for ties, a runner-up, and shapes that take the same time.
func TestConclusion(t *testing.T) {
	r := &Report{Shapes: []*Shape{{Ranks: 1, Threads: 4, Time: 110}, {Ranks: 2, Threads: 2, Time: 100}, {Ranks: 4, Threads: 1, Time: 100}}}
	r.rank()
	ps := func(t cluster.Time) string { return t.String() }
	want := "Best: 2 × 2 ranks × threads, in a tie with 4 × 1. Runner-up: 1 × 4, 10 % more time."
	if got := r.Conclusion(ps); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Shapes = r.Shapes[1:]
	if got, want := r.Conclusion(ps), "Best: 2 × 2 ranks × threads, in a tie with 4 × 1."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := new(Report).Conclusion(ps); got != "No shape has run." {
		t.Errorf("got %q without shapes", got)
	}
}
