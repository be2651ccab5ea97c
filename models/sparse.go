package models

import (
	"fmt"
	"math"
)

// SparseCosts are the costs of a sparse matrix-vector product on a grid, for a process with n_k
// planes of n_i × n_j points (paper 2, section 7.2.2). ε depends only on their ratios.
type SparseCosts struct {
	Comm       float64 // x_comm: communication, s per point of one plane
	NonOverlap float64 // x_MVM,non: product that waits for the halo, s per point
	Overlap    float64 // x_MVM,overlap: product that does not wait, s per point
}

// PaperSplit is x_MVM,non / x_MVM,overlap of the product in the paper.
const PaperSplit = 1. / 6

// Published numbers of the product on the Hitachi SR8000-F1 (section 7.2.2), n = 8 and m = 1:
// x_comm / x_MVM,overlap, once fitted so that ε = 1 at the measured number of planes, and once from
// a profiled run.
const (
	PaperCommFitted   = 4.57
	PaperCommProfiled = 4.17
	PaperCrossover    = 32
	PaperGain         = 1.5 // the largest measured ε (section 9), at the maximum of the model
)

// Fractions returns the fractions of masteronly with n_k local planes, by equations (11) to (13).
// n_i·n_j is a factor of all three and cancels.
func (x SparseCosts) Fractions(nk int) (Fractions, error) {
	if nk < 1 {
		return Fractions{}, fmt.Errorf("n_k = %d local planes: want at least 1", nk)
	}
	f, err := FractionsOf(x.Comm, x.NonOverlap*float64(nk), x.Overlap*float64(nk))
	if err != nil {
		return Fractions{}, fmt.Errorf("costs of the product: %w", err)
	}
	return f, nil
}

// Epsilon returns ε with n_k local planes, by equation (14).
func (x SparseCosts) Epsilon(r Reserved, nk int) (Prediction, error) {
	f, err := x.Fractions(nk)
	if err != nil {
		return Prediction{}, err
	}
	return Epsilon(r, f)
}

// CommAtCrossover returns the x_comm / x_MVM,overlap for which ε = 1 at n_k local planes: n_k ·
// m/(n−m). It follows from equation (14) and the theorem, f_comm = m/n · (1 − f_comp,non), so
// x_comm = m/n · (x_comm + x_MVM,overlap·n_k). It does not depend on the product that waits.
func CommAtCrossover(r Reserved, nk float64) (float64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	if !(nk > 0) || math.IsInf(nk, 1) {
		return 0, fmt.Errorf("n_k = %v local planes: want a number above 0", nk)
	}
	return nk * r.M / (float64(r.N) - r.M), nil
}

// PlanesAtCrossover returns the number of local planes, whole or not, at which ε = 1. It is the
// inverse of CommAtCrossover, x_comm / x_MVM,overlap · (n−m)/m. With fewer planes overlapping pays.
func PlanesAtCrossover(r Reserved, comm float64) (float64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	if !(comm >= 0) || math.IsInf(comm, 1) {
		return 0, fmt.Errorf("x_comm / x_MVM,overlap = %v: want a number, not negative", comm)
	}
	return comm * (float64(r.N) - r.M) / r.M, nil
}
