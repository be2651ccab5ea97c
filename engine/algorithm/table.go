package algorithm

import (
	"errors"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// Tuned is a tuning table, with the machine that it was tuned on.
type Tuned struct {
	Table   *coll.Table
	Machine string
	Kind    engine.Kind // of the times that the table was made from
}

// tuned is the table in use, or nil.
var tuned *Tuned

// Use sets the table for algorithm = tuned. Call it before any run starts: it is not safe for
// concurrent use.
func Use(t *Tuned) { tuned = t }

// InUse returns the table that Use has set, or nil.
func InUse() *Tuned { return tuned }

// FromTable returns the table's choice for a number of ranks and n bytes.
func (w Team) FromTable(s Reader, what coll.Collective, ranks int, n int64) (coll.Key, error) {
	return w.nthOfTable(s, what, ranks, n, 0)
}

// nthOfTable returns one of the table's choices, from 0 for the best one, or the last one if it has
// fewer.
func (w Team) nthOfTable(s Reader, what coll.Collective, ranks int, n int64, nth int) (coll.Key, error) {
	near, err := w.tableChoices(what, ranks, n)
	if err != nil {
		return coll.Key{}, err
	}
	choice := near[min(nth, len(near)-1)].Placed(coll.Places{})
	if s.Text("process") == ProcessNode {
		choice = choice.Placed(w.among(ranks))
	}
	k, err := choice.Key(int32(ranks))
	k.Modes = Modes(s)
	return k, err
}

// tableChoices returns the table's choices that the team can run, best first; at least one.
func (w Team) tableChoices(what coll.Collective, ranks int, n int64) ([]coll.Choice, error) {
	if tuned == nil {
		return nil, errors.New("algorithm = tuned: no table (use --table FILE; hybridtop tune writes one)")
	}
	lacks := coll.Needs(0)
	if !w.Reach() {
		lacks = coll.Reach
	}
	if !w.Networked() {
		lacks |= coll.Network
	}
	column := tuned.Table.Column(what, int32(ranks), int32(w.PerNode))
	near := column.Near(n, lacks)
	if len(near) == 0 {
		return nil, fmt.Errorf("algorithm = tuned: the table has no %s for %d ranks (use another algorithm, "+
			"or tune it)", what, ranks)
	}
	return near, nil
}
