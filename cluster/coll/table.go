package coll

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// Rule is one entry of a table: a team, a minimum size, and its choices, best first.
type Rule struct {
	Tuple   // Lacks is 0
	Choices []Choice
	Time    cluster.Time // time of the first choice; 0: unknown
}

// MaxChoices is the maximum number of choices of a rule.
const MaxChoices = 3

// Table maps configurations to algorithms. It is immutable; any number of ranks may read it.
type Table struct {
	choices []Choice // distinct choices
	entries []tableEntry
	columns [Collectives][]tableColumn
}

// tableEntry is a rule in memory. Its column has the team.
type tableEntry struct {
	bytes   int64
	time    cluster.Time
	choices [MaxChoices]uint16 // indices into choices, + 1; 0: end
}

// tableColumn has the entries of one team, by size.
type tableColumn struct {
	ranks, perNode int32
	first, end     int32
	modes          Modes // required modes
}

func (t Tuple) perNode() int32 { return max(t.PerNode, 1) }

// compareModes orders required modes.
func compareModes(a, b Modes) int {
	return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out))
}

// same reports whether two configurations differ only in size.
func (t Tuple) same(o Tuple) bool {
	return t.Collective == o.Collective && compareModes(t.Modes, o.Modes) == 0 && t.Ranks == o.Ranks && t.perNode() ==
		o.perNode()
}

// Len returns the number of rules.
func (t *Table) Len() int { return len(t.entries) }

// Rules returns the rules by collective, ranks per node, ranks and size.
func (t *Table) Rules() []Rule {
	rules := make([]Rule, 0, len(t.entries))
	for c := range t.columns {
		for _, col := range t.columns[c] {
			for _, e := range t.entries[col.first:col.end] {
				r := Rule{Tuple: Tuple{Collective: Collective(c), Ranks: col.ranks, PerNode: col.perNode, Bytes: e.bytes,
					Modes: col.modes}, Time: e.time}
				for _, n := range e.choices {
					if n != 0 {
						r.Choices = append(r.Choices, t.choices[n-1])
					}
				}
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// Column is the part of a table for one team. Its methods do not allocate.
type Column struct {
	table   *Table
	entries []tableEntry
	tuple   Tuple
}

// otherShape is the additional distance, in octaves, of a team of another shape. With a power of
// two of ranks, algorithms do not fold ranks.
const otherShape = 1.5

// otherModes is the additional distance for other required addresses or synchronization.
const otherModes = 8

// Column returns the column of the most similar team.
func (t *Table) Column(c Collective, ranks, perNode int32) Column {
	return t.For(Tuple{Collective: c, Ranks: ranks, PerNode: perNode})
}

// For returns the column for configurations that differ from this one only in size.
func (t *Table) For(at Tuple) Column {
	at.Modes.Transfer = 0
	to := Column{table: t, tuple: at}
	nearest := math.Inf(1)
	for _, col := range t.columns[at.Collective] {
		d := octaves(col.ranks, at.Ranks) + octaves(col.perNode, at.perNode())
		if powerOfTwo(col.ranks) != powerOfTwo(at.Ranks) {
			d += otherShape
		}
		if compareModes(col.modes, at.Modes) != 0 {
			d += otherModes
		}
		if d < nearest {
			nearest = d
			to.entries = t.entries[col.first:col.end]
		}
	}
	return to
}

// octaves returns the distance of two numbers in octaves.
func octaves(a, b int32) float64 { return math.Abs(math.Log2(float64(a) / float64(b))) }

// entry returns the last entry for at most n bytes, or the first entry.
func (c *Column) entry(n int64) *tableEntry {
	lo, hi := 0, len(c.entries)
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) >> 1); c.entries[mid].bytes <= n {
			lo = mid
		} else {
			hi = mid
		}
	}
	return &c.entries[lo]
}

// Choose returns the first choice that supports a call of n bytes; false: none.
func (c *Column) Choose(n int64, lacks Needs) (Choice, bool) {
	if len(c.entries) == 0 {
		return Choice{}, false
	}
	at := c.tuple
	at.Lacks = lacks
	for _, i := range c.entry(n).choices {
		if i == 0 {
			break
		}
		if choice := &c.table.choices[i-1]; choice.Algorithm.Takes(at) {
			return choice.Under(at.Modes), true
		}
	}
	return Choice{}, false
}

// Step is a choice and its minimum size.
type Step struct {
	From   int64
	Choice Choice
}

// Steps returns the choices of the column by size, from size 0; empty: no choice supports the call.
func (c *Column) Steps(lacks Needs) []Step {
	var all []Step
	for _, e := range c.entries {
		choice, ok := c.Choose(e.bytes, lacks)
		if !ok || len(all) > 0 && all[len(all)-1].Choice == choice {
			continue
		}
		from := e.bytes
		if len(all) == 0 {
			from = 0
		}
		all = append(all, Step{from, choice})
	}
	return all
}

// Near returns all choices that support a call, best first.
func (c *Column) Near(n int64, lacks Needs) []Choice {
	if len(c.entries) == 0 {
		return nil
	}
	at := c.tuple
	at.Lacks = lacks
	var all []Choice
	for _, i := range c.entry(n).choices {
		if i != 0 && c.table.choices[i-1].Algorithm.Takes(at) {
			all = append(all, c.table.choices[i-1].Under(at.Modes))
		}
	}
	return all
}

// Find returns the choice for a configuration. If the table has none, it returns the first
// algorithm that supports the configuration.
func (t *Table) Find(at Tuple) (Choice, error) {
	c := t.For(at)
	if choice, ok := c.Choose(at.Bytes, at.Lacks); ok {
		return choice, nil
	}
	choice, err := Serving(at)
	if err != nil {
		return choice, err
	}
	return choice.Under(at.Modes), nil
}

// Serving returns the first algorithm that supports a configuration, with its default parameters.
func Serving(at Tuple) (Choice, error) {
	for _, a := range Of(at.Collective) {
		if a.Takes(at) {
			return Choice{Algorithm: a, Parameters: Parameters{Radix: int(a.Radix)}}, nil
		}
	}
	return Choice{}, fmt.Errorf("%s: no algorithm supports it", at)
}

// Memory returns the size of a table in bytes.
func (t *Table) Memory() int {
	n := int(unsafe.Sizeof(*t)) + cap(t.entries)*int(unsafe.Sizeof(tableEntry{})) + cap(t.choices)*
		int(unsafe.Sizeof(Choice{}))
	for _, c := range t.columns {
		n += cap(c) * int(unsafe.Sizeof(tableColumn{}))
	}
	return n
}

// Winners is a decision map: the best choices of one collective over teams and sizes.
type Winners struct {
	Collective Collective
	PerNode    int32      // ranks per node; smaller teams are inside one node
	Modes      Modes      // required modes
	Ranks      []int32    // team sizes, ascending
	Sizes      []int64    // ascending
	Cells      [][]Choice // by size, then by team
}

// follows reports whether a column is for a larger team with the same number of ranks per node. A
// smaller team may be inside one node.
func (c *tableColumn) follows(o *tableColumn) bool {
	return c.ranks > o.ranks && (c.perNode == o.perNode || o.perNode == o.ranks && c.perNode > o.perNode)
}

// Winners returns the decision maps of a table: one per collective and number of ranks per node,
// with every size of its teams.
func (t *Table) Winners() []Winners {
	var all []Winners
	for c := range t.columns {
		columns := t.columns[c] // by ranks per node, then by ranks
		for len(columns) > 0 {
			n := 1
			for n < len(columns) && columns[n].modes == columns[0].modes && columns[n].follows(&columns[n-1]) {
				n++
			}
			w := Winners{Collective: Collective(c), PerNode: columns[n-1].perNode, Modes: columns[0].modes}
			for _, col := range columns[:n] {
				w.Ranks = append(w.Ranks, col.ranks)
				for _, e := range t.entries[col.first:col.end] {
					w.Sizes = append(w.Sizes, e.bytes)
				}
			}
			slices.Sort(w.Sizes)
			w.Sizes = slices.Compact(w.Sizes)
			for _, size := range w.Sizes {
				var row []Choice
				for _, col := range columns[:n] {
					tuple := Tuple{Collective: w.Collective, Ranks: col.ranks, PerNode: col.perNode, Modes: col.modes}
					at := Column{table: t, entries: t.entries[col.first:col.end], tuple: tuple}
					choice, _ := at.Choose(size, 0)
					row = append(row, choice)
				}
				w.Cells = append(w.Cells, row)
			}
			all = append(all, w)
			columns = columns[n:]
		}
	}
	return all
}
