package sim

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// The hash of a run consists of one sum per node. Each step of a message adds a number to the sum of its node.
// The number mixes the step, its time, the core of the rank, and the distance to the other rank. Equal nodes
// therefore have equal sums, in any order of the nodes.

// step is a step that the hash counts.
type step uint64

const (
	stepDepart step = iota + 1
	stepArrive
	stepComplete
	stepLeave // a rank leaves a barrier
	stepEnd   // a rank has ended
)

// Odd constants with well distributed bits, from the fractional parts of the golden ratio, √2 and √3.
const (
	mixTime = 0x9e3779b97f4a7c15
	mixWhat = 0x6a09e667f3bcc909
	mixSize = 0xbb67ae8584caa73b
)

// count adds a step of a rank to the hash. peer is the other rank of a message, and extra its kind, size and tag.
func (w *world) count(s step, at cluster.Time, rank, peer int32, extra uint64) {
	node := w.net.nodeOf[rank]
	core := rank - node*w.perNode
	distance := peer - rank
	if distance < 0 {
		distance += int32(len(w.ranks))
	}
	what := uint64(s)<<56 ^ uint64(uint32(core))<<28 ^ uint64(uint32(distance)) ^ extra*mixSize
	high, low := bits.Mul64(uint64(at)^mixTime, what^mixWhat)
	w.sums[node] += high ^ low
}

// countMessage adds a step of a message at one of its ranks.
func (w *world) countMessage(s step, at cluster.Time, m *msg, rank, peer int32) {
	w.count(s, at, rank, peer, uint64(m.kind)<<60^uint64(m.size)<<20^uint64(uint32(m.tag)))
}

// hash returns the hash of the run.
func (w *world) hash() uint64 {
	h := uint64(14695981039346656037)
	for _, x := range w.sums {
		combine(&h, x)
	}
	return h
}
