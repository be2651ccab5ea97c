//go:build !unix

package bench

import (
	"os/exec"
	"time"
)

// startOwnGroup prepares a command to be killed when its context ends. This system has no process
// groups.
func startOwnGroup(cmd *exec.Cmd) { cmd.WaitDelay = time.Second }

func killGroup(*exec.Cmd) {}
