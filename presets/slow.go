package presets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// The value of [slow] is a list of tables. Each has node, the slow part (adapter = its number, or
// processors = true), and factor: how many times slower it is.

// Limits of the list.
const (
	maxSlow   = 256
	maxFactor = 1e6
	maxPart   = 1e7
)

// slowForm shows the form of an entry.
const slowForm = "{ node = 3, adapter = 0, factor = 2 } or { node = 3, processors = true, factor = 2 }"

// readSlow reads the parts that are slower than others of their kind. The machine's nodes and
// adapters must already be set.
func readSlow(d *document, m *cluster.Machine, key string, v any) ([]cluster.Slow, error) {
	all, ok := v.([]any)
	if !ok || len(all) == 0 || len(all) > maxSlow {
		return nil, d.fail(key, "want a list in brackets, at most %d, of %s", maxSlow, slowForm)
	}
	var out []cluster.Slow
	for i, v := range all {
		at := fmt.Sprintf("%s[%d]", key, i)
		s, err := readSlowPart(d, m, at, v)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o cluster.Slow) bool { return o.Node == s.Node && o.Adapter == s.Adapter }) {
			return nil, d.fail(at, "the list has this part twice; state it once")
		}
		out = append(out, s)
	}
	return out, nil
}

func readSlowPart(d *document, m *cluster.Machine, at string, v any) (cluster.Slow, error) {
	none := cluster.Slow{}
	table, ok := v.(map[string]any)
	if !ok {
		return none, d.fail(at, "want %s", slowForm)
	}
	for part := range table {
		if !slices.Contains([]string{"node", "adapter", "processors", "factor"}, part) {
			return none, d.fail(at+"."+shorten(bareKey([]byte(part))), "unknown key; want %s", slowForm)
		}
	}
	number := func(part string, count int, of string) (int, error) {
		n, ok := table[part].(int64)
		if !ok || n < 0 || n > maxPart {
			return 0, d.fail(at+"."+part, "want the number of the %s, from 0 to %v", part, float64(maxPart))
		}
		if count > 0 && n >= int64(count) {
			return 0, d.fail(at+"."+part, "is %d; %s has %d, numbered from 0 on", n, of, count)
		}
		return int(n), nil
	}
	s := cluster.Slow{Adapter: -1}
	var err error
	s.Node, err = number("node", m.Nodes, "the machine")
	if err != nil {
		return none, err
	}
	_, hasAdapter := table["adapter"]
	processors, hasProcessors := table["processors"]
	switch {
	case hasAdapter == hasProcessors:
		return none, d.fail(at, "want either adapter = its number, or processors = true")
	case hasAdapter:
		s.Adapter, err = number("adapter", m.Classes[cluster.Remote].Adapters, "a node")
		if err != nil {
			return none, err
		}
	case processors != true:
		return none, d.fail(at+".processors", "want true; leave the part out if they are not slow")
	}
	switch x := table["factor"].(type) {
	case int64:
		s.Factor = float64(x)
	case float64:
		s.Factor = x
	}
	if !(s.Factor >= 1 && s.Factor <= maxFactor) {
		return none, d.fail(at+".factor", "want how many times slower, from 1 to %v", float64(maxFactor))
	}
	return s, nil
}

// slowLiteral returns the list in TOML.
func slowLiteral(all []cluster.Slow) string {
	var parts []string
	for _, s := range all {
		what := "processors = true"
		if s.Adapter >= 0 {
			what = "adapter = " + strconv.Itoa(s.Adapter)
		}
		parts = append(parts, fmt.Sprintf("{ node = %d, %s, factor = %s }", s.Node, what, literal(s.Factor)))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// slowWords returns the list in words.
func slowWords(all []cluster.Slow) string {
	var parts []string
	for _, s := range all {
		what := "processors"
		if s.Adapter >= 0 {
			what = "adapter " + strconv.Itoa(s.Adapter)
		}
		parts = append(parts, fmt.Sprintf("node %d, %s: %v times", s.Node, what, s.Factor))
	}
	return strings.Join(parts, "; ")
}
