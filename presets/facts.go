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
	Source string // where it is from; "derived from ...", "fitted to ...", "assumed: ..." or "unknown: ..."; empty: left out
}

// Kind is Sourced, Derived, Fitted, Assumed or Unknown.
func (f *Fact) Kind() string {
	kind, _ := split(f.Source)
	return kind
}

// Words are the source without the mark of its kind.
func (f *Fact) Words() string {
	_, words := split(f.Source)
	return words
}

// Tally counts a machine's facts by their kind.
type Tally struct{ Sourced, Derived, Fitted, Assumed, Unknown int }

// Count tallies a machine's facts.
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

// Sketch reports whether more than a third of the numbers are assumed: what a run
// on such a machine shows is its kind, not its size.
func (t Tally) Sketch() bool {
	return 3*t.Assumed > t.Sourced+t.Derived+t.Fitted+t.Assumed
}

// IsSketch reports whether the machine of a name is a sketch: one of the user's own, or
// one that Machine knows. One that is not known is none.
func IsSketch(name string, own []cluster.Machine) bool {
	for i := range own {
		if own[i].Name == name {
			return Count(&own[i]).Sketch()
		}
	}
	m, err := Machine(name)
	return err == nil && Count(&m).Sketch()
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
