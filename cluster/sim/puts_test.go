package sim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// slowCalls returns a machine whose CPUs pay for each message and make progress only in calls.
// Messages that arrive meanwhile are answered between a rank's posts.
func slowCalls() cluster.Machine {
	m := clustertest.Priced()
	m.Classes[cluster.Remote] = cluster.Link{Latency: 4960 * cluster.Nanosecond, Overhead: 620 * cluster.Nanosecond,
		Gap: 620 * cluster.Nanosecond, Bandwidth: 2e9, Adapters: 1}
	return m
}

// inPuts makes consecutive calls of an algorithm, and compares each result with a formula of the
// rank, the word and the call.
func inPuts(r *cluster.Rank, a *coll.Algorithm, m coll.Modes, words int) error {
	ranks := r.Ranks()
	key, err := a.Key(coll.Parameters{Ranks: ranks, Modes: m})
	if err != nil {
		return nil // not for this number of ranks
	}
	n := int64(8 * words)
	blocks := key.Blocks(n, 8)
	c, err := coll.New(r, r.World())
	if err != nil {
		return err
	}
	if err := c.Reserve(key.Room(blocks), 4); err != nil {
		return err
	}
	lengths := [2]int{words, words}
	if a.Collective == coll.OpExchange {
		lengths = [2]int{ranks * words, ranks * words}
	}
	var at [2]int64
	var data [2][]int64
	for i, words := range lengths {
		at[i], err = r.Alloc(int64(8 * words))
		if err != nil {
			return err
		}
		data[i] = cluster.View[int64](r.Segment()[at[i]:])[:words]
	}
	combine, err := coll.Combining[int64](r, "combine", cluster.Sum)
	if err != nil {
		return err
	}
	for call := range 2 {
		for i := range data[0] {
			data[0][i] = int64(call*1e8 + r.ID()*1e6 + i)
		}
		clear(data[1])
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		err := c.Do(coll.Call{Key: key, InAt: &coll.At{Off: at[0]}, OutAt: &coll.At{Off: at[1]}, Blocks: blocks,
			Combine: combine})
		if err != nil {
			return err
		}
		if a.Collective == coll.OpReduce && r.ID() > 0 {
			continue
		}
		for i, got := range data[1] {
			want := int64(call*1e8 + i/words*1e6 + r.ID()*words + i%words)
			if a.Collective != coll.OpExchange {
				want = int64(ranks*(call*1e8+i) + ranks*(ranks-1)/2*1e6)
			}
			if got != want {
				return fmt.Errorf("call %d: word %d of rank %d is %d, want %d", call, i, r.ID(), got, want)
			}
		}
	}
	return c.Free()
}

// Puts and gets have the right bytes if ranks make progress only in calls, for any messages between
// two posts of a rank that begins a call. Its continuations must not change the operation that it
// is posting.
func TestPutsAnsweredInCalls(t *testing.T) {
	for _, what := range []coll.Collective{coll.OpExchange, coll.OpReduce, coll.OpAllreduce} {
		for _, a := range coll.Of(what) {
			if a.Needs&(coll.Reach|coll.Network) != 0 {
				continue
			}
			for _, transfer := range []coll.Transfer{coll.Put, coll.Rendezvous} {
				for _, size := range [][2]int{{3, 8192}, {16, 1}} { // ranks, words
					spec := clustertest.Spec(slowCalls(), size[0], 1)
					spec.Segment = 1<<16 + int64(size[0]*size[1])<<8
					err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
						return inPuts(r, a, coll.Modes{Transfer: transfer}, size[1])
					})
					if err != nil {
						t.Errorf("%s by %s, %s, %d ranks, %d words: %v", what, a.Name, transfer, size[0], size[1], err)
					}
				}
			}
		}
	}
}
