package tuner

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/presets"
)

// TestLargeCandidatesAreSkipped checks that candidates which exceed the memory are listed, and the
// others are timed.
func TestLargeCandidatesAreSkipped(t *testing.T) {
	m, err := presets.Machine("demo")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Site: Site{Fabric: sim.New(), Machine: m, Seed: 1}, Collectives: []coll.Collective{coll.OpExchange},
		Ranks: []int{4, 32}, PerNode: 1, Sizes: []int64{8}, Transfers: []coll.Transfer{coll.Put}}
	flat := coll.Choice{}
	for _, c := range o.Candidates(o.tuple(coll.OpExchange, 32, 8), coll.Put) {
		if c.Algorithm.Name == "flat" {
			flat = c
		}
	}
	k, err := flat.Key(32)
	if err != nil {
		t.Fatal(err)
	}
	o.Memory = int64(o.workers()) * (o.memory(o.tuple(coll.OpExchange, 32, 8), k) - 1)
	r, err := Tune(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, s := range r.Skipped {
		found = found || s.Choice.Algorithm == flat.Algorithm && s.At.Ranks == 32
		if s.At.Ranks == 4 || s.Memory <= s.Limit || !strings.Contains(s.String(), "needs ") {
			t.Errorf("skipped %s", s)
		}
	}
	if !found || r.Table.Len() < 2 {
		t.Errorf("skipped %v; the table has %d rules", r.Skipped, r.Table.Len())
	}
	o.Memory = 1
	if _, err := Tune(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no candidate fits into memory") {
		t.Errorf("without memory: %v", err)
	}
}
