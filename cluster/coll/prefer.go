package coll

// If all members load from each other, copies in the shared control block save a synchronization
// and cost one pass over the data. They are faster up to these numbers of bytes of a member's data,
// or of its combined data.
const (
	stagedBytes   = 4 << 10
	stagedCombine = 16 << 10
	stagedRanks   = 16 // largest team in which all members combine all data; in larger teams one member combines for all
)

// prefer returns the choice of a Comm without a table.
func (c *Comm) prefer(at Tuple) (Choice, error) {
	if !c.Reaches() {
		return Serving(at)
	}
	name, given := "direct", at.Bytes
	switch at.Collective {
	case OpScatter, OpExchange, OpReduceScatter:
		given *= int64(at.Ranks)
	case OpReduce, OpAllreduce:
		if at.Bytes*int64(at.Ranks) <= stagedCombine {
			name = "staged"
			if at.Collective == OpAllreduce && at.Ranks > stagedRanks {
				name = "relayed"
			}
		}
		given = stagedBytes + 1
	case OpScan:
		name = "staged"
	}
	if given <= stagedBytes && at.Collective != OpBarrier {
		name = "staged"
	}
	a, err := Find(at.Collective, name)
	return Choice{Algorithm: a}, err
}
