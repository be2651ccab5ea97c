package collective

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// addTableWinners adds the winners of the table to the decision map, if the table was tuned on this
// machine and has teams of these sizes.
func (w teamSite) addTableWinners(f *Map, s algorithm.Reader, perNode int) {
	tuned := algorithm.InUse()
	if tuned == nil || tuned.Machine != w.Machine.Name {
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
			k, err := w.FromTable(s, of(s), int(f.Y[y]), int64(f.X[x]))
			if err != nil || int64(f.X[x]) < all[at].Sizes[0] {
				continue
			}
			one := f.At(x, y)
			model := modelWinner(one)
			*one = Winner{Best: slices.Index(f.Names, k.Algorithm.Name), Kind: tuned.Kind, Model: model}
		}
	}
}
