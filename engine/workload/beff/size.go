package beff

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// The definitions of the message sizes.
const (
	sizesPowers   = "powers"   // paper 2: 8 B, 16 B, ... Lmax
	sizesOriginal = "original" // b_eff: 1 B ... 4 kB, then eight equal factors to Lmax
)

// Constants of b_eff's definition.
const (
	fixedSizes   = 13      // 1 B to 4 kB
	growingSizes = 8       // above 4 kB
	memoryShare  = 128     // Lmax is this share of a process's memory,
	maxLmax      = 1 << 27 // but at most 128 MB
)

// sizes returns the message sizes in bytes, ascending up to lmax.
func sizes(definition string, lmax int64) []int64 {
	var all []int64
	if definition == sizesPowers {
		for l := int64(8); l <= lmax; l *= 2 {
			all = append(all, l)
		}
		return all
	}
	for k := range fixedSizes {
		if l := int64(1) << k; l <= lmax {
			all = append(all, l)
		}
	}
	const last = 1 << (fixedSizes - 1)
	if lmax <= last {
		return all
	}
	factor := math.Pow(float64(lmax)/last, 1.0/growingSizes)
	for k := 1; k < growingSizes; k++ {
		if l := int64(math.Round(last * math.Pow(factor, float64(k)))); l > all[len(all)-1] && l < lmax {
			all = append(all, l)
		}
	}
	return append(all, lmax)
}

// memoryLmax returns b_eff's Lmax on a machine, or 0 if its memory is unknown.
func memoryLmax(m *cluster.Machine, l *cluster.Layout) int64 {
	return min(m.MemoryPerNode/int64(l.RanksPerNode)/memoryShare, maxLmax)
}
