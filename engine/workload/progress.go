package workload

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// noAdapter is the reason why the live fabric refuses progress = offload.
const noAdapter = "on this host no adapter advances messages (use progress = thread, or fabric = sim)"

// Fitted changes a machine to match all knobs of a scenario that describe it.
func (w *Workload) Fitted(s *engine.Scenario, m *cluster.Machine) {
	if by := s.Text("progress"); by != OfMachine {
		m.Progress = cluster.Progress(by)
	}
	if w.Fit != nil {
		w.Fit(s, m)
	}
}

// CheckProgress returns an error if the scenario chooses a progress engine that the site lacks.
func CheckProgress(s *engine.Scenario, on *Site) error {
	if !on.Virtual && s.Text("progress") == string(cluster.ProgressOffload) {
		return fmt.Errorf("progress = %s: %s", cluster.ProgressOffload, noAdapter)
	}
	return nil
}

// ProgressOf returns the progress engine of a machine's runs. On this host, only calls advance the
// messages of a machine whose adapters would.
func ProgressOf(m *cluster.Machine, kind engine.Kind) cluster.Progress {
	if m.Progress == cluster.ProgressOffload && kind != engine.Simulated {
		return cluster.ProgressCall
	}
	return m.Progress
}

// ExplainProgress names the progress engine of a run in a sentence. It returns "" if this is the
// machine's own.
func ExplainProgress(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) string {
	by := s.Values["progress"] // recordings of earlier versions may lack it
	switch {
	case Idle(s, kind, "progress") != "":
		return ""
	case by == string(cluster.ProgressCall):
		return "Messages advance only inside the ranks' own calls (progress = call)."
	case by == string(cluster.ProgressThread):
		return "A progress thread per rank advances messages and shares the cores (progress = thread)."
	case by == string(cluster.ProgressOffload):
		return "Network adapters advance messages (progress = offload)."
	case ProgressOf(m, kind) != m.Progress:
		return "The machine's adapters would advance messages. On this host only the ranks' own calls do (progress = " +
			"thread: a thread does)."
	}
	return ""
}
