package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/job"
	"github.com/hybridtop/hybridtop/engine/session"
)

// measuring is the machine of runs that only measure.
const measuring = "this-host"

var errNoLauncher = errors.New(`fabric mpi: it needs a launcher: --launcher "mpirun -n 2" (docs/mpi.md)`)

// addLauncher adds the flag --launcher to a command.
func (f *knobFlags) addLauncher(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.launcher, "launcher", "",
		"launcher of jobs for --fabric mpi, such as \"mpirun -n 2\" (docs/mpi.md)")
	cmd.Flags().Lookup("fabric").Usage += ", " + engine.MPI
}

// fabrics returns the fabrics of a session: the built-in ones, and mpi if there is a launcher.
func (f *knobFlags) fabrics() (map[string]cluster.Fabric, error) {
	all := session.Fabrics()
	if f.launcher != "" {
		x, err := job.New(f.launcher)
		if err != nil {
			return nil, err
		}
		all[engine.MPI] = x
	}
	return all, nil
}

// measure selects the machine for fabric mpi, which only measures, if the user has not named a machine.
func (f *knobFlags) measure(cmd *cobra.Command, sc *engine.Scenario) error {
	k, err := sc.Knob("machine")
	if err != nil || sc.Text("fabric") != engine.MPI || cmd.Flags().Changed("machine") || sc.Text("machine") != k.Default {
		return err
	}
	return sc.Set("machine", measuring)
}
