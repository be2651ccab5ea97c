package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterruptedWhileHanging tests that a signal ends a command that hangs in its setup, in a rank, or at its end.
func TestInterruptedWhileHanging(t *testing.T) {
	for _, where := range []string{"in the plan", "in a rank", "at the end"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			cmd := program(t, "run", "broken", "--machine", "this-host", "--iterations", "5")
			cmd.Path, cmd.Args[0] = strings.TrimSuffix(cmd.Path, "hybridtop")+"hybridtop-broken", "hybridtop-broken"
			cmd.Env = append(cmd.Env, "BREAK=hang "+where)
			if err := endOf(t, cmd, 1); err != 128+int(syscall.SIGINT) {
				t.Errorf("status %d", err)
			}
		})
	}
}

// TestInterruptedTwice tests that a second signal ends a command by the signal's default action. The
// first one waits for a rank that hangs.
func TestInterruptedTwice(t *testing.T) {
	cmd := program(t, "run", "broken", "--machine", "this-host", "--iterations", "5")
	cmd.Path, cmd.Args[0] = strings.TrimSuffix(cmd.Path, "hybridtop")+"hybridtop-broken", "hybridtop-broken"
	cmd.Env = append(cmd.Env, "BREAK=hang in a rank")
	if err := endOf(t, cmd, 1000); err != 128+int(syscall.SIGINT) || !cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("status %d, %v", err, cmd.ProcessState)
	}
}

// endOf starts a command, waits until it hangs, and sends it up to n interrupts. It returns the exit
// status as a shell shows it.
func endOf(t *testing.T, cmd *exec.Cmd, n int) int {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "hangs" {
	}
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // a defect: it hangs on
	defer kill.Stop()
	go func() {
		for range n {
			if cmd.Process.Signal(os.Interrupt) != nil {
				return // it has ended
			}
			<-time.After(time.Millisecond)
		}
	}()
	_ = cmd.Wait()
	s := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}
