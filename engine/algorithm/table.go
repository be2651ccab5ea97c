package algorithm

import (
	"errors"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// Tuned is a table, and what it was tuned on.
type Tuned struct {
	Table   *coll.Table
	Machine string
	Kind    engine.Kind // of the times that it rests on
}

// tuned is the table in use; nil: none was given.
var tuned *Tuned

// Use gives the table that algorithm = tuned chooses by. It is called before anything
// runs.
func Use(t *Tuned) { tuned = t }

// InUse is the table that Use gave; nil: none.
func InUse() *Tuned { return tuned }

// FromTable is what the table has for so many ranks and bytes.
func (w Team) FromTable(s Reader, what coll.Collective, ranks int, n int64) (coll.Key, error) {
	if tuned == nil {
		return coll.Key{}, errors.New("algorithm = tuned: no table was given: use --table FILE, which hybridtop tune makes")
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
		return coll.Key{}, fmt.Errorf("algorithm = tuned: the table has no %s for %d ranks; use another algorithm, or tune it", what, ranks)
	}
	if choice = choice.Placed(coll.Places{}); s.Text("process") == ProcessNode {
		choice = choice.Placed(w.among(ranks))
	}
	k, err := choice.Key(int32(ranks))
	k.Modes = Modes(s)
	return k, err
}
