package session

import (
	"slices"
	"testing"
)

// Late ticks keep the rate of snapshots. Counts are requested one tick before each of them.
func TestFollowing(t *testing.T) {
	for _, c := range []struct {
		due  int
		want []int
	}{
		{0, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{1, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
		{4, []int{4, 8, 9, 10, 14, 18, 19, 20}},
		{1000, []int{9, 10, 19, 20}},
	} {
		var got []int
		for n := 0; len(got) < len(c.want); got = append(got, n) {
			n = following(n, c.due)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d ticks due: %v, want %v", c.due, got, c.want)
		}
	}
}
