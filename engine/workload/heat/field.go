package heat

import "github.com/hybridtop/hybridtop/cluster"

// Constants of the equation. The constants of conduction, source and radiation are 1.
const (
	dt     = 0.1
	source = 1.0
)

// field holds the temperatures of a block.
type field struct {
	block
	t, dT []float64 // x runs fastest
	in    [directions][]float64
	on    bool // the source is on

	sums
}

// sums are sums over cells, of a block or of a thread's rows.
type sums struct {
	content  float64 // Σ T before the last update
	gained   float64 // Σ (T' − T) of that update
	radiated float64 // Σ T⁴ over the exposed faces before it
}

// newField allocates memory for a block's cells.
func newField(b block, store cluster.Store) *field {
	n := int(b.cells())
	return &field{block: b, t: cluster.Make[float64](store, n).Slice(), dT: cluster.Make[float64](store, n).Slice()}
}

func (f *field) index(x, y, z int) int { return x + f.size[0]*(y+f.size[1]*z) }

// work returns the work for a number of cells: operations, and bytes from and to memory. Neighbours
// are found in a cache, as in the example's total of 40 B per cell.
func work(cells int64, flops, bytes float64) cluster.Work {
	return cluster.Work{Flops: flops * float64(cells), Bytes: bytes * float64(cells)}
}

// stencil is like work, for cells that are computed from their neighbours.
func stencil(cells int64, flops, bytes float64) cluster.Work {
	w := work(cells, flops, bytes)
	w.Kernel = cluster.Stencil
	return w
}

// loops adds the innermost loops of a kernel to its work. On a device, threads run its cells.
func loops(w cluster.Work, n int) cluster.Work {
	w.Loops = float64(n)
	return w
}

func packWork(b *block, d int) cluster.Work {
	rows := b.size[1] * b.size[2]
	if d >= 2 {
		rows = b.size[3-d/2]
	}
	return loops(work(b.face(d), 0, 2*cell), rows)
}

func innerWork(b *block) cluster.Work { return loops(stencil(b.inner(), 12, 2*cell), b.innerRows()) }

// surfaceWork has three loops for each row: its first cell, its last one, and the others. The cells
// at both ends of inner rows are a loop for each plane.
func surfaceWork(b *block) cluster.Work {
	rows := 3 * (b.size[1]*b.size[2] - b.innerRows())
	return loops(stencil(b.cells()-b.inner(), 16, 3*cell), rows+2*max(b.size[2]-2, 0))
}

func sideWork(b *block, d int) cluster.Work { return stencil(b.face(d), 16, 3*cell) }
func updateWork(b *block) cluster.Work      { return loops(work(b.cells(), 3, 3*cell), b.size[1]*b.size[2]) }

// faceRows returns the number of rows of the face of direction d, and their cells.
func (b *block) faceRows(d int) (rows, cells int) {
	n := b.size
	n[d/2] = 1
	return n[1] * n[2], n[0]
}

// pack copies rows [lo, hi) of the face of direction d.
func (f *field) pack(d int, out []float64, lo, hi int) {
	first, wide := [3]int{}, f.size[1]
	if a := d / 2; d%2 == 1 {
		first[a] = f.size[a] - 1
	}
	if d/2 == 1 {
		wide = 1
	}
	_, cells := f.faceRows(d)
	for row := lo; row < hi; row++ {
		i := f.index(first[0], first[1]+row%wide, first[2]+row/wide)
		copy(out[row*cells:], f.t[i:i+cells])
	}
}

// inner computes dT of the cells whose neighbours are all in the block, in rows [lo, hi) of the inner ones.
func (f *field) inner(lo, hi int) {
	row := f.size[0]
	plane := row * f.size[1]
	wide := f.size[1] - 2
	for k := lo; k < hi; k++ {
		at := f.index(0, 1+k%wide, 1+k/wide)
		t := f.t
		for i := at + 1; i < at+row-1; i++ {
			c := t[i]
			f.dT[i] = (t[i-1] - c) + (t[i+1] - c) + (t[i-row] - c) + (t[i+row] - c) + (t[i-plane] - c) + (t[i+plane] - c)
		}
	}
}

// rows returns the number of rows of the block.
func (b *block) rows() int { return b.size[1] * b.size[2] }

// isInner reports whether all neighbours of a row in y and z are in the block.
func (b *block) isInner(row int) bool {
	y, z := row%b.size[1], row/b.size[1]
	return z > 0 && z < b.size[2]-1 && y > 0 && y < b.size[1]-1
}

// surface computes dT of all other cells in rows [lo, hi), from the received faces. These are whole rows at the
// sides of y and z, and the ends of all other rows. It returns Σ T⁴ over the exposed faces.
func (f *field) surface(lo, hi int) (radiated float64) {
	last := f.size[0] - 1
	for k := lo; k < hi; k++ {
		if last > 0 && f.isInner(k) {
			continue
		}
		r := f.row(k%f.size[1], k/f.size[1])
		f.end(&r, 0, &radiated)
		f.middle(&r, &radiated)
		if last > 0 {
			f.end(&r, last, &radiated)
		}
	}
	if last > 0 {
		f.side(0, 0, 1, lo, hi, &radiated)
		f.side(1, last, -1, lo, hi, &radiated)
	}
	return radiated
}

// side computes dT at x of the inner rows (isInner) of [lo, hi). inward is the
// distance to the next cell of the row.
func (f *field) side(d, x, inward, lo, hi int, radiated *float64) {
	n, plane := f.size[0], f.size[0]*f.size[1]
	gain, exposed := 0.0, 0
	if f.on && f.lo[0]+x == 0 {
		gain = source
	}
	if f.peers[d] < 0 {
		exposed = 1
	}
	for k := lo; k < hi; k++ {
		if !f.isInner(k) {
			continue
		}
		i := x + k*n
		c := f.t[i]
		beyond := c
		if exposed == 0 {
			beyond = f.in[d][k]
		}
		lost := radiation(c, exposed)
		f.dT[i] = (beyond - c) + (f.t[i+inward] - c) + (f.t[i-n] - c) + (f.t[i+n] - c) + (f.t[i-plane] - c) +
			(f.t[i+plane] - c) + gain - lost
		*radiated += lost
	}
}

// row is a row of cells along x. A missing neighbour has the temperature of the cell itself, so it
// conducts no heat.
type row struct {
	t, dT   []float64
	near    [4][]float64 // temperatures of the neighbouring rows, before and behind in y and z
	exposed int          // missing rows
	ends    [2]*float64  // temperatures before its first cell and behind its last one; nil: missing
}

// row returns the row at y and z.
func (f *field) row(y, z int) row {
	n := f.size[0]
	i := f.index(0, y, z)
	r := row{t: f.t[i : i+n], dT: f.dT[i : i+n]}
	at, stride, first := [2]int{y, z}, [2]int{n, n * f.size[1]}, [2]int{n * z, n * y}
	for k := range r.near {
		a, d := k/2, k+2
		switch next := at[a] + 2*(k%2) - 1; {
		case next >= 0 && next < f.size[a+1]:
			j := i + (2*(k%2)-1)*stride[a]
			r.near[k] = f.t[j : j+n]
		case f.peers[d] >= 0:
			r.near[k] = f.in[d][first[a] : first[a]+n]
		default:
			r.near[k] = r.t
			r.exposed++
		}
	}
	for d := range r.ends {
		if f.peers[d] >= 0 {
			r.ends[d] = &f.in[d][y+f.size[1]*z]
		}
	}
	return r
}

// middle computes dT of the cells of a row without its ends.
func (f *field) middle(r *row, radiated *float64) {
	t, dT, sum := r.t, r.dT[:len(r.t)], *radiated
	south, north, below, above := r.near[0][:len(t)], r.near[1][:len(t)], r.near[2][:len(t)], r.near[3][:len(t)]
	for x := 1; x < len(t)-1; x++ {
		c := t[x]
		lost := radiation(c, r.exposed)
		dT[x] = (t[x-1] - c) + (t[x+1] - c) + (south[x] - c) + (north[x] - c) + (below[x] - c) + (above[x] - c) - lost
		sum += lost
	}
	*radiated = sum
}

// end computes dT of the first or the last cell of a row.
func (f *field) end(r *row, x int, radiated *float64) {
	c := r.t[x]
	west, east, exposed := c, c, r.exposed
	switch {
	case x > 0:
		west = r.t[x-1]
	case r.ends[0] != nil:
		west = *r.ends[0]
	default:
		exposed++
	}
	switch {
	case x < len(r.t)-1:
		east = r.t[x+1]
	case r.ends[1] != nil:
		east = *r.ends[1]
	default:
		exposed++
	}
	sum := (west - c) + (east - c)
	for _, near := range r.near {
		sum += near[x] - c
	}
	if f.on && f.lo[0]+x == 0 {
		sum += source
	}
	lost := radiation(c, exposed)
	r.dT[x] = sum - lost
	*radiated += lost
}

// radiation returns the loss of a cell through its exposed faces.
func radiation(t float64, exposed int) float64 {
	square := float64(t * t)
	return float64(float64(exposed) * float64(square*square))
}

// A sum adds numbers with an error of a few digits of the result's last place, however many they are (W. Kahan, Further
// remarks on reducing truncation errors, CACM 8(1), 1965).
type sum struct{ value, excess float64 }

func (s *sum) add(x float64) {
	x -= s.excess
	value := s.value + x
	s.excess = (value - s.value) - x
	s.value = value
}

// update advances T of rows [lo, hi) by a step. It returns Σ T before it, and Σ (T' − T). The numbers of a
// row are few, so their plain sum is precise.
func (f *field) update(lo, hi int) (float64, float64) {
	var allContent, allGained sum
	for row := lo; row < hi; row++ {
		at := row * f.size[0]
		content, gained := 0.0, 0.0
		t, dT := f.t[at:at+f.size[0]], f.dT[at:at+f.size[0]]
		for i, before := range t {
			after := before + float64(dt*dT[i])
			content += before
			gained += after - before
			t[i] = after
		}
		allContent.add(content)
		allGained.add(gained)
	}
	return allContent.value, allGained.value
}
