package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/calibrate"
	"github.com/hybridtop/hybridtop/engine/job"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// linkFlags are the flags of a calibration over the processes of a job.
type linkFlags struct {
	fabric, launcher, front, node string
}

func (l *linkFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.fabric, "fabric", engine.Live, "fabric to measure: live (this host) or mpi (also the messages between the processes of a job)")
	f.StringVar(&l.launcher, "launcher", "", "launcher of jobs for --fabric mpi, such as \"mpirun -n 2\" (docs/mpi.md)")
	f.StringVar(&l.front, "front", "", "address of this host, for a job whose process 0 runs on another host; default: a "+
		"Unix socket")
	f.StringVar(&l.node, "node", "", "calibrated machine file of a node, for --fabric mpi; default: calibrate this host first")
}

// check returns an error if the flags do not belong together.
func (l *linkFlags) check(check string) error {
	switch {
	case l.fabric != engine.Live && l.fabric != engine.MPI:
		return fmt.Errorf("--fabric %.40q: want %s or %s", l.fabric, engine.Live, engine.MPI)
	case l.fabric == engine.MPI && l.launcher == "":
		return errNoLauncher
	case l.fabric == engine.MPI && check != "":
		return errors.New("--check needs --fabric live (to compare a job with a machine, use hybridtop sweep --fabric,machine)")
	case l.fabric == engine.Live && (l.launcher != "" || l.front != "" || l.node != ""):
		return errors.New("--launcher, --front and --node need --fabric mpi")
	}
	return nil
}

// linkTime is the time during which a job may start iterations.
const linkTime = 200 * time.Millisecond

// calibrate measures the link of a machine's nodes over the processes of a job. Without a machine of
// the nodes, it first fits one to this host.
func (l *linkFlags) calibrate(ctx context.Context, o *calibrate.Options, rounds int) (*calibrate.Result, error) {
	x, err := job.New(l.launcher)
	if err == nil && l.front != "" {
		err = x.Listen(l.front)
	}
	if err != nil {
		return nil, err
	}
	x.KeepApart() // the link is between hosts
	node, err := l.nodeMachine(ctx, *o)
	if err != nil {
		return nil, err
	}
	if err := presets.WriteMachine(io.Discard, node); err != nil {
		return nil, fmt.Errorf("--node: %w", err)
	}
	o.Cores, o.Rounds = calibrate.LinkRanks, rounds
	return calibrate.CalibrateLink(ctx, calibrate.LinkOptions{Node: node, Name: o.Name, Rounds: o.Rounds, Progress: o.Progress,
		Measure: func(ctx context.Context, r *calibrate.LinkRun) (float64, error) {
			fabrics := map[string]cluster.Fabric{engine.MPI: x}
			return runLink(ctx, r, engine.MPI, measuring, session.Options{Fabrics: fabrics, Limits: session.Limits{For: linkTime}})
		},
		Simulate: func(ctx context.Context, r *calibrate.LinkRun, m *cluster.Machine) (float64, error) {
			fitted := *m
			fitted.Name = "fitted-link" // the file may have the name of another machine
			return runLink(ctx, r, engine.Sim, fitted.Name, session.Options{Fabrics: session.Fabrics(),
				Machines: []cluster.Machine{fitted}, Limits: session.Limits{Usual: time.Second}})
		},
	})
}

// runLink runs a workload on two nodes with one rank each, and returns its metric.
func runLink(ctx context.Context, r *calibrate.LinkRun, fabric, machine string, o session.Options) (float64, error) {
	sc, err := session.Scenario(r.Workload, o.Machines...)
	if err != nil {
		return 0, err
	}
	sc.Offer("fabric", engine.MPI)
	knobs := append([][2]string{{"fabric", fabric}, {"machine", machine}, {"nodes", "2"}, {"ranks-per-node", "1"},
		{"model", string(cluster.Flat)}}, r.Knobs...)
	for _, k := range knobs {
		if err := sc.Set(k[0], k[1]); err != nil {
			return 0, err
		}
	}
	rows, err := session.RunRows(ctx, []session.Row{{}}, []engine.Scenario{sc}, o, nil)
	if err != nil {
		return 0, err
	}
	s := rows[0].Snapshot
	m, ok := s.Metric(r.Metric)
	switch {
	case s.Failure != "":
		return 0, fmt.Errorf("%s on %s: %s", r.Workload, fabric, s.Failure)
	case !ok || !s.Verification.Done || !s.Verification.OK:
		return 0, fmt.Errorf("%s on %s: not verified: %s", r.Workload, fabric, s.Verification.Detail)
	}
	return m.Value, nil
}

// nodeMachine returns the machine of a node: from its file, or from a calibration of this host.
func (l *linkFlags) nodeMachine(ctx context.Context, o calibrate.Options) (cluster.Machine, error) {
	if l.node != "" {
		return presets.LoadMachine(l.node)
	}
	r, err := calibrate.Calibrate(ctx, o)
	if err != nil {
		return cluster.Machine{}, err
	}
	return r.Model.Machine, nil
}
