package presets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// The kinds of a fact, as returned by Kind.
const (
	Sourced = "sourced" // a named source has the number
	Derived = "derived" // follows from numbers that have a source
	Fitted  = "fitted"  // set so that a run meets a published point
	Assumed = "assumed" // no source was found
	Unknown = "unknown" // no number is known
)

// prefixes are the prefixes of the source text of a fact, by its kind. A sourced fact has none.
var prefixes = []struct{ kind, prefix string }{
	{Derived, "derived from "}, {Fitted, "fitted to "}, {Assumed, "assumed: "}, {Unknown, prefixUnknown},
}

const prefixUnknown = "unknown: "

// origins are the keys that can replace source.
func origins() []string { return []string{Derived, Fitted, Assumed} }

// split separates a source into its kind and its text.
func split(source string) (kind, words string) {
	for _, m := range prefixes {
		if words, ok := strings.CutPrefix(source, m.prefix); ok {
			return m.kind, words
		}
	}
	return Sourced, source
}

// read reads one fact of the document into the machine. costs reports whether the machine states
// costs: it is then emulated, simulated or both.
func (f *fact) read(d *document, m *cluster.Machine, costs bool) error {
	v, ok := d.at(f.key)
	need := f.need
	if need == leads {
		need = free
		if _, some := d.at(f.table()); some {
			need = needed
		}
	}
	if !ok {
		if need == free || f.cost && !costs {
			return nil
		}
		why := ""
		if f.cost && !m.Emulated {
			why = " (a machine that is not emulated has all costs, to be simulated, or none)"
		}
		return d.fail(f.key, "missing; add [%s] with value (%s) and source, derived, fitted or assumed%s%s", f.key, f.unit,
			orUnknown(need), why)
	}
	table, ok := v.(map[string]any)
	if !ok {
		return d.fail(f.key, "want a table: [%s] with value (%s) and source, derived, fitted or assumed%s", f.key, f.unit,
			orUnknown(need))
	}
	why, unknown := table["unknown"]
	if unknown {
		if need == needed {
			return d.fail(f.key+".unknown", "this number is needed; give value (%s) and source, derived, fitted or assumed",
				f.unit)
		}
		if len(table) > 1 {
			return d.fail(f.key+".unknown", "must be the only key; leave out value and source, derived, fitted or assumed, "+
				"or leave out unknown")
		}
		return f.note(d, m, prefixUnknown, f.key+".unknown", why)
	}
	value, ok := table["value"]
	if !ok {
		return d.fail(f.key, "has no value; add value = a number in %s%s", f.unit, orUnknown(need))
	}
	if err := f.set(d, m, value); err != nil {
		return err
	}
	words := any(nil)
	prefix := ""
	from := ""
	for _, o := range append([]string{"source"}, origins()...) {
		v, there := table[o]
		if !there {
			continue
		}
		if from != "" {
			return d.fail(f.key, "has both %s and %s; keep the one that is true", from, o)
		}
		words = v
		prefix = prefixOf(o)
		from = o
	}
	if from == "" {
		return d.fail(f.key,
			`has no source; add source = "where the number comes from", derived = "from what", fitted = "to what", or assumed = "why"`)
	}
	return f.note(d, m, prefix, f.key+"."+from, words)
}

// prefixOf returns the prefix of a kind. It is empty for Sourced.
func prefixOf(kind string) string {
	for _, m := range prefixes {
		if m.kind == kind {
			return m.prefix
		}
	}
	return ""
}

// table returns the key of the fact's table, or an empty string for a fact at the top level.
func (f *fact) table() string { return f.key[:max(strings.LastIndexByte(f.key, '.'), 0)] }

func orUnknown(n need) string {
	if n != needed {
		return `, or with unknown = "why"`
	}
	return ""
}

// note stores the source of a number in the machine.
func (f *fact) note(d *document, m *cluster.Machine, prefix, key string, v any) error {
	s, err := d.text(key, v)
	if err == nil {
		kind, _ := split(s)
		switch {
		case prefix == "" && kind != Sourced:
			err = d.fail(key, "reads as %s; use that key instead of source", kind)
		case prefix == prefixOf(Fitted) && strings.HasPrefix(s, "nothing "):
			err = d.fail(key, "is fitted to nothing; use the key assumed")
		}
	}
	if err == nil {
		m.Source[f.key] = prefix + s
	}
	return err
}

// set reads a value, checks its bounds, and stores it in the machine's field.
func (f *fact) set(d *document, m *cluster.Machine, v any) error {
	switch p := f.field(m).(type) {
	case *bool:
		b, ok := v.(bool)
		if !ok {
			return d.fail(f.key+".value", "want %s", f.unit)
		}
		*p = b
	case *cluster.Shape:
		s, ok := v.(string)
		if !ok || !slices.Contains(shapes, s) {
			return d.fail(f.key+".value", "want one of %s", f.unit)
		}
		*p = cluster.Shape(s)
	case *cluster.ThreadLevel:
		s, _ := v.(string)
		l, err := cluster.ParseThreadLevel(s)
		if err != nil {
			return d.fail(f.key+".value", "want one of %s", f.unit)
		}
		*p = l
	case *[]cluster.Slow:
		parts, err := readSlow(d, m, f.key+".value", v)
		if err != nil {
			return err
		}
		*p = parts
	case *[]int:
		xs, err := f.list(d, v, true)
		if err != nil {
			return err
		}
		for _, x := range xs {
			*p = append(*p, int(x))
		}
	case *[]float64:
		xs, err := f.list(d, v, false)
		if err != nil {
			return err
		}
		*p = xs
	case *int:
		x, err := f.number(d, v, true)
		if err != nil {
			return err
		}
		*p = int(x)
	case *int64:
		x, err := f.number(d, v, true)
		if err != nil {
			return err
		}
		*p = int64(x)
	case **cluster.Time:
		x, err := f.number(d, v, false)
		if err != nil {
			return err
		}
		t := cluster.FromSeconds(x)
		*p = &t
	case *cluster.Time:
		x, err := f.number(d, v, false)
		if err != nil {
			return err
		}
		*p = cluster.FromSeconds(x)
	case *float64:
		x, err := f.number(d, v, false)
		if err != nil {
			return err
		}
		*p = x
	}
	return nil
}

// maxList is the maximum length of a list: no network has that many levels.
const maxList = 16

func (f *fact) list(d *document, v any, whole bool) ([]float64, error) {
	all, ok := v.([]any)
	if !ok || len(all) == 0 || len(all) > maxList {
		return nil, d.fail(f.key+".value", "want %s in brackets, at most %d", f.unit, maxList)
	}
	var xs []float64
	for _, v := range all {
		x, err := f.number(d, v, whole)
		if err != nil {
			return nil, err
		}
		xs = append(xs, x)
	}
	return xs, nil
}

// number reads one number and checks its bounds.
func (f *fact) number(d *document, v any, whole bool) (float64, error) {
	var x float64
	switch v := v.(type) {
	case int64:
		x = float64(v)
	case float64:
		x = v
	default:
		return 0, d.fail(f.key+".value", "want a number without a unit, in %s", f.unit)
	}
	if math.IsNaN(x) || x < f.min || x > f.max || whole && x != math.Trunc(x) {
		return 0, d.fail(f.key+".value", "is %v; want %s, from %v to %v", x, f.unit, f.min, f.max)
	}
	return x, nil
}

// get returns the value in the key's unit and whether it is set. A number counts as unset if it is
// 0.
func (f *fact) get(m *cluster.Machine) (v any, is bool) {
	switch p := f.field(m).(type) {
	case *bool:
		return *p, *p
	case *cluster.Shape:
		return string(*p), *p != ""
	case *cluster.ThreadLevel:
		return p.String(), *p != cluster.ThreadUnset
	case *[]cluster.Slow:
		return slices.Clone(*p), len(*p) > 0
	case *[]int:
		xs := make([]float64, len(*p))
		for i, x := range *p {
			xs[i] = float64(x)
		}
		return xs, len(xs) > 0
	case *[]float64:
		return slices.Clone(*p), len(*p) > 0
	case *int:
		return float64(*p), *p != 0
	case *int64:
		return float64(*p), *p != 0
	case **cluster.Time:
		if *p == nil {
			return 0.0, false
		}
		return (*p).Seconds(), true
	case *cluster.Time:
		return p.Seconds(), *p != 0
	case *float64:
		return *p, *p != 0
	}
	panic(fmt.Sprintf("presets: %s has a field of type %T", f.key, f.field(m)))
}
