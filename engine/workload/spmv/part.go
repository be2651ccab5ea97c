package spmv

import "github.com/hybridtop/hybridtop/cluster"

// part is a part of the product. Threads share it line by line; a line has n_i rows with the same j
// and k.
type part struct {
	m     *mesh
	lines int
	share float64 // of a row's work
	// The lines of the part, and the entries of their rows.
	line     func(i int) int // nil: line i is the mesh's
	from, to int
	more     bool
}

// compute computes lines [lo, hi) on a thread.
func (p *part) compute(t *cluster.Thread, lo, hi int) {
	t.Compute(work(int64(hi-lo)*int64(p.m.ni), p.share), p.m.store.Body(func() {
		ni := p.m.ni
		if p.line == nil {
			p.m.multiply(lo*ni, hi*ni, p.from, p.to, p.more)
			return
		}
		for i := lo; i < hi; i++ {
			at := p.line(i) * ni
			p.m.multiply(at, at+ni, p.from, p.to, p.more)
		}
	}))
}

// The two ways to split the product.
const (
	splitPaper  = "paper"
	splitPlanes = "planes"
)

// paperHaloShare is the share of the product that waits for the halo in the paper. It makes
// x_non/x_overlap 1/6.
const paperHaloShare = 1. / entries

// split divides the product into the part that does not need the halo and the part that does.
func (m *mesh) split(how string) (independent, dependent part) {
	if how == splitPaper {
		first := entries - m.haloEntries()
		return part{m: m, lines: m.lines(), share: 1 - paperHaloShare, to: first},
			part{m: m, lines: m.lines(), share: paperHaloShare, from: first, to: entries, more: true}
	}
	inner := func(i int) int { return i + m.nj }
	outer := func(i int) int {
		if i < m.nj {
			return i
		}
		return i + (m.nk-2)*m.nj
	}
	return part{m: m, lines: max(m.nk-2, 0) * m.nj, share: 1, line: inner, to: entries},
		part{m: m, lines: min(m.nk, 2) * m.nj, share: 1, line: outer, to: entries}
}

// shares returns the work of the two parts, as a number of rows.
func (m *mesh) shares(how string) (independent, dependent float64) {
	a, b := m.split(how)
	rows := func(p *part) float64 { return float64(p.lines) * float64(m.ni) * p.share }
	return rows(&a), rows(&b)
}
