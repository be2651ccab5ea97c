package cartesian

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// With every ranking, a process's vertical neighbours have its position on the previous and next
// nodes. Its horizontal neighbours are next to it on its own node (paper 2, figure 2).
func TestNeighbours(t *testing.T) {
	for ranking, want := range map[cluster.Ranking]neighbours{
		cluster.Sequential: {vertical: []int{7, 1}, horizontal: []int{5, 3}},
		cluster.RoundRobin: {vertical: []int{5, 3}, horizontal: []int{7, 1}},
	} {
		spec := cluster.Spec{Layout: cluster.Layout{Nodes: 3, RanksPerNode: 3, ThreadsPerRank: 1, Ranking: ranking,
			Model: cluster.Flat}}
		err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
			if got := neighboursOf(r.World(), &r.Spec().Layout); r.ID() == 4 && fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %+v, want %+v", ranking, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Messages arrive complete with every method, with and without copies, and if both neighbours are
// the same process. A wrong byte is noticed.
func TestExchange(t *testing.T) {
	spec := cluster.Spec{Layout: cluster.Layout{Nodes: 1, RanksPerNode: 4, ThreadsPerRank: 1,
		Ranking: cluster.Sequential, Model: cluster.Flat}, EagerLimit: 64}
	for _, ringOf := range []int{2, 4} {
		for _, inTurn := range []bool{true, false} {
			for _, ways := range []struct {
				copies  bool
				packing string
			}{{true, contiguous}, {false, contiguous}, {false, derived}, {true, derived}, {true, scratch}} {
				for _, size := range []int64{8, 1001} {
					err := cluster.Launch(context.Background(), live.New(), spec, func(r *cluster.Rank) error {
						first := r.ID() / ringOf * ringOf
						index := r.ID() - first
						x := newExchange(cluster.Store{}, []int{first + (index+1)%ringOf, first + (index+ringOf-1)%ringOf}, size, 4,
							ways.copies, ways.packing)
						way := x.atOnce
						if inTurn {
							way = x.inTurn
						}
						for stamp := range 3 {
							x.fill(r.ID(), stamp)
							for i := 0; ways.packing == scratch && i < len(x.peers); i++ {
								x.pack(r, i, 0, int(elements(size)))
							}
							if err := way(r); err != nil {
								return err
							}
							if r.ID() == 2 && stamp == 2 {
								x.in[1].Slice()[size/2]++
								if wrong := x.check(r.ID(), stamp); !strings.Contains(wrong,
									fmt.Sprintf("byte %d of the message of %d B", size/2, size)) {
									t.Errorf("a wrong byte is reported as %q", wrong)
								}
							} else if wrong := x.check(r.ID(), stamp); wrong != "" {
								t.Errorf("rings of %d, in turn %v, %v: %s", ringOf, inTurn, ways, wrong)
							}
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}
