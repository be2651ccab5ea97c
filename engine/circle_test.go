package engine

import (
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// The result is a shortest cycle of the wait-for graph, starting at its lowest rank. Ranks that
// wait for the cycle, or for a rank that has ended, are not in it.
func TestCircle(t *testing.T) {
	wait := func(rank int, others ...int) cluster.Wait { return cluster.Wait{Rank: rank, For: others} }
	for _, c := range []struct {
		what  string
		waits []cluster.Wait
		want  []int
	}{
		{"nobody", nil, nil},
		{"head to head", []cluster.Wait{wait(0, 1), wait(1, 0)}, []int{0, 1}},
		{"a ring, entered elsewhere", []cluster.Wait{wait(5, 3), wait(3, 4), wait(4, 2), wait(2, 3)}, []int{2, 3, 4}},
		{"the shorter of two", []cluster.Wait{wait(0, 1), wait(1, 2), wait(2, 0, 3), wait(3, 2)}, []int{2, 3}},
		{"for one that has ended", []cluster.Wait{wait(0, 9), wait(1, 0)}, nil},
		{"for itself", []cluster.Wait{wait(4, 4)}, []int{4}},
		{"two threads of a rank", []cluster.Wait{wait(0, 7), wait(0, 1), wait(1, 0)}, []int{0, 1}},
	} {
		if got := circle(c.waits); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
