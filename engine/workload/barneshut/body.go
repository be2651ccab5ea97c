package barneshut

import "math"

// Layout of a body in the list of all bodies.
const (
	bodyX    = 0 // position, three numbers
	bodyV    = 3 // velocity, half a step behind the position
	bodyCost = 6 // interactions of its last force
	bodySize = 7 // numbers per body
)

// plummer returns n bodies of the Plummer model (Aarseth, Hénon and Wielen, 1974) about their
// common centre. The units have a total mass and a gravitational constant of 1 and an energy of
// −1/4. A body depends only on the seed and its number.
func plummer(seed uint64, n int) []float64 {
	const scale = 3 * math.Pi / 16
	state := make([]float64, n*bodySize)
	for b := range n {
		d := draw{seed: seed, body: uint64(b)}
		body := state[b*bodySize:][:bodySize]
		r := math.Inf(1)
		for r > 9 { // the few bodies farther out would make the cube large
			r = 1 / math.Sqrt(math.Pow(d.next(), -2./3)-1)
		}
		d.onSphere(body[bodyX:], scale*r)
		x, y := 0., 1.
		for y > x*x*math.Pow(1-x*x, 3.5) { // of the escape speed
			x, y = d.next(), d.next()/10
		}
		d.onSphere(body[bodyV:], math.Sqrt(1/scale)*x*math.Sqrt2*math.Pow(1+r*r, -0.25))
		body[bodyCost] = 1
	}
	for k := range bodyCost {
		sum := 0.
		for b := range n {
			sum += state[b*bodySize+k]
		}
		for b := range n {
			state[b*bodySize+k] -= sum / float64(n)
		}
	}
	return state
}

// draw is a counter-based random number generator of one body.
type draw struct{ seed, body, count uint64 }

// next returns a number uniformly distributed between 0 and 1, both excluded.
func (d *draw) next() float64 {
	d.count++
	z := mix(mix(mix(d.seed)+d.body) + d.count)
	return (float64(z>>12) + 0.5) / (1 << 52)
}

// mix is the finisher of splitmix64.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// onSphere sets v to a vector of the given length in a random direction.
func (d *draw) onSphere(v []float64, length float64) {
	for {
		square := 0.
		for k := range 3 {
			v[k] = 2*d.next() - 1
			square += v[k] * v[k]
		}
		if square <= 1 && square > 1e-12 {
			for k := range 3 {
				v[k] *= length / math.Sqrt(square)
			}
			return
		}
	}
}
