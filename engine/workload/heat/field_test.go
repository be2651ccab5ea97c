package heat

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// Processes form the example's grid; blocks fill the cube, and neighbours name each other.
func TestBlocks(t *testing.T) {
	for p, want := range map[int][3]int{1: {1, 1, 1}, 2: {1, 1, 2}, 6: {1, 2, 3}, 7: {1, 7, 1}, 8: {2, 2, 2},
		12: {2, 2, 3}, 17: {17, 1, 1}, 27: {3, 3, 3}, 1536: {12, 16, 8}} {
		n := divide(p)
		if n != want {
			t.Errorf("%d processes form %v, want %v", p, n, want)
		}
		var cells int64
		for i := range p {
			b := blockOf(20, n, i)
			cells += b.cells()
			for d, peer := range b.peers {
				if peer < 0 {
					continue
				}
				other := blockOf(20, n, peer)
				if other.peers[d^1] != i || other.face(d^1) != b.face(d) {
					t.Errorf("process %d of %d has %d in direction %d, which has %d behind it", i, p, peer, d, other.peers[d^1])
				}
			}
		}
		if cells != 20*20*20 {
			t.Errorf("the blocks of %d processes have %d cells, want 8000", p, cells)
		}
	}
}

// one returns a process that has the whole cube, after all steps.
func one(side, steps int) *process {
	b := blockOf(side, [3]int{1, 1, 1}, 0)
	c := &process{exchange: &exchange{b: b}, f: newField(b, cluster.Store{}), steps: steps,
		flows: make([]float64, 2*(steps+1)), want: sequential(&b, steps)}
	for t := range steps + 1 {
		c.f.on = t <= steps/2
		c.f.inner(0, b.innerRows())
		radiated := c.f.surface(0, b.rows())
		content, gained := c.f.update(0, b.rows())
		c.flows[2*t], c.flows[2*t+1] = gained, radiated
		c.mean = content / float64(b.cells())
	}
	c.wanted = average[[2]int{side, steps}]
	return c
}

// TestSumsOfManyRows checks the energy of 90,000 rows that gain the same, whose rounding errors add up in a plain sum.
func TestSumsOfManyRows(t *testing.T) {
	const rows = 300 * 300
	f := field{block: block{size: [3]int{1, 300, 300}}, t: make([]float64, rows), dT: slices.Repeat([]float64{source}, rows)}
	const want = dt * source * rows
	_, gained := f.update(0, rows)
	content, _ := f.update(0, rows)
	if math.Abs(gained-want) > 1e-15*want || math.Abs(content-want) > 1e-15*want {
		t.Errorf("the rows gain %.17g, and have %.17g, want %.17g", gained, content, want)
	}
}

// Every error is found: a bit of a temperature, the average, and the energy of a step.
func TestErrorsAreFound(t *testing.T) {
	for _, c := range []struct {
		spoil func(*process)
		says  string
	}{
		{func(*process) {}, ""},
		{func(c *process) { c.f.t[4321] *= 1 + 1e-15 }, "cell {1, 16, 10} is"},
		{func(c *process) { c.mean *= 1 + 3e-11 }, "the average temperature is"},
		{func(c *process) { c.flows[6] += 1e-10 }, "step 3: the cube gained"},
		{func(c *process) { c.flows[17] += 1e-9 }, "step 8: the cube gained"},
	} {
		p := one(20, 10)
		c.spoil(p)
		if got := p.firstWrong(); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("found %q, want %q", got, c.says)
		}
	}
}

// The sequential temperatures of a block equal the ones of the whole cube, although only a window
// is computed.
func TestWindowIsLargeEnough(t *testing.T) {
	const side, steps = 17, 3
	whole := blockOf(side, [3]int{1, 1, 1}, 0)
	want, n := sequential(&whole, steps), [3]int{4, 3, 5}
	for i := range n[0] * n[1] * n[2] {
		b := blockOf(side, n, i)
		got := &field{block: b, t: sequential(&b, steps)}
		for z := range b.size[2] {
			for y := range b.size[1] {
				for x := range b.size[0] {
					if a, b := got.t[got.index(x, y, z)], want[x+b.lo[0]+side*(y+b.lo[1]+side*(z+b.lo[2]))]; a != b {
						t.Fatalf("block %d: cell {%d, %d, %d} is %v, want %v", i, x, y, z, a, b)
					}
				}
			}
		}
	}
}

// A packed face has the cells of the face, in the order in which the neighbour reads them.
func TestPack(t *testing.T) {
	f := newField(block{size: [3]int{2, 3, 4}}, cluster.Store{})
	for i := range f.t {
		f.t[i] = float64(i)
	}
	for d, want := range [directions][]float64{
		{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23},
		{0, 1, 6, 7, 12, 13, 18, 19}, {4, 5, 10, 11, 16, 17, 22, 23},
		{0, 1, 2, 3, 4, 5}, {18, 19, 20, 21, 22, 23},
	} {
		out := make([]float64, f.face(d))
		rows, _ := f.faceRows(d)
		f.pack(d, out, rows/2, rows)
		f.pack(d, out, 0, rows/2)
		if string(cluster.Bytes(out)) != string(cluster.Bytes(want)) {
			t.Errorf("face %d is %v, want %v", d, out, want)
		}
	}
}
