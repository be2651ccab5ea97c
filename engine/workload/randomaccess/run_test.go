package randomaccess

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestArraySumIsTheSequentialSum(t *testing.T) {
	sum, n := 0.0, 0
	for _, until := range []int{0, 1, 2, 1000, values - 1, values, values + 1, 2*values + 77} {
		for ; n < until; n++ {
			sum += elementValue(n)
		}
		if got := arraySum(n); got != sum {
			t.Errorf("%d elements: %v, want %v", n, got, sum)
		}
	}
}

// The computation returns its operand, so the checksum depends on it, but
// not on the number of operations.
func TestChurnReturnsOperand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := elementValue(rapid.IntRange(0, min(1<<40, math.MaxInt)).Draw(t, "element"))
		flops := rapid.IntRange(0, 3000).Draw(t, "flops")
		if got := churn(v, flops); got != v {
			t.Fatalf("%v after %d operations: %v", v, flops, got)
		}
	})
}

// Parts of a group hold all elements, and no part is larger than its segment.
func TestSegmentHoldsTheLargestPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<33).Draw(t, "elements")
		g := rapid.IntRange(1, 1<<20).Draw(t, "group")
		s := segment(n, g)
		if s*int64(g) < n*element || s%64 != 0 || (s-64)*int64(g) >= (n+int64(g))*element {
			t.Fatalf("%d elements over %d: %d B per rank", n, g, s)
		}
	})
}
