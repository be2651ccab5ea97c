package fft

import "gonum.org/v1/gonum/dsp/fourier"

// lines transforms many lines of one length.
type lines struct {
	fft     *fourier.CmplxFFT
	inverse bool // unnormalised
	buf     []complex128
}

// gathered is the number of lines that are gathered at a time if their points are not contiguous. A
// cache line has four points.
const gathered = 8

func newLines(n int, inverse bool) *lines {
	return &lines{fft: fourier.NewCmplxFFT(n), inverse: inverse, buf: make([]complex128, gathered*n)}
}

// rows transforms contiguous lines, one after the other.
func (l *lines) rows(v []complex128) {
	for n := l.fft.Len(); len(v) > 0; v = v[n:] {
		if l.inverse {
			l.fft.Sequence(v[:n], v[:n])
		} else {
			l.fft.Coefficients(v[:n], v[:n])
		}
	}
}

// columns transforms lines lo to hi of interleaved lines. Their points i begin at from(i) of src,
// and go to to(i) of dst.
func (l *lines) columns(dst, src []complex128, lo, hi int, from, to func(i int) int) {
	n := l.fft.Len()
	for ; lo < hi; lo += gathered {
		k := min(gathered, hi-lo)
		l.gather(l.buf, src, lo, k, from)
		l.rows(l.buf[:k*n])
		for i := range n {
			at := dst[to(i)+lo:][:k]
			for c := range at {
				at[c] = l.buf[c*n+i]
			}
		}
	}
}

// across transforms the same lines into contiguous lines of dst.
func (l *lines) across(dst, src []complex128, lo, hi int, from func(i int) int) {
	n := l.fft.Len()
	for ; lo < hi; lo += gathered {
		k := min(gathered, hi-lo)
		into := dst[lo*n:][:k*n]
		l.gather(into, src, lo, k, from)
		l.rows(into)
	}
}

// gather copies k interleaved lines into contiguous lines.
func (l *lines) gather(into, src []complex128, lo, k int, from func(i int) int) {
	n := l.fft.Len()
	for i := range n {
		for c, v := range src[from(i)+lo:][:k] {
			into[c*n+i] = v
		}
	}
}
