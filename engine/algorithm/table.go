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
	if tuned == nil {
		return coll.Key{}, errors.New("algorithm = tuned: no table (use --table FILE; hybridtop tune writes one)")
	}
	lacks := coll.Needs(0)
	if !w.Reach() {
		lacks = coll.Reach
	}
	if !w.Networked() {
		lacks |= coll.Network
	}
	column := tuned.Table.Column(what, int32(ranks), int32(w.PerNode))
	choice, ok := column.Choose(n, lacks)
	if !ok {
		return coll.Key{}, fmt.Errorf("algorithm = tuned: the table has no %s for %d ranks (use another algorithm, "+
			"or tune it)", what, ranks)
	}
	choice = choice.Placed(coll.Places{})
	if s.Text("process") == ProcessNode {
		choice = choice.Placed(w.among(ranks))
	}
	k, err := choice.Key(int32(ranks))
	k.Modes = Modes(s)
	return k, err
}
