package tuner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/internal/atomicfile"
	"github.com/hybridtop/hybridtop/internal/inputfile"
	"github.com/hybridtop/hybridtop/internal/tomlkeys"
)

// File is a table with the fabric and machine that it was tuned on.
type File struct {
	Fabric  string // "sim", "live"; for imported rules the library
	Machine string
	Table   *coll.Table
}

const tableSchema = "hybridtop.table.v1"

// Limits of a table's file.
const (
	maxFile  = 32 << 20
	maxDepth = 8   // nesting of brackets
	maxOther = 100 // keys that are not a table's
)

// Write writes the file as TOML, with one block per rule.
func (f *File) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Algorithms of collectives: for each team, the rule with the largest size up to the call's "+
		"applies.\n")
	fmt.Fprintf(&b, "schema = %q\nfabric = %q\nmachine = %q\n", tableSchema, f.Fabric, f.Machine)
	for _, r := range f.Table.Rules() {
		fmt.Fprintf(&b, "\n[[rule]]\ncollective = %q\nranks = %d\nranks_per_node = %d\nbytes = %d\n", r.Collective, r.Ranks,
			r.PerNode, r.Bytes)
		for _, x := range requirements {
			if n := x.get(&r.Modes); n != 0 {
				fmt.Fprintf(&b, "%s = %q\n", x.name, x.words()[n])
			}
		}
		if r.Time > 0 {
			fmt.Fprintf(&b, "time_ps = %d\n", int64(r.Time))
		}
		b.WriteString("choices = [\n")
		for _, c := range r.Choices {
			fmt.Fprintf(&b, "  { algorithm = %q", c.Algorithm.Name)
			for _, p := range parameters {
				if x := p.get(&c); x != p.omitted {
					if p.words != nil {
						fmt.Fprintf(&b, ", %s = %q", p.name, p.words()[x])
					} else {
						fmt.Fprintf(&b, ", %s = %d", p.name, x)
					}
				}
			}
			b.WriteString(" },\n")
		}
		b.WriteString("]\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// parameter describes a parameter of a choice in files.
type parameter struct {
	name    string
	omitted int             // value that files omit
	words   func() []string // names by value; nil: a number
	get     func(*coll.Choice) int
	set     func(*coll.Choice, int)
}

var parameters = []parameter{
	{name: "radix", get: func(c *coll.Choice) int { return c.Radix }, set: func(c *coll.Choice, x int) { c.Radix = x }},
	{name: "segments", omitted: 1, get: func(c *coll.Choice) int { return max(c.Segments, 1) },
		set: func(c *coll.Choice, x int) { c.Segments = x }},
	{name: "transfer", words: coll.Transfers, get: func(c *coll.Choice) int { return int(c.Transfer) },
		set: func(c *coll.Choice, x int) { c.Transfer = coll.Transfer(x) }},
}

// requirements describes the requirements of the program in rules.
var requirements = []struct {
	name  string
	words func() []string
	get   func(*coll.Modes) int
	set   func(*coll.Modes, int)
}{
	{"addresses", coll.Addresses, func(m *coll.Modes) int { return int(m.Address) }, func(m *coll.Modes, x int) {
		m.Address = coll.Address(x)
	}},
	{"sync_in", coll.Syncs, func(m *coll.Modes) int { return int(m.In) }, func(m *coll.Modes, x int) {
		m.In = coll.Sync(x)
	}},
	{"sync_out", coll.Syncs, func(m *coll.Modes) int { return int(m.Out) }, func(m *coll.Modes, x int) {
		m.Out = coll.Sync(x)
	}},
}

// Save writes the file atomically.
func (f *File) Save(ctx context.Context, name string) error {
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		return err
	}
	return atomicfile.Write(ctx, name, b.Bytes())
}

// Load reads a table's file.
func Load(name string) (*File, error) {
	data, err := inputfile.Read(name, maxFile)
	if err != nil {
		return nil, err
	}
	f, err := Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Use loads a table's file for algorithm = tuned.
func Use(name string) error {
	f, err := Load(name)
	if err != nil {
		return err
	}
	kind := engine.Measured
	if f.Fabric == engine.Sim {
		kind = engine.Simulated
	}
	algorithm.Use(&algorithm.Tuned{Table: f.Table, Machine: f.Machine, Kind: kind})
	return nil
}

// Read decodes a table's file. Unknown keys are errors.
func Read(data []byte) (*File, error) {
	if nesting(data) > maxDepth {
		return nil, fmt.Errorf("brackets nested more than %d deep: a table needs 3", maxDepth)
	}
	if line := tomlkeys.Excess(data, maxOther, tableKeys); line > 0 {
		return nil, fmt.Errorf("line %d: more than %d unknown keys: not a table of algorithms (hybridtop tune writes one)",
			line, maxOther)
	}
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		where := ""
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			where = fmt.Sprintf("line %d, column %d: ", row, column)
		}
		return nil, fmt.Errorf("%s%s", where, strconv.QuoteToASCII(strings.TrimPrefix(err.Error(), "toml: ")))
	}
	head := &fields{where: "", tree: tree}
	schema := head.text("schema")
	f := &File{Fabric: head.text("fabric"), Machine: head.text("machine")}
	blocks := head.list("rule")
	if err := head.end(); err != nil {
		return nil, err
	}
	if schema != tableSchema {
		return nil, fmt.Errorf("schema %.40q, want %q", schema, tableSchema)
	}
	var rules []coll.Rule
	for i, block := range blocks {
		r, err := readRule(&fields{where: fmt.Sprintf("rule %d: ", i+1), tree: block})
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, errors.New("the table has no rules")
	}
	var err error
	f.Table, err = coll.NewTable(rules)
	return f, err
}

// tableKeys are the keys of a table's file.
var tableKeys = func() map[string]bool {
	all := map[string]bool{}
	for _, key := range []string{"schema", "fabric", "machine", "rule", "collective", "ranks", "ranks_per_node", "bytes",
		"time_ps", "choices", "algorithm"} {
		all[key] = true
	}
	for _, p := range parameters {
		all[p.name] = true
	}
	for _, x := range requirements {
		all[x.name] = true
	}
	return all
}()

// nesting returns the maximum nesting of brackets.
func nesting(data []byte) int {
	level, deepest := 0, 0
	for _, c := range data {
		switch c {
		case '[', '{':
			level++
			deepest = max(deepest, level)
		case ']', '}':
			level--
		}
	}
	return deepest
}

func readRule(f *fields) (coll.Rule, error) {
	var r coll.Rule
	name := f.text("collective")
	r.Ranks = int32(f.number("ranks", 1, coll.MaxRanks, 0))
	r.PerNode = int32(f.number("ranks_per_node", 1, coll.MaxRanks, 1))
	r.Bytes = f.number("bytes", 0, math.MaxInt64, 0)
	r.Time = cluster.Time(f.number("time_ps", 0, math.MaxInt64, 0))
	for _, x := range requirements {
		if f.has(x.name) {
			x.set(&r.Modes, f.word(x.name, x.words()))
		}
	}
	choices := f.list("choices")
	if err := f.end(); err != nil {
		return r, err
	}
	var err error
	r.Collective, err = coll.CollectiveOf(name)
	if err != nil {
		return r, fmt.Errorf("%s%w", f.where, err)
	}
	for i, tree := range choices {
		x := &fields{where: fmt.Sprintf("%schoice %d: ", f.where, i+1), tree: tree}
		c := coll.Choice{}
		algorithm := x.text("algorithm")
		for _, p := range parameters {
			if p.words != nil {
				if x.has(p.name) {
					p.set(&c, x.word(p.name, p.words()))
				}
				continue
			}
			p.set(&c, int(x.number(p.name, 0, math.MaxInt32, int64(p.omitted))))
		}
		if err := x.end(); err != nil {
			return r, err
		}
		c.Algorithm, err = coll.Find(r.Collective, algorithm)
		if err != nil {
			return r, fmt.Errorf("%s%w", x.where, err)
		}
		r.Choices = append(r.Choices, c)
	}
	return r, nil
}

// fields reads the keys of a table one by one. Its error is the first invalid or unknown key.
type fields struct {
	where string
	tree  map[string]any
	err   error
}

func (f *fields) take(key string) (any, bool) {
	v, ok := f.tree[key]
	delete(f.tree, key)
	return v, ok
}

func (f *fields) has(key string) bool { _, ok := f.tree[key]; return ok }

func (f *fields) reject(key, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s%s: want %s", f.where, key, want)
	}
}

func (f *fields) text(key string) string {
	v, _ := f.take(key)
	s, ok := v.(string)
	if !ok || len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		f.reject(key, "a word")
	}
	return s
}

func (f *fields) word(key string, words []string) int {
	v, _ := f.take(key)
	s, _ := v.(string)
	i := slices.Index(words, s)
	if i < 0 {
		f.reject(key, "one of "+strings.Join(words, ", "))
		return 0
	}
	return i
}

// number reads an integer. If the key is missing, it returns fallback, which is an error if it is
// less than minimum.
func (f *fields) number(key string, minimum, maximum, fallback int64) int64 {
	v, ok := f.take(key)
	if !ok {
		if fallback < minimum {
			f.reject(key, "a number")
		}
		return fallback
	}
	n, ok := v.(int64)
	if !ok || n < minimum || n > maximum {
		f.reject(key, fmt.Sprintf("a whole number from %d to %d", minimum, maximum))
		return fallback
	}
	return n
}

func (f *fields) list(key string) []map[string]any {
	v, _ := f.take(key)
	all, ok := v.([]any)
	if !ok || len(all) == 0 {
		f.reject(key, "a list of tables")
		return nil
	}
	var trees []map[string]any
	for _, x := range all {
		tree, ok := x.(map[string]any)
		if !ok {
			f.reject(key, "a list of tables")
			return nil
		}
		trees = append(trees, tree)
	}
	return trees
}

func (f *fields) end() error {
	if f.err == nil && len(f.tree) > 0 {
		f.err = fmt.Errorf("%sunknown key %q", f.where, slices.Min(slices.Collect(maps.Keys(f.tree))))
	}
	return f.err
}
