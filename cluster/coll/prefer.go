package coll

// Where all members load from each other, copies at the board save a meeting and cost
// a pass: up to so many bytes, of what a member gives or of what it combines, they win.
const (
	stagedBytes   = 4 << 10
	stagedCombine = 16 << 10
	stagedRanks   = 16 // that all combine the same; beyond, one does it for all
)

// prefer is the choice of a Comm that uses no table.
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
