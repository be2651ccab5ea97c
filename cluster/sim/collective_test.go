package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// TestCollectives runs communication patterns of sends and receives, prints the end of each rank,
// and compares the times with LogGP's formulas:
//
//	machine ..                       as in the timelines; one rank a node
//	binomial|ring|dissemination|barrier ranks=n [size=s]
func TestCollectives(t *testing.T) {
	patterns := map[string]struct {
		body func(r *cluster.Rank, size int) error
		form func(c map[string]cluster.Time, ranks, size int) []cluster.Time
	}{
		"binomial":      {binomial, binomialTimes},
		"ring":          {ring, ringTimes},
		"dissemination": {dissemination, disseminationTimes},
		"barrier":       {func(r *cluster.Rank, _ int) error { return r.Barrier(r.All()) }, barrierTimes},
	}
	datadriven.Walk(t, "testdata/collectives", func(t *testing.T, path string) {
		var m cluster.Machine
		var names map[string]cluster.Time
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "machine" {
				m, names = costs(t, d)
				return ""
			}
			pattern, ok := patterns[d.Cmd]
			if !ok {
				d.Fatalf(t, "unknown pattern %s", d.Cmd)
			}
			ranks, size := 2, 1
			d.ScanArgs(t, "ranks", &ranks)
			if d.HasArg("size") {
				d.ScanArgs(t, "size", &size)
			}
			got := make([]cluster.Time, ranks)
			simulated(t, clustertest.Spec(m, ranks, 1), func(r *cluster.Rank) error {
				err := pattern.body(r, size)
				got[r.ID()] = sim.Clock(r.Lib().Port())
				return err
			})
			var out strings.Builder
			for i, want := range pattern.form(names, ranks, size) {
				if got[i] != want {
					t.Errorf("%s: rank %d is done at %s, want %s", d.Pos, i, nanoseconds(got[i]), nanoseconds(want))
				}
				fmt.Fprintf(&out, "%3d %15s\n", i, nanoseconds(got[i]))
			}
			return out.String()
		})
	})
}

// binomial broadcasts from rank 0. A rank sends to the ranks at descending powers of two below the
// bit through which it received.
func binomial(r *cluster.Rank, size int) error {
	buf := make([]byte, size)
	bit := 1
	for ; bit < r.Ranks(); bit *= 2 {
		if r.ID()&bit != 0 {
			if _, err := r.Recv(r.World(), r.ID()-bit, 0, cluster.Of(buf)); err != nil {
				return err
			}
			break
		}
	}
	for bit /= 2; bit > 0; bit /= 2 {
		if to := r.ID() + bit; to < r.Ranks() {
			if err := r.Send(r.World(), to, 0, cluster.Of(buf)); err != nil {
				return err
			}
		}
	}
	return nil
}

// binomialTimes returns the end times of binomial. The i-th child of a rank has the message at o +
// i × max(o, g + (s−1)G) + (s−1)G + L + o. The rank ends after one o per child.
func binomialTimes(c map[string]cluster.Time, ranks, size int) []cluster.Time {
	bytes := cluster.Time(size-1) * c["G"]
	interval := max(c["o"], c["g"]+bytes)
	done := make([]cluster.Time, ranks)
	top := 1
	for top < ranks {
		top *= 2
	}
	var reach func(rank, bit int, at cluster.Time)
	reach = func(rank, bit int, at cluster.Time) {
		children := cluster.Time(0)
		for bit /= 2; bit > 0; bit /= 2 {
			if to := rank + bit; to < ranks {
				reach(to, bit, at+c["o"]+children*interval+bytes+c["L"]+c["o"])
				children++
			}
		}
		done[rank] = at + children*c["o"]
	}
	reach(0, top, 0)
	return done
}

// ring passes a token around the ring.
func ring(r *cluster.Rank, size int) error {
	buf := make([]byte, size)
	right, left := (r.ID()+1)%r.Ranks(), (r.ID()+r.Ranks()-1)%r.Ranks()
	if r.ID() == 0 {
		if err := r.Send(r.World(), right, 0, cluster.Of(buf)); err != nil {
			return err
		}
	}
	if _, err := r.Recv(r.World(), left, 0, cluster.Of(buf)); err != nil || r.ID() == 0 {
		return err
	}
	return r.Send(r.World(), right, 0, cluster.Of(buf))
}

// ringTimes returns the end times of ring. Each hop takes 2o + L + (s−1)G, and a rank that passes
// the token on pays another o.
func ringTimes(c map[string]cluster.Time, ranks, size int) []cluster.Time {
	hop := 2*c["o"] + c["L"] + cluster.Time(size-1)*c["G"]
	done := make([]cluster.Time, ranks)
	for i := 1; i < ranks; i++ {
		done[i] = cluster.Time(i)*hop + c["o"]
	}
	done[0] = cluster.Time(ranks) * hop
	return done
}

// dissemination sends to the rank 2ᵏ to the right and receives from the rank 2ᵏ to the left.
func dissemination(r *cluster.Rank, size int) error {
	in, out := make([]byte, size), make([]byte, size)
	for step := 1; step < r.Ranks(); step *= 2 {
		to, from := (r.ID()+step)%r.Ranks(), (r.ID()+r.Ranks()-step)%r.Ranks()
		if _, err := r.Sendrecv(r.World(), to, 0, cluster.Of(out), from, 0, cluster.Of(in)); err != nil {
			return err
		}
	}
	return nil
}

// disseminationTimes returns the end times of dissemination: ⌈log₂ n⌉ rounds of 2o + L + (s−1)G, if
// an adapter is free again by the next round.
func disseminationTimes(c map[string]cluster.Time, ranks, size int) []cluster.Time {
	round := 2*c["o"] + c["L"] + cluster.Time(size-1)*c["G"]
	done := make([]cluster.Time, ranks)
	for i := range done {
		for step := 1; step < ranks; step *= 2 {
			done[i] += round
		}
	}
	return done
}

// barrierTimes returns the end times of a barrier, a dissemination of empty messages.
func barrierTimes(c map[string]cluster.Time, ranks, _ int) []cluster.Time {
	return disseminationTimes(c, ranks, 1)
}
