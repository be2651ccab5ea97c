//go:build unix

package job

import (
	"os/exec"
	"syscall"
)

// separate puts the launcher into its own process group, so that the terminal's signals do not reach it.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end asks the launcher to end the job.
func end(cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGTERM) }

// kill kills the launcher and all processes of its group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
