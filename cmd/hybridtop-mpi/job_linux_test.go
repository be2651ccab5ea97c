//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
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
	{"Open MPI", "mpirun.openmpi", []string{"--oversubscribe", "--bind-to", "none"}}, // a busy host may not run a bound process for seconds
	{"MPICH", "mpirun.mpich", nil},
}

// launch is a job of this test program.
type launch struct {
	launcher  string
	flags     []string
	processes int
	mode      string // see TestMain
	args      []string
}

// start starts the job. Each process has its id in a file of the folder.
func (l *launch) start(t *testing.T) (cmd *exec.Cmd, folder string, out *bytes.Buffer) {
	t.Helper()
	folder = t.TempDir()
	cmd, out = l.startIn(t, folder)
	return cmd, folder, out
}

// startIn is start with a folder.
func (l *launch) startIn(t *testing.T, folder string) (cmd *exec.Cmd, out *bytes.Buffer) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(done)
	line := append(append([]string{}, l.flags...), "-n", strconv.Itoa(l.processes), program)
	cmd = exec.CommandContext(ctx, l.launcher, append(line, l.args...)...)
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "NO_COLOR=1", modeVariable+"="+l.mode, folderVariable+"="+folder)
	if os.Getuid() == 0 {
		cmd.Env = append(cmd.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	out = new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// outcome runs a command line over processes. It returns the output and the failure.
func outcome(t *testing.T, launcher string, flags []string, processes int, args ...string) (out string, err error) {
	t.Helper()
	l := launch{launcher, flags, processes, "command", args}
	cmd, _, text := l.start(t)
	err = cmd.Wait()
	return text.String(), err
}

// eachLibrary runs a test for each installed library.
func eachLibrary(t *testing.T, test func(t *testing.T, launcher string, flags []string)) {
	t.Helper()
	if os.Getenv("CONFORM") == "" {
		t.Skip("runs jobs for minutes: CONFORM=1")
	}
	for _, lib := range mpiLibraries {
		t.Run(lib.name, func(t *testing.T) {
			if _, err := exec.LookPath(lib.launcher); err != nil {
				t.Skipf("no %s", lib.launcher)
			}
			test(t, lib.launcher, lib.flags)
		})
	}
}

// TestMPI runs every workload over several processes of both libraries, with one program. Only process 0
// writes a result, and it names the library.
func TestMPI(t *testing.T) {
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		for _, l := range []struct{ nodes, perNode, processes int }{{2, 1, 2}, {2, 2, 2}, {4, 1, 4}, {4, 2, 2}} {
			for _, w := range workload.All() {
				t.Run(fmt.Sprintf("%dx%d in %d/%s", l.nodes, l.perNode, l.processes, w.Name), func(t *testing.T) {
					out, err := outcome(t, launcher, flags, l.processes, "run", w.Name, "--machine", "this-host",
						"--nodes", strconv.Itoa(l.nodes), "--ranks-per-node", strconv.Itoa(l.perNode), "--group", "1", "--iterations", "1")
					names := fmt.Sprintf("%d processes on %s ", l.processes, path.Base(path.Dir(path.Dir(t.Name()))))
					names = strings.ReplaceAll(names, "_", " ")
					if err != nil || strings.Count(out, "verified    yes") != 1 || strings.Count(out, names) != 1 {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
		}
	})
}

// TestMPIRefusals checks that a job whose run cannot start, or is too short, ends with the reason and a status that is not 0.
func TestMPIRefusals(t *testing.T) {
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		for _, c := range []struct{ args, reason string }{
			{"list workloads", "want: mpirun"},
			{"run dot --machine demo --nodes 2 --ranks-per-node 1 --group 1", "runs in one process"},
			{"run dot --machine this-host --nodes 2 --ranks-per-node 1 --group 4", "want at most the number of ranks"},
			{"run msgrate --machine this-host --nodes 2 --ranks-per-node 1 --group 1 --size 1048576 --window 64 --rounds 10000 --for 1ms",
				"not verified: no iteration ended (use --iterations 1, "},
		} {
			if out, err := outcome(t, launcher, flags, 2, strings.Fields(c.args)...); err == nil || !strings.Contains(out, c.reason) {
				t.Errorf("%s: %v\n%s", c.args, err, out)
			}
		}
	})
}
