package spmv

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// entries is the number of entries in a row of the matrix.
const entries = 7

// Bytes and operations of a row; doc.go explains them.
const (
	rowBytes = entries*(8+4) + 4 + 3*8 + 8
	rowFlops = 2 * entries
)

// work returns the costs of a number of rows, of which a share is computed.
func work(rows int64, share float64) cluster.Work {
	return cluster.Work{Flops: rowFlops * float64(rows) * share, Bytes: rowBytes * float64(rows) * share}
}

// coefficients are the operator's coefficients: for the point itself, and for its neighbours at
// i−1, i+1, j−1, j+1, k−1, k+1. It is diffusion with some drift, so all of them differ.
var coefficients = [entries]float64{6.5, -1.1, -0.9, -1.2, -0.8, -1.3, -0.7}

// mesh is one process's planes, and the rows of the matrix that belong to them.
type mesh struct {
	ni, nj, nk int
	first      int // global number of its first plane
	planes     int // of all processes

	store   cluster.Store
	planeAt func(k int) cluster.Buf[float64] // of x, counted from the halo below

	// The following fields are nil in a size-only store.
	start  []int32 // of each row's entries, and the end of the last row's
	column []int32 // in x
	value  []float64
	x      []float64 // nk + 2 planes: the halo below, the local planes, the halo above
	y      []float64 // nk planes
	stamp  uint64    // number of this x
}

func (m *mesh) plane() int { return m.ni * m.nj }
func (m *mesh) lines() int { return m.nk * m.nj }

// rows returns the number of rows of the matrix. It fits an int only in a mesh that stores data.
func (m *mesh) rows() int64 { return int64(m.nk) * int64(m.plane()) }

// bytes returns the bytes of the matrix, x and y, without the halo.
func (m *mesh) bytes() int64 { return m.rows() * (entries*(8+4) + 4 + 8 + 8) }

// segment returns the bytes of segment that a mesh needs, including padding for alignment.
func (m *mesh) segment() int64 {
	rows, halo := m.rows(), 2*int64(m.plane())
	return rows*(entries*(8+4)+4+8+8) + 8*halo + 8 + 7*64
}

// haloEntries returns the maximum number of entries of a row in the halo. They are the last entries
// of every row.
func (m *mesh) haloEntries() int {
	if m.nk == 1 {
		return 2
	}
	return 1
}

// build allocates memory and writes the matrix.
func (m *mesh) build(r *cluster.Rank) error {
	rows := m.rows()
	sizes := [5]int64{8 * (rows + 2*int64(m.plane())), 8 * rows, 8 * entries * rows, 4 * entries * rows, 4 * (rows + 1)}
	var parts [5][]byte
	for i, n := range sizes {
		off, err := r.Alloc(n)
		if err != nil {
			return err
		}
		parts[i] = r.Segment()[off : off+n]
	}
	m.x = cluster.View[float64](parts[0])
	m.y = cluster.View[float64](parts[1])
	m.value = cluster.View[float64](parts[2])
	m.planeAt = func(k int) cluster.Buf[float64] { return cluster.Wrap(m.x[k*m.plane() : (k+1)*m.plane()]) }
	m.column, m.start = cluster.View[int32](parts[3]), cluster.View[int32](parts[4])
	at := 0
	m.start[0] = 0
	for k := range m.nk {
		for j := range m.nj {
			for i := range m.ni {
				for _, d := range m.order(k) {
					m.column[at], m.value[at] = int32(m.neighbour(i, j, k, d)), coefficients[d]
					at++
				}
				m.start[m.index(i, j, k)+1] = int32(at)
			}
		}
	}
	return nil
}

// order returns the order of a row's entries: entries in the halo come last.
func (m *mesh) order(k int) [entries]int {
	if k == 0 && m.nk > 1 {
		return [entries]int{0, 1, 2, 3, 4, 6, 5}
	}
	return [entries]int{0, 1, 2, 3, 4, 5, 6}
}

func (m *mesh) index(i, j, k int) int { return i + j*m.ni + k*m.plane() }

// neighbour returns the position in x of the operand for entry d of a point's row.
func (m *mesh) neighbour(i, j, k, d int) int {
	i, j, k = m.move(i, j, k, d)
	return m.index(i, j, k+1)
}

// move returns neighbour d of a point; i and j are periodic.
func (m *mesh) move(i, j, k, d int) (int, int, int) {
	switch d {
	case 1:
		i = (i + m.ni - 1) % m.ni
	case 2:
		i = (i + 1) % m.ni
	case 3:
		j = (j + m.nj - 1) % m.nj
	case 4:
		j = (j + 1) % m.nj
	case 5:
		k--
	case 6:
		k++
	}
	return i, j, k
}

// fill writes a new x, and overwrites y with NaN.
func (m *mesh) fill(stamp uint64) {
	m.stamp = stamp
	base := uint64(m.first) * uint64(m.plane())
	local := m.x[m.plane() : m.plane()+int(m.rows())]
	for i := range local {
		local[i] = element(base+uint64(i), stamp)
		m.y[i] = math.NaN()
	}
}

// element returns x at a point of the whole grid: a pseudo-random number from −1 to 1, different
// for each stamp (splitmix64).
func element(l, stamp uint64) float64 {
	z := (l+1)*0x9e3779b97f4a7c15 + stamp*0xd1342543de82ef95
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64(int64(z^z>>31)) / (1 << 63)
}

// multiply computes rows [lo, hi) of y from their entries from to to, counted from a row's start.
// If more is set, it adds to y.
func (m *mesh) multiply(lo, hi, from, to int, more bool) {
	for row := lo; row < hi; row++ {
		at := int(m.start[row])
		columns, values := m.column[at+from:at+to], m.value[at+from:at+to]
		sum := 0.0
		if more {
			sum = m.y[row]
		}
		for e, c := range columns {
			sum += values[e] * m.x[c]
		}
		m.y[row] = sum
	}
}

// multiplyWith computes rows [lo, hi) with the two planes of a halo instead of x's.
func (m *mesh) multiplyWith(lo, hi int, low, high []float64) {
	n, above := int32(m.plane()), int32(m.plane())+int32(m.rows())
	for row := lo; row < hi; row++ {
		sum := 0.0
		for at := m.start[row]; at < m.start[row+1]; at++ {
			switch c := m.column[at]; {
			case c < n:
				sum += m.value[at] * low[c]
			case c >= above:
				sum += m.value[at] * high[c-above]
			default:
				sum += m.value[at] * m.x[c]
			}
		}
		m.y[row] = sum
	}
}

// The maximum number of checked rows of a product, and the tolerance of a sum. Reordering seven
// terms of up to 1.3 or 6.5 changes less.
const (
	maxChecked = 1 << 12
	tolerance  = 1e-12
)

// check evaluates the product directly from equation (10) and the operator, at all rows or at a
// sample of many rows. It returns the number of wrong rows, the number of checked rows, and a
// description of the first wrong row.
func (m *mesh) check() (wrong, checked int, detail string) {
	rows := int(m.rows())
	step := (rows+maxChecked-1)/maxChecked | 1
	for row := 0; row < rows; row += step {
		i, j, k := row%m.ni, row/m.ni%m.nj, row/m.plane()
		want := 0.0
		for d, c := range coefficients {
			a, b, z := m.move(i, j, k+m.first, d)
			z = (z + m.planes) % m.planes
			want += c * element(uint64(m.index(a, b, 0))+uint64(z)*uint64(m.plane()), m.stamp)
		}
		checked++
		if got := m.y[row]; !(math.Abs(got-want) <= tolerance) {
			if wrong == 0 {
				detail = fmt.Sprintf("row {%d, %d, %d} of the product is %v, want %v", i+1, j+1, k+m.first+1, got, want)
			}
			wrong++
		}
	}
	return wrong, checked, detail
}
