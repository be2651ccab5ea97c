package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Idle says why turning a knob has no effect as the others stand; "": it has, or may be
// refused. kind is that of the numbers that the scenario gives.
func Idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	is := func(name, value string) bool { return s.Values[name] == value }
	switch knob {
	case "dilation":
		if kind == engine.Simulated {
			return "virtual time needs no dilation"
		} else if kind == engine.Measured {
			return "measured time needs no dilation"
		}
	case "pace":
		if is("fabric", engine.Live) {
			return "only virtual time has a pace"
		}
	case "group":
		if is("model", string(cluster.Flat)) {
			return "model = flat has only one group, with all ranks"
		}
	case "ranking":
		if is("nodes", "1") {
			return "all ranks are on one node"
		} else if is("ranks-per-node", "1") {
			return "every node has one rank"
		}
	}
	for _, w := range registry {
		if w.Name != s.Workload {
			continue
		}
		switch knob {
		case "threads-per-rank", "threading", "thread-support":
			if w.Serial {
				return "each rank of " + w.Name + " has one thread"
			}
		case "seed":
			if w.Steady {
				return w.Name + " uses no random numbers"
			}
		}
		if w.Idle != nil {
			return w.Idle(s, kind, knob)
		}
	}
	return ""
}

// First is the knob that a workload's story begins with, and if that has no effect, the
// first of its own that has; "": the workload is not known.
func First(s *engine.Scenario, kind engine.Kind) string {
	for _, w := range registry {
		if w.Name != s.Workload {
			continue
		}
		if w.First != "" && Idle(s, kind, w.First) == "" {
			return w.First
		}
		for i := range s.Table {
			if name := s.Table[i].Name; Idle(s, kind, name) == "" {
				return name
			}
		}
	}
	return ""
}

// Panes are those that a workload's story is told in; nil: it has no wish.
func Panes(name string) []string {
	for _, w := range registry {
		if w.Name == name {
			return w.Panes
		}
	}
	return nil
}

// Ungrouped says that groups make no difference but to who may call MPI: it is what most
// programs without shared arrays say of the knob group.
func Ungrouped(s *engine.Scenario, knob string) string {
	if knob == "group" && s.Values["model"] == string(cluster.NestedMultiple) {
		return "every rank may call MPI, and " + s.Workload + " has no array shared in a group"
	}
	return ""
}
