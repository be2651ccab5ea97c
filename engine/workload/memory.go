package workload

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Per is the extent that the bytes of an item refer to.
type Per string

// Values of Per.
const (
	PerRank Per = "rank"
	PerNode Per = "node"
	InAll   Per = "all"
)

// An Item is a part of the host's memory that a run uses.
type Item struct {
	Name  string // plural: "message buffers"
	Per   Per
	Bytes int64
}

// All returns the item's bytes in the whole cluster.
func (i Item) All(l *cluster.Layout) float64 {
	switch i.Per {
	case PerRank:
		return float64(i.Bytes) * float64(l.Ranks())
	case PerNode:
		return float64(i.Bytes) * float64(l.Nodes)
	}
	return float64(i.Bytes)
}

// Renumbering returns the memory that Rank.Renumber keeps from the agreement that Split makes: for
// each member its block, its index, and its part of the messages.
func Renumbering(l *cluster.Layout) Item {
	const member = 200
	if l.Model == cluster.NestedFunneled {
		return Item{Name: "renumbering", Per: PerRank}
	}
	return Item{Name: "renumbering", Per: PerRank, Bytes: member * int64(l.Ranks())}
}

// Eager returns the bytes that a fabric copies for a message of n bytes that may leave before its
// receive is known. A longer message stays at its sender, so Eager returns 0.
func (on *Site) Eager(s *engine.Scenario, n int64) int64 {
	limit := s.Int("eager-limit")
	if limit < 0 {
		limit = on.Machine.EagerLimit
	}
	if n > limit {
		return 0
	}
	return Copy(n)
}

// Copy returns the bytes that a fabric allocates to copy n bytes. Copies have a few sizes: powers
// of four up to 64 KiB, powers of two above.
func Copy(n int64) int64 {
	if n <= 64 {
		return 64
	}
	above := bits.Len64(uint64(n - 1))
	if n <= 64<<10 {
		above += above % 2
	}
	return 1 << above
}
