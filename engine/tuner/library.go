package tuner

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// span is the part of a table for teams from a number of ranks up to the next span.
type span struct {
	ranks int32
	steps []coll.Step
}

// maxSpanned is the maximum number of ranks of the teams that are examined one by one.
const maxSpanned = 1 << 16

// spans lists the table's choices for a collective, team by team. With moving, thresholds count
// the bytes of all ranks and so depend on the team; each team is then close to the beginning of
// its span.
func spans(t *coll.Table, c coll.Collective, perNode int32, moving bool) []span {
	maxRanks := int32(0)
	for _, r := range t.Rules() {
		if r.Collective == c {
			maxRanks = max(maxRanks, r.Ranks)
		}
	}
	var all []span
	for p := int32(1); p <= min(maxRanks, maxSpanned); p++ {
		column := t.Column(c, p, min(perNode, p))
		steps := column.Steps(0)
		if len(all) > 0 {
			last := &all[len(all)-1]
			if slices.Equal(last.steps, steps) && (!moving || 4*p < 5*last.ranks) {
				continue
			}
		}
		all = append(all, span{ranks: p, steps: steps})
	}
	return all
}

// middleStep returns the choice at the middle of the sizes, for a library that does not distinguish
// sizes.
func middleStep(steps []coll.Step) []coll.Step {
	return []coll.Step{{Choice: steps[len(steps)/2].Choice}}
}
