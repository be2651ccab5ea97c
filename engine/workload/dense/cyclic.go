package dense

// Cyclic is one dimension of a block-cyclic distribution: blocks of Block indices are distributed
// cyclically over Ranks, the first block to rank 0. The last block may be shorter.
type Cyclic struct {
	N     int // number of indices
	Block int // indices per block, at least 1
	Ranks int // at least 1
}

// Blocks returns the number of blocks.
func (c Cyclic) Blocks() int { return (c.N + c.Block - 1) / c.Block }

// Width returns the number of indices in block k.
func (c Cyclic) Width(k int) int { return max(0, min(c.Block, c.N-k*c.Block)) }

// Owner returns the rank that has a global index.
func (c Cyclic) Owner(global int) int { return global / c.Block % c.Ranks }

// Local returns the local index of a global index on its owner.
func (c Cyclic) Local(global int) int {
	return global/c.Block/c.Ranks*c.Block + global%c.Block
}

// Global returns the global index of a rank's local index.
func (c Cyclic) Global(rank, local int) int {
	return (local/c.Block*c.Ranks+rank)*c.Block + local%c.Block
}

// Len returns the number of indices on a rank.
func (c Cyclic) Len(rank int) int { return c.From(rank, c.N) }

// From returns the number of a rank's indices below a global index (up to N). This is also the
// local index of the rank's first index that is not below it.
func (c Cyclic) From(rank, global int) int {
	block, within := global/c.Block, global%c.Block
	rounds := block / c.Ranks
	switch owner := block % c.Ranks; {
	case rank < owner:
		return (rounds + 1) * c.Block
	case rank == owner:
		return rounds*c.Block + within
	}
	return rounds * c.Block
}

// MaxLen returns the maximum number of indices on a rank.
func (c Cyclic) MaxLen() int { return c.Len(0) }

// Square returns the number of rows of the rank grid that is nearest to a square, with at most as
// many rows as columns.
func Square(ranks int) int {
	rows := 1
	for r := 2; r*r <= ranks; r++ {
		if ranks%r == 0 {
			rows = r
		}
	}
	return rows
}
