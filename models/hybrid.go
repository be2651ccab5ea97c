package models

import (
	"fmt"
	"math"
)

// HybridRatio returns T_hybrid / T_MPP = (b_MPP/b_hybrid) / (s_MPP/s_hybrid) (paper 2, section 6,
// table 1). This is the factor by which communication takes longer with one communicating thread
// per node than with one process per CPU. Bandwidths are accumulated over the machine, in any
// common unit. moreBytes is s_MPP/s_hybrid, the bytes that pure MPI moves divided by the bytes that
// hybrid moves ([NodeBox.MoreBytes]; 2 in the paper).
func HybridRatio(bMPP, bHybrid, moreBytes float64) (float64, error) {
	for _, t := range []Term{{Name: "b_MPP", Value: bMPP}, {Name: "b_hybrid", Value: bHybrid},
		{Name: "s_MPP/s_hybrid", Value: moreBytes}} {
		if !(t.Value > 0) || math.IsInf(t.Value, 1) {
			return 0, fmt.Errorf("%s = %v: want a number above 0", t.Name, t.Value)
		}
	}
	return bMPP / bHybrid / moreBytes, nil
}

// OverlappedRatio returns T_hybrid / T_MPP if the other threads compute, instead of sleeping, while
// m of n communicate. It is m/n of ratio, because only the time of the communicating threads counts
// (paper 2, section 7.2, with m = 1).
func OverlappedRatio(ratio float64, r Reserved) (float64, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	if !(ratio > 0) || math.IsInf(ratio, 1) {
		return 0, fmt.Errorf("T_hybrid/T_MPP = %v: want a number above 0", ratio)
	}
	return ratio * r.M / float64(r.N), nil
}

// ExtraTime returns the extra time of a run, as a share of it, if its communication takes ratio
// times as long. share is the run's share of communication (paper 2, section 9).
func ExtraTime(share, ratio float64) (float64, error) {
	if !isShare(share) {
		return 0, fmt.Errorf("share of communication %v: want 0 to 1", share)
	}
	if !(ratio > 0) || math.IsInf(ratio, 1) {
		return 0, fmt.Errorf("T_hybrid/T_MPP = %v: want a number above 0", ratio)
	}
	return share * (ratio - 1), nil
}

// NodeBox is the box of domains of one node in pure MPI, one domain per CPU, in a three-dimensional
// Cartesian decomposition (paper 2, section 5). Each domain sends one face to each of its six
// neighbours. All faces have the same size, and each axis has more than one node.
type NodeBox struct{ I, J, K int }

// Faces returns the number of faces that the node's domains send: intra to domains in the same box,
// inter to other nodes. The hybrid model only sends the inter faces.
func (b NodeBox) Faces() (intra, inter int, err error) {
	if min(b.I, b.J, b.K) < 1 {
		return 0, 0, fmt.Errorf("a node of %d×%d×%d domains: want at least 1 along each axis", b.I, b.J, b.K)
	}
	inter = 2 * (b.I*b.J + b.J*b.K + b.K*b.I)
	return 6*b.I*b.J*b.K - inter, inter, nil
}

// MoreBytes returns s_MPP/s_hybrid: the bytes that pure MPI moves, inside nodes and between them,
// divided by the bytes of the hybrid model.
func (b NodeBox) MoreBytes() (float64, error) {
	intra, inter, err := b.Faces()
	if err != nil {
		return 0, err
	}
	return float64(intra+inter) / float64(inter), nil
}
