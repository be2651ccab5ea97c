package job

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ProgramVariable is the environment variable with the program of a job's processes.
const ProgramVariable = "HYBRIDTOP_MPI_PROGRAM"

// programName is the name of the program of a job's processes.
const programName = "hybridtop-mpi"

// Program returns the program of a job's processes: the file that the environment names, the file next to this
// program, or the first one in PATH.
func Program() (string, error) {
	if file := os.Getenv(ProgramVariable); file != "" {
		path, err := exec.LookPath(file)
		if err != nil {
			return "", fmt.Errorf("%s: %w", ProgramVariable, err)
		}
		return filepath.Abs(path)
	}
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), programName)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(programName)
	if err != nil {
		return "", fmt.Errorf("%s: not next to this program, and not in PATH (build it with make mpi, or set %s)",
			programName, ProgramVariable)
	}
	return filepath.Abs(path)
}
