package coll

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func choiceOf(t testing.TB, c Collective, name string, radix, segments int) Choice {
	t.Helper()
	a, err := Find(c, name)
	if err != nil {
		t.Fatal(err)
	}
	return Choice{Algorithm: a, Parameters: Parameters{Radix: radix, Segments: max(segments, 1)}}
}

func ruleOf(ranks, perNode int32, bytes int64, choices ...Choice) Rule {
	return Rule{Tuple: Tuple{Collective: choices[0].Algorithm.Collective, Ranks: ranks, PerNode: perNode, Bytes: bytes},
		Choices: choices}
}

// A rule applies from its size on; below the first rule, the first one applies. A team that is not
// in the table uses the most similar column of its kind: powers of two or not.
func TestTableFinds(t *testing.T) {
	bruck, ring := choiceOf(t, OpAllgather, "bruck", 2, 0), choiceOf(t, OpAllgather, "ring", 0, 0)
	doubling, flat := choiceOf(t, OpAllgather, "recursive-doubling", 0, 0), choiceOf(t, OpAllgather, "flat", 0, 0)
	table, err := NewTable([]Rule{
		ruleOf(16, 1, 4096, ring),
		ruleOf(16, 1, 8, doubling, bruck),
		ruleOf(24, 1, 0, bruck),
		ruleOf(16, 8, 0, flat),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ranks, perNode int32
		bytes          int64
		want           Choice
	}{
		{16, 1, 0, doubling},
		{16, 1, 8, doubling},
		{16, 0, 4095, doubling},
		{16, 1, 4096, ring},
		{16, 1, 1 << 30, ring},
		{32, 1, 8, doubling},
		{20, 1, 8, bruck},    // the column of the other shape is nearer, but folds ranks
		{17, 2, 4096, bruck}, // not a power of two
		{16, 4, 8, flat},
		{64, 64, 8, flat},
	} {
		got, err := table.Find(Tuple{Collective: OpAllgather, Ranks: c.ranks, PerNode: c.perNode, Bytes: c.bytes})
		if err != nil || got != c.want {
			t.Errorf("ranks %d, a node %d, %d B: %v, %v; want %v", c.ranks, c.perNode, c.bytes, got, err, c.want)
		}
	}
}

// If a choice does not support the call, the next one is used, then any that does.
func TestTableServes(t *testing.T) {
	doubling, bruck := choiceOf(t, OpAllgather, "recursive-doubling", 0, 0), choiceOf(t, OpAllgather, "bruck", 4, 0)
	table, err := NewTable([]Rule{ruleOf(8, 1, 0, doubling, bruck), ruleOf(8, 1, 64, doubling)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := table.Find(Tuple{Collective: OpAllgather, Ranks: 9, Bytes: 8}); err != nil || got != bruck {
		t.Errorf("9 ranks: %v, %v; want %v", got, err, bruck)
	}
	if got, err := table.Find(Tuple{Collective: OpAllgather, Ranks: 9, Bytes: 64}); err != nil ||
		got.Algorithm.Needs&PowerOfTwo != 0 {
		t.Errorf("9 ranks where the only choice wants a power of two: %v, %v", got, err)
	}
	for _, a := range All() {
		for _, ranks := range []int32{1, 2, 3, 8, 12, 17} {
			for _, lacks := range []Needs{0, Commutative, EvenBlocks, Commutative | EvenBlocks} {
				at := Tuple{Collective: a.Collective, Ranks: ranks, Lacks: lacks}
				got, err := table.Find(at)
				if err != nil {
					t.Fatalf("%s: %v", at, err)
				}
				if _, err := got.Key(ranks); err != nil || got.Algorithm.Needs&lacks != 0 {
					t.Errorf("%s lacking %v: %s (%v)", at, lacks.Words(), got, err)
				}
			}
		}
	}
}

// Required addresses and synchronization have separate columns and become part of the choice. The
// choice has the transfer.
func TestTableModes(t *testing.T) {
	put := choiceOf(t, OpBcast, "knomial", 2, 1)
	put.Transfer = Put
	local := Modes{Address: Local, In: AllSync}
	byPut, byFlat := ruleOf(8, 1, 0, put), ruleOf(8, 1, 0, choiceOf(t, OpBcast, "flat", 0, 1))
	byPut.Modes = local
	table, err := NewTable([]Rule{byPut, byFlat})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		required Modes
		want     string
		modes    Modes
	}{
		{Modes{}, "flat", Modes{}},
		{local, "knomial, radix 2, put", Modes{Transfer: Put, Address: Local, In: AllSync}},
		{Modes{Out: NoSync}, "flat", Modes{Out: NoSync}}, // no such column: the nearest one
	} {
		got, err := table.Find(Tuple{Collective: OpBcast, Ranks: 8, Modes: c.required})
		if err != nil || got.String() != c.want || got.Modes != c.modes {
			t.Errorf("required%s: %s, %+v (%v), want %s, %+v", c.required.Words(), got, got.Modes, err, c.want, c.modes)
		}
		if _, err := got.Key(8); err != nil {
			t.Error(err)
		}
	}
	if w := table.Winners(); len(w) != 2 || w[0].Modes != (Modes{}) || w[1].Modes != local {
		t.Errorf("winners %+v", w)
	}
}

// A table for one number of ranks per node is one decision map: its smaller teams are inside one
// node.
func TestTableWinners(t *testing.T) {
	flat := choiceOf(t, OpBcast, "flat", 0, 1)
	table, err := NewTable([]Rule{ruleOf(2, 2, 0, flat), ruleOf(4, 4, 0, flat), ruleOf(8, 4, 0, flat),
		ruleOf(2, 1, 0, flat), ruleOf(8, 1, 0, flat)})
	if err != nil {
		t.Fatal(err)
	}
	w := table.Winners()
	if len(w) != 2 || w[0].PerNode != 1 || !slices.Equal(w[0].Ranks, []int32{2, 8}) || w[1].PerNode != 4 ||
		!slices.Equal(w[1].Ranks, []int32{2, 4, 8}) {
		t.Errorf("fields: %+v", w)
	}
}

func TestTableRefuses(t *testing.T) {
	flat := choiceOf(t, OpBcast, "flat", 0, 0)
	for _, c := range []struct {
		want  string
		rules []Rule
	}{
		{"duplicate rule", []Rule{ruleOf(8, 1, 4, flat), ruleOf(8, 0, 4, flat)}},
		{"want 1 to", []Rule{ruleOf(0, 1, 4, flat)}},
		{"want at most all ranks per node", []Rule{ruleOf(8, 9, 4, flat)}},
		{"negative", []Rule{ruleOf(8, 1, -1, flat)}},
		{"no choice supports", []Rule{ruleOf(9, 1, 0, choiceOf(t, OpAllgather, "recursive-doubling", 0, 0))}},
		{"radix 3: it has none", []Rule{ruleOf(8, 1, 0, choiceOf(t, OpBcast, "flat", 3, 0))}},
		{"another collective", []Rule{{Tuple: Tuple{Collective: OpGather, Ranks: 8}, Choices: []Choice{flat}}}},
		{"0 choices", []Rule{{Tuple: Tuple{Collective: OpBcast, Ranks: 8}}}},
	} {
		if _, err := NewTable(c.rules); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.rules, err, c.want)
		}
	}
}

// Rules returns the rules of NewTable in order.
func TestTableRules(t *testing.T) {
	rules := big(t, 8, 16)
	table, err := NewTable(rules)
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Rules(); !slices.EqualFunc(got, rules, func(a, b Rule) bool {
		return a.Tuple == b.Tuple && a.Time == b.Time && slices.Equal(a.Choices, b.Choices)
	}) {
		t.Errorf("rules in and out differ: %d and %d", len(rules), len(got))
	}
	w := table.Winners()
	if len(w) != 1 || len(w[0].Ranks) != 8 || len(w[0].Sizes) != 16 || w[0].Cells[3][2] != rules[2*16+3].Choices[0] {
		t.Errorf("winners: %+v", w)
	}
}

// big returns rules for a number of teams and sizes.
func big(t testing.TB, teams, sizes int) []Rule {
	var rules []Rule
	for i := range teams {
		for j := range sizes {
			r := ruleOf(int32(i+2), 1, int64(j)*64, choiceOf(t, OpBcast, "knomial", 2+(i+j)%7, 1),
				choiceOf(t, OpBcast, "flat", 0, 1))
			r.Time = cluster.Time(1000 * (i + j))
			rules = append(rules, r)
		}
	}
	return rules
}

// An entry uses at most 48 bytes, as in paper 5 (section 5.4).
func TestTableMemory(t *testing.T) {
	const teams, sizes = 64, 64
	table, err := NewTable(big(t, teams, sizes))
	if err != nil {
		t.Fatal(err)
	}
	if each := float64(table.Memory()) / float64(table.Len()); each > 48 {
		t.Errorf("an entry takes %.1f bytes, want at most 48", each)
	}
}

func TestChooseDoesNotAllocate(t *testing.T) {
	table, err := NewTable(big(t, 8, 64))
	if err != nil {
		t.Fatal(err)
	}
	c := table.Column(OpBcast, 6, 1)
	n := int64(0)
	if got := testing.AllocsPerRun(100, func() {
		n += 37
		if choice, ok := c.Choose(n, 0); !ok || choice.Algorithm == nil {
			t.Fatal("no choice")
		}
	}); got != 0 {
		t.Errorf("a look-up allocates %v times", got)
	}
}

func BenchmarkChoose(b *testing.B) {
	for _, sizes := range []int{8, 64, 1024} {
		b.Run(fmt.Sprintf("sizes=%d", sizes), func(b *testing.B) {
			table, err := NewTable(big(b, 8, sizes))
			if err != nil {
				b.Fatal(err)
			}
			c := table.Column(OpBcast, 6, 1)
			b.ReportAllocs()
			n := int64(0)
			for b.Loop() {
				n = (n + 4099) & 0xffff
				choice, _ := c.Choose(n, 0)
				if _, err := choice.Key(6); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
