package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/models"
)

// variants are two settings of a workload that run in alternating rounds.
type variants struct {
	names     [2]string
	scenarios [2]engine.Scenario
	sameWork  bool // the iterations of both do the same work
}

// variantsOf returns the two combinations of the axes' values.
func variantsOf(sc engine.Scenario, axes []session.Axis) (*variants, error) {
	n := 1
	for _, a := range axes {
		n *= len(a.Values)
	}
	if len(axes) == 0 || n != 2 {
		return nil, fmt.Errorf("compare %s: want two variants, got %d (give one knob two values, such as --group 4,16)",
			sc.Workload, n)
	}
	v := &variants{sameWork: true}
	for i := range v.scenarios {
		v.scenarios[i] = sc.Clone()
		row := session.Row{}
		for _, a := range axes {
			value := a.Values[min(i, len(a.Values)-1)]
			if err := v.scenarios[i].Set(a.Knob, value); err != nil {
				return nil, err
			}
			row.Knobs = append(row.Knobs, session.Setting{Knob: a.Knob, Value: v.scenarios[i].Text(a.Knob)})
			if k, err := sc.Knob(a.Knob); err == nil && k.Role == engine.Problem && len(a.Values) > 1 {
				v.sameWork = false
			}
		}
		v.names[i] = row.Name()
	}
	return v, nil
}

// round is one run of each variant.
type round struct {
	value    [2]engine.Metric // headline results; NaN: none
	dilation [2]float64
	late     bool
}

// compare runs the variants in alternating rounds: A B, B A, A B, ... A drift of the host then changes both.
// A simulation is exact, and runs once.
func (v *variants) compare(ctx context.Context, o session.Options, rounds int, progress io.Writer) ([]round, error) {
	line := newLine(progress)
	var all []round
	for n := range rounds {
		var r round
		for k := range 2 {
			i := (n + k) % 2
			if line != nil {
				line.show(fmt.Sprintf("round %d of %d: %s", n+1, rounds, v.names[i]))
			}
			rows, err := session.RunRows(ctx, []session.Row{{}}, []engine.Scenario{v.scenarios[i]}, o, nil)
			if err != nil {
				return all, err
			}
			s := rows[0].Snapshot
			switch {
			case s.Failure != "":
				return all, fmt.Errorf("%s: %s", v.names[i], s.Failure)
			case !verified(s):
				return all, fmt.Errorf("%s: %s", v.names[i], unverified(s))
			}
			r.late = r.late || s.Late()
			m, ok := session.Headline(s)
			if !ok {
				m.Value = math.NaN()
			}
			r.value[i], r.dilation[i] = m, s.Dilation
		}
		all = append(all, r)
		if r.value[0].Kind == engine.Simulated && r.value[1].Kind == engine.Simulated {
			break
		}
	}
	if line != nil {
		line.show("")
	}
	return all, nil
}

// conclude returns the rounds as a list, with the conclusion.
func (v *variants) conclude(rounds []round, out *format) *listing {
	l := &listing{what: "rounds", columns: []string{"round", "metric", "a", "b", "ratio", "kind", "note"}}
	var x, y []float64
	late := 0
	for n := range rounds {
		r := &rounds[n]
		a, b := &r.value[0], &r.value[1]
		note := any(nil)
		if r.late {
			note = "the host fell behind: not counted"
			late++
		} else {
			x, y = append(x, a.Value), append(y, b.Value)
		}
		e := entry{{"round", n + 1}, {"metric", a.Name}}
		if out.json || out.csv {
			e = append(e, field{"a", engine.Finite(a.Value)}, field{"b", engine.Finite(b.Value)}, field{"unit", a.Unit},
				field{"ratio", engine.Finite(b.Value / a.Value)})
		} else {
			e = append(e, field{"a", text(*a)}, field{"b", text(*b)}, field{"ratio", fmt.Sprintf("%.4g×", b.Value/a.Value)})
		}
		l.entries = append(l.entries, append(e, field{"kind", string(a.Kind)}, field{"note", note}))
	}
	l.conclusion = v.verdict(rounds, x, y, late)
	return l
}

// verdict returns the conclusion from the values of the rounds that count.
func (v *variants) verdict(rounds []round, x, y []float64, late int) *conclusion {
	a, b := rounds[0].value[0], rounds[0].value[1]
	switch {
	case a.Kind != b.Kind || a.Name != b.Name:
		return concludeNothing(fmt.Sprintf("A has %s numbers of %s, B %s numbers of %s", a.Kind, a.Name, b.Kind, b.Name))
	case len(x) == 0:
		return concludeNothing("the host fell behind in every round (use a larger dilation, or simulate: --fabric sim)")
	}
	exact := a.Kind == engine.Simulated
	r := models.PairedRatio(x, y)
	a.Value, b.Value = mean(x), mean(y)
	how := fmt.Sprintf("in %d alternating rounds (%s)", len(x), a.Kind)
	if late > 0 {
		how += fmt.Sprintf(", %d more not counted", late)
	}
	if exact {
		r.Value = b.Value / a.Value
	}
	c := concludeRatio(a, b, r, exact, how)
	c.Text += fmt.Sprintf(". A: %s. B: %s.", v.names[0], v.names[1])
	if !v.sameWork {
		c.Text += " Their iterations do different work."
	}
	return c
}
