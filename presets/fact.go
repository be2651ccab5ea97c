package presets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// fact is one number of a machine file.
type fact struct {
	key      string // unit at its end
	unit     string // in words, for errors
	min, max float64
	whole    bool
	open     bool // may be unknown
	cost     bool // a cost that only an emulated machine has
	set      func(m *cluster.Machine, v float64)
}

// facts is the table of numbers, in the order of Source listings. The bounds keep
// out what can only be a slip in the unit.
var facts = []fact{
	{key: "nodes", unit: "a whole number", min: 1, max: 1e7, whole: true, open: true,
		set: func(m *cluster.Machine, v float64) { m.Nodes = int(v) }},
	{key: "cores_per_node", unit: "a whole number", min: 1, max: 1e5, whole: true, open: true,
		set: func(m *cluster.Machine, v float64) { m.CoresPerNode = int(v) }},
	{key: "memory_per_node_bytes", unit: "whole bytes", min: 65536, max: 1e15, whole: true, open: true,
		set: func(m *cluster.Machine, v float64) { m.MemoryPerNode = int64(v) }},
	{key: "eager_limit_bytes", unit: "whole bytes", min: 0, max: 1e12, whole: true,
		set: func(m *cluster.Machine, v float64) { m.EagerLimit = int64(v) }},
	{key: "flops_per_core", unit: "floating-point operations per second", min: 1e3, max: 1e18, open: true, cost: true,
		set: func(m *cluster.Machine, v float64) { m.Flops = v }},
	{key: "memory_rate_per_core_bytes_per_s", unit: "bytes per second", min: 1e3, max: 1e18, open: true, cost: true,
		set: func(m *cluster.Machine, v float64) { m.MemoryRate = v }},
	latency("in_rank", cluster.InRank), bandwidth("in_rank", cluster.InRank),
	latency("in_node", cluster.InNode), bandwidth("in_node", cluster.InNode),
	latency("remote", cluster.Remote), bandwidth("remote", cluster.Remote),
	{key: "remote.adapters_per_node", unit: "a whole number", min: 1, max: 1024, whole: true, open: true, cost: true,
		set: func(m *cluster.Machine, v float64) { m.Classes[cluster.Remote].Adapters = int(v) }},
}

func latency(class string, c cluster.Class) fact {
	return fact{key: class + ".latency_s", unit: "seconds", min: 1e-12, max: 1, cost: true,
		set: func(m *cluster.Machine, v float64) { m.Classes[c].Latency = cluster.FromSeconds(v) }}
}

func bandwidth(class string, c cluster.Class) fact {
	return fact{key: class + ".bandwidth_bytes_per_s", unit: "bytes per second", min: 1e3, max: 1e18, open: true, cost: true,
		set: func(m *cluster.Machine, v float64) { m.Classes[c].Bandwidth = v }}
}

// words are the plain keys of a machine file.
var words = []string{"title", "emulated", "progress"}

// parts are the keys of a fact.
var parts = []string{"value", "source", "fitted", "unknown"}

// known reports whether a machine file has a dotted key.
func known(key string) bool {
	if slices.Contains(words, key) {
		return true
	}
	for _, f := range facts {
		if f.key == key || strings.HasPrefix(f.key, key+".") {
			return true
		}
		if part, ok := strings.CutPrefix(key, f.key+"."); ok {
			return slices.Contains(parts, part)
		}
	}
	return false
}

// mendUnknown says which key may have been meant: the one of the same name with
// another unit, or the list.
func mendUnknown(key string) string {
	for _, f := range facts {
		if strings.HasPrefix(key, f.key+".") {
			return "a number has value, and source or fitted; or unknown alone"
		}
		if strings.EqualFold(key, f.key) || stem(key) == stem(f.key) {
			return fmt.Sprintf("want %s, in %s", f.key, f.unit)
		}
	}
	all := slices.Clone(words)
	for _, f := range facts {
		all = append(all, f.key)
	}
	return "there are " + strings.Join(all, ", ")
}

// stem is a key without its unit: remote.latency of remote.latency_s.
func stem(key string) string {
	head, last := "", key
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		head, last = key[:i+1], key[i+1:]
	}
	for _, quantity := range []string{"latency", "bandwidth", "memory_per_node", "memory_rate_per_core", "eager_limit", "flops"} {
		if last == quantity || strings.HasPrefix(last, quantity+"_") {
			return head + quantity
		}
	}
	return key
}

// read takes one fact out of the document into the machine.
func (f *fact) read(d *document, m *cluster.Machine) error {
	v, ok := d.at(f.key)
	if f.cost && !m.Emulated {
		if ok {
			return d.fail(f.key, "would not be used: the machine is not emulated and takes the host's own time; leave it out, or set emulated = true")
		}
		return nil
	}
	if !ok {
		return d.fail(f.key, "missing; add [%s] with value (%s) and source, or fitted%s", f.key, f.unit, f.orUnknown())
	}
	table, ok := v.(map[string]any)
	if !ok {
		return d.fail(f.key, "want a table: [%s] with value (%s) and source, or fitted%s", f.key, f.unit, f.orUnknown())
	}
	why, unknown := table["unknown"]
	if unknown {
		if !f.open {
			return d.fail(f.key+".unknown", "this number is needed; give value (%s) and source or fitted", f.unit)
		}
		if len(table) > 1 {
			return d.fail(f.key+".unknown", "stands alone; leave out value, source and fitted, or leave out unknown")
		}
		return f.note(d, m, "unknown: ", f.key+".unknown", why)
	}
	number, err := f.number(d, table)
	if err != nil {
		return err
	}
	f.set(m, number)
	source, sourced := table["source"]
	to, fitted := table["fitted"]
	switch {
	case sourced && fitted:
		return d.fail(f.key, "has both source and fitted; keep the one that is true")
	case fitted:
		return f.note(d, m, "fitted to ", f.key+".fitted", to)
	case sourced:
		return f.note(d, m, "", f.key+".source", source)
	}
	return d.fail(f.key, `has no source; add source = "where the number comes from", or fitted = "to what"`)
}

func (f *fact) orUnknown() string {
	if f.open {
		return `, or with unknown = "why"`
	}
	return ""
}

// note files where a number comes from.
func (f *fact) note(d *document, m *cluster.Machine, kind, key string, v any) error {
	s, err := d.text(key, v)
	if err == nil {
		m.Source[f.key] = kind + s
	}
	return err
}

// number reads and bounds the value.
func (f *fact) number(d *document, table map[string]any) (float64, error) {
	key := f.key + ".value"
	v, ok := table["value"]
	if !ok {
		return 0, d.fail(f.key, "has no value; add value = a number in %s%s", f.unit, f.orUnknown())
	}
	var x float64
	switch v := v.(type) {
	case int64:
		x = float64(v)
	case float64:
		x = v
	default:
		return 0, d.fail(key, "want a number without a unit, in %s", f.unit)
	}
	if math.IsNaN(x) || x < f.min || x > f.max || f.whole && x != math.Trunc(x) {
		return 0, d.fail(key, "is %v; want %s, from %v to %v", x, f.unit, f.min, f.max)
	}
	return x, nil
}
