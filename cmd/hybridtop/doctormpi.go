package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/engine/job"
)

// launchers are the programs that start MPI programs. bench --peers uses the first two.
var launchers = []string{"mpirun.openmpi", "mpirun.mpich", "mpirun", "mpiexec", "srun"}

// launcherTime is the time that a launcher has to print its version.
const launcherTime = 2 * time.Second

// libraries are patterns of the texts in which launchers print their version.
var libraries = []struct {
	name string
	text *regexp.Regexp
}{
	{"Open MPI", regexp.MustCompile(`(?i)Open ?(?:MPI|RTE)\)? ([0-9][^\s]*)`)},
	{"MPICH", regexp.MustCompile(`(?s)HYDRA build details.*?Version:\s+([0-9][^\s]*)`)},
	{"Intel MPI", regexp.MustCompile(`Intel\(R\) MPI Library.*?Version ([0-9][^,\n]*)`)},
	{"Slurm", regexp.MustCompile(`(?i)^slurm[^ ]* ([0-9][^\s]*)`)},
}

// diagnoseMPI lists the launchers of MPI libraries with their versions, and the program of jobs. Only fabric mpi and
// bench --peers need a launcher.
func diagnoseMPI(ctx context.Context) []diagnosis {
	var all []diagnosis
	seen := map[string]bool{}
	for _, name := range launchers {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		file := path
		if target, err := filepath.EvalSymlinks(path); err == nil {
			file = target
		}
		if seen[file] {
			continue
		}
		seen[file] = true
		d := diagnosis{check: "MPI library"}
		version, why := launcherVersion(ctx, path)
		if d.found = version + ", " + path; why != "" {
			d.found = path
			d.hint = why + ": check the installation with " + name + " --version"
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		all = append(all, diagnosis{check: "MPI library", found: "none in PATH",
			hint: "only --fabric mpi and bench --peers need one: install Open MPI or MPICH, or load their module"})
	}
	return append(all, diagnoseProgram())
}

// diagnoseProgram checks the program of a job's processes.
func diagnoseProgram() diagnosis {
	d := diagnosis{check: "MPI program"}
	var err error
	if d.found, err = job.Program(); err != nil {
		d.found = "no hybridtop-mpi"
		d.hint = "only --fabric mpi needs it: make mpi, and put it next to hybridtop, or set " + job.ProgramVariable
	}
	return d
}

// launcherVersion returns the library and version that a launcher prints, or why it prints none.
func launcherVersion(ctx context.Context, path string) (version, why string) {
	ctx, done := context.WithTimeout(ctx, launcherTime)
	defer done()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.WaitDelay = launcherTime / 4 // its children may keep the pipe open
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", "it does not end within " + launcherTime.String()
	}
	i := slices.IndexFunc(libraries, func(l struct {
		name string
		text *regexp.Regexp
	}) bool {
		return l.text.Match(out)
	})
	switch {
	case i >= 0:
		return libraries[i].name + " " + string(libraries[i].text.FindSubmatch(out)[1]), ""
	case err != nil:
		return "", "it fails (" + err.Error() + ")"
	}
	first := strings.TrimSpace(firstLine(string(out)))
	if first == "" {
		return "", "it prints no version"
	}
	return first, ""
}
