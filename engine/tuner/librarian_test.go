package tuner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/presets"
)

// TestMapLibrary maps the choices for an allreduce on 12 ranks of 3 nodes. Every team and size has a choice that is not faster
// than the best, and the worst ones come first. A cancelled map is an error.
func TestMapLibrary(t *testing.T) {
	m, err := presets.Machine("demo")
	if err != nil {
		t.Fatal(err)
	}
	done, total := 0, 0
	l, err := MapLibrary(t.Context(), m, "allreduce", "openmpi-4.1", 12, 4, func(d, n int) { done, total = d, n })
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Ranks) != 4 || l.Ranks[3] != 12 || done != total || total < len(l.Ranks)*len(l.Sizes) {
		t.Errorf("teams %v, %d of %d tuples", l.Ranks, done, total)
	}
	for _, ranks := range l.Ranks {
		for _, n := range l.Sizes {
			if at := l.At(ranks, n); at == nil || at.Took < at.Least || at.Least == 0 {
				t.Errorf("%d ranks, %d B: %+v", ranks, n, at)
			}
		}
	}
	all := l.Worst(3)
	for i := range all[1:] {
		if all[i].Regret() < all[i+1].Regret() {
			t.Errorf("%s is before %s", all[i].Words(), all[i+1].Words())
		}
	}
	if len(all) != 3 || l.At(5, 8) != nil {
		t.Errorf("worst %v, and a choice for 5 ranks: %v", all, l.At(5, 8))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := MapLibrary(ctx, m, "allreduce", "openmpi-4.1", 12, 4, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for what, want := range map[[2]string]string{{"allreduce", "lam-7"}: "unknown", {"dance", "openmpi-4.1"}: "want one of"} {
		if _, err := MapLibrary(t.Context(), m, what[0], what[1], 12, 4, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", what, err, want)
		}
	}
	if _, err := MapLibrary(t.Context(), m, "allreduce", "openmpi-4.1", 1, 1, nil); err == nil || !strings.Contains(err.Error(), "no team") {
		t.Errorf("one rank: %v", err)
	}
}
