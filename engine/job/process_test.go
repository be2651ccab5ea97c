package job_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/job"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// TestRequests checks what a command line requests, and its errors.
func TestRequests(t *testing.T) {
	r, err := job.ParseRequest(strings.Fields("run dot --machine this-host --apart --nodes 3 --iterations 2"))
	if sc := &r.Scenario; err != nil || sc.Text("machine") != "this-host" || sc.Int("nodes") != 3 || r.Limits.Iterations != 2 ||
		r.Limits.Usual != 0 || !r.Apart {
		t.Errorf("%v: %+v", err, r)
	}
	for line, want := range map[string]string{
		"": "want: mpirun", "sweep dot": "want: mpirun", "run nothing": "nothing", "run dot --nodes zero": "zero",
		"run dot --no-knob 1": "no-knob", "run dot more": "1 words more", "run dot --table /nowhere.toml": "nowhere.toml", "run dot --for 0s": "time 0s",
	} {
		if _, err := job.ParseRequest(strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

// TestHelp checks the answers to command lines that ask for help.
func TestHelp(t *testing.T) {
	for line, want := range map[string]string{
		"--help": "mpirun", "help": "mpirun", "run -h": "mpirun", "run dot --help": "-ranks-per-node", "run dot --nodes 3 -h": "-iterations",
	} {
		_, err := job.ParseRequest(strings.Fields(line))
		var help *job.Help
		if !errors.As(err, &help) || !strings.Contains(help.Text, want) {
			t.Errorf("%q: %v, want help with %q", line, err, want)
		}
	}
}
