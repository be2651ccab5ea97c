package fft

import (
	"math"
	"math/cmplx"
	"testing"
)

// NAS FT's generator skips numbers as if it had generated all of them (NPB, ft.f).
func TestGeneratorJumps(t *testing.T) {
	b := &problem{n: [3]int{6, 5, 4}}
	var all []complex128
	state := uint64(seed)
	for range b.points() {
		var v complex128
		v, state = point(state)
		all = append(all, v)
	}
	lo, n := [3]int{1, 2, 1}, [3]int{3, 2, 3}
	count := 0
	b.generate(lo, n, func(x, y, z int, v complex128) {
		count++
		if want := all[x+6*(y+5*z)]; v != want {
			t.Errorf("point (%d, %d, %d) is %v, want %v", x, y, z, v, want)
		}
	})
	if count != 18 {
		t.Errorf("%d points, want 18", count)
	}
}

// At 32,768 cores messages have 128 KB per thread in a packed exchange and 8 KB in slabs (paper 5,
// section 6.3). This holds for the first exchange on a grid of 128 × 256 and for the second on a
// grid of 256 × 128, each with 16 slabs of a box of 16 MiB per thread.
func TestMessagesOfThePaper(t *testing.T) {
	for _, c := range []struct {
		n      [3]int
		ty, tz int
		e      int
	}{{[3]int{4096, 2048, 4096}, 128, 256, first}, {[3]int{4096, 4096, 2048}, 256, 128, second}} {
		b, g := problem{n: c.n}, grid{ty: c.ty, tz: c.tz}
		if all := shapeOf(&b, &g, inverse, 1); all.blocks()[c.e] != 128<<10 || 16*all.size() != 16<<20 {
			t.Errorf("%d × %d, packed: messages of %d B, %d B per thread", c.ty, c.tz, all.blocks()[c.e], 16*all.size())
		}
		if each := shapeOf(&b, &g, inverse, 0); each.blocks()[c.e] != 8<<10 || each.slabs != 16 {
			t.Errorf("%d × %d, slabs: messages of %d B, %d slabs", c.ty, c.tz, each.blocks()[c.e], each.slabs)
		}
	}
}

// The sequential program returns NASA's checksums of class S.
func TestSequentialClassS(t *testing.T) {
	b := classes["S"]
	q := newSequential(&b)
	for step := 1; step <= b.steps; step += 1 + b.steps/2 {
		want, _ := b.sum(step)
		if got := q.checksum(step); cmplx.Abs(got-want) > tolerance*cmplx.Abs(want) {
			t.Errorf("step %d: %.13e, want %.13e, off by %.2g", step, got, want, math.Abs(cmplx.Abs(got-want)/cmplx.Abs(want)))
		}
	}
}
