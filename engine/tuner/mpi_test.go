package tuner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// mpiProgram compiles the program for a library, or skips the test if the library is missing.
func mpiProgram(t *testing.T, compiler, launcher string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs of an MPI library")
	}
	for _, tool := range []string{compiler, launcher} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing: apt-get install openmpi-bin libopenmpi-dev mpich libmpich-dev", tool)
		}
	}
	program := filepath.Join(t.TempDir(), "collective")
	if out, err := exec.Command(compiler, "-O1", "testdata/collective.c", "-o", program).CombinedOutput(); err != nil {
		t.Skipf("%s does not compile: %v: %.200s", compiler, err, out)
	}
	return program
}

// mpiRun runs it and returns its output.
func mpiRun(t *testing.T, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 2*time.Minute)
	defer done()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(),
		append([]string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}, env...)...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// rulesFile writes a table of one choice per collective for 4 ranks.
func rulesFile(t *testing.T, write func(io.Writer, *coll.Table, int32) error, choices ...coll.Choice) string {
	t.Helper()
	var rules []coll.Rule
	for _, c := range choices {
		rules = append(rules,
			coll.Rule{Tuple: coll.Tuple{Collective: c.Algorithm.Collective, Ranks: 4}, Choices: []coll.Choice{c}})
	}
	table, err := coll.NewTable(rules)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := write(&b, table, 1); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// Open MPI accepts the classic rules, and its messages are those of the algorithm in the table:
// its own monitoring reports senders and receivers.
func TestOpenMPIRuns(t *testing.T) {
	program := mpiProgram(t, "mpicc.openmpi", "mpirun.openmpi")
	for _, c := range []struct {
		choice coll.Choice
		want   []string
	}{
		{choice(t, coll.OpBcast, "flat", 0, 1), []string{"0→1", "0→2", "0→3"}},
		{choice(t, coll.OpBcast, "chain", 0, 1), []string{"0→1", "1→2", "2→3"}},
		{choice(t, coll.OpBcast, "knomial", 2, 1), []string{"0→1", "0→2", "1→3"}}, // bits from the lowest
	} {
		rules := rulesFile(t, WriteOpenMPI, c.choice)
		traffic := filepath.Join(t.TempDir(), "traffic")
		out, err := mpiRun(t, nil, "mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--bind-to",
			"none", "-n", "4",
			"--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_dynamic_rules_filename", rules,
			"--mca", "coll", "^sm,han,adapt", "--mca", "pml_monitoring_enable", "1", "--mca", "pml_monitoring_enable_output",
			"3",
			"--mca", "pml_monitoring_filename", traffic, program, "bcast", "5000")
		if err != nil || !strings.Contains(out, "done") {
			t.Fatalf("%s: %v\n%s", c.choice, err, out)
		}
		var sent []string
		for rank := range 4 {
			data, err := os.ReadFile(fmt.Sprintf("%s.%d.prof", traffic, rank))
			if err != nil {
				t.Skipf("this Open MPI does not report its messages: %v", err)
			}
			for line := range strings.Lines(string(data)) {
				var kind string
				var from, to, size int
				if n, _ := fmt.Sscan(line, &kind, &from, &to, &size); n == 4 && kind == "E" && size == 5000 {
					sent = append(sent, fmt.Sprintf("%d→%d", from, to))
				}
			}
		}
		if slices.Sort(sent); !slices.Equal(sent, c.want) {
			t.Errorf("%s: messages %v, want %v", c.choice, sent, c.want)
		}
	}
}

// MPICH accepts the file, which contains all collectives that a program may call. It rejects a
// file with an unknown algorithm, so it does read it.
func TestMPICHRuns(t *testing.T) {
	program := mpiProgram(t, "mpicc.mpich", "mpirun.mpich")
	r, err := Tune(t.Context(),
		Options{Site: small(t).Site, PerNode: 1, Ranks: []int{2, 4, 8}, Sizes: []int64{8, 4096, 65536},
			Collectives: []coll.Collective{coll.OpBcast, coll.OpAllreduce, coll.OpAllgather, coll.OpExchange, coll.OpReduce,
				coll.OpReduceScatter, coll.OpScan}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteMPICH(&b, r.Table, 1); err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, c := range []string{"bcast", "allreduce", "reduce", "allgather", "alltoall", "gather", "scatter",
		"reduce-scatter", "scan", "barrier", "split"} {
		calls = append(calls, c, "8", c, "5000", c, "100000")
	}
	run := func(text string) (string, error) {
		name := filepath.Join(t.TempDir(), "tuning.json")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return mpiRun(t, []string{"MPIR_CVAR_DEVICE_COLLECTIVES=none", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" + name},
			"mpirun.mpich", append([]string{"-n", "4", program}, calls...)...)
	}
	if out, err := run(b.String()); err != nil || !strings.Contains(out, "done") {
		t.Errorf("%v\n%.2000s", err, out)
	}
	if out, err := run(strings.ReplaceAll(b.String(), "MPIR_Bcast_intra", "MPIR_Bcast_infra")); err == nil ||
		strings.Contains(out, "done") {
		t.Errorf("a file with an unknown algorithm is accepted:\n%.500s", out)
	}
}
