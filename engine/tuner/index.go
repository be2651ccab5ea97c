package tuner

import (
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Family is an algorithm with the ranges of its parameters: a line of the index.
type Family struct {
	Algorithm *coll.Algorithm
	Radices   []int // to try; none: the algorithm has no radix
	Segments  []int
	Transfers []coll.Transfer
}

// The values that are tried. Of the radices that are at least the number of ranks, only the
// smallest is tried, because all of them produce the same tree. Radices have larger gaps than
// teams have, so that a radix that covers all ranks at once also does so for a slightly larger
// team.
var (
	radices  = []int{2, 3, 4, 5, 8, 16, 32, 64, 128}
	segments = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

// minSegment is the minimum size of a segment in bytes: shorter ones cost more overhead than
// they save.
const minSegment = 512

var twoSided = []coll.Transfer{coll.TwoSided}

// Index lists the families of a collective for some transfers, or for two-sided messages if there
// are none.
func Index(c coll.Collective, transfers ...coll.Transfer) []Family {
	var all []Family
	for _, a := range coll.Of(c) {
		f := Family{Algorithm: a, Segments: segments[:1]}
		if a.Radix != 0 {
			for _, r := range radices {
				if r >= int(max(a.MinRadix, 2)) {
					f.Radices = append(f.Radices, r)
				}
			}
		}
		if a.Segmented {
			f.Segments = segments
		}
		f.Transfers = transfers
		if len(transfers) == 0 || c == coll.OpBarrier || a.Needs&(coll.Reach|coll.Network) != 0 {
			f.Transfers = twoSided
		}
		all = append(all, f)
	}
	return all
}

// Candidates lists every choice of the index for a tuple at the place.
func (p *Site) Candidates(at coll.Tuple, transfers ...coll.Transfer) []coll.Choice {
	if !p.isVirtual() || p.Machine.CollectiveNetwork.Bandwidth == 0 {
		at.Lacks |= coll.Network
	}
	return Candidates(at, transfers...)
}

// Candidates lists every choice of the index for a tuple.
func Candidates(at coll.Tuple, transfers ...coll.Transfer) []coll.Choice {
	var all []coll.Choice
	for _, f := range Index(at.Collective, transfers...) {
		if !f.Algorithm.Takes(at) {
			continue
		}
		add := func(p coll.Parameters) {
			for _, transfer := range f.Transfers {
				c := coll.Choice{Algorithm: f.Algorithm, Parameters: p}
				c.Transfer = transfer
				c = c.Under(at.Modes)
				if k, err := c.Key(at.Ranks); err == nil && c.Transfer == transfer && !k.PassesOn() {
					all = append(all, c)
				}
			}
		}
		for _, s := range f.Segments {
			if s > 1 && at.Bytes/int64(s) < minSegment {
				break
			}
			if len(f.Radices) == 0 {
				add(coll.Parameters{Segments: s})
			}
			for i, r := range f.Radices {
				if i > 0 && f.Radices[i-1] >= int(at.Ranks) {
					break
				}
				add(coll.Parameters{Radix: r, Segments: s})
			}
		}
	}
	return all
}
