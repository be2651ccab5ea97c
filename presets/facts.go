package presets

import (
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// Fact is one number or word of a machine file, with its key and source.
type Fact struct {
	Key   string
	Unit  string // s, B, B/s, flop/s, or empty
	Value any    // float64, []float64, string or bool; nil: unknown or omitted
	// "derived from ...", "fitted to ...", "assumed: ..." or "unknown: ..."; other texts: Sourced;
	// empty: omitted
	Source string
}

// Kind returns Sourced, Derived, Fitted, Assumed or Unknown.
func (f *Fact) Kind() string {
	kind, _ := split(f.Source)
	return kind
}

// Words returns the source without the prefix of its kind.
func (f *Fact) Words() string {
	_, words := split(f.Source)
	return words
}

// Tally is the number of a machine's facts of each kind.
type Tally struct{ Sourced, Derived, Fitted, Assumed, Unknown int }

// Count returns the number of a machine's facts of each kind.
func Count(m *cluster.Machine) Tally {
	var t Tally
	for i := range facts {
		f, there := facts[i].of(m)
		if !there {
			continue
		}
		switch f.Kind() {
		case Sourced:
			t.Sourced++
		case Derived:
			t.Derived++
		case Fitted:
			t.Fitted++
		case Assumed:
			t.Assumed++
		case Unknown:
			t.Unknown++
		}
	}
	return t
}

// Sketch reports whether more than a third of the numbers are assumed. Runs on such a machine show
// trends, but not exact sizes.
func (t Tally) Sketch() bool {
	return 3*t.Assumed > t.Sourced+t.Derived+t.Fitted+t.Assumed
}

// AssumedBySketch returns the keys of the assumed numbers of the machine with a name, if the machine is a
// sketch. It searches machines first, then the machines that Machine knows.
func AssumedBySketch(name string, machines []cluster.Machine) (keys []string) {
	i := slices.IndexFunc(machines, func(m cluster.Machine) bool { return m.Name == name })
	if i < 0 {
		m, err := Machine(name)
		if err != nil {
			return nil
		}
		machines, i = []cluster.Machine{m}, 0
	}
	if !Count(&machines[i]).Sketch() {
		return nil
	}
	for _, f := range Facts(&machines[i]) {
		if f.Kind() == Assumed {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

// Facts returns the facts of a machine's file, in order, without omitted ones.
func Facts(m *cluster.Machine) []Fact {
	var all []Fact
	for i := range facts {
		if f, there := facts[i].of(m); there {
			all = append(all, f)
		}
	}
	return all
}

// Pair returns the facts that at least one of two machines has.
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

// of returns the fact of a machine, and whether the machine's file contains it.
func (f *fact) of(m *cluster.Machine) (Fact, bool) {
	v, is := f.get(m)
	if parts, slow := v.([]cluster.Slow); slow {
		v = slowWords(parts)
	}
	source := m.Source[f.key]
	if !is && source == "" || strings.HasPrefix(source, prefixUnknown) {
		v = nil
	}
	return Fact{Key: f.key, Unit: symbols[f.unit], Value: v, Source: source}, is || source != ""
}
