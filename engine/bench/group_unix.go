//go:build unix

package bench

import (
	"os/exec"
	"syscall"
	"time"
)

// groupGrace is the time that a launcher has to end processes that it has started elsewhere.
const groupGrace = 2 * time.Second

// startOwnGroup makes a command start in its own process group. When its context ends, the group
// gets a termination signal. It is killed if it does not end.
func startOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = groupGrace
}

// killGroup kills the remaining processes of a command's group.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error means that no process remains
	}
}
