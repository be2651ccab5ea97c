//go:build linux && (amd64 || arm64)

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/job"
	"github.com/hybridtop/hybridtop/engine/session"
)

// front runs the workload breaking in a job until SIGINT. Its arguments are the launcher and the failure.
func front() error {
	os.Setenv(modeVariable, "command") // of the job's processes
	os.Setenv(job.ProgramVariable, os.Args[0])
	f, err := job.New(os.Args[1])
	if err != nil {
		return err
	}
	o := session.Options{Fabrics: session.Fabrics()}
	o.Fabrics[engine.MPI] = f
	sc, err := o.Scenario("breaking")
	for knob, value := range map[string]string{"fabric": engine.MPI, "machine": "this-host", "nodes": "2", "ranks-per-node": "1",
		"group": "1", "who": "1", "failure": os.Args[2]} {
		if err == nil {
			err = sc.Set(knob, value)
		}
	}
	if err != nil {
		return err
	}
	s, err := session.New(sc, o)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s.Start(ctx)
	go func() {
		for snap := s.Load(); snap.Job == nil || len(snap.Metrics) == 0; snap = s.Load() {
			<-time.After(time.Millisecond)
		}
		_ = os.WriteFile(answered(os.Getenv(folderVariable)), nil, 0o600)
	}()
	err = s.Wait()
	snap := s.Load()
	if snap.Job != nil {
		fmt.Printf("%d processes on %s, answers %d\n", snap.Job.Processes, snap.Job.Library, len(snap.Metrics))
	}
	return err
}

// answered is the file that a front creates when it has a result.
func answered(folder string) string { return filepath.Join(folder, "answered") }

// awaitFile waits until a file exists.
func awaitFile(ctx context.Context, name string) {
	for _, err := os.Stat(name); err != nil && ctx.Err() == nil; _, err = os.Stat(name) {
		<-time.After(time.Millisecond)
	}
}

// TestMPIFront checks failures of a job with a front. Front and job end within five seconds. The front keeps the last
// result, and no process is left. MPICH's launcher kills process 0 as soon as process 1 is killed.
func TestMPIFront(t *testing.T) {
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		for _, c := range []struct {
			name, failure string
			signal        syscall.Signal
			target        int    // process that gets the signal; -1: the front
			word          string // of the front's output
		}{
			{"error", "error", 0, 0, "rank 1: on purpose"},
			{"panic", "panic", 0, 0, "rank 1 panicked: on purpose"},
			{"deadlock", "deadlock", 0, 0, "deadlock"},
			{"kill of process 0", "none", syscall.SIGKILL, 0, "the job has ended without a result"},
			{"kill of process 1", "none", syscall.SIGKILL, 1, "process 1"},
			{"interrupt of the front", "none", syscall.SIGINT, -1, ""},
			{"kill of the front", "none", syscall.SIGKILL, -1, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				folder := t.TempDir()
				program, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				line := strings.Join(append(append([]string{launcher}, flags...), "-n", "2"), " ")
				ctx, done := context.WithTimeout(t.Context(), time.Minute)
				defer done()
				cmd := exec.CommandContext(ctx, program, line, c.failure)
				cmd.Env = append(os.Environ(), modeVariable+"=front", folderVariable+"="+folder, "OMPI_ALLOW_RUN_AS_ROOT=1",
					"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
				var out strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &out
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				awaitFile(ctx, filepath.Join(folder, "reached"))
				began := time.Now()
				var pids []int
				for p := range 2 {
					text, _ := os.ReadFile(filepath.Join(folder, "process."+strconv.Itoa(p)))
					pid, err := strconv.Atoi(string(text))
					if err != nil {
						t.Fatal(err)
					}
					pids = append(pids, pid)
				}
				if c.signal != 0 {
					victim := cmd.Process.Pid
					if c.target >= 0 {
						victim = pids[c.target]
					}
					awaitFile(ctx, answered(folder))
					began = time.Now()
					if err := syscall.Kill(victim, c.signal); err != nil {
						t.Fatal(err)
					}
				}
				err = cmd.Wait()
				took := time.Since(began)
				for _, pid := range pids {
					for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && ctx.Err() == nil {
						<-time.After(time.Millisecond)
					}
				}
				t.Logf("the front ended after %v, all processes after %v", took.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
				if ctx.Err() != nil {
					t.Error("a process is left")
				}
				if c.signal != syscall.SIGINT && err == nil {
					t.Error("the front's status is 0")
				}
				if c.signal == syscall.SIGKILL && c.target == 1 && launcher == "mpirun.mpich" {
					c.word = "EXIT STRING: Killed"
				}
				if c.target >= 0 && !strings.Contains(out.String(), "answers 1") || !strings.Contains(out.String(), c.word) {
					t.Errorf("want a result and %q in\n%s", c.word, &out)
				}
			})
		}
	})
}
