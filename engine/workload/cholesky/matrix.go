package cholesky

import "math"

// The matrices.
const (
	exact      = "exact"
	random     = "random"
	indefinite = "indefinite"
)

// matrix is one by the closed form of its elements, so that every process makes its own.
type matrix struct {
	name string
	n    int
	seed uint64
}

// at is element (i, j) of the upper triangle.
func (m matrix) at(i, j int) float64 {
	if m.name == exact {
		return whole(i, j)
	}
	if i == j {
		if m.name == indefinite && i == m.broken() {
			return -1
		}
		return float64(m.n) + m.noise(i, i)
	}
	return m.noise(i, j)
}

// broken is the row in which an indefinite matrix has its first pivot that is not
// positive.
func (m matrix) broken() int { return 2 * m.n / 3 }

// noise is a number from −1 up to 1, of the seed and the place alone: fewer than n of them
// in a row leave a diagonal of about n in command.
func (m matrix) noise(i, j int) float64 {
	z := (m.seed*0x9e3779b97f4a7c15 + uint64(i)<<32 + uint64(j)) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>31) * 0x94d049bb133111eb
	z ^= z >> 29
	return float64(z>>11)/(1<<52) - 1
}

// The factor of the matrix exact repeats itself over primes, so that blocks of the usual
// widths differ from their neighbours.
const (
	downward = 5
	onward   = 7
)

// factorOf is element (k, j), k ≤ j, of that factor: x_k + y_j with x_k = k mod 5 and
// y_j = (j mod 7) + 1, and 4 on the diagonal.
func factorOf(k, j int) float64 {
	if k == j {
		return 4
	}
	return float64(k%downward + j%onward + 1)
}

// whole is element (i, j), i ≤ j, of UᵀU for that factor:
// Σ_{k<i} (x_k + y_i)(x_k + y_j) + 4·U_ij. With the sums of x and x² below i it is a whole
// number, as is all that a factorization comes by, and 4 divides exactly.
func whole(i, j int) float64 {
	rounds, rest := i/downward, i%downward
	s1 := float64(10*rounds + rest*(rest-1)/2)
	s2 := float64(30*rounds + rest*(rest-1)*(2*rest-1)/6)
	yi, yj := float64(i%onward+1), float64(j%onward+1)
	return s2 + (yi+yj)*s1 + float64(i)*yi*yj + 4*factorOf(i, j)
}

// acceptable is the bound on ‖A − UᵀU‖ / (n·ε·‖A‖), norms of Frobenius.
const acceptable = 16

// epsilon is half of the distance from 1 to the next number.
const epsilon = 1.0 / (1 << 53)

// backward is that error.
func backward(n int, difference, norm float64) float64 {
	return math.Sqrt(difference) / (float64(n) * epsilon * math.Sqrt(norm))
}
