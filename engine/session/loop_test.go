package session

import (
	"slices"
	"testing"
	"time"
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

// TestRestOfTicks tests that one tick that took long does not delay the next one. Ticks that always take
// long do, also if only those that publish do.
func TestRestOfTicks(t *testing.T) {
	const ms = time.Millisecond
	var c tickCosts
	var got []time.Duration
	for i, took := range []time.Duration{2 * ms, 1 * ms, 1 * ms, 150 * ms, 1 * ms, 90 * ms, 80 * ms} {
		got = append(got, c.rest(publishEvery*(i+1), took)/tickShare)
	}
	if want := []time.Duration{0, 1 * ms, 1 * ms, 1 * ms, 1 * ms, 1 * ms, 80 * ms}; !slices.Equal(got, want) {
		t.Errorf("rests %v, want %v", got, want)
	}
	for i := range 3 {
		c.rest(publishEvery, 50*ms)
		if got := c.rest(publishEvery+1, ms); got > tickShare*ms {
			t.Errorf("tick %d that does not publish rests for %v", i, got)
		}
	}
	if got := c.rest(publishEvery, 50*ms); got != 50*tickShare*ms {
		t.Errorf("ticks that publish rest for %v", got)
	}
}
