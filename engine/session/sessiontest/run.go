package sessiontest

import (
	"context"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// Run runs a number of iterations of a workload and returns its last snapshot; settings alternate
// knob and value. If machine is not nil, the workload runs on it
// unless the settings name another machine.
func Run(workload string, machine *cluster.Machine, iterations int, settings ...string) (*engine.Snapshot, error) {
	var machines []cluster.Machine
	if machine != nil {
		machines = append(machines, *machine)
		settings = append([]string{"machine", machine.Name}, settings...)
	}
	s, err := session.Scenario(workload, machines...)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(settings); i += 2 {
		if err := s.Set(settings[i], settings[i+1]); err != nil {
			return nil, err
		}
	}
	rows, err := session.RunRows(context.Background(), []session.Row{{}}, []engine.Scenario{s},
		session.Options{Fabrics: session.Fabrics(), Machines: machines, Limits: session.Limits{Iterations: iterations}}, nil)
	if err != nil {
		return nil, err
	}
	return rows[0].Snapshot, nil
}
