//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine/workload"
)

// mpiLibraries are the launchers of the libraries under test, by the name in results.
var mpiLibraries = []struct {
	name, launcher string
	flags          []string
}{
	{"Open MPI", "mpirun.openmpi", []string{"--oversubscribe"}},
	{"MPICH", "mpirun.mpich", nil},
}

// mpiProgram builds hybridtop-mpi.
func mpiProgram(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "hybridtop-mpi")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	return file
}

// job runs a command line over processes. It returns standard output, standard error and the failure.
func job(t *testing.T, launcher string, flags []string, processes int, program string, args ...string) (out, errs string, err error) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 3*time.Minute)
	defer done()
	line := append(append([]string{}, flags...), "-n", strconv.Itoa(processes), program)
	cmd := exec.CommandContext(ctx, launcher, append(line, args...)...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	if os.Getuid() == 0 {
		cmd.Env = append(cmd.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.String(), e.String(), err
}

// TestMPI runs every workload over several processes of both libraries, with one program. Only process 0
// writes a result, and it names the library.
func TestMPI(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("runs jobs for minutes: CONFORM=1")
	}
	program := mpiProgram(t)
	for _, lib := range mpiLibraries {
		if _, err := exec.LookPath(lib.launcher); err != nil {
			t.Logf("%s is skipped: no %s", lib.name, lib.launcher)
			continue
		}
		for _, l := range []struct{ nodes, perNode, processes int }{{2, 1, 2}, {2, 2, 2}, {4, 1, 4}, {4, 2, 2}} {
			for _, w := range workload.All() {
				name := fmt.Sprintf("%s/%dx%d in %d/%s", lib.name, l.nodes, l.perNode, l.processes, w.Name)
				t.Run(name, func(t *testing.T) {
					out, errs, err := job(t, lib.launcher, lib.flags, l.processes, program, "run", w.Name, "--machine", "this-host",
						"--nodes", strconv.Itoa(l.nodes), "--ranks-per-node", strconv.Itoa(l.perNode), "--group", "1", "--iterations", "1")
					names := fmt.Sprintf("%d processes on %s ", l.processes, lib.name)
					if err != nil || strings.Count(out, "verified    yes") != 1 || strings.Count(out, names) != 1 {
						t.Errorf("%v\n%s\n%s", err, out, errs)
					}
				})
			}
		}
	}
}

// TestMPIRefusals checks that a job whose run cannot start ends with the reason and a status that is not 0.
func TestMPIRefusals(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("builds a program: CONFORM=1")
	}
	program := mpiProgram(t)
	for _, lib := range mpiLibraries {
		if _, err := exec.LookPath(lib.launcher); err != nil {
			t.Logf("%s is skipped: no %s", lib.name, lib.launcher)
			continue
		}
		for _, c := range []struct{ args, reason string }{
			{"list workloads", "want: mpirun"},
			{"run dot --machine demo --nodes 2 --ranks-per-node 1 --group 1", "runs in one process"},
			{"run dot --machine this-host --nodes 2 --ranks-per-node 1 --group 4", "want at most the number of ranks"},
		} {
			if _, errs, err := job(t, lib.launcher, lib.flags, 2, program, strings.Fields(c.args)...); err == nil ||
				!strings.Contains(errs, c.reason) {
				t.Errorf("%s: %s: %v\n%s", lib.name, c.args, err, errs)
			}
		}
	}
}

// TestRequests checks what a command line requests, and its errors.
func TestRequests(t *testing.T) {
	sc, limits, err := request(strings.Fields("run dot --machine this-host --nodes 3 --iterations 2"))
	if err != nil || sc.Text("machine") != "this-host" || sc.Int("nodes") != 3 || limits.Iterations != 2 || limits.Usual != 0 {
		t.Errorf("%v: %+v %+v", err, sc.Values, limits)
	}
	for line, want := range map[string]string{
		"": "want: mpirun", "sweep dot": "want: mpirun", "run nothing": "nothing", "run dot --nodes zero": "zero",
		"run dot --no-knob 1": "no-knob", "run dot more": "1 words more", "run dot --for 0s": "time 0s",
	} {
		if _, _, err := request(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}
