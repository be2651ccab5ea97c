package models

import (
	"fmt"
	"math"
)

// Fractions are the three parts of the wall-clock time of the masteronly scheme
// (paper 2, section 7.2.1), each 0 to 1.
type Fractions struct {
	Comm       float64 // f_comm: the master thread communicates
	NonOverlap float64 // f_comp,non: computation that must wait for communication
	Overlap    float64 // f_comp,overlap: computation that can run during communication
}

// maxRounding is the maximum rounding error of the sum of three fractions.
const maxRounding = 1e-9

// Check returns an error unless equation (1) holds, f_comm + f_comp,non + f_comp,overlap = 1, and
// each fraction is in 0..1.
func (f Fractions) Check() error {
	if isShare(f.Comm) && isShare(f.NonOverlap) && isShare(f.Overlap) && math.Abs(f.Comm+f.NonOverlap+f.Overlap-1) <=
		maxRounding {
		return nil // fast path, because curves have many points
	}
	for _, t := range []Term{{Name: "f_comm", Value: f.Comm}, {Name: "f_comp,non", Value: f.NonOverlap},
		{Name: "f_comp,overlap", Value: f.Overlap}} {
		if !isShare(t.Value) {
			return fmt.Errorf("%s = %v: want a fraction from 0 to 1", t.Name, t.Value)
		}
	}
	if sum := f.Comm + f.NonOverlap + f.Overlap; math.Abs(sum-1) > maxRounding {
		return fmt.Errorf("f_comm %v + f_comp,non %v + f_comp,overlap %v = %v: want 1", f.Comm, f.NonOverlap, f.Overlap, sum)
	}
	return nil
}

// Split returns the fractions that follow from two of them by equation (1).
func Split(comm, nonOverlap float64) (Fractions, error) {
	overlap := 1 - nonOverlap - comm
	if overlap < 0 && overlap > -maxRounding {
		overlap = 0
	}
	f := Fractions{Comm: comm, NonOverlap: nonOverlap, Overlap: overlap}
	if isShare(comm) && isShare(nonOverlap) && overlap < 0 {
		return Fractions{}, fmt.Errorf("f_comm %v + f_comp,non %v = %v: want at most 1", comm, nonOverlap, comm+nonOverlap)
	}
	return f, f.Check()
}

// FractionsOf returns the fractions of three times of a masteronly run. The times can have any
// common unit.
func FractionsOf(comm, nonOverlap, overlap float64) (Fractions, error) {
	sum := comm + nonOverlap + overlap
	if !(min(comm, nonOverlap, overlap) >= 0) || !(sum > 0) || math.IsInf(sum, 1) {
		return Fractions{}, fmt.Errorf("times %v of communication, %v and %v of computation: want none below 0, and "+
			"one above", comm, nonOverlap, overlap)
	}
	return Fractions{Comm: comm / sum, NonOverlap: nonOverlap / sum, Overlap: overlap / sum}, nil
}

// MinimumThreads returns m_min = f_comm / (f_comp,overlap + f_comm), the natural lower bound for m
// (section 7.2.1). With fewer threads, communication alone takes longer than communication and the
// overlapped computation took before, f_comm/m > f_comm + f_comp,overlap, so that ε < 1. It returns
// 0 if f_comm is 0.
func (f Fractions) MinimumThreads() (float64, error) {
	if err := f.Check(); err != nil || f.Comm == 0 {
		return 0, err
	}
	return f.Comm / (f.Overlap + f.Comm), nil
}

// Reserved means that M of a process's N threads are reserved for communication, while N − M
// compute. M is 1 in the funneled scheme. In the multiple scheme it is any number between 0 and N,
// whole or not.
type Reserved struct {
	M float64
	N int
}

// Check returns an error unless 0 < m < n.
func (r Reserved) Check() error {
	if !(r.M > 0) || !(r.M < float64(r.N)) {
		return fmt.Errorf("m = %v of n = %d threads reserved for communication: want 0 < m < n", r.M, r.N)
	}
	return nil
}

// slowdown returns n/(n−m), the slowdown of computation on n − m threads.
func (r Reserved) slowdown() float64 { return float64(r.N) / (float64(r.N) - r.M) }

// The names of the terms of equations (3) and (14).
const (
	TermNonOverlap = "computation that waits"
	TermComm       = "communication"
	TermOverlap    = "overlapped computation"
)

// Epsilon returns ε = T_masteronly / T_multiple by equation (3). Overlapping pays if it is above 1.
// The terms are shares of T_masteronly.
func Epsilon(r Reserved, f Fractions) (Prediction, error) {
	if err := check(r, f); err != nil {
		return Prediction{}, err
	}
	p := Prediction{
		Unit: "1",
		Sum:  []Term{{TermNonOverlap, f.NonOverlap, "1"}},
		Max:  []Term{{TermComm, f.Comm / r.M, "1"}, {TermOverlap, f.Overlap * r.slowdown(), "1"}},
	}
	p.Value = 1 / p.total()
	return p, nil
}

// EpsilonAt returns only the value of Epsilon, for curves with many points. It returns NaN on
// invalid input.
func EpsilonAt(r Reserved, f Fractions) float64 {
	if check(r, f) != nil {
		return math.NaN()
	}
	return 1 / (f.NonOverlap + max(f.Comm/r.M, f.Overlap*r.slowdown()))
}

func check(r Reserved, f Fractions) error {
	if err := r.Check(); err != nil {
		return err
	}
	return f.Check()
}

// Limits are the extreme values of ε at a fixed f_comp,non, and their positions.
type Limits struct {
	Max       float64 // ε_max, equation (5)
	Min       float64 // ε_min, equation (9): ε without communication
	CommBest  float64 // f_comm,best, equation (6): the f_comm at which ε is ε_max
	CommEquiv float64 // f_comm,equiv, the theorem after (9): the f_comm at which ε is 1
	Upper     float64 // 1 + m(1 − 1/n), equation (7): ε_max at f_comp,non = 0
	Lower     float64 // 1 − m/n, equation (9): ε_min at f_comp,non = 0
}

// LimitsOf returns the limits of ε over f_comm. Min and Lower are bounds of ε if m is at least
// m_min, so for all m from 1 on. Max and Upper are always bounds.
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
