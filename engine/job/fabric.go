package job

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// Fabric runs scenarios in jobs. It is a session.Relay.
type Fabric struct {
	*live.Fabric
	launcher []string
	program  string
}

// New returns a fabric with a launcher: a program with its arguments, separated by spaces, such as
// "mpirun -n 4".
func New(launcher string) (*Fabric, error) {
	f := &Fabric{Fabric: live.New(), launcher: strings.Fields(launcher)}
	if len(f.launcher) == 0 {
		return nil, errors.New(`launcher: none given (use --launcher "mpirun -n 2")`)
	}
	if _, err := exec.LookPath(f.launcher[0]); err != nil {
		return nil, fmt.Errorf("launcher: %w (hybridtop doctor lists the launchers of this host)", err)
	}
	var err error
	f.program, err = Program()
	return f, err
}

// Name implements cluster.Fabric.
func (*Fabric) Name() string { return engine.MPI }

// Start implements cluster.Fabric. It returns an error, because only a session can run a job.
func (*Fabric) Start(context.Context, cluster.Spec, func(cluster.Port) error) (cluster.Run, error) {
	return nil, errors.New("fabric mpi: its ranks run in other processes (use fabric = live)")
}

// Relay implements session.Relay.
func (f *Fabric) Relay(sc *engine.Scenario, l session.Limits, paused bool) (session.Relayed, error) {
	return launch(append(f.launcher[:len(f.launcher):len(f.launcher)], f.line(sc, l)...), paused)
}

// line returns the command line of the job's processes.
func (f *Fabric) line(sc *engine.Scenario, l session.Limits) []string {
	line := []string{f.program, "run", sc.Workload}
	if l.For > 0 {
		line = append(line, "--for="+l.For.String())
	}
	if l.Iterations > 0 {
		line = append(line, "--iterations="+strconv.Itoa(l.Iterations))
	}
	if l.Until > 0 {
		line = append(line, "--until="+(time.Duration(l.Until/cluster.Nanosecond)).String())
	}
	for i := range sc.Table {
		if k := &sc.Table[i]; k.Name != "fabric" && sc.Values[k.Name] != k.Default {
			line = append(line, "--"+k.Name+"="+sc.Values[k.Name])
		}
	}
	return line
}
