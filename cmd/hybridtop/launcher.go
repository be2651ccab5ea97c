package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/job"
	"github.com/hybridtop/hybridtop/engine/session"
)

// measuring is the machine of runs that only measure.
const measuring = "this-host"

var errNoLauncher = errors.New(`fabric mpi: it needs a launcher: --launcher "mpirun -n 2" (docs/mpi.md)`)

// addLauncher adds the flags of jobs to a command.
func (f *knobFlags) addLauncher(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.launcher, "launcher", "",
		"launcher of jobs for --fabric mpi, such as \"mpirun -n 2\" (docs/mpi.md)")
	cmd.Flags().StringVar(&f.front, "front", "", "address of this host, such as 10.0.0.1:0, for a job whose process 0 runs on "+
		"another host; default: a Unix socket")
	cmd.Flags().BoolVar(&f.apart, "apart", false, "processes of a job do not share segments: puts and gets between them are messages")
	k := engine.ProcessesKnob(1)
	k.Default = ""
	f.knobs = append(f.knobs, k)
	f.values[k.Name] = &knobValue{kind: flagType(&k, f.many), of: f}
	cmd.Flags().Var(f.values[k.Name], k.Name, k.Doc+"; default: as in --launcher")
	i := slices.IndexFunc(f.knobs, func(k engine.Knob) bool { return k.Name == "fabric" })
	f.knobs[i].Choices = append(slices.Clone(f.knobs[i].Choices), engine.MPI)
	cmd.Flags().Lookup("fabric").Usage += ", " + engine.MPI
}

// fabrics returns the fabrics of a session: the built-in ones, and mpi if there is a launcher.
func (f *knobFlags) fabrics() (map[string]cluster.Fabric, error) {
	all := session.Fabrics()
	if f.launcher == "" {
		if f.front != "" || f.apart {
			return nil, errNoLauncher
		}
		return all, nil
	}
	x, err := job.New(f.launcher)
	if err == nil && f.front != "" {
		err = x.Listen(f.front)
	}
	if err == nil && f.apart {
		x.KeepApart()
	}
	if err == nil && f.table != "" {
		err = x.UseTable(f.table)
	}
	if err != nil {
		return nil, err
	}
	all[engine.MPI] = x
	return all, nil
}

// offer adds the choices and knobs of a launcher to a scenario.
func (f *knobFlags) offer(sc *engine.Scenario) error {
	if f.launcher == "" {
		return nil
	}
	n, err := job.Processes(f.launcher)
	if err != nil {
		return err
	}
	sc.Offer("fabric", engine.MPI)
	if n > 0 {
		sc.Add(engine.ProcessesKnob(n))
	}
	return nil
}

// checkLauncher returns an error if a flag needs a launcher, or one with a number of processes.
func (f *knobFlags) checkLauncher(sc *engine.Scenario, flag, text string) error {
	switch {
	case flag == "fabric" && f.launcher == "" && slices.Contains(strings.Split(text, ","), engine.MPI):
		return errNoLauncher
	case flag == engine.Processes && f.launcher == "":
		return errors.New(`--processes: it needs a launcher: --launcher "mpirun -n {n}" (docs/mpi.md)`)
	case flag == engine.Processes && sc.Values[flag] == "":
		return fmt.Errorf("--processes: launcher %q has no single number of processes (use {n} for it)", f.launcher)
	}
	return nil
}

// measure selects the machine for fabric mpi, which only measures, if the user has not named a machine.
func (f *knobFlags) measure(cmd *cobra.Command, sc *engine.Scenario) error {
	k, err := sc.Knob("machine")
	if err != nil || sc.Text("fabric") != engine.MPI || cmd.Flags().Changed("machine") || sc.Text("machine") != k.Default {
		return err
	}
	return sc.Set("machine", measuring)
}
