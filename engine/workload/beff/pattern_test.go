package beff

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

// b_eff's release 3.6 prints these rings of 12 and 96 processes. If the size does not divide the
// processes, rings are longer or shorter.
func TestRings(t *testing.T) {
	for _, c := range []struct {
		p, n int
		want map[int]int // rings, by length
	}{
		{12, 2, map[int]int{2: 6}}, {12, 8, map[int]int{12: 1}}, {12, 12, map[int]int{12: 1}},
		{96, 2, map[int]int{2: 48}}, {96, 8, map[int]int{8: 12}}, {96, 24, map[int]int{24: 4}}, {96, 96, map[int]int{96: 1}},
		{7, 2, map[int]int{2: 2, 3: 1}}, {7, 4, map[int]int{3: 1, 4: 1}}, {2, 2, map[int]int{2: 1}},
	} {
		if got := lengths(ring(c.p, c.n)); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d processes in rings of %d: %v, want %v", c.p, c.n, got, c.want)
		}
	}
	if got := ringSizes(96); !slices.Equal(got, []int{2, 4, 8, 24, 48, 96}) {
		t.Errorf("rings of 96: %v", got)
	}
	if got := ringSizes(12); !slices.Equal(got, []int{2, 4, 8, 12, 12, 12}) {
		t.Errorf("rings of 12: %v", got)
	}
}

// lengths returns the number of rings of each length.
func lengths(t pattern) map[int]int {
	seen, of := make([]bool, len(t.exchanges)), map[int]int{}
	for i := range t.exchanges {
		n := 0
		for k := i; !seen[k]; k = t.exchanges[k][0].to {
			seen[k] = true
			n++
		}
		if n > 0 {
			of[n]++
		}
	}
	return of
}

// meets checks that the receiver of an exchange expects it from its sender, so that tags match. No
// process may send to itself or twice to one neighbour.
func meets(t interface{ Fatalf(string, ...any) }, p pattern) {
	n := 0
	for i, exchanges := range p.exchanges {
		n += len(exchanges)
		to := map[int]bool{}
		for k, e := range exchanges {
			if e.to == i || to[e.to] || len(p.exchanges[e.to]) <= k || p.exchanges[e.to][k].from != i {
				t.Fatalf("process %d, exchange %d: %+v meets %+v", i, k, e, p.exchanges[e.to])
			}
			to[e.to] = true
		}
	}
	if n != p.messages {
		t.Fatalf("%d messages, but p.messages = %d", n, p.messages)
	}
}

func TestPatternsMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(2, 200).Draw(t, "processes")
		meets(t, ring(p, rapid.SampledFrom(ringSizes(p)).Draw(t, "ring")))
		order := make([]int, p)
		for i := range order {
			order[i] = i
		}
		meets(t, shuffled(rapid.Permutation(order).Draw(t, "order")))
		n, dims := gridSize(p)
		if dims[0]*dims[1]*dims[2] != n || n > p {
			t.Fatalf("%d processes: %d in %v", p, n, dims)
		}
		meets(t, cyclic(p, dims, inRows(dims)))
	})
}

// The dimensions of MPI_Dims_create are in descending order and close to each other.
func TestDims(t *testing.T) {
	for n, want := range map[int][3]int{1: {1, 1, 1}, 2: {2, 1, 1}, 8: {2, 2, 2}, 12: {3, 2, 2}, 16: {4, 2, 2},
		64: {4, 4, 4}, 96: {6, 4, 4}, 7: {7, 1, 1}} {
		if got := cluster.Balanced(n); got != want {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
	// b_eff leaves a process of 13 out, so that every direction has two or more.
	if n, dims := gridSize(13); n != 12 || dims != [3]int{3, 2, 2} {
		t.Errorf("13 processes: %d in %v", n, dims)
	}
}

// In the grid of 96 processes each has six neighbours. In the grid of 12, a dimension of length two
// has one message, to the neighbour on both sides.
func TestCyclicGrid(t *testing.T) {
	for n, want := range map[int]int{96: 6, 12: 4} {
		dims := cluster.Balanced(n)
		for i, exchanges := range cyclic(n, dims, inRows(dims)).exchanges {
			if len(exchanges) != want {
				t.Fatalf("%d processes: %d has %d messages, want %d", n, i, len(exchanges), want)
			}
		}
	}
}

// With a cube of 2×2×2 on each node, a process has three neighbours inside the node and three
// outside (paper 2, section 5).
func TestCubes(t *testing.T) {
	members := make([][]int, 12)
	for i := range 96 {
		members[i/8] = append(members[i/8], i)
	}
	p := cyclic(96, [3]int{6, 4, 4}, inCubes([3]int{3, 2, 2}, [3]int{2, 2, 2}, members))
	meets(t, p)
	for i, exchanges := range p.exchanges {
		inside := 0
		for _, e := range exchanges {
			if e.to/8 == i/8 {
				inside++
			}
		}
		if inside != 3 || len(exchanges) != 6 {
			t.Fatalf("process %d: %d of %d inside", i, inside, len(exchanges))
		}
	}
}

// Paper 2 has 21 sizes from 8 B to 8 MB. b_eff has 21 sizes from 1 B on, of which the 13 up to 4 kB
// are powers of two.
func TestSizes(t *testing.T) {
	paper, original := sizes(sizesPowers, 8<<20), sizes(sizesOriginal, 8<<20)
	for _, all := range [][]int64{paper, original} {
		if len(all) != 21 || all[20] != 8<<20 || !slices.IsSorted(all) {
			t.Errorf("%d sizes: %v", len(all), all)
		}
	}
	if paper[0] != 8 || paper[1] != 16 || original[0] != 1 || original[12] != 4096 ||
		math.Abs(float64(original[13])/4096-math.Pow(2048, 0.125)) > 1e-3 {
		t.Errorf("%v\n%v", paper, original)
	}
	if got := sizes(sizesOriginal, 5); !slices.Equal(got, []int64{1, 2, 4}) {
		t.Errorf("up to 5 B: %v", got)
	}
}

// The mean over sizes comes first. Then rings and random patterns count equally, on a logarithmic
// scale.
func TestEffectiveBandwidth(t *testing.T) {
	all := []pattern{{}, {}, {}, {random: true}}
	b := [][]float64{{1, 3}, {8, 8}, {0.5, 7.5}, {2, 16}} // means 2, 8, 4; 9
	got := effective(all, 2, func(i, k int) float64 { return b[i][k] })
	if math.Abs(got.average-6) > 1e-12 { // √(∛64 · 9)
		t.Errorf("average %v, want 6", got.average)
	}
	if want := math.Sqrt(math.Cbrt(3*8*7.5) * 16); math.Abs(got.atLmax-want) > 1e-12 {
		t.Errorf("at Lmax %v, want %v", got.atLmax, want)
	}
	if got := effective(all[:1], 2, func(i, k int) float64 { return b[i][k] }); math.Abs(got.average-2) > 1e-12 ||
		math.Abs(got.atLmax-3) > 1e-12 {
		t.Errorf("a single pattern: %+v", got)
	}
}

// TestWrongPatterns tests that b_eff's own patterns are right, and that missing, foreign and one-sided
// ones are found.
func TestWrongPatterns(t *testing.T) {
	for _, p := range []int{1, 2, 3, 7, 12, 96} {
		_, dims := gridSize(p)
		grid := func() pattern { return cyclic(p, dims, inRows(dims)) }
		order := make([]int, p)
		for i := range order {
			order[i] = p - 1 - i
		}
		rings, cubes := patterns(patternBeff, p, [][]int{order}, grid), patterns(patternCubes, p, nil, grid)
		for name, all := range map[string][]pattern{patternBeff: rings, patternCubes: cubes} {
			if wrong := wrongPatterns(all, name, 1, p); wrong != "" {
				t.Errorf("%s of %d: %s", name, p, wrong)
			}
		}
		if p < 3 {
			continue
		}
		for what, wrong := range map[string]string{
			"no pattern":              wrongPatterns(nil, patternBeff, 1, p),
			"a missing random ring":   wrongPatterns(rings[:6], patternBeff, 1, p),
			"grids in place of rings": wrongPatterns(cubes, patternBeff, 1, p),
			"patterns of fewer":       wrongPatterns(rings, patternBeff, 1, p+1),
		} {
			if wrong == "" {
				t.Errorf("%d processes: %s is not found", p, what)
			}
		}
		rings[3].exchanges[0][0].to = 0
		if wrongPatterns(rings, patternBeff, 1, p) == "" {
			t.Errorf("%d processes: a message to the sender itself is not found", p)
		}
	}
}
