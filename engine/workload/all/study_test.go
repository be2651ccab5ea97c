package all_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// The result sentences of studies for consecutive runs: a ratio names the runs that it compares.
func TestWhatStudiesSay(t *testing.T) {
	for _, c := range []struct {
		workload string
		runs     []map[string]string
		want     []string // after each run
	}{
		{"pingpong",
			[]map[string]string{{"size": "16384"}, {"size": "16384", "method": "put"}, {"size": "8"},
				{"size": "8", "method": "fence"}}, []string{
				"16 KiB two-sided: 7.64 µs one way (simulated), 1× the model's 7.64 µs.",
				"16 KiB put: 3.64 µs one way (simulated). With two-sided, remote a message takes 2.1× as long.",
				"8 B two-sided: 2.00 µs one way (simulated), 1× the model's 2.00 µs.",
				"8 B fence: 6.00 µs one way (simulated). With two-sided, remote a message is 3× faster.",
			}},
		{"cartesian",
			[]map[string]string{{"ranks-per-node": "1", "threads-per-rank": "4"},
				{"ranks-per-node": "1", "threads-per-rank": "4", "senders": "4"}}, []string{
				"1×4, 1 apart, sendrecv: 64.4 µs per exchange (simulated). Change senders to compare.",
				"1×4, 4 apart, sendrecv: 28.6 µs per exchange, 2.3× faster than 1×4, 1 apart, sendrecv (simulated).",
			}},
		{"cholesky", []map[string]string{{}, {"handoff": "column"}, {"handoff": "column", "lookahead": "on"}}, []string{
			"4×4, direct: 84.7 µs per factorization (simulated). Processes spend 83% of it in the broadcast rounds. " +
				"Round 2 takes 71% of the communication, because most processes wait for one row of processes; the hand-off " +
				"takes 6%. Set handoff = column to remove a hop.",
			"4×4, column: 80.9 µs per factorization (simulated). Processes spend 82% of it in the broadcast rounds. " +
				"Round 2 takes 71% of the communication, because most processes wait for one row of processes. With handoff = " +
				"direct, one hop more, it is 1.05× slower.",
			"4×4, column, lookahead: 75.6 µs per factorization (simulated). Processes spend 80% of it in the broadcast " +
				"rounds. Round 2 takes 71% of the communication, because most processes wait for one row of processes. " +
				"Without lookahead it is 1.07× slower.",
		}},
		{"dot", []map[string]string{{}}, []string{
			"nested-multiple 4×4 in 4: 16 of 16 ranks may call MPI; reductions take 7% of the product's time, waiting " +
				"included (simulated).",
		}},
		{"beff", []map[string]string{{"lmax": "4096", "randoms": "1", "rounds": "1", "nodes": "2", "ranks-per-node": "2"}},
			[]string{
				"Messages of 4 KiB: rings of 2 reach 1.2× the bandwidth of random rings (10.8 and 8.71 GB/s in total, simulated).",
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
