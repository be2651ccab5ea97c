package sim_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Messages of a rank to another match in the order of sending (MPI 4.1, section
// 3.5), however many adapters, eager and rendezvous messages of others make them
// late at the target: every rank sends to every other one, mostly to rank 0, messages
// of sizes about the eager limit, and receives from anyone.
func TestCrowdedAdaptersKeepOrder(t *testing.T) {
	const ranks, rounds, limit = 12, 30, 64
	for seed := range uint64(40) {
		m := anyMachine(seed)
		if seed%2 == 1 { // equal and round costs, so that much happens at one time
			m = cluster.Machine{Name: "round", Progress: progresses[seed%3], Classes: [cluster.Classes]cluster.Link{
				cluster.InRank: {Latency: 1_000_000, Bandwidth: 1e9},
				cluster.InNode: {Latency: 1_000_000, Bandwidth: 1e9},
				cluster.Remote: {Latency: 1_000_000, Bandwidth: 1e9},
			}}
		}
		m.EagerLimit = limit
		m.Classes[cluster.Remote].Adapters = 1 + int(seed%3)
		rng := rand.New(rand.NewPCG(seed, 0x6f72646572))
		type letter struct{ to, size int }
		letters := make([][]letter, ranks)
		expected := make([]int, ranks)
		for from := range letters {
			for range rounds {
				to := (from + 1 + rng.IntN(ranks-1)) % ranks
				if from != 0 && rng.IntN(3) > 0 {
					to = 0
				}
				letters[from] = append(letters[from], letter{to, 8 + rng.IntN(3*limit/8)*8})
				expected[to]++
			}
		}
		nodes := []int{12, 6, 3}[seed%3]
		if m.Topology.Shape != "" {
			m.Topology.Dims = []int{3, 2, 2}
		}
		simulated(t, clustertest.Spec(m, nodes, ranks/nodes), func(r *cluster.Rank) error {
			w, me := r.World(), r.ID()
			var next [ranks][ranks]uint64 // by source and target
			sends := make([]cluster.Request, rounds)
			for i, l := range letters[me] {
				b := make([]byte, l.size)
				binary.LittleEndian.PutUint64(b, next[me][l.to])
				next[me][l.to]++
				if err := r.Isend(&sends[i], w, l.to, 5, cluster.Of(b)); err != nil {
					return err
				}
			}
			for range expected[me] {
				b := make([]byte, 4*limit)
				st, err := r.Recv(w, cluster.AnySource, cluster.AnyTag, cluster.Of(b))
				if err != nil {
					return err
				}
				if got, want := binary.LittleEndian.Uint64(b), next[st.Source][me]; got != want {
					return fmt.Errorf("seed %d: rank %d has message %d from %d, want %d", seed, me, got, st.Source, want)
				}
				next[st.Source][me]++
			}
			return r.Waitall(sends, nil)
		})
	}
}
