package session

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The output of a session over a simulation never changes while knobs change, to the last digit:
// the cells of every group size and scheme, and the texts of why and change.
func TestPinnedOutput(t *testing.T) {
	for _, c := range []struct {
		workload string
		knobs    []string // alternate with values
		changes  [][2]string
	}{
		{"randomaccess", []string{"machine", "demo", "accesses", "64"}, [][2]string{
			{"group", "16"}, {"group", "1"}, {"model", "flat"}, {"model", "nested-multiple"}, {"group", "8"}, {"seed", "2"},
			{"ranking", "round-robin"}, {"nodes", "2"},
		}},
		{"spmv", []string{"machine", "sr8000-f1", "threads-per-rank", "8", "local-k", "8", "threading", "masteronly"}, [][2]string{
			{"threading", "funneled"}, {"threading", "multiple"}, {"reserved", "2"}, {"local-k", "32"},
			{"reserved", "balanced"}, {"nodes", "8"},
			{"local-k", "2"}, {"ni", "64"}, {"ni", "40"}, {"master-section", "barriers"}, {"threading", "masteronly"},
		}},
	} {
		t.Run(c.workload, func(t *testing.T) {
			sc, err := Scenario(c.workload)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(c.knobs); i += 2 {
				if err := sc.Set(c.knobs[i], c.knobs[i+1]); err != nil {
					t.Fatal(err)
				}
			}
			if err := sc.Set("fabric", "sim"); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			s := start(t, sc, Options{Limits: Limits{Iterations: 2}, Linger: true})
			tell := func(what string, holds func(*engine.Snapshot) bool) {
				snap := s.until(what, func(s *engine.Snapshot) bool { return s.Phase == engine.Ended && holds(s) })
				fmt.Fprintf(&b, "# %s\n", what)
				for _, line := range cells(snap) {
					fmt.Fprintln(&b, line)
				}
				fmt.Fprintf(&b, "why: %s\nchange: %s\n\n", snap.Why, snap.Change)
			}
			tell("start", func(*engine.Snapshot) bool { return true })
			for _, turn := range c.changes {
				s.do(engine.Set, turn[0], turn[1])
				tell(turn[0]+" "+turn[1], func(s *engine.Snapshot) bool { return s.Scenario.Text(turn[0]) == turn[1] })
			}
			path := filepath.Join("testdata", c.workload+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// cells returns the data of a snapshot's charts as lines.
func cells(s *engine.Snapshot) []string {
	var all []string
	if v := s.Study(study.LocalityName); v != nil {
		for i := range v.Rows {
			at, flag := v.Rows[i].Cells, v.Rows[i].Flag
			if flag != "" {
				flag = " " + flag
			}
			all = append(all, fmt.Sprintf("group %v: memory %d rank %v node %v access %v of %v law %v %v %v copies %v%s",
				at[study.LocalityGroup], int64(at[study.LocalityMemory]), at[study.LocalityRank], at[study.LocalityNode],
				at[study.LocalityAccess],
				at[study.LocalityAccesses], at[study.LocalityLawRank], at[study.LocalityLawNode], at[study.LocalityLaw],
				at[study.LocalityReplicas], flag))
		}
	}
	if v := s.Study(study.EpsilonName); v != nil {
		line := func(r *engine.Row) string {
			at := r.Cells
			return fmt.Sprintf("%s m %v n %v nodes %v planes %v: comm %v non %v overlap %v cost %v masteronly %v scheme %v "+
				"epsilon %v model %v (%s)",
				r.Series, at[study.EpsilonReserved], at[study.EpsilonThreads], at[study.EpsilonNodes], at[study.EpsilonPlanes],
				at[study.EpsilonComm], at[study.EpsilonNonOverlap], at[study.EpsilonOverlap], at[study.EpsilonCommCost],
				at[study.EpsilonMasteronly], at[study.EpsilonScheme], at[study.EpsilonValue], at[study.EpsilonModel], r.Kind)
		}
		all = append(all, "now "+line(v.Present()))
		for i := range v.Rows {
			if v.Rows[i].Flag != engine.Passing {
				all = append(all, line(&v.Rows[i]))
			}
		}
	}
	return all
}
