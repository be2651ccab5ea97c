package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Idle returns the reason why changing a knob has no effect with the other knobs as they are. It
// returns "" if the knob has an effect or its value may be refused. kind is the kind of numbers
// that a run of the scenario has.
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
	case engine.Processes:
		if !is("fabric", engine.MPI) {
			return "only fabric mpi has processes"
		}
	case "progress":
		if is("nodes", "1") && is("ranks-per-node", "1") && is("threads-per-rank", "1") && s.Values[Cores.Name] == "" {
			return "one rank has no messages"
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
			if w.Masteronly && knob != "threads-per-rank" && is("threads-per-rank", "1") {
				return "each rank has one thread: use more threads per rank"
			}
		case "seed":
			if w.Steady {
				return w.Name + " uses no random numbers"
			}
		}
		if l := s.Layout(); w.Idle != nil && l.Validate() == nil {
			return w.Idle(s, kind, knob)
		}
	}
	return ""
}

// First returns the knob that a workload's explanation begins with. If that knob has no effect, it
// returns the first of the workload's own knobs that has one. It returns "" if the workload is
// unknown.
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

// Question returns the question that a scenario answers: the knob that its explanation begins with, and
// what a change of it shows. It returns "" if that knob has no effect.
func Question(s *engine.Scenario, kind engine.Kind) string {
	for _, w := range registry {
		if w.Name != s.Workload || w.Question == "" || First(s, kind) != w.First {
			continue
		}
		if k, err := s.Knob(w.First); err == nil {
			return "Turn " + k.Label + ": " + w.Question
		}
	}
	return ""
}

// Alike returns the reason why a change of a knob alone may leave a workload's time as it is, or "".
func Alike(name, knob string) string {
	for _, w := range registry {
		if w.Name == name {
			return w.Alike[knob]
		}
	}
	return ""
}

// Panes returns the panes that a workload prefers, or nil if it has no preference.
func Panes(name string) []string {
	for _, w := range registry {
		if w.Name == name {
			return w.Panes
		}
	}
	return nil
}

// GroupIdle returns the reason why the knob group has no effect, or "". It is for programs without
// shared arrays: with nested-multiple, groups change nothing for them.
func GroupIdle(s *engine.Scenario, knob string) string {
	if knob == "group" && s.Values["model"] == string(cluster.NestedMultiple) {
		return "every rank may call MPI, and " + s.Workload + " has no array shared in a group"
	}
	return ""
}
