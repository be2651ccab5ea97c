//go:build !unix

package bench

import (
	"os/exec"
	"time"
)

// ownGroup prepares a command to be killed when its context ends. This system has no process
// groups.
func ownGroup(cmd *exec.Cmd) { cmd.WaitDelay = time.Second }

func endGroup(*exec.Cmd) {}
