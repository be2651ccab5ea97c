package collective

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

// byTable is the algorithm that a table has for the team and the size.
const byTable = "tuned"

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

// fromTable is what the table has for so many ranks and bytes.
func (w place) fromTable(s knobs, ranks, perNode int, n int64) (coll.Key, error) {
	if tuned == nil {
		return coll.Key{}, errors.New("algorithm = tuned: no table was given: use --table FILE, which hybridtop tune makes")
	}
	lacks := coll.Needs(0)
	if !w.reach() {
		lacks = coll.Reach
	}
	column := tuned.Table.Column(of(s), int32(ranks), int32(perNode))
	choice, ok := column.Choose(n, lacks)
	if !ok {
		return coll.Key{}, fmt.Errorf("algorithm = tuned: the table has no %s for %d ranks; use another algorithm, or tune it", of(s), ranks)
	}
	k, err := choice.Key(int32(ranks))
	k.Modes = modes(s)
	return k, err
}

// won puts the table's winners into the field, where the table was tuned on the machine
// and has teams of such sizes.
func (w place) won(f *engine.Field, s knobs, perNode int) {
	if tuned == nil || tuned.Machine != w.machine.Name {
		return
	}
	all := tuned.Table.Winners()
	at := slices.IndexFunc(all, func(m coll.Winners) bool { return m.Collective == of(s) && m.PerNode == int32(perNode) })
	if at < 0 {
		return
	}
	for y := range f.Y {
		if !slices.Contains(all[at].Ranks, int32(f.Y[y])) {
			continue
		}
		for x := range f.X {
			k, err := w.fromTable(s, int(f.Y[y]), perNode, int64(f.X[x]))
			if err != nil || int64(f.X[x]) < all[at].Sizes[0] {
				continue
			}
			one := f.At(x, y)
			model := modelled(one)
			*one = engine.Winner{Best: slices.Index(f.Names, k.Algorithm.Name), Kind: tuned.Kind, Model: model}
		}
	}
}
