package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
)

// memoryGroup makes a control group with a memory limit below the test's own group, and returns
// its folder.
func memoryGroup(t *testing.T, limit int64) string {
	t.Helper()
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skipf("no control groups here: %v", err)
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		root, file := "", ""
		switch parts[1] {
		case "memory":
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case "":
			root, file = "/sys/fs/cgroup", "memory.max"
		default:
			continue
		}
		dir := filepath.Join(root, parts[2], fmt.Sprintf("hybridtop-test-%d-%d", os.Getpid(), limit))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		if os.WriteFile(filepath.Join(dir, file), []byte(strconv.FormatInt(limit, 10)), 0o644) == nil {
			return dir
		}
	}
	t.Skip("no control group for memory can be made here")
	return ""
}

// A run that exceeds the memory of a control group is refused, with the numbers, before it
// allocates: otherwise it would be killed.
func TestControlGroups(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector needs more memory")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, limit := range []int64{600 << 20, 1536 << 20} {
		t.Run(fmt.Sprintf("%d MiB", limit>>20), func(t *testing.T) {
			dir := memoryGroup(t, limit)
			for _, command := range []string{
				"run pingpong --fabric sim --nodes 2 --ranks-per-node 1 --size 1073741824",
				"run beff --fabric sim --randoms 1000 --nodes 64 --ranks-per-node 64",
				"run cartesian --nodes 64 --ranks-per-node 64 --size 1073741824",
				"run spmv --machine this-host --ni 2000 --nj 2000",
			} {
				var stderr bytes.Buffer
				wanted := program(t, strings.Fields(command)...)
				cmd := exec.CommandContext(t.Context(), shell,
					append([]string{"-c", `echo $$ > "$0/cgroup.procs" && exec "$@"`, dir}, wanted.Args...)...)
				cmd.Args[4] = wanted.Path
				cmd.Stderr = &stderr
				err := cmd.Run()
				if text := stderr.String(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(text, "iB available") {
					t.Errorf("%s: %v, want a refusal by number:\n%s", command, err, text)
				}
			}
			doctor := program(t, "doctor")
			out, err := exec.CommandContext(t.Context(), shell, "-c", `echo $$ > "$0/cgroup.procs" && exec "$1" doctor`, dir,
				doctor.Path).CombinedOutput()
			if !strings.Contains(string(out), "control group "+dir) {
				t.Errorf("doctor: %v, want the limit of the group:\n%s", err, out)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "memory.failcnt")); err == nil && strings.TrimSpace(string(b)) != "0" {
				t.Errorf("the group was full %s times", strings.TrimSpace(string(b)))
			}
		})
	}
}
