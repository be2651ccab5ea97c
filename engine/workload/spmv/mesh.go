package spmv

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// entries is how many a row of the matrix has.
const entries = 7

// Bytes and operations of a row; doc.go says of what.
const (
	rowBytes = entries*(8+4) + 4 + 3*8 + 8
	rowFlops = 2 * entries
)

// work is what so many rows cost, of which a share is computed.
func work(rows int64, share float64) cluster.Work {
	return cluster.Work{Flops: rowFlops * float64(rows) * share, Bytes: rowBytes * float64(rows) * share}
}

// coefficients of the operator: of the point itself, and of its neighbours at i−1,
// i+1, j−1, j+1, k−1, k+1. Diffusion with some drift, so that no two are alike.
var coefficients = [entries]float64{6.5, -1.1, -0.9, -1.2, -0.8, -1.3, -0.7}

// mesh is one process's planes, and the rows of the matrix that belong to them.
type mesh struct {
	ni, nj, nk int
	first      int // global number of its first plane
	planes     int // of all processes

	store   cluster.Store
	planeAt func(k int) cluster.Buf[float64] // of x, counted from the halo below

	// What follows is nil in a size-only store.
	start  []int32 // of each row's entries, and the end of the last row's
	column []int32 // in x
	value  []float64
	x      []float64 // nk + 2 planes: the halo below, the own, the halo above
	y      []float64 // nk planes
	stamp  uint64    // which x it is
}

func (m *mesh) plane() int { return m.ni * m.nj }
func (m *mesh) lines() int { return m.nk * m.nj }

// rows are those of the matrix; only of a mesh with numbers do they fit an int.
func (m *mesh) rows() int64 { return int64(m.nk) * int64(m.plane()) }

// bytes returns the bytes of the matrix, x and y, without the halo.
func (m *mesh) bytes() int64 { return m.rows() * (entries*(8+4) + 4 + 8 + 8) }

// segment is how many bytes of segment a mesh takes, a little more for alignment.
func (m *mesh) segment() int64 {
	rows, halo := m.rows(), 2*int64(m.plane())
	return rows*(entries*(8+4)+4+8+8) + 8*halo + 8 + 7*64
}

// late is how many entries of a row reach into the halo at most, which stand last in
// every row.
func (m *mesh) late() int {
	if m.nk == 1 {
		return 2
	}
	return 1
}

// build takes memory and writes the matrix.
func (m *mesh) build(r *cluster.Rank) error {
	rows := m.rows()
	places := [5]int64{8 * (rows + 2*int64(m.plane())), 8 * rows, 8 * entries * rows, 4 * entries * rows, 4 * (rows + 1)}
	var parts [5][]byte
	for i, n := range places {
		off, err := r.Alloc(n)
		if err != nil {
			return err
		}
		parts[i] = r.Segment()[off : off+n]
	}
	m.x, m.y, m.value = cluster.View[float64](parts[0]), cluster.View[float64](parts[1]), cluster.View[float64](parts[2])
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

// order is how a row's entries stand: those in the halo last.
func (m *mesh) order(k int) [entries]int {
	if k == 0 && m.nk > 1 {
		return [entries]int{0, 1, 2, 3, 4, 6, 5}
	}
	return [entries]int{0, 1, 2, 3, 4, 5, 6}
}

func (m *mesh) index(i, j, k int) int { return i + j*m.ni + k*m.plane() }

// neighbour is where in x entry d of a point's row finds its operand.
func (m *mesh) neighbour(i, j, k, d int) int {
	i, j, k = m.move(i, j, k, d)
	return m.index(i, j, k+1)
}

// move goes to neighbour d of a point; i and j are periodic.
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

// fill writes a new x, and leaves no result in y.
func (m *mesh) fill(stamp uint64) {
	m.stamp = stamp
	base := uint64(m.first) * uint64(m.plane())
	own := m.x[m.plane() : m.plane()+int(m.rows())]
	for i := range own {
		own[i] = element(base+uint64(i), stamp)
		m.y[i] = math.NaN()
	}
}

// element is x at a point of the whole grid, from −1 to 1: any number, and another
// one for each stamp (splitmix64).
func element(l, stamp uint64) float64 {
	z := (l+1)*0x9e3779b97f4a7c15 + stamp*0xd1342543de82ef95
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64(int64(z^z>>31)) / (1 << 63)
}

// multiply computes rows [lo, hi): y of their entries from to up to to, counted from
// a row's start, or, if more is set, what they add to y.
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

// multiplyWith computes rows [lo, hi) with the two planes of a halo in place of x's.
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

// Rows that are checked of a product, and how far a sum may be off: the order of
// seven terms of up to 1.3 or 6.5 changes less.
const (
	mostChecked = 1 << 12
	tolerance   = 1e-12
)

// check evaluates the product directly from equation (10) and the operator, at all
// rows or, of many, at some: how many are wrong, of how many, and the first of them
// in words.
func (m *mesh) check() (wrong, looked int, detail string) {
	rows := int(m.rows())
	step := (rows+mostChecked-1)/mostChecked | 1
	for row := 0; row < rows; row += step {
		i, j, k := row%m.ni, row/m.ni%m.nj, row/m.plane()
		want := 0.0
		for d, c := range coefficients {
			a, b, z := m.move(i, j, k+m.first, d)
			z = (z + m.planes) % m.planes
			want += c * element(uint64(m.index(a, b, 0))+uint64(z)*uint64(m.plane()), m.stamp)
		}
		looked++
		if got := m.y[row]; !(math.Abs(got-want) <= tolerance) {
			if wrong == 0 {
				detail = fmt.Sprintf("row {%d, %d, %d} of the product is %v, want %v", i+1, j+1, k+m.first+1, got, want)
			}
			wrong++
		}
	}
	return wrong, looked, detail
}
