package advise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Names of knobs that are varied by default, if the workload has them.
const (
	knobRanks    = "ranks-per-node"
	knobThreads  = "threads-per-rank"
	knobCores    = "cores"
	knobReserved = "reserved"
)

// variants are the knobs of programs for the form of their communication.
var variants = []string{"variant", "exchange", "schedule"}

// tuned are the choices of a collective algorithm that advice leaves out. Each stands for another algorithm,
// tries several in its iterations, or needs a table or a composition.
var tuned = append(algorithm.Libraries(), algorithm.ByModel, algorithm.Online, algorithm.ByTable, algorithm.Composed)

// Axes returns the knobs that may change, with their values, the most important ones first. Without
// names, these are the knobs that keep the problem: the variant, threading, reserved threads, threads ×
// ranks, model, group and algorithm. The values include the scenario's own. The algorithm of a short call
// that is not the program's main communication, such as the reduction of a residual, is a late axis.
func Axes(sc *engine.Scenario, names []string, o session.Options) (all, late []session.Axis, err error) {
	w, err := workload.Find(sc.Workload)
	if err != nil {
		return nil, nil, err
	}
	add := func(name string, values []string) {
		is := func(a session.Axis) bool { return a.Knob == name }
		if values = withOwn(sc, name, values); len(values) > 1 && !slices.ContainsFunc(all, is) {
			all = append(all, session.Axis{Knob: name, Values: values})
		}
	}
	if len(names) > 0 {
		for _, name := range names {
			k, err := sc.Knob(name)
			if err != nil {
				return nil, nil, err
			}
			if add(k.Name, valuesOf(sc, k)); len(withOwn(sc, k.Name, valuesOf(sc, k))) < 2 {
				return nil, nil, fmt.Errorf("%s: no values to try (name them: --%s A,B)", k.Name, k.Name)
			}
		}
		return all, nil, nil
	}
	own := func(name string) bool {
		return slices.ContainsFunc(w.Knobs, func(k engine.Knob) bool { return k.Name == name })
	}
	choices := func(name string) {
		if k, err := sc.Knob(name); err == nil {
			add(name, valuesOf(sc, k))
		}
	}
	if at := slices.IndexFunc(variants, own); at >= 0 {
		choices(variants[at])
	} else if k, err := sc.Knob(w.First); err == nil && own(w.First) && k.Role == engine.Scheme {
		choices(w.First)
	}
	if !w.Serial && !w.Masteronly {
		choices("threading")
		choices(knobReserved)
	}
	a, err := shareCores(sc, w, o)
	if err != nil {
		return nil, nil, err
	}
	if len(a.Values) > 1 {
		all = append(all, a)
	}
	if w.Defaults["model"] != string(cluster.Flat) { // other programs use no UPC memory
		layout := sc.Layout()
		choices("model")
		add("group", powers(layout.Ranks()))
	}
	before := len(all)
	choices("algorithm")
	if k, err := sc.Knob("algorithm"); err == nil && k.Default != algorithm.ByModel && before > 0 {
		return all[:before], all[before:], nil
	}
	return all, nil, nil
}

// valuesOf returns the choices of a knob.
func valuesOf(sc *engine.Scenario, k *engine.Knob) []string {
	return slices.DeleteFunc(slices.Clone(k.Choices), func(v string) bool {
		return k.Name == "algorithm" && slices.Contains(tuned, v) && v != sc.Text(k.Name)
	})
}

// withOwn adds the scenario's own value of a knob to a list.
func withOwn(sc *engine.Scenario, name string, values []string) []string {
	if own := sc.Text(name); !slices.Contains(values, own) {
		values = append([]string{own}, values...)
	}
	return values
}

// shareCores returns the ways to use the cores of a node: ranks × threads, or ranks whose kernels share
// the cores. The axis has no values if the workload cannot keep its problem.
func shareCores(sc *engine.Scenario, w *workload.Workload, o session.Options) (session.Axis, error) {
	ranks := int(sc.Int(knobRanks))
	if k, err := sc.Knob(knobCores); err == nil && sc.Text(knobCores) == k.Default {
		m, err := explain.MachineOf(sc, o.Machines)
		if err != nil {
			return session.Axis{}, err
		}
		return session.Axis{Knob: knobRanks, Values: withOwn(sc, knobRanks, powers(m.CoresPerNode))}, nil
	}
	if w.Serial || len(w.PerRank) == 0 {
		return session.Axis{}, nil
	}
	a := session.Axis{Knob: strings.Join(append([]string{knobRanks, knobThreads}, w.PerRank...), ",")}
	cores := ranks * int(sc.Int(knobThreads))
	for r := 1; r <= cores; r++ {
		value := strconv.Itoa(r) + "x" + strconv.Itoa(cores/r)
		keeps := cores%r == 0
		for _, name := range w.PerRank {
			n := int(sc.Int(name)) * ranks
			keeps = keeps && n > 0 && n%r == 0
			value += "x" + strconv.Itoa(n/r)
		}
		if keeps {
			a.Values = append(a.Values, value)
		}
	}
	return a, nil
}

// powers returns the powers of two up to n, and n.
func powers(n int) []string {
	var all []string
	for x := 1; x < n; x *= 2 {
		all = append(all, strconv.Itoa(x))
	}
	if n > 0 {
		all = append(all, strconv.Itoa(n))
	}
	return all
}

// candidates returns the combinations of the axes' values. A knob without effect keeps the scenario's
// own value, and equal combinations appear once. The scenario itself is the first one.
func candidates(sc engine.Scenario, axes []session.Axis) ([]*Candidate, error) {
	rows, scenarios, err := session.Combinations(sc, axes)
	if err != nil {
		return nil, err
	}
	own := &Candidate{Scenario: sc.Clone(), Own: true}
	all := []*Candidate{own}
	seen := map[string]bool{keyOf(&sc): true}
	for i := range rows {
		next := scenarios[i]
		for _, k := range rows[i].Knobs {
			if workload.Idle(&next, engine.Simulated, k.Knob) != "" {
				if err := next.Set(k.Knob, sc.Text(k.Knob)); err != nil {
					return nil, err
				}
			}
		}
		if key := keyOf(&next); !seen[key] {
			seen[key] = true
			all = append(all, &Candidate{Scenario: next})
		}
	}
	for _, c := range all {
		c.name(axes)
	}
	return all, nil
}

// keyOf returns a text that differs for scenarios with different values.
func keyOf(sc *engine.Scenario) string {
	var b strings.Builder
	for i := range sc.Table {
		b.WriteString(sc.Values[sc.Table[i].Name] + "\n")
	}
	return b.String()
}
