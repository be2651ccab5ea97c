package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// A Scenario selects a workload and a value for each knob of its table. It is plain data; Clone
// makes a copy.
type Scenario struct {
	Workload string
	Table    []Knob            // base knobs, then the workload's
	Values   map[string]string // canonical spelling, by knob
}

// NewScenario returns a scenario with every knob at its default.
func NewScenario(workload string, table []Knob) Scenario {
	s := Scenario{Workload: workload, Table: table, Values: make(map[string]string, len(table))}
	for _, k := range table {
		s.Values[k.Name] = k.Default
	}
	for _, k := range table {
		s.offer(k.Name)
	}
	return s
}

// offer updates the choices of all knobs that depend on the knob by. A value that is not among
// the new choices becomes the default.
func (s *Scenario) offer(by string) {
	copied := false
	for i := range s.Table {
		k := &s.Table[i]
		if k.By != by {
			continue
		}
		if !copied {
			s.Table, copied = slices.Clone(s.Table), true
			k = &s.Table[i]
		}
		k.Choices = nil
		for _, o := range k.Offers {
			if o.Value == s.Values[by] {
				k.Choices = o.Choices
			}
		}
		if v := s.Values[k.Name]; !k.IsNumber() && !slices.Contains(k.Choices, v) {
			s.Values[k.Name] = k.Default
		}
	}
}

// Offer adds a choice to a knob of this scenario. The tables of other scenarios stay the same.
func (s *Scenario) Offer(knob, choice string) {
	s.Table = slices.Clone(s.Table)
	for i := range s.Table {
		if k := &s.Table[i]; k.Name == knob && !slices.Contains(k.Choices, choice) {
			k.Choices = append(slices.Clone(k.Choices), choice)
		}
	}
}

// Add adds a knob to this scenario, after the knob fabric. The tables of other scenarios stay the same.
func (s *Scenario) Add(k Knob) {
	at := slices.IndexFunc(s.Table, func(k Knob) bool { return k.Name == "fabric" })
	s.Table = slices.Insert(slices.Clone(s.Table), at+1, k)
	s.Values[k.Name] = k.Default
}

// Common returns the knobs that do not belong to the workload: the base knobs, and processes if the scenario has it.
func (s *Scenario) Common() []Knob {
	if k, err := s.Knob(Processes); err == nil {
		return append(slices.Clone(Base), *k)
	}
	return Base
}

// Clone returns a copy with its own values.
func (s Scenario) Clone() Scenario {
	s.Values = maps.Clone(s.Values)
	return s
}

// Knob returns a knob of the table by its name or alias.
func (s *Scenario) Knob(name string) (*Knob, error) {
	for i := range s.Table {
		if k := &s.Table[i]; k.Name == name || k.Alias == name && name != "" {
			return k, nil
		}
	}
	names := make([]string, len(s.Table))
	for i := range s.Table {
		names[i] = s.Table[i].Name
	}
	return nil,
		fmt.Errorf("unknown knob %q of %s: want one of %s%s", name, s.Workload, strings.Join(names, ", "),
			DidYouMean(name, names))
}

// Set sets a knob to the canonical spelling of text.
func (s *Scenario) Set(name, text string) error {
	k, err := s.Knob(name)
	if err != nil {
		return err
	}
	if k.Type == Places && text == formerRows {
		return nil
	}
	v, err := k.Parse(text)
	if err != nil {
		return err
	}
	name = k.Name
	s.Values[name] = v
	s.offer(name)
	return nil
}

// formerRows is the default of placing, now an alias of ranking: it left the ranking as it was.
const formerRows = "rows"

// Names returns the names of values in the order to set them: sorted, but aliases last. Files of older
// versions may have a knob that is now an alias of another one. Without a launcher, the knob processes is left out.
func (s *Scenario) Names(values map[string]string) []string {
	isAlias := func(name string) int {
		if k, err := s.Knob(name); err == nil && k.Name != name {
			return 1
		}
		return 0
	}
	names := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(isAlias(a)-isAlias(b), cmp.Compare(a, b))
	})
	if _, ok := s.Values[Processes]; !ok {
		names = slices.DeleteFunc(names, func(name string) bool { return name == Processes })
	}
	return names
}

// Text returns the value of a knob. It panics if the knob is not in the table.
func (s *Scenario) Text(name string) string {
	v, ok := s.Values[name]
	if !ok {
		panic("engine: workload " + s.Workload + " has no knob " + name)
	}
	return v
}

// Int returns the value of a numeric knob, or −1 for a word (auto, machine).
func (s *Scenario) Int(name string) int64 {
	n, err := strconv.ParseInt(s.Text(name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// Float returns the value of a numeric knob, or 0 for a word (auto, max).
func (s *Scenario) Float(name string) float64 {
	x, _ := strconv.ParseFloat(s.Text(name), 64)
	return x
}

// Layout returns the layout that the knobs describe.
func (s *Scenario) Layout() cluster.Layout {
	_, ranking := splitRanking(s.Text("ranking"))
	return cluster.Layout{
		Nodes:          int(s.Int("nodes")),
		RanksPerNode:   int(s.Int("ranks-per-node")),
		ThreadsPerRank: int(s.Int("threads-per-rank")),
		Ranking:        ranking,
		Model:          cluster.Model(s.Text("model")),
		Group:          int(s.Int("group")),
		WorldSeed:      uint64(s.Int("world-seed")),
	}
}

// Threading returns the thread level that the program requests.
func (s *Scenario) Threading() cluster.ThreadLevel {
	l, _ := cluster.ParseThreadLevel(s.Text("threading")) // the choices of the knob are valid levels
	return l
}

// MarshalJSON writes {"workload": …, "knobs": {name: number or text}}.
func (s Scenario) MarshalJSON() ([]byte, error) {
	knobs := make(map[string]any, len(s.Values))
	for _, k := range s.Table {
		v := s.Values[k.Name]
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			knobs[k.Name] = n
		} else if x, err := strconv.ParseFloat(v, 64); err == nil && k.Type == Real {
			knobs[k.Name] = x
		} else {
			knobs[k.Name] = v
		}
	}
	return json.Marshal(struct {
		Workload string         `json:"workload"`
		Knobs    map[string]any `json:"knobs"`
	}{s.Workload, knobs})
}
