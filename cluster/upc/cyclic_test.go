package upc

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

var cyclics = rapid.Custom(func(t *rapid.T) cyclic {
	return cyclic{
		n:       rapid.IntRange(0, 400).Draw(t, "n"),
		block:   rapid.IntRange(1, 50).Draw(t, "block"),
		threads: rapid.IntRange(1, 20).Draw(t, "threads"),
	}
})

// deal distributes elements one at a time, a block to each thread in turn.
func deal(c cyclic) (owner, local []int, length []int) {
	length = make([]int, c.threads)
	thread, phase := 0, 0
	for range c.n {
		if phase == c.block {
			thread, phase = (thread+1)%c.threads, 0
		}
		owner, local = append(owner, thread), append(local, length[thread])
		length[thread]++
		phase++
	}
	return owner, local, length
}

func TestCyclicDistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cyclics.Draw(t, "array")
		owner, local, length := deal(c)
		for i := range c.n {
			if th, lo := c.locate(i); th != owner[i] || lo != local[i] {
				t.Fatalf("%+v: element %d is on thread %d at %d, want %d at %d", c, i, th, lo, owner[i], local[i])
			}
			if got := c.index(owner[i], local[i]); got != i {
				t.Fatalf("%+v: index(%d, %d) = %d, want %d", c, owner[i], local[i], got, i)
			}
		}
		for th, want := range length {
			if got := c.length(th); got != want {
				t.Fatalf("%+v: thread %d has %d elements, want %d", c, th, got, want)
			}
			if want > length[0] {
				t.Fatalf("%+v: thread %d has more than thread 0", c, th)
			}
		}
	})
}

func TestCyclicDoesNotOverflow(t *testing.T) {
	c := cyclic{n: math.MaxInt, block: math.MaxInt - 1, threads: 3}
	for i, want := range map[int][2]int{0: {0, 0}, math.MaxInt / 3: {0, math.MaxInt / 3},
		math.MaxInt - 2: {0, math.MaxInt - 2}, math.MaxInt - 1: {1, 0}} {
		th, lo := c.locate(i)
		if got := [2]int{th, lo}; got != want {
			t.Errorf("element %d is at %v, want %v", i, got, want)
		}
	}
	for th, want := range []int{math.MaxInt - 1, 1, 0} {
		if got := c.length(th); got != want {
			t.Errorf("thread %d has %d elements, want %d", th, got, want)
		}
	}
}

// Numbers beyond 32 bits use another code path with the same results.
func TestCyclicBeyond32Bits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cyclic{n: math.MaxInt, block: rapid.IntRange(1, min(1<<34, math.MaxInt)).Draw(t, "block"),
			threads: rapid.IntRange(1, 1<<22).Draw(t, "threads")}
		i := rapid.IntRange(0, min(1<<40, math.MaxInt)).Draw(t, "element")
		th, lo := c.locate(i)
		if th != i/c.block%c.threads || lo != i/c.block/c.threads*c.block+i%c.block {
			t.Fatalf("%+v: element %d is on thread %d at %d", c, i, th, lo)
		}
		if back := c.index(th, lo); back != i {
			t.Fatalf("%+v: element %d maps back to %d", c, i, back)
		}
	})
}

// Pointer arithmetic agrees with indexing: &a[i] + n points to a[i+n].
func TestPointerArithmetic(t *testing.T) {
	type T = int32
	rapid.Check(t, func(t *rapid.T) {
		c := cyclics.Filter(func(c cyclic) bool { return c.n > 0 }).Draw(t, "array")
		s := &Shared[T]{cyclic: c, off: 128, first: rapid.IntRange(0, 40).Draw(t, "first")}
		i, j := rapid.IntRange(0, c.n-1).Draw(t, "i"), rapid.IntRange(0, c.n-1).Draw(t, "j")
		p, q := s.Ptr(i), s.Ptr(j)
		owner, local, _ := deal(c)
		if p.Thread() != owner[i] || p.Rank() != s.first+owner[i] || p.Offset() != 128+4*int64(local[i]) ||
			p.Phase() != i%c.block {
			t.Fatalf("%+v: element %d is on thread %d at %d, its pointer has %s", c, i, owner[i], local[i], p)
		}
		if got := p.Add(j - i); got != q {
			t.Fatalf("%+v: &a[%d] + %d = %s, &a[%d] = %s", c, i, j-i, got, j, q)
		}
		if d, err := q.Diff(p); err != nil || d != j-i {
			t.Fatalf("%+v: &a[%d] - &a[%d] = %d, %v", c, j, i, d, err)
		}
		far := rapid.IntRange(-5000, 5000).Draw(t, "far")
		if got := p.Add(far).Add(-far); got != p {
			t.Fatalf("%+v: %s out by %d and back is %s", c, p, far, got)
		}
	})
}

func TestDiffOfDifferentArrays(t *testing.T) {
	a := &Shared[float64]{cyclic: cyclic{100, 4, 3}, off: 64}
	b := &Shared[float64]{cyclic: cyclic{100, 4, 3}, off: 64 + 8}
	c := &Shared[float64]{cyclic: cyclic{100, 5, 3}, off: 64}
	for _, q := range []GlobalPtr[float64]{b.Ptr(0), c.Ptr(0), {}} {
		if d, err := a.Ptr(7).Diff(q); err == nil {
			t.Errorf("(%s) - (%s) = %d, want an error", a.Ptr(7), q, d)
		}
	}
}
