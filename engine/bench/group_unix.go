//go:build unix

package bench

import (
	"os/exec"
	"syscall"
	"time"
)

// groupGrace is how long a launcher has to end what it has started elsewhere.
const groupGrace = 2 * time.Second

// ownGroup starts a command as a group of its own, which the end of its context asks to
// end. Who does not is killed with the group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = groupGrace
}

// endGroup kills what is left of a command's group.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nobody is left: all well
	}
}
