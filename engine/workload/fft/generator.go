package fft

// The generator of NAS FT computes x ← a·x modulo 2⁴⁶, and its number is x·2⁻⁴⁶. Point (x, y, z) of
// the box uses two successive numbers, its real and its imaginary part, with x fastest.
const (
	factor  = 1220703125 // 5¹³
	seed    = 314159265
	modulus = 1<<46 - 1 // as a mask
	unit    = 1.0 / (1 << 46)
)

// power returns a to the n, modulo 2⁴⁶: the factor that skips n numbers.
func power(n uint64) uint64 {
	p, a := uint64(1), uint64(factor)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = p * a & modulus
		}
		a = a * a & modulus
	}
	return p
}

// next returns the number after a state, and the next state.
func next(state uint64) (float64, uint64) {
	state = state * factor & modulus
	return float64(state) * unit, state
}

// point returns the value of a point, and the state after it. before is the state before it.
func point(before uint64) (complex128, uint64) {
	re, state := next(before)
	im, state := next(state)
	return complex(re, im), state
}

// generate calls each with the points of a part of the box, in the order of z, y, x. It skips to
// each plane, to each row, and to the first point of a row.
func (b *problem) generate(lo, n [3]int, each func(x, y, z int, v complex128)) {
	plane, row := power(2*uint64(b.n[0])*uint64(b.n[1])), power(2*uint64(b.n[0]))
	start := seed * power(2*(uint64(lo[0])+uint64(b.n[0])*(uint64(lo[1])+uint64(b.n[1])*uint64(lo[2])))) & modulus
	for z := range n[2] {
		at := start
		for y := range n[1] {
			state := at
			for x := range n[0] {
				var v complex128
				v, state = point(state)
				each(lo[0]+x, lo[1]+y, lo[2]+z, v)
			}
			at = at * row & modulus
		}
		start = start * plane & modulus
	}
}
