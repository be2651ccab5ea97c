package presets

import (
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Fact is what a machine says about one key of its file.
type Fact struct {
	Key    string
	Unit   string // s, B, B/s, flop/s, or empty
	Value  any    // float64, []float64, string or bool; nil: unknown, or left out
	Source string // where it is from, "fitted to ..." or "unknown: ..."; empty: left out
}

// Kind is sourced, fitted or unknown.
func (f *Fact) Kind() string {
	switch {
	case strings.HasPrefix(f.Source, markFitted):
		return "fitted"
	case strings.HasPrefix(f.Source, markUnknown):
		return "unknown"
	}
	return "sourced"
}

// Facts lists what a machine's file says, in order. What it leaves out is not
// among them.
func Facts(m *cluster.Machine) []Fact {
	var all []Fact
	for i := range facts {
		if f, there := facts[i].of(m); there {
			all = append(all, f)
		}
	}
	return all
}

// Pair lists the facts that at least one of two machines has.
func Pair(a, b *cluster.Machine) [][2]Fact {
	var all [][2]Fact
	for i := range facts {
		fa, inA := facts[i].of(a)
		fb, inB := facts[i].of(b)
		if inA || inB {
			all = append(all, [2]Fact{fa, fb})
		}
	}
	return all
}

// of gives the fact of a machine, and whether the machine says something about it.
func (f *fact) of(m *cluster.Machine) (Fact, bool) {
	v, is := f.get(m)
	if parts, slow := v.([]cluster.Slow); slow {
		v = slowWords(parts)
	}
	source := m.Source[f.key]
	if !is && source == "" || strings.HasPrefix(source, markUnknown) {
		v = nil
	}
	return Fact{Key: f.key, Unit: symbols[f.unit], Value: v, Source: source}, is || source != ""
}
