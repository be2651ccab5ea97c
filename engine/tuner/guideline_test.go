package tuner

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/coll"
)

// The best choice of all satisfies allreduce ≤ reduce + broadcast, because such an allreduce is
// one of the candidates. A ring for small data violates it, and is listed with its numbers.
func TestCheck(t *testing.T) {
	o := small(t)
	o.Collectives = []coll.Collective{coll.OpAllreduce, coll.OpReduce, coll.OpBcast}
	o.Ranks, o.Sizes = []int{4, 8}, []int64{8, 64}
	r, err := Tune(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	check := func(table *coll.Table) ([]Violation, int) {
		t.Helper()
		bad, looked, err := Check(t.Context(),
			CheckOptions{Site: o.Site, Table: table, Ranks: o.Ranks, PerNode: 1, Sizes: o.Sizes})
		if err != nil {
			t.Fatal(err)
		}
		return bad, looked
	}
	bad, looked := check(r.Table)
	// For each collective: 2 pairs of sizes, 2 of teams, 4 with one more element, 4 with one more
	// rank; and 4 comparisons for each of two compositions.
	if want := 3*(2+2+4+4) + 2*4; looked != want {
		t.Errorf("%d guidelines checked, want %d", looked, want)
	}
	for _, v := range bad {
		if strings.HasPrefix(v.Guideline, "allreduce ≤") {
			t.Errorf("the best of all: %+v", v)
		}
	}
	rules := r.Table.Rules()
	for i := range rules {
		if rules[i].Collective == coll.OpAllreduce {
			rules[i].Choices = []coll.Choice{choice(t, coll.OpAllreduce, "ring", 0, 1)}
		}
	}
	table, err := coll.NewTable(rules)
	if err != nil {
		t.Fatal(err)
	}
	bad, _ = check(table)
	found := false
	for _, v := range bad {
		sum := v.Others[0].Took
		for _, x := range v.Others[1:] {
			sum += x.Took
		}
		if v.Factor() <= 1 || v.Call.Took <= sum {
			t.Errorf("not a violation: %+v, the others together %s", v, sum)
		}
		found = found || v.Guideline == "allreduce ≤ reduce + broadcast" && v.Call.At.Ranks == 8 && v.Call.At.Bytes == 8
	}
	if !found {
		t.Errorf("a ring of 8 B among 8 ranks is not listed: %+v", bad)
	}
}
