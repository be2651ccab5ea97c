package grid

import "math"

// Scale is the scale of an axis.
type Scale uint8

// The scales. A logarithmic axis omits values of zero or less. Log2 suits sizes, Log10 times and
// rates.
const (
	Linear Scale = iota
	Log2
	Log10

	// binary is a linear axis with ticks at multiples of powers of two.
	binary
)

// Ticks appends at most n round values from lo to hi, in increasing order, and returns dst. Linear
// ticks have steps of 1, 2 or 5 times a power of ten. Logarithmic ticks are powers of 2 or 10; if
// the range has fewer than two of these, ticks are linear. An empty range has no ticks.
func Ticks(dst []float64, s Scale, lo, hi float64, n int) []float64 {
	if n <= 0 || !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return dst
	}
	from := len(dst)
	if lo > 0 {
		switch s {
		case Log2:
			dst = powerTicks(dst, 2, lo, hi, n)
		case Log10:
			dst = powerTicks(dst, 10, lo, hi, n)
		}
		if len(dst)-from >= min(2, n) {
			return dst
		}
	}
	return linearTicks(dst[:from], s, lo, hi, n)
}

// niceStep returns the smallest round step that has at most n multiples in a range. Steps are 1, 2
// or 5 times a power of ten, or powers of two on a binary scale.
func niceStep(s Scale, lo, hi float64, n int) float64 {
	raw := hi/float64(n) - lo/float64(n) // does not overflow
	if s == binary && raw > 0 {
		step := math.Exp2(math.Ceil(math.Log2(raw) - 1e-9))
		if math.Floor(hi/step)-math.Ceil(lo/step) >= float64(n) {
			step *= 2
		}
		return step
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	if power == 0 || math.IsInf(power, 0) {
		return raw
	}
	for _, m := range [...]float64{1, 2, 5, 10, 20} {
		step := m * power
		if step >= raw*(1-1e-9) && math.Floor(hi/step)-math.Ceil(lo/step) < float64(n) {
			return step
		}
	}
	return 50 * power
}

func linearTicks(dst []float64, s Scale, lo, hi float64, n int) []float64 {
	step := niceStep(s, lo, hi, n)
	if !(step > 0) || math.IsInf(step, 1) {
		return dst // a range too small or too large for numbers
	}
	first, tolerance := math.Ceil(lo/step-1e-9), min(step, hi-lo)*1e-9
	from := len(dst)
	for i := range n {
		k := first + float64(i)
		v := k * step
		if v < lo-tolerance {
			continue
		}
		if v > hi+tolerance || len(dst) > from && v == dst[len(dst)-1] {
			break
		}
		if math.Abs(v) < step/2 {
			v = 0
		}
		dst = append(dst, v)
	}
	return dst
}

func powerTicks(dst []float64, base, lo, hi float64, n int) []float64 {
	log := math.Log2
	if base == 10 {
		log = math.Log10
	}
	first, last := int(math.Ceil(log(lo)-1e-9)), int(math.Floor(log(hi)+1e-9))
	if first > last {
		return dst
	}
	steps := [...]int{1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 3000}
	for _, stride := range steps {
		begin := ceilDiv(first, stride) * stride
		count := (last-begin)/stride + 1
		if begin > last || count > n {
			continue
		}
		if base == 10 && stride == 1 && 3*(last-first+2) <= n {
			return decadeTicks(dst, first-1, last, lo, hi)
		}
		for e := begin; e <= last; e += stride {
			dst = append(dst, math.Pow(base, float64(e)))
		}
		return dst
	}
	return dst
}

// decadeTicks appends 1, 2 and 5 times each power of ten in a range.
func decadeTicks(dst []float64, first, last int, lo, hi float64) []float64 {
	for e := first; e <= last; e++ {
		for _, m := range [...]float64{1, 2, 5} {
			if v := m * math.Pow(10, float64(e)); v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
				dst = append(dst, v)
			}
		}
	}
	return dst
}

func ceilDiv(a, b int) int {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// tickDigits returns the number of significant digits that distinguish the ticks.
func tickDigits(ticks []float64) int {
	if len(ticks) < 2 {
		return digits3
	}
	last := ticks[len(ticks)-1]
	step := last - ticks[len(ticks)-2]
	need := math.Ceil(math.Log10(max(math.Abs(ticks[0]), math.Abs(last))/step)) + 1
	if !(need > digits3) {
		return digits3
	}
	return int(min(need, 15))
}
