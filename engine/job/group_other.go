//go:build !unix

package job

import "os/exec"

func separate(*exec.Cmd) {}

func end(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
