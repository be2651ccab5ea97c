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

func packWork(b *block, d int) cluster.Work { return work(b.face(d), 0, 2*cell) }
func innerWork(b *block) cluster.Work       { return work(b.inner(), 12, 2*cell) }
func surfaceWork(b *block) cluster.Work     { return work(b.cells()-b.inner(), 16, 3*cell) }
func sideWork(b *block, d int) cluster.Work { return work(b.face(d), 16, 3*cell) }
func updateWork(b *block) cluster.Work      { return work(b.cells(), 3, 3*cell) }

// pack copies the face of direction d.
func (f *field) pack(d int, out []float64) {
	var first [3]int
	last := f.size
	if a := d / 2; d%2 == 0 {
		last[a] = 1
	} else {
		first[a] = f.size[a] - 1
	}
	k := 0
	for z := first[2]; z < last[2]; z++ {
		for y := first[1]; y < last[1]; y++ {
			i := f.index(first[0], y, z)
			k += copy(out[k:], f.t[i:i+last[0]-first[0]])
		}
	}
}

// inner computes dT of the cells whose neighbours are all in the block.
func (f *field) inner() {
	row := f.size[0]
	plane := row * f.size[1]
	for z := 1; z < f.size[2]-1; z++ {
		for y := 1; y < f.size[1]-1; y++ {
			at := f.index(0, y, z)
			t := f.t
			for i := at + 1; i < at+row-1; i++ {
				c := t[i]
				f.dT[i] = (t[i-1] - c) + (t[i+1] - c) + (t[i-row] - c) + (t[i+row] - c) + (t[i-plane] - c) + (t[i+plane] - c)
			}
		}
	}
}

// surface computes dT of all other cells, from the received faces.
func (f *field) surface() {
	f.radiated = 0
	last := f.size[0] - 1
	for z := range f.size[2] {
		for y := range f.size[1] {
			if z == 0 || z == f.size[2]-1 || y == 0 || y == f.size[1]-1 {
				for x := range f.size[0] {
					f.outer(x, y, z)
				}
				continue
			}
			f.outer(0, y, z)
			if last > 0 {
				f.outer(last, y, z)
			}
		}
	}
}

// outer computes dT of a cell on the block's surface.
func (f *field) outer(x, y, z int) {
	i := f.index(x, y, z)
	c := f.t[i]
	sum, exposed := 0.0, 0
	at := [3]int{x, y, z}
	face := [3]int{y + f.size[1]*z, x + f.size[0]*z, x + f.size[0]*y}
	stride := [3]int{1, f.size[0], f.size[0] * f.size[1]}
	for a := range 3 {
		switch {
		case at[a] > 0:
			sum += f.t[i-stride[a]] - c
		case f.peers[2*a] >= 0:
			sum += f.in[2*a][face[a]] - c
		default:
			exposed++
		}
		switch {
		case at[a] < f.size[a]-1:
			sum += f.t[i+stride[a]] - c
		case f.peers[2*a+1] >= 0:
			sum += f.in[2*a+1][face[a]] - c
		default:
			exposed++
		}
	}
	if f.on && f.lo[0]+x == 0 {
		sum += source
	}
	lost := radiation(c, exposed)
	f.dT[i] = sum - lost
	f.radiated += lost
}

// radiation returns the loss of a cell through its exposed faces.
func radiation(t float64, exposed int) float64 {
	square := float64(t * t)
	return float64(float64(exposed) * float64(square*square))
}

// update advances T by a step. It adds row by row, to keep the precision of sums of many cells.
func (f *field) update() {
	f.content, f.gained = 0, 0
	for at := 0; at < len(f.t); at += f.size[0] {
		content, gained := 0.0, 0.0
		t, dT := f.t[at:at+f.size[0]], f.dT[at:at+f.size[0]]
		for i, before := range t {
			after := before + float64(dt*dT[i])
			content += before
			gained += after - before
			t[i] = after
		}
		f.content += content
		f.gained += gained
	}
}
