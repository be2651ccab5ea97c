package host

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestProcessStopsAndEnds checks a real process: it is alive, stopped, alive again, killed, and gone.
func TestProcessStopsAndEnds(t *testing.T) {
	me, err := ProcessOf(os.Getpid())
	if err != nil || !me.Alive() {
		t.Fatalf("this process %v is alive: %v, error %v", me, me.Alive(), err)
	}
	cmd := exec.Command("cat") // waits for its input
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	waited := false
	defer func() {
		if !waited {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	found, err := ProcessOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParseProcess(found.String())
	if err != nil || p != found {
		t.Fatalf("process %v becomes %v, error %v", found, p, err)
	}
	await := func(want bool, what string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); p.Alive() != want; <-time.After(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("after %s: alive %v, want %v", what, !want, want)
			}
		}
	}
	await(true, "the start")
	for _, c := range []struct {
		signal syscall.Signal
		alive  bool
	}{{syscall.SIGSTOP, false}, {syscall.SIGCONT, true}, {syscall.SIGKILL, false}} {
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		await(c.alive, c.signal.String())
	}
	_ = cmd.Wait()
	waited = true
	await(false, "its end")
}
