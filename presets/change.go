package presets

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// A Change multiplies a number of a machine, or adds noise or a slow part.
type Change struct {
	Key    string // a key of a machine file, slow.NODE or slow.NODE.ADAPTER
	Factor float64
}

// String returns the change as KEY=FACTOR.
func (c Change) String() string { return c.Key + "=" + strconv.FormatFloat(c.Factor, 'g', -1, 64) }

// ParseChange reads KEY=FACTOR.
func ParseChange(s string) (Change, error) {
	key, text, ok := strings.Cut(s, "=")
	x, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil || !(x > 0) || math.IsInf(x, 0) {
		return Change{}, fmt.Errorf("change %.80q: want KEY=FACTOR with a factor above 0, such as remote.latency_s=2", s)
	}
	return Change{Key: key, Factor: x}, nil
}

// ParseChanges reads KEY=FACTOR,...
func ParseChanges(s string) ([]Change, error) {
	var all []Change
	for _, one := range strings.Split(s, ",") {
		if one == "" {
			continue
		}
		c, err := ParseChange(one)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// changedMark ends the name of a changed machine.
const changedMark = "-changed"

// Changed returns a copy of a machine with changes. Its name ends in -changed, and its title and the
// sources of its numbers name the changes. A change of noise sets the number to the factor.
func Changed(m *cluster.Machine, changes []Change) (cluster.Machine, error) {
	next := *m
	next.Source = map[string]string{}
	maps.Copy(next.Source, m.Source)
	var words []string
	for _, c := range changes {
		var err error
		if next, err = changeOne(next, c); err != nil {
			return cluster.Machine{}, err
		}
		words = append(words, c.String())
	}
	if (next.DetourRate > 0) != (next.DetourLength > 0) {
		return cluster.Machine{}, errors.New("detours have a rate and a length: want detour_rate_per_s and detour_length_s")
	}
	if len(changes) > 0 {
		next.Name += changedMark
		next.Title += " (changed: " + strings.Join(words, ", ") + ")"
	}
	return next, nil
}

func changeOne(m cluster.Machine, c Change) (cluster.Machine, error) {
	source := "assumed: set to " + strconv.FormatFloat(c.Factor, 'g', -1, 64) + " by a change"
	switch part, slow := strings.CutPrefix(c.Key, "slow."); {
	case slow:
		s, err := slowPart(&m, part, c.Factor)
		if err != nil {
			return m, fmt.Errorf("change %s: %w", c, err)
		}
		m.Slow = append(append([]cluster.Slow(nil), m.Slow...), s)
		m.Source["slow"] = source
	case isNoise(c.Key):
		f := &facts[slices.IndexFunc(facts, func(f fact) bool { return f.key == c.Key })]
		if !(c.Factor >= f.min && c.Factor <= f.max) {
			return m, fmt.Errorf("change %s: want %s, from %g to %g", c, f.unit, f.min, f.max)
		}
		switch p := f.field(&m).(type) {
		case *float64:
			*p = c.Factor
		case *cluster.Time:
			*p = cluster.FromSeconds(c.Factor)
		}
		m.Source[c.Key] = source
	default:
		next, err := Scaled(&m, c.Key, c.Factor)
		if err != nil {
			return m, err
		}
		next.Source[c.Key] = fmt.Sprintf("assumed: multiplied by %g; before: %s", c.Factor, m.Source[c.Key])
		m = next
	}
	return m, nil
}

// noises are the numbers that a change sets to its factor. Most machines have 0 there, so multiplying has no effect.
var noises = []string{"compute_noise", "link_noise", "detour_rate_per_s", "detour_length_s"}

func isNoise(key string) bool { return slices.Contains(noises, key) }

// slowPart reads NODE or NODE.ADAPTER.
func slowPart(m *cluster.Machine, part string, factor float64) (cluster.Slow, error) {
	node, adapter, hasAdapter := strings.Cut(part, ".")
	s := cluster.Slow{Adapter: -1, Factor: factor}
	var err error
	if s.Node, err = strconv.Atoi(node); err != nil || s.Node < 0 || m.Nodes > 0 && s.Node >= m.Nodes || s.Node > maxPart {
		return s, fmt.Errorf("node %.20q: want a node of the machine, from 0", node)
	}
	if hasAdapter {
		if s.Adapter, err = strconv.Atoi(adapter); err != nil || s.Adapter < 0 || s.Adapter >= max(1, m.Classes[cluster.Remote].Adapters) {
			return s, fmt.Errorf("adapter %.20q: want an adapter of the node, from 0", adapter)
		}
	}
	if !(factor >= 1 && factor <= maxFactor) {
		return s, fmt.Errorf("factor %g: want 1 to %g", factor, float64(maxFactor))
	}
	for _, o := range m.Slow {
		if o.Node == s.Node && o.Adapter == s.Adapter {
			return s, fmt.Errorf("this part is slow already (factor %g)", o.Factor)
		}
	}
	return s, nil
}

// Value returns the value of a number of a machine, with its unit, and whether the machine has it.
func Value(m *cluster.Machine, key string) (x float64, unit string, ok bool) {
	for i := range facts {
		if f := &facts[i]; f.key == key {
			v, is := f.get(m)
			x, number := v.(float64)
			return x, symbols[f.unit], is && number
		}
	}
	return 0, "", false
}
