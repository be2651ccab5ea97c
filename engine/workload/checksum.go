package workload

import "math"

// A Checksum is a sum over the numbers of a result. It depends on the bits and the position of each number, but not
// on their distribution over ranks.
type Checksum uint64

// Add adds a number at a position in the whole result.
func (c *Checksum) Add(at int64, x float64) {
	h := uint64(at+1)*0x9e3779b97f4a7c15 ^ math.Float64bits(x) // splitmix64
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	*c += Checksum(h ^ h>>31)
}
