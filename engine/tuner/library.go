package tuner

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// span is what a table says of teams from a size on, up to the next span.
type span struct {
	ranks int32
	steps []coll.Step
}

// mostSpanned is how large teams may be that are looked at one by one.
const mostSpanned = 1 << 16

// spans lists what a table says of a collective, team by team. Thresholds that count
// all ranks' bytes move with the team, so that teams must not be far from where their
// span begins.
func spans(t *coll.Table, c coll.Collective, perNode int32, moving bool) []span {
	most := int32(0)
	for _, r := range t.Rules() {
		if r.Collective == c {
			most = max(most, r.Ranks)
		}
	}
	var all []span
	for p := int32(1); p <= min(most, mostSpanned); p++ {
		column := t.Column(c, p, min(perNode, p))
		steps := column.Steps(0)
		if len(all) > 0 {
			last := &all[len(all)-1]
			if slices.Equal(last.steps, steps) && (!moving || 4*p < 5*last.ranks) {
				continue
			}
		}
		all = append(all, span{p, steps})
	}
	return all
}

// middle is the choice at the middle of the sizes, where a library cannot tell sizes.
func middle(steps []coll.Step) []coll.Step {
	return []coll.Step{{Choice: steps[len(steps)/2].Choice}}
}
