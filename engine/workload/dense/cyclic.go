package dense

// Cyclic is one dimension of a block-cyclic distribution: blocks of Block indices are
// dealt to Ranks in turn, the first to rank 0. The last block may be shorter.
type Cyclic struct {
	N     int // indices
	Block int // of a block, at least 1
	Ranks int // at least 1
}

// Blocks is how many blocks there are.
func (c Cyclic) Blocks() int { return (c.N + c.Block - 1) / c.Block }

// Width is how many indices block k has.
func (c Cyclic) Width(k int) int { return max(0, min(c.Block, c.N-k*c.Block)) }

// Owner is the rank that has a global index.
func (c Cyclic) Owner(global int) int { return global / c.Block % c.Ranks }

// Local is the number of a global index at its owner.
func (c Cyclic) Local(global int) int {
	return global/c.Block/c.Ranks*c.Block + global%c.Block
}

// Global is the index that a rank has at a local number.
func (c Cyclic) Global(rank, local int) int {
	return (local/c.Block*c.Ranks+rank)*c.Block + local%c.Block
}

// Len is how many indices a rank has.
func (c Cyclic) Len(rank int) int { return c.From(rank, c.N) }

// From is how many of a rank's indices come before a global one (up to N): the local
// number of its first one from there on.
func (c Cyclic) From(rank, global int) int {
	block, within := global/c.Block, global%c.Block
	rounds := block / c.Ranks
	switch turn := block % c.Ranks; {
	case rank < turn:
		return (rounds + 1) * c.Block
	case rank == turn:
		return rounds*c.Block + within
	}
	return rounds * c.Block
}

// Most is how many indices a rank has at most.
func (c Cyclic) Most() int { return c.Len(0) }

// Square is the number of rows of the grid of so many ranks that is as near to a square as
// they divide, with no more rows than columns.
func Square(ranks int) int {
	rows := 1
	for r := 2; r*r <= ranks; r++ {
		if ranks%r == 0 {
			rows = r
		}
	}
	return rows
}
