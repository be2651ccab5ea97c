package dot

import (
	"testing"

	"pgregory.net/rapid"
)

func TestClosedFormIsTheSequentialSum(t *testing.T) {
	sum := 0.0
	for n := range 1000 {
		if got := closedForm(n); got != sum {
			t.Fatalf("%d elements: %v, want %v", n, got, sum)
		}
		sum += left(n) * right(n)
	}
}

// The last block ends with the vector, even if elements × groups exceeds 32 bits.
func TestBlocksOfLongVectors(t *testing.T) {
	const n, groups = 1<<27 + 5, 64
	if low, high := block(n, groups-1, groups); high != n || low != n-n/groups-1 {
		t.Errorf("the last of %d blocks of %d elements is %d to %d", groups, n, low, high)
	}
}

// Blocks of groups and elements of threads partition the vectors. Each element belongs to one
// thread of one group, which is the thread that it has affinity to.
func TestEachElementIsTakenOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "elements")
		groups := rapid.IntRange(1, 20).Draw(t, "groups")
		threads := rapid.IntRange(1, 20).Draw(t, "threads")
		taken := make([]int, n)
		for g := range groups {
			low, high := block(n, g, groups)
			if d := high - low - n/groups; d < 0 || d > 1 {
				t.Fatalf("group %d takes %d to %d of %d", g, low, high, n)
			}
			for me := range threads {
				for local := ownBelow(low, me, threads); local < ownBelow(high, me, threads); local++ {
					i := local*threads + me // element i of a block size of 1 is local to i mod threads
					if i < low || i >= high {
						t.Fatalf("group %d takes element %d outside %d to %d", g, i, low, high)
					}
					taken[i]++
				}
			}
		}
		for i, k := range taken {
			if k != 1 {
				t.Fatalf("element %d is taken %d times", i, k)
			}
		}
	})
}
