package models

import (
	"fmt"
	"math"
)

// Fractions are the three parts of the wall-clock time of the masteronly scheme
// (paper 2, section 7.2.1), each 0 to 1.
type Fractions struct {
	Comm       float64 // f_comm: the master thread communicates
	NonOverlap float64 // f_comp,non: computation that has to wait for communication
	Overlap    float64 // f_comp,overlap: computation that can go on during communication
}

// sumsToOne is how far the sum of three fractions may lie from 1 by rounding.
const sumsToOne = 1e-9

// Check tells whether equation (1) holds, f_comm + f_comp,non + f_comp,overlap = 1,
// with no fraction below 0.
func (f Fractions) Check() error {
	if isShare(f.Comm) && isShare(f.NonOverlap) && isShare(f.Overlap) && math.Abs(f.Comm+f.NonOverlap+f.Overlap-1) <= sumsToOne {
		return nil // curves have many points
	}
	for _, t := range []Term{{Name: "f_comm", Value: f.Comm}, {Name: "f_comp,non", Value: f.NonOverlap}, {Name: "f_comp,overlap", Value: f.Overlap}} {
		if !isShare(t.Value) {
			return fmt.Errorf("%s = %v: want a fraction from 0 to 1", t.Name, t.Value)
		}
	}
	if sum := f.Comm + f.NonOverlap + f.Overlap; math.Abs(sum-1) > sumsToOne {
		return fmt.Errorf("f_comm %v + f_comp,non %v + f_comp,overlap %v = %v: want 1", f.Comm, f.NonOverlap, f.Overlap, sum)
	}
	return nil
}

// Split gives the fractions that equation (1) leaves when two are known.
func Split(comm, nonOverlap float64) (Fractions, error) {
	overlap := 1 - nonOverlap - comm
	if overlap < 0 && overlap > -sumsToOne {
		overlap = 0
	}
	f := Fractions{comm, nonOverlap, overlap}
	if isShare(comm) && isShare(nonOverlap) && overlap < 0 {
		return Fractions{}, fmt.Errorf("f_comm %v + f_comp,non %v = %v: want at most 1", comm, nonOverlap, comm+nonOverlap)
	}
	return f, f.Check()
}

// FractionsOf gives the fractions of three times that masteronly took, in any one
// unit.
func FractionsOf(comm, nonOverlap, overlap float64) (Fractions, error) {
	sum := comm + nonOverlap + overlap
	if !(min(comm, nonOverlap, overlap) >= 0) || !(sum > 0) || math.IsInf(sum, 1) {
		return Fractions{}, fmt.Errorf("times %v of communication, %v and %v of computation: want none below 0, and one above", comm, nonOverlap, overlap)
	}
	return Fractions{comm / sum, nonOverlap / sum, overlap / sum}, nil
}

// MinimumThreads is m_min = f_comm / (f_comp,overlap + f_comm), the natural lower
// bound for m (section 7.2.1): with fewer, communication alone takes longer than
// it and the overlapped computation took before, f_comm/m > f_comm +
// f_comp,overlap, so that ε < 1. It is 0 where nothing is communicated.
func (f Fractions) MinimumThreads() (float64, error) {
	if err := f.Check(); err != nil || f.Comm == 0 {
		return 0, err
	}
	return f.Comm / (f.Overlap + f.Comm), nil
}

// Reserved says that M of a process's N threads are reserved for communication
// and N − M compute meanwhile. M is 1 in the funneled scheme; in the multiple
// scheme it may be any number between 0 and N, whole or not.
type Reserved struct {
	M float64
	N int
}

// Check wants 0 < m < n.
func (r Reserved) Check() error {
	if !(r.M > 0) || !(r.M < float64(r.N)) {
		return fmt.Errorf("m = %v of n = %d threads reserved for communication: want 0 < m < n", r.M, r.N)
	}
	return nil
}

// slower is n/(n−m): how much longer the computation takes that is left to n − m
// threads.
func (r Reserved) slower() float64 { return float64(r.N) / (float64(r.N) - r.M) }

// The names of the terms of equations (3) and (14).
const (
	TermNonOverlap = "computation that waits"
	TermComm       = "communication"
	TermOverlap    = "overlapped computation"
)

// Epsilon is ε = T_masteronly / T_multiple by equation (3): above 1 overlapping
// pays. The terms are shares of T_masteronly.
func Epsilon(r Reserved, f Fractions) (Prediction, error) {
	if err := check(r, f); err != nil {
		return Prediction{}, err
	}
	p := Prediction{
		Unit: "1",
		Sum:  []Term{{TermNonOverlap, f.NonOverlap, "1"}},
		Max:  []Term{{TermComm, f.Comm / r.M, "1"}, {TermOverlap, f.Overlap * r.slower(), "1"}},
	}
	p.Value = 1 / p.total()
	return p, nil
}

// EpsilonAt is the value of Epsilon alone, for the many points of a curve; NaN where
// there is none.
func EpsilonAt(r Reserved, f Fractions) float64 {
	if check(r, f) != nil {
		return math.NaN()
	}
	return 1 / (f.NonOverlap + max(f.Comm/r.M, f.Overlap*r.slower()))
}

func check(r Reserved, f Fractions) error {
	if err := r.Check(); err != nil {
		return err
	}
	return f.Check()
}

// Limits are what ε can come to at a fixed f_comp,non, and where.
type Limits struct {
	Max       float64 // ε_max, equation (5)
	Min       float64 // ε_min, equation (9): ε where nothing is communicated
	CommBest  float64 // f_comm,best, equation (6): there ε is ε_max
	CommEquiv float64 // f_comm,equiv, the theorem after (9): there ε is 1
	Upper     float64 // 1 + m(1 − 1/n), equation (7): ε_max at f_comp,non = 0
	Lower     float64 // 1 − m/n, equation (9): ε_min at f_comp,non = 0
}

// LimitsOf gives the limits of ε over f_comm. Min and Lower bound ε wherever m is
// at least m_min, so for every m from 1 on; Max and Upper bound it always.
func LimitsOf(r Reserved, nonOverlap float64) (Limits, error) {
	if err := r.Check(); err != nil {
		return Limits{}, err
	}
	if !isShare(nonOverlap) {
		return Limits{}, fmt.Errorf("f_comp,non = %v: want a fraction from 0 to 1", nonOverlap)
	}
	n := float64(r.N)
	gain, loss := r.M*(1-1/n), r.M/n
	return Limits{
		Max:       (1 + gain) / (1 + nonOverlap*gain),
		Min:       (1 - loss) / (1 - nonOverlap*loss),
		CommBest:  (1 - nonOverlap) / (1 + 1/r.M - 1/n),
		CommEquiv: loss * (1 - nonOverlap),
		Upper:     1 + gain,
		Lower:     1 - loss,
	}, nil
}
