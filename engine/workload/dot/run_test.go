package dot

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
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

// TestClosedFormDoesNotUseTheVectors tests the sum of a period against numbers, so that a change of
// the elements cannot change the expected product.
func TestClosedFormDoesNotUseTheVectors(t *testing.T) {
	for n, want := range map[int]float64{1: -3, 2: -7, 3: -10, 76: 567, 77: 616, 100000: 799957} {
		if got := closedForm(n); got != want {
			t.Errorf("%d elements: %v, want %v", n, got, want)
		}
	}
}

// TestExpectedPart tests that the parts of all ranks add up to the product, and that a rank's own part is
// not its group's.
func TestExpectedPart(t *testing.T) {
	const n, groups, threads = 1009, 3, 4
	own, funneled := 0.0, 0.0
	for g := range groups {
		low, high := block(n, g, groups)
		funneled += expectedPart(low, high, 0, threads, cluster.NestedFunneled)
		for me := range threads {
			own += expectedPart(low, high, me, threads, cluster.NestedMultiple)
		}
		if expectedPart(low, high, 0, threads, cluster.NestedMultiple) == expectedPart(low, high, 0, threads, cluster.NestedFunneled) {
			t.Errorf("group %d: the part of a rank is the part of its group", g)
		}
	}
	if want := closedForm(n); own != want || funneled != want {
		t.Errorf("the parts add up to %v, and of groups to %v, want %v", own, funneled, want)
	}
}

// TestWrongReads tests that missing reads, additional reads and reads of another size are found.
func TestWrongReads(t *testing.T) {
	var before cluster.Traffic
	before.Ops[cluster.InRank], before.Bytes[cluster.InRank] = 3, 24
	for _, c := range []struct {
		reads, bytes int64
		right        bool
	}{{10, 80, true}, {0, 0, false}, {11, 88, false}, {10, 40, false}} {
		after := before
		after.Ops[cluster.InRank] += c.reads
		after.Bytes[cluster.InRank] += c.bytes
		if wrong := wrongReads(&before, &after, 5); (wrong == "") != c.right {
			t.Errorf("%+v of 5 elements: %q", c, wrong)
		}
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
