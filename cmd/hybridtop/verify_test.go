package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/recording"
	"github.com/hybridtop/hybridtop/internal/build"
)

// A launch that cannot be verified has a reason, and a launch that is not as stored differs.
func TestFindings(t *testing.T) {
	good := engine.Verification{Done: true, OK: true, Checks: 3}
	whole := &engine.Virtual{Hash: 7, Whole: true}
	for _, c := range []struct {
		launch recording.LaunchInfo
		want   string
	}{
		{recording.LaunchInfo{Kind: engine.Measured, Failure: "rank 3 fell\n  twice"},
			"cannot tell: the run failed, and live runs do not repeat: rank 3 fell" + hintSim},
		{recording.LaunchInfo{Kind: engine.Simulated, Failure: "no memory", Ended: true},
			"cannot tell: the run failed before the simulation started: no memory"},
		{recording.LaunchInfo{Kind: engine.Measured, Verification: engine.Verification{Done: true, Detail: "2 is not 3"}},
			"differs: its own verification failed: 2 is not 3"},
		{recording.LaunchInfo{Kind: engine.Simulated, Verification: good, Iterations: 1},
			"cannot tell: the recording ends before the launch did (let the program end by itself, and record again)"},
		{recording.LaunchInfo{Kind: engine.Simulated, Verification: good, Iterations: 1, Ended: true, Cut: true,
			Virtual: whole}, "cannot tell: it was stopped inside an iteration, at an event that cannot be repeated (record it with --iterations N)"},
		{recording.LaunchInfo{Kind: engine.Simulated, Verification: good, Iterations: 1, Ended: true,
			Virtual: &engine.Virtual{}}, "cannot tell: it was stopped inside an iteration, at an event that cannot be repeated (record it with --iterations N)"},
		{recording.LaunchInfo{Kind: engine.Simulated, Ended: true, Virtual: whole}, "cannot tell: no iteration ended (record it with --iterations 1 or more)"},
		{recording.LaunchInfo{Kind: engine.Measured, Iterations: 1, Verification: good},
			"as stored: 3 checks passed; measured times do not repeat"},
		{recording.LaunchInfo{Kind: engine.Measured, Iterations: 1},
			"cannot tell: the run made no check, and live runs do not repeat" + hintSim},
		{recording.LaunchInfo{Kind: engine.Simulated, Verification: good, Iterations: 1, Ended: true, Virtual: whole,
			Machine: "no machine"},
			`cannot tell: it cannot run here: no machine.toml: invalid name for a machine; use lower-case letters, digits and dashes, at most 40, and the ending .toml`},
	} {
		if f := verify(context.Background(), &c.launch); f.word+": "+f.why != c.want {
			t.Errorf("%s: %s\nwant %s", f.word, f.why, c.want)
		}
	}
}

// A launch with another hash or other checks differs.
func TestWhatDiffers(t *testing.T) {
	file := t.TempDir() + "/a.htr"
	if code := command([]string{"record", "randomaccess", "--fabric", "sim", "--machine", "demo", "--iterations", "2",
		"--out", file}, new(nowhere), new(nowhere)); code != 0 {
		t.Fatal(code)
	}
	f, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for what, change := range map[string]func(*recording.LaunchInfo){
		"hash":       func(x *recording.LaunchInfo) { x.Virtual.Hash++ },
		"time":       func(x *recording.LaunchInfo) { x.Virtual.Time++ },
		"checks":     func(x *recording.LaunchInfo) { x.Verification.Checks++ },
		"iterations": func(x *recording.LaunchInfo) { x.Iterations++ },
		"seed":       func(x *recording.LaunchInfo) { x.Scenario.Values["seed"] = "99" },
	} {
		all, err := f.Launches(1)
		if err != nil {
			t.Fatal(err)
		}
		if got := verify(context.Background(), &all[0]); got.word != same {
			t.Fatal(got)
		}
		if change(&all[0]); verify(context.Background(), &all[0]).word != differs {
			t.Errorf("another %s is taken for the same", what)
		}
	}
}

// A launch with a failure or a failed verification must fail again with the same message.
func TestAFailureIsVerified(t *testing.T) {
	file := t.TempDir() + "/a.htr"
	for _, args := range [][]string{
		{"record", "headtohead", "--fabric", "sim", "--machine", "demo", "--eager-limit", "0", "--iterations", "3"},
		{"record", "spmv", "--fabric", "sim", "--machine", "demo", "--threads-per-rank", "4", "--threading", "funneled",
			"--master-section", "none", "--iterations", "1"},
	} {
		if code := command(append(args, "--out", file), new(nowhere), new(nowhere)); code != 1 {
			t.Fatalf("%s: exit status %d", args[1], code)
		}
	}
	f, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, run := range f.Runs {
		all, err := f.Launches(run.ID)
		if err != nil {
			t.Fatal(err)
		}
		x := &all[0]
		if got := verify(t.Context(), x); got.word != failing {
			t.Fatalf("%s: %+v", x.Scenario.Workload, got)
		}
		other := *x
		if x.Failure != "" {
			other.Failure += "!"
		} else {
			other.Verification.Detail += "!"
		}
		if got := verify(t.Context(), &other); got.word != differs {
			t.Errorf("%s, failing in other words: %+v", x.Scenario.Workload, got)
		}
		x.Virtual.Hash++
		if got := verify(t.Context(), x); got.word != differs {
			t.Errorf("%s, failing with another hash: %+v", x.Scenario.Workload, got)
		}
	}
}

// nowhere is a writer without a reader.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// A recording made with two concurrent threads repeats with one and with two, and vice versa, also
// under the race detector.
func TestARecordingRepeatsOnAnyNumberOfThreads(t *testing.T) {
	was := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(was) })
	for _, recorded := range []int{1, 2} {
		runtime.GOMAXPROCS(recorded)
		file := recordedFile(t)
		f, err := recording.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		launches, err := f.Launches(f.Runs[0].ID)
		if err != nil || len(launches) != 1 {
			t.Fatal(len(launches), err)
		}
		for _, now := range []int{1, 2} {
			runtime.GOMAXPROCS(now)
			if v := verify(t.Context(), &launches[0]); v.word != same {
				t.Errorf("recorded with GOMAXPROCS %d, verified with %d: %s, %s", recorded, now, v.word, v.why)
			}
		}
	}
}

// If a launch differs and another version recorded it, verify reports both versions. An early
// recording has no version.
func TestVerifyNamesAnotherVersion(t *testing.T) {
	here := programText(build.This(), sim.Revision)
	for change, want := range map[string][]string{
		`UPDATE launch SET hash='0'`: {"differs", "1 launches differ from the recording"},
		`UPDATE launch SET hash='0'; UPDATE run SET rules='f00'`: {"made by another version",
			programText(build.This(), "f00") + "; this is " + here + ": hash 0000000000000000, now",
			"1 launches were made by another version, and differ here"},
		`UPDATE launch SET hash='0'; UPDATE run SET version='v0.1.0', build='0123456789abcdef', rules=NULL`: {
			"v0.1.0 (0123456789ab), cost rules unknown; this is " + here},
		`UPDATE launch SET hash='0'; UPDATE run SET version='(devel)', build='', rules=''`: {
			"version unknown, cost rules unknown; this is " + here},
		`UPDATE run SET version='v0.1.0', rules='f00'`: {"the same", ""}, // nothing differs
	} {
		file := filepath.Join(t.TempDir(), "a.htr")
		if code := command([]string{"record", "pingpong", "--fabric", "sim", "--machine", "demo", "--iterations", "1",
			"--out", file}, new(nowhere), new(nowhere)); code != 0 {
			t.Fatal(code)
		}
		db, err := sql.Open("sqlite", file)
		if err == nil {
			_, err = db.Exec(change)
		}
		if err = errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		code := command([]string{"verify", file}, &out, &out)
		for _, w := range want {
			if got := out.String(); !strings.Contains(got, w) || (code == 0) != (w == "the same" || w == "") {
				t.Errorf("%s: exit status %d, want %q in\n%s", change, code, w, got)
			}
		}
	}
}

// The program reports its version and its commit.
func TestVersion(t *testing.T) {
	var out bytes.Buffer
	if code := command([]string{"--version"}, &out, &out); code != 0 || out.String() != "hybridtop version "+build.This().String()+"\n" {
		t.Errorf("exit status %d, %q", code, out.String())
	}
}
