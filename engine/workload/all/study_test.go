package all_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// What the studies say of runs one after the other: a ratio names what it compares.
func TestWhatStudiesSay(t *testing.T) {
	for _, c := range []struct {
		workload string
		runs     []map[string]string
		want     []string // after each run
	}{
		{"pingpong", []map[string]string{{"size": "16384"}, {"size": "16384", "method": "put"}, {"size": "8"}, {"size": "8", "method": "fence"}}, []string{
			"16 KiB two-sided: 7.64 µs one way (simulated), 1× the model's 7.64 µs.",
			"16 KiB put: 3.64 µs one way (simulated). With two-sided, remote a message takes 2.1× as long.",
			"8 B two-sided: 2.00 µs one way (simulated), 1× the model's 2.00 µs.",
			"8 B fence: 6.00 µs one way (simulated). With two-sided, remote a message is 3× faster.",
		}},
		{"cartesian", []map[string]string{{"ranks-per-node": "1", "threads-per-rank": "4"}, {"ranks-per-node": "1", "threads-per-rank": "4", "senders": "4"}}, []string{
			"1×4, 1 apart, sendrecv: an exchange takes 64.4 µs (simulated).",
			"1×4, 4 apart, sendrecv: an exchange takes 28.6 µs, 2.3× faster than 1×4, 1 apart, sendrecv (simulated).",
		}},
		{"cholesky", []map[string]string{{}, {"handoff": "column"}, {"handoff": "column", "lookahead": "on"}}, []string{
			"4×4, direct: a factorization takes 84.9 µs (simulated), and a process is in the rounds for 83% of it. Round 2, where most processes wait for one row of them, takes 71% of communication. Round 3 takes 28% of communication, 20% of it the hand-off; handoff = column removes a hop.",
			"4×4, column: a factorization takes 81.2 µs (simulated), and a process is in the rounds for 82% of it. Round 2, where most processes wait for one row of them, takes 71% of communication. Round 3 takes 27% of communication; handoff = direct, with a hop more, is 1.05× slower.",
			"4×4, column, lookahead: a factorization takes 76.0 µs (simulated), and a process is in the rounds for 80% of it. Round 2, where most processes wait for one row of them, takes 71% of communication. Round 3 takes 28% of communication; without lookahead it is 1.07× slower.",
		}},
		{"dot", []map[string]string{{}}, []string{
			"nested-multiple 4×4 in 4: 16 of 16 ranks may call MPI, and 7% of a product is spent in reductions and in waiting for them (simulated).",
		}},
		{"beff", []map[string]string{{"lmax": "4096", "randoms": "1", "rounds": "1", "nodes": "2", "ranks-per-node": "2"}}, []string{
			"with messages of 4 KiB rings of 2 get 1.2× the bandwidth of random rings (10.8 GB/s and 8.71 GB/s of all processes, simulated).",
		}},
	} {
		w, err := workload.Find(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		table := study.NewTable(w.Studies[0])
		for i, knobs := range c.runs {
			s := ended(t, c.workload, "sim", knobs)
			table.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
			v := table.Look(s)
			if v.Why != c.want[i] {
				t.Errorf("%s, %v:\n got %s\nwant %s", c.workload, knobs, v.Why, c.want[i])
			}
			if v.Present() == nil || v.Present().Kind != engine.Simulated {
				t.Errorf("%s: the present row is %+v", c.workload, v.Present())
			}
		}
	}
}
