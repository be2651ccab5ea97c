package workload

import (
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Per says what the bytes of an item are of.
type Per string

// The extents of an item.
const (
	PerRank Per = "rank"
	PerNode Per = "node"
	InAll   Per = "all"
)

// Item is something that a run holds of the host's memory.
type Item struct {
	Name  string // plural: "message buffers"
	Per   Per
	Bytes int64
}

// All is the item's bytes in a whole cluster.
func (i Item) All(l *cluster.Layout) float64 {
	switch i.Per {
	case PerRank:
		return float64(i.Bytes) * float64(l.Ranks())
	case PerNode:
		return float64(i.Bytes) * float64(l.Nodes)
	}
	return float64(i.Bytes)
}

// Renumbering is what Rank.Renumber leaves behind of the agreement that Split makes: of
// every member its block, its place, and its part of the messages.
func Renumbering(l *cluster.Layout) Item {
	const member = 200
	if l.Model == cluster.NestedFunneled {
		return Item{Name: "renumbering", Per: PerRank}
	}
	return Item{Name: "renumbering", Per: PerRank, Bytes: member * int64(l.Ranks())}
}

// Eager is what fabrics hold of a message of n bytes under way: a copy, where it leaves
// before its receive is known. The bytes of a longer one wait at their sender.
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

// Copy is what a fabric's copy of n bytes under way takes: they come in a few sizes, up
// to 64 KiB in powers of four.
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
