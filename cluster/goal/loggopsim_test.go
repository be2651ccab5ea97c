package goal_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

var programs = flag.String("programs", "", "write the GOAL text of each recorded run to this folder")

// parameters are the sets of testdata/loggopsim.txt, in the order of its columns.
var parameters = []constants{
	{L: 2500, o: 1500, g: 1000, G: 6},   // LogGOPSim's defaults
	{L: 1000, o: 200, g: 300, G: 1},     // a fast network
	{L: 2500, o: 5000, g: 1000, G: 6},   // slow processors
	{L: 2500, o: 500, g: 8000, G: 6},    // slow adapters
	{L: 10000, o: 1500, g: 1000, G: 20}, // slow links
}

// recorded is a line of testdata/loggopsim.txt.
type recorded struct {
	name        string
	ranks, size int
	S           int64
	times       [5]int64 // of LogGOPSim, by parameters
}

func recordedRuns(t *testing.T) (runs []recorded) {
	t.Helper()
	text, err := os.ReadFile("testdata/loggopsim.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		var r recorded
		x := &r.times
		if _, err := fmt.Sscan(line, &r.name, &r.ranks, &r.size, &r.S, &x[0], &x[1], &x[2], &x[3], &x[4]); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		runs = append(runs, r)
	}
	return runs
}

// simulate returns the time of a program on sim in nanoseconds.
func simulate(t *testing.T, text string, c constants, progress cluster.Progress) int64 {
	t.Helper()
	m := loggops(coll.Cost{L: cluster.Time(c.L) * ns, O: cluster.Time(c.o) * ns, Gap: cluster.Time(c.g) * ns,
		G: cluster.Time(c.G) * ns})
	m.EagerLimit, m.Progress = c.S, progress
	last, err := replay(t, text, m)
	if err != nil {
		t.Fatal(err)
	}
	if last%ns != 0 {
		t.Errorf("%s is not in whole nanoseconds", last)
	}
	return int64(last / ns)
}

// LogGOPSim and this simulator differ by three rules. LogGOPSim's recorded times follow all three.
// The simulated times follow none. Without the rules, most eager patterns take the same time on both.
func TestPatternsOfLogGOPSim(t *testing.T) {
	var equal, of kinds
	seen, differs := map[string]bool{}, map[string]bool{}
	for _, r := range recordedRuns(t) {
		p := patternOf(r.name)
		if p == nil {
			t.Fatalf("no pattern %s", r.name)
		}
		seen[r.name] = true
		if testing.Short() && r.ranks > 8 {
			continue
		}
		text := p.program(r.ranks, r.size)
		if *programs != "" {
			file := filepath.Join(*programs, fmt.Sprintf("%s-%d-%d.goal", r.name, r.ranks, r.size))
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for i, c := range parameters {
			c.S = r.S
			where := fmt.Sprintf("%s of %d ranks, %d B, %+v", r.name, r.ranks, r.size, c)
			theirs := timeByRules(t, text, c, loggopsim)
			if theirs != r.times[i] {
				t.Errorf("%s: by LogGOPSim's rules it takes %d ns, want LogGOPSim's time, %d", where, theirs, r.times[i])
			}
			ours, got := timeByRules(t, text, c, rules{}), simulate(t, text, c, cluster.ProgressCall)
			if ours != got {
				t.Errorf("%s: simulated %d ns, want the time without LogGOPSim's rules, %d", where, got, ours)
			}
			if p.theirs != nil {
				if want := p.theirs(c, r.size); want != r.times[i] {
					t.Errorf("%s: the closed form of LogGOPSim is %d ns, its time %d", where, want, r.times[i])
				}
				if want := p.ours(c, r.size); want != got {
					t.Errorf("%s: simulated %d ns, the closed form is %d", where, got, want)
				}
				continue
			}
			counted := &of.short
			same := &equal.short
			switch {
			case int64(r.size) > r.S:
				counted, same = &of.rendezvous, &equal.rendezvous
			case r.size > 1:
				counted, same = &of.long, &equal.long
			}
			*counted++
			if got == r.times[i] {
				*same++
			} else if int64(r.size) <= r.S {
				differs[r.name] = true
			}
		}
	}
	for _, p := range append(patterns, examples...) {
		if !seen[p.name] {
			t.Errorf("%s is not recorded", p.name)
		}
	}
	if testing.Short() {
		return
	}
	// docs/machines.md has these numbers and names.
	if want := (kinds{short: 166, long: 103}); equal != want {
		t.Errorf("equal times: %+v, want %+v", equal, want)
	}
	if want := (kinds{short: 170, long: 160, rendezvous: 160}); of != want {
		t.Errorf("times: %+v, want %+v", of, want)
	}
	want := []string{"binomialtreereduce", "doublering", "gather", "linear_alltoall", "linear_alltoallv",
		"nwaydissemination", "pipelinedring", "pipelinedringdep"}
	if got := slices.Sorted(maps.Keys(differs)); !slices.Equal(got, want) {
		t.Errorf("eager patterns that differ: %v, want %v", got, want)
	}
}

// kinds counts times of eager messages of 1 B, of longer ones, and of rendezvous.
type kinds struct{ short, long, rendezvous int }

// If the adapter makes progress, the two answers of a rendezvous cost no o.
func TestAnswersOfAdaptersCostNoOverhead(t *testing.T) {
	for _, c := range parameters {
		c.S = 100
		text := patternOf("one-message").program(2, 1024)
		got := simulate(t, text, c, cluster.ProgressOffload)
		if want := 2*c.o + c.L + c.bytes(1024) + max(2*c.L, c.g); got != want {
			t.Errorf("%+v: simulated %d ns, the closed form is %d", c, got, want)
		}
	}
}
