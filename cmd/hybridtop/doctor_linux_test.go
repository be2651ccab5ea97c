package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	resources "github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/tui/tty/ttytest"
)

// examined is one check in the JSON of doctor.
type examined struct {
	Check, Found, State, Hint, Unit string
	Value                           *float64
}

// examine runs doctor --json with environment variables.
func examine(t *testing.T, env map[string]string) (all map[string]examined, code int) {
	t.Helper()
	for name, value := range env {
		t.Setenv(name, value)
	}
	var stdout, stderr bytes.Buffer
	code = command([]string{"doctor", "--json"}, &stdout, &stderr)
	var d struct {
		Schema string
		Checks []examined
	}
	if err := json.Unmarshal(stdout.Bytes(), &d); err != nil || d.Schema != "hybridtop.list.v1" {
		t.Fatalf("schema %q: %v\n%s", d.Schema, err, stderr.String())
	}
	if (code == 0) != (stderr.Len() == 0) {
		t.Errorf("exit status %d with %q", code, stderr.String())
	}
	all = map[string]examined{}
	for _, c := range d.Checks {
		if (c.State == "ok") != (c.Hint == "") || c.Found == "" {
			t.Errorf("%+v: want a result, and a hint if something is wrong", c)
		}
		all[c.Check] = c
	}
	return all, code
}

// Without a terminal, doctor reports everything, and what the screen lacks.
func TestDoctor(t *testing.T) {
	all, code := examine(t, map[string]string{"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "", "COLORTERM": "truecolor"})
	if code != 0 {
		t.Errorf("exit status %d", code)
	}
	for _, name := range []string{"program", "terminal", "characters", "colours", "cores", "memory limit", "clock", "sleep",
		"MPI library", "MPI program", "settings folder", "state folder", "temporary folder", "current folder"} {
		if _, ok := all[name]; !ok {
			t.Errorf("no check of %s", name)
		}
	}
	for name, want := range map[string]string{"terminal": "xterm-256color, standard output is not a terminal",
		"characters": "UTF-8", "colours": "24 bits"} {
		if all[name].Found != want {
			t.Errorf("%s: %q, want %q", name, all[name].Found, want)
		}
	}
	for name, unit := range map[string]string{"cores": "1", "memory limit": "B", "clock": "s", "sleep": "s"} {
		if c := all[name]; c.Unit != unit || c.Value == nil || *c.Value <= 0 {
			t.Errorf("%s: %+v, want a number in %s", name, c, unit)
		}
	}
}

// A setting that is wrong has a hint with the remedy.
func TestDoctorHasHints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env                      map[string]string
		check, found, hint, kind string
	}{
		{map[string]string{"TERM": "dumb", "NO_COLOR": ""}, "colours", "none", "export TERM=xterm-256color", "note"},
		{map[string]string{"TERM": ""}, "terminal", "TERM is not set", "the screen needs a terminal", "note"},
		{map[string]string{"NO_COLOR": "1"}, "colours", "none (NO_COLOR)", "unset NO_COLOR", "note"},
		{map[string]string{"TERM": "xterm-256color", "NO_COLOR": "", "COLORTERM": ""}, "colours", "256", "COLORTERM=truecolor", "note"},
		{map[string]string{"TERM": "xterm", "LC_ALL": "C"}, "characters", "ASCII", "LC_ALL=C.UTF-8", "note"},
		{map[string]string{"PATH": t.TempDir()}, "MPI library", "none in PATH", "install Open MPI", "note"},
		{map[string]string{"PATH": t.TempDir()}, "MPI program", "no hybridtop-mpi", "make mpi", "note"},
		{map[string]string{"HYBRIDTOP_MPI_PROGRAM": file}, "MPI program", "no hybridtop-mpi", "set HYBRIDTOP_MPI_PROGRAM", "note"},
		{map[string]string{"XDG_STATE_HOME": file}, "state folder", "not a directory", "XDG_STATE_HOME", "note"},
		{map[string]string{"HOME": "", "XDG_CONFIG_HOME": ""}, "settings folder", "unknown", "set HOME", "note"},
		{map[string]string{"TMPDIR": file}, "temporary folder", "is not a folder", "set TMPDIR", "problem"},
	} {
		t.Run(c.check+" "+c.found, func(t *testing.T) {
			all, code := examine(t, c.env)
			got := all[c.check]
			if got.State != c.kind || !strings.Contains(got.Found, c.found) || !strings.Contains(got.Hint, c.hint) {
				t.Errorf("%+v, want %s %q with the hint %q", got, c.kind, c.found, c.hint)
			}
			if (code == 1) != (c.kind == "problem") {
				t.Errorf("exit status %d with a %s", code, c.kind)
			}
		})
	}
}

// The check of folders leaves nothing in them, and creates none.
func TestDoctorLeavesFoldersAsTheyAre(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	all, _ := examine(t, map[string]string{"TMPDIR": folder, "XDG_CONFIG_HOME": folder + "/a/b", "XDG_STATE_HOME": folder})
	if all["settings folder"].State != "ok" || all["current folder"].Found != folder {
		t.Errorf("%+v", all)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}

// A launcher's version is found in its text. One that hangs or fails has a hint, and control
// characters of a launcher do not reach the output.
func TestDoctorRunsLaunchers(t *testing.T) {
	folder := t.TempDir()
	for name, script := range map[string]string{
		"mpirun":         `echo 'mpirun (Open MPI) 5.0.3'`,
		"mpiexec":        `printf 'HYDRA build details:\n    Version:      4.2.1\n    Date: x\n'`,
		"srun":           `echo 'slurm 23.11.4'`,
		"mpirun.mpich":   `printf 'other\033]52;c;eA==\a \2022'`,
		"mpirun.openmpi": `exit 3`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	var out bytes.Buffer
	if code := command([]string{"doctor"}, &out, &out); code != 0 {
		t.Errorf("exit status %d", code)
	}
	for _, want := range []string{"Open MPI 5.0.3, " + folder + "/mpirun ", "MPICH 4.2.1", "Slurm 23.11.4",
		"it fails (exit status 3): check the installation with mpirun.openmpi --version"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); i >= 0 {
		t.Errorf("a control character: %q", out.String()[i:])
	}
	if _, why := launcherVersion(t.Context(), "/bin/cat"); why != "" {
		t.Errorf("cat --version: %s", why)
	}
}

// Names from the environment do not reach the output as commands of the terminal.
func TestDoctorCleansNames(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a\x1b]0;x\x07b")
	all, _ := examine(t, map[string]string{"TERM": "x\x1b[2Jy\x9b", "XDG_STATE_HOME": folder, "TMPDIR": folder})
	for _, c := range all {
		if i := strings.IndexFunc(c.Found+c.Hint, unicode.IsControl); i >= 0 {
			t.Errorf("%+q", c.Found+c.Hint)
		}
	}
}

// A memory limit that is too small for any run is a problem. A result has all limits.
func TestDoctorChecksMemory(t *testing.T) {
	bounds := []resources.Bound{{Name: "available memory", Bytes: 8 << 30}, {Name: "control group /job", Bytes: 128 << 20}}
	d := diagnoseMemory(64<<20, bounds)[0]
	if d.state() != "problem" || d.found != "64 MiB (available memory 8 GiB, control group /job 128 MiB)" {
		t.Errorf("%+v", d)
	}
	if d := diagnoseMemory(0, nil)[0]; d.state() != "note" {
		t.Errorf("an unknown limit: %+v", d)
	}
	if d := diagnoseMemory(math.MaxInt64, nil)[0]; d.state() != "ok" {
		t.Errorf("a large limit: %+v", d)
	}
}

// On a terminal, doctor reports its size.
func TestDoctorOnATerminal(t *testing.T) {
	x := ttytest.Start(t, 150, 20, program(t, "doctor"))
	x.Ends(0)
	x.Shows("150×20")
	x.Shows("enlarge the window to 100×28 or more")
}
