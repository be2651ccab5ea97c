package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/race"
)

// footprintOf is the environment variable with the scenario that a child process of this test
// runs.
const footprintOf = "HYBRIDTOP_TEST_FOOTPRINT"

// usage is the use of resources of one run in its own process.
type usage struct {
	Grown       int64         // growth of the resident memory, in bytes
	Allocations uint64        // number of allocations
	Collections uint32        // cycles of the garbage collector
	Events      uint64        // events of a simulation
	processor   time.Duration // processor time of the process
}

// TestFootprintChild is the child process: it runs one scenario and prints its usage.
func TestFootprintChild(t *testing.T) {
	text := os.Getenv(footprintOf)
	if text == "" {
		t.Skip("run by TestFootprints")
	}
	var settings []string
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		t.Fatal(err)
	}
	o := Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1}}
	s, err := New(scenarioOf(t, settings), o)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	before := resident(t, "VmRSS:")
	var first, last runtime.MemStats
	runtime.ReadMemStats(&first)
	s.Start(t.Context())
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&last)
	x := usage{Grown: resident(t, "VmHWM:") - before, Allocations: last.Mallocs - first.Mallocs,
		Collections: last.NumGC - first.NumGC}
	if v := s.Load().Virtual; v != nil {
		x.Events = v.Events
	}
	out, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%s%s\n", usedPrefix, out)
}

// usedPrefix starts the line of the child with its usage.
const usedPrefix = "used "

// resident returns a line of this process's status, in bytes.
func resident(t testing.TB, name string) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Skip("the system does not report " + name)
	return 0
}

// TestFootprints compares the computed need of scenarios with their memory use. The need is at least as large, and for
// a large scenario at most twice as large. The reserve covers the program's other work. Garbage does not count, because
// a busy host leaves more of it.
func TestFootprints(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("takes seconds, and the race detector needs more memory")
	}
	for _, line := range []string{
		"pingpong fabric sim nodes 2 ranks-per-node 1 group 1 size 16777216",
		"pingpong machine this-host nodes 2 ranks-per-node 1 group 1 size 16777216",
		"pingpong machine this-host nodes 2 ranks-per-node 1 model flat method put size 16777216",
		"headtohead machine this-host size 16777216 eager-limit 16777216",
		"dot machine this-host elements 4000000 model flat",
		"dot machine this-host elements 1000 model flat nodes 16 ranks-per-node 32",
		"randomaccess machine this-host elements 2000000",
		"reduction machine this-host elements 4000000",
		"cartesian machine this-host size 1048576 ranks-per-node 1 threads-per-rank 4 packing scratch",
		"randomaccess fabric sim elements 100000 nodes 64 ranks-per-node 16 group 16",
		"beff machine this-host nodes 4 ranks-per-node 2 lmax 1048576",
		"beff fabric sim nodes 8 ranks-per-node 8 randoms 100 lmax 64",
		"cartesian machine this-host nodes 4 ranks-per-node 4 size 524288",
		"cartesian fabric sim nodes 8 ranks-per-node 16 size 1048576",
		"spmv machine this-host ni 128 nj 256",
		"spmv fabric sim nodes 64 threads-per-rank 8",
		"spmv fabric sim nodes 64 threads-per-rank 64 ni 8 nj 8",
		"randomaccess machine this-host nodes 64 ranks-per-node 8 threads-per-rank 8",
		"cartesian machine this-host nodes 16 ranks-per-node 8 threads-per-rank 8 senders 8 size 64 method nonblocking",
	} {
		settings := strings.Fields(line)
		need, used := footprint(t, settings...)
		grown := float64(used.Grown)
		t.Logf("%s: needs %s, took %s", line, cluster.SizeText(need), cluster.SizeText(grown))
		if grown > need+host.Reserve/2 { // on a busy host, the collector leaves more garbage
			_, used = footprintWith(t, "GOGC=25", settings)
			grown = float64(used.Grown)
		}
		if grown > need+host.Reserve/2 {
			t.Errorf("%s: needs %s, and took %s", line, cluster.SizeText(need), cluster.SizeText(grown))
		}
		if large := float64(48 << 20); grown > large && need > 2*grown {
			t.Errorf("%s: computed need %s, actual memory only %s", line, cluster.SizeText(need), cluster.SizeText(grown))
		}
	}
}

// footprint runs a scenario in its own process and returns its need and its usage.
func footprint(t *testing.T, settings ...string) (need float64, used usage) {
	t.Helper()
	return footprintWith(t, "", settings)
}

// footprintWith is footprint with an additional environment variable.
func footprintWith(t *testing.T, variable string, settings []string) (need float64, used usage) {
	t.Helper()
	o := Options{Fabrics: Fabrics()}
	set, err := o.plan(scenarioOf(t, settings))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFootprintChild$", "-test.v")
	cmd.Env = append(os.Environ(), footprintOf+"="+string(text), variable)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", settings, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if text, ok := strings.CutPrefix(line, usedPrefix); ok {
			if err := json.Unmarshal([]byte(text), &used); err != nil {
				t.Fatal(err)
			}
			used.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			return set.memory(), used
		}
	}
	t.Skipf("no output from the child: %s", out)
	return 0, used
}

// Random scenarios, drawn from the knob table, are refused or stay below a limit. A child process
// runs them one after another, each for a moment. The seed is the same in each run; CONFORM=1
// draws one. If the child fails or hangs, the test reports its current scenario.
func TestRandomScenariosStayUnderTheLimit(t *testing.T) {
	if race.Enabled || os.Getenv("CONFORM") == "" {
		t.Skip("runs as part of make conform; the race detector needs more memory")
	}
	seed := rand.Uint64()
	ctx := t.Context()
	if ends, ok := t.Deadline(); ok {
		until, cancel := context.WithDeadline(ctx, ends.Add(-10*time.Second))
		defer cancel()
		ctx = until
	}
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestRandomScenariosChild$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", footprintOf, seed))
	out, err := cmd.CombinedOutput()
	if err != nil {
		if at := bytes.LastIndex(out, []byte(drawn)); at >= 0 {
			out = out[at:]
		}
		t.Fatalf("seed %d: %v\n%s", seed, err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	t.Logf("seed %d: %s", seed, lines[max(0, len(lines)-3)])
}

// drawn starts a line of the child that names its next scenario.
const drawn = "drawn: "

// randomLimit is the memory limit of these scenarios.
const randomLimit = 256 << 20

func TestRandomScenariosChild(t *testing.T) {
	seed, err := strconv.ParseUint(os.Getenv(footprintOf), 10, 64)
	if err != nil {
		t.Skip("run by TestRandomScenariosStayUnderTheLimit")
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var ran, short, other int
	before := resident(t, "VmRSS:")
	for range 200 {
		sc := randomScenario(t, rng)
		fmt.Println(drawn+sc.Workload, sc.Values)
		s, err := New(sc, Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1}, Memory: randomLimit})
		var lacks *shortage
		switch {
		case errors.As(err, &lacks):
			short++
			if lacks.need <= lacks.limit || !strings.Contains(err.Error(), "only 256 MiB available") {
				t.Errorf("%v: %v", sc.Values, err)
			}
			continue
		case err != nil:
			other++
			continue
		}
		ran++
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		s.Start(ctx)
		_ = s.Wait() // random knobs may lead to any outcome
		cancel()
		if grown := resident(t, "VmHWM:") - before; grown > randomLimit+host.Reserve {
			t.Fatalf("%s %v: the process has grown by %s", sc.Workload, sc.Values, cluster.SizeText(float64(grown)))
		}
	}
	if ran < 20 || short < 5 {
		t.Errorf("%d ran, %d were too large, %d were invalid: too few scenarios", ran, short, other)
	}
	fmt.Printf("%d ran, %d were too large, %d could not be; grown %s\n", ran, short, other,
		cluster.SizeText(float64(resident(t, "VmHWM:")-before)))
}

// randomScenario sets some knobs of a workload to one of their choices or, for numbers, to any
// value, with small and large ones equally likely.
func randomScenario(t testing.TB, rng *rand.Rand) engine.Scenario {
	t.Helper()
	all := workload.All()
	var sc engine.Scenario
	for { // tests register their own workloads
		var err error
		sc, err = Scenario(all[rng.IntN(len(all))].Name)
		if err != nil {
			t.Fatal(err)
		}
		if sc.Workload != "story" {
			break
		}
	}
	if rng.IntN(2) == 0 {
		sc.Values["machine"] = "this-host"
	}
	for _, k := range sc.Table {
		if k.Name == "machine" || len(k.Choices) == 0 || rng.IntN(3) > 0 {
			continue
		}
		value := k.Choices[rng.IntN(len(k.Choices))]
		if k.Type != engine.Choice && rng.IntN(2) == 0 {
			low, high := max(k.Min, 1), min(k.Max, 1<<40)
			value = strconv.FormatInt(int64(low*math.Exp(rng.Float64()*math.Log(high/low))), 10)
		}
		if sc.Set(k.Name, value) != nil { // rounded below the minimum
			continue
		}
	}
	return sc
}
