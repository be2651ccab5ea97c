package cholesky

import "math"

// Values of the knob matrix.
const (
	exact      = "exact"
	random     = "random"
	indefinite = "indefinite"
)

// A matrix has a closed form of its elements, so that every process can generate its part.
type matrix struct {
	name string
	n    int
	seed uint64
}

// at returns element (i, j) of the upper triangle.
func (m matrix) at(i, j int) float64 {
	if m.name == exact {
		return whole(i, j)
	}
	if i == j {
		if m.name == indefinite && i == m.brokenRow() {
			return -1
		}
		return float64(m.n) + m.noise(i, i)
	}
	return m.noise(i, j)
}

// brokenRow returns the row of an indefinite matrix with the first pivot that is not positive.
func (m matrix) brokenRow() int { return 2 * m.n / 3 }

// noise returns a number from −1 up to 1 that depends only on the seed and the position. A row has
// fewer than n of them, so a diagonal of about n dominates.
func (m matrix) noise(i, j int) float64 {
	z := (m.seed*0x9e3779b97f4a7c15 + uint64(i)<<32 + uint64(j)) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>31) * 0x94d049bb133111eb
	z ^= z >> 29
	return float64(z>>11)/(1<<52) - 1
}

// Periods of the factor of the matrix exact. They are primes, so that blocks of usual widths differ
// from their neighbours.
const (
	downward = 5
	onward   = 7
)

// factorOf returns element (k, j), k ≤ j, of the exact factor: x_k + y_j with x_k = k mod 5 and y_j
// = (j mod 7) + 1, and 4 on the diagonal.
func factorOf(k, j int) float64 {
	if k == j {
		return 4
	}
	return float64(k%downward + j%onward + 1)
}

// whole returns element (i, j), i ≤ j, of UᵀU for that factor: Σ_{k<i} (x_k + y_i)(x_k + y_j) +
// 4·U_ij. It uses the sums of x and x² below i. All numbers of a factorization are integers, and
// divisions by 4 are exact.
func whole(i, j int) float64 {
	rounds, rest := i/downward, i%downward
	s1 := float64(10*rounds + rest*(rest-1)/2)
	s2 := float64(30*rounds + rest*(rest-1)*(2*rest-1)/6)
	yi, yj := float64(i%onward+1), float64(j%onward+1)
	return s2 + (yi+yj)*s1 + float64(i)*yi*yj + 4*factorOf(i, j)
}

// acceptable is the upper bound of ‖A − UᵀU‖ / (n·ε·‖A‖) with Frobenius norms.
const acceptable = 16

// epsilon is half of the distance from 1 to the next float64.
const epsilon = 1.0 / (1 << 53)

// backward returns this error from the squares of both norms.
func backward(n int, difference, norm float64) float64 {
	return math.Sqrt(difference) / (float64(n) * epsilon * math.Sqrt(norm))
}
