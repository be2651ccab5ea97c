package job_test

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/job"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// TestRequests checks what a command line requests, and its errors.
func TestRequests(t *testing.T) {
	sc, limits, err := job.Request(strings.Fields("run dot --machine this-host --nodes 3 --iterations 2"))
	if err != nil || sc.Text("machine") != "this-host" || sc.Int("nodes") != 3 || limits.Iterations != 2 || limits.Usual != 0 {
		t.Errorf("%v: %+v %+v", err, sc.Values, limits)
	}
	for line, want := range map[string]string{
		"": "want: mpirun", "sweep dot": "want: mpirun", "run nothing": "nothing", "run dot --nodes zero": "zero",
		"run dot --no-knob 1": "no-knob", "run dot more": "1 words more", "run dot --table /nowhere.toml": "nowhere.toml", "run dot --for 0s": "time 0s",
	} {
		if _, _, err := job.Request(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}
