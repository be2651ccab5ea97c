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

// Bounds of b_eff's own definition.
const (
	fixedSizes   = 13      // 1 B to 4 kB
	growingSizes = 8       // above
	memoryShare  = 128     // Lmax is the memory of a process over this
	mostLmax     = 1 << 27 // and no more than 128 MB
)

// sizes are the lengths of the messages, B, rising up to lmax.
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

// memoryLmax is b_eff's Lmax on a machine; 0: its memory is unknown.
func memoryLmax(m *cluster.Machine, l *cluster.Layout) int64 {
	return min(m.MemoryPerNode/int64(l.RanksPerNode)/memoryShare, mostLmax)
}
