package beff

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

var four = cluster.Spec{Layout: cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 1,
	Ranking: cluster.Sequential, Model: cluster.Flat}, EagerLimit: 64}

// Every method transfers every message of a pattern, on both sides of the eager limit and in
// consecutive rounds. A wrong byte or a missing message is noticed.
func TestMethods(t *testing.T) {
	for _, method := range methods {
		for _, size := range []int64{8, 4096} {
			for _, p := range []pattern{ring(4, 2), ring(4, 4), shuffled([]int{2, 0, 3, 1}),
				cyclic(4, [3]int{2, 2, 1}, inRows([3]int{2, 2, 1}))} {
				err := cluster.Launch(context.Background(), live.New(), four, func(r *cluster.Rank) error {
					d := newRound(r, p.exchanges[r.World().Rank()], size, cluster.Bytewise(true))
					for stamp := range 3 {
						d.fill(stamp)
						if err := d.exchangeBy(method); err != nil {
							return err
						}
						if r.ID() == 1 && stamp == 2 {
							d.in[0].Slice()[size-1]++
							if wrong := d.check(stamp); !strings.Contains(wrong,
								fmt.Sprintf("byte %d of the message of %d B from process %d", size-1, size, d.exchanges[0].from)) {
								t.Errorf("%s: a wrong byte is reported as %q", method, wrong)
							}
							continue
						}
						if wrong := d.check(stamp); wrong != "" {
							t.Errorf("%s: %s", method, wrong)
						}
					}
					if wrong := d.check(2); wrong == "" {
						t.Errorf("%s: a missing message is not noticed", method)
					}
					return nil
				})
				if err != nil {
					t.Errorf("%s, %d B: %v", method, size, err)
				}
			}
		}
	}
}

// A size-only message with another length than its receive is an error.
func TestSizeOnlyMessagesHaveTheirSize(t *testing.T) {
	err := cluster.Launch(context.Background(), sim.New(), four, func(r *cluster.Rank) error {
		return newRound(r, ring(4, 4).exchanges[r.ID()], int64(8+r.ID()/3), cluster.Bytewise(false)).exchangeBy("sendrecv")
	})
	if err == nil || !strings.Contains(err.Error(), "want 9 B") && !strings.Contains(err.Error(), "truncated") {
		t.Errorf("error %v", err)
	}
}
