//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const processesOfFailures = 3

// breakingLine returns the command line of a run with one rank per process. Rank who fails. With failure "none",
// the run continues until a signal ends it.
func breakingLine(failure string, who int) []string {
	return strings.Fields(fmt.Sprintf("run breaking --machine this-host --nodes %d --ranks-per-node 1 --group 1 --for 60s "+
		"--failure %s --who %d", processesOfFailures, failure, who))
}

// TestMPIFailures checks that each failure ends the job with a status that is not 0. The job names the rank and
// writes the last result, and no process is left.
//
// MPICH's launcher kills the other processes as soon as one ends by a signal. Then no process is left to write
// the rank and the result, and only the launcher's message is required.
func TestMPIFailures(t *testing.T) {
	type failure struct {
		name, mode string
		line       []string
		signal     syscall.Signal
		target     int // process that gets the signal; -1: the launcher
		words      []string
		noResult   bool // no process can write the result
	}
	var all []failure
	for who := range processesOfFailures {
		name := fmt.Sprintf("rank %d", who)
		all = append(all,
			failure{name: "error of " + name, mode: "command", line: breakingLine("error", who), words: []string{name + ": on purpose"}},
			failure{name: "panic of " + name, mode: "command", line: breakingLine("panic", who), words: []string{name + " panicked: on purpose"}},
			failure{name: "deadlock at " + name, mode: "command", line: breakingLine("deadlock", who),
				words: []string{"deadlock", name + " waits in recv from"}},
			failure{name: "kill of " + name, mode: "command", line: breakingLine("none", 0), signal: syscall.SIGKILL, target: who,
				words: []string{fmt.Sprintf("%s: process %d ", name, who)}},
		)
		if who == 0 { // the launcher ends the others before they find the loss
			killed := &all[len(all)-1]
			killed.words, killed.noResult = []string{"process rank 0"}, true
		}
	}
	all = append(all,
		failure{name: "stop of rank 1", mode: "command", line: breakingLine("none", 0), signal: syscall.SIGSTOP, target: 1,
			words: []string{"rank 1: process 1 is lost: no frame in "}},
		failure{name: "panic in the transport", mode: "panic", line: breakingLine("none", 0), words: []string{"rank 1", "panic in", "on purpose"}},
		failure{name: "interrupt of the launcher", mode: "command", line: breakingLine("none", 0), signal: syscall.SIGINT, target: -1,
			words: []string{"interrupted"}},
	)
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		for _, f := range all {
			t.Run(f.name, func(t *testing.T) {
				l := launch{launcher, flags, processesOfFailures, f.mode, f.line}
				cmd, folder, out := l.start(t)
				over := make(chan error, 1)
				go func() { over <- cmd.Wait() }()
				for {
					if _, err := os.Stat(filepath.Join(folder, "reached")); err == nil {
						break
					}
					select {
					case err := <-over:
						t.Fatalf("the job has ended early: %v\n%s", err, out)
					case <-time.After(time.Millisecond):
					}
				}
				began := time.Now()
				var pids []int
				for p := range processesOfFailures {
					text, err := os.ReadFile(filepath.Join(folder, "process."+strconv.Itoa(p)))
					pid, wrong := strconv.Atoi(string(text))
					if err != nil || wrong != nil {
						t.Fatal(err, wrong)
					}
					pids = append(pids, pid)
				}
				if f.signal != 0 {
					victim := cmd.Process.Pid
					if f.target >= 0 {
						victim = pids[f.target]
					}
					if err := syscall.Kill(victim, f.signal); err != nil {
						t.Fatal(err)
					}
				}
				err := <-over
				took := time.Since(began)
				for _, pid := range pids {
					for !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
						<-time.After(time.Millisecond)
					}
				}
				t.Logf("the launcher ended after %v, all processes after %v", took.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
				text := out.String()
				if err == nil {
					t.Error("the launcher's status is 0")
				}
				words := append(f.words, "iterations  ", "answer ")
				if f.signal == syscall.SIGKILL && launcher == "mpirun.mpich" {
					words = []string{"EXIT STRING: Killed"}
				} else if f.noResult {
					words = f.words
				}
				for _, w := range words {
					if !strings.Contains(text, w) {
						t.Errorf("want %q in\n%s", w, text)
					}
				}
			})
		}
	})
}

// TestMPIPause checks that a process that sends no frame for 4 s is not lost, because it is alive on this host.
func TestMPIPause(t *testing.T) {
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		line := strings.Fields("run breaking --machine this-host --nodes 2 --ranks-per-node 1 --group 1 --for 5s")
		l := launch{launcher, flags, 2, "pause", line}
		cmd, folder, out := l.start(t)
		err := cmd.Wait()
		if _, missing := os.Stat(filepath.Join(folder, "paused")); err != nil || missing != nil || !strings.Contains(out.String(), "verified    yes") {
			t.Errorf("error %v, file %v\n%s", err, missing, out)
		}
	})
}

// TestMPIRounds checks a run after 50 aborted runs with unmatched messages of 1 MiB.
func TestMPIRounds(t *testing.T) {
	eachLibrary(t, func(t *testing.T, launcher string, flags []string) {
		l := launch{launcher, flags, 2, "rounds", nil}
		cmd, _, out := l.start(t)
		if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "verified after 50 aborted runs") {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
