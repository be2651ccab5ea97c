package workload

import "testing"

// TestChecksum tests that a checksum depends on positions and bits, but not on the order of the numbers.
func TestChecksum(t *testing.T) {
	of := func(all ...float64) (sum Checksum) {
		for i, x := range all {
			sum.Add(int64(i), x)
		}
		return sum
	}
	var backwards Checksum
	backwards.Add(1, 2)
	backwards.Add(0, 1)
	if got := of(1, 2); got != backwards {
		t.Errorf("%x in one order, %x in the other", got, backwards)
	}
	for _, other := range []Checksum{of(2, 1), of(1, 2.0000000000000004), of(1), of(1, 2, 0)} {
		if other == backwards {
			t.Error("two results have the same checksum")
		}
	}
}
