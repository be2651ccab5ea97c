package engine

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
)

func base() Scenario { return NewScenario("sorting", Base) }

func TestScenarioSet(t *testing.T) {
	s := base()
	if err := s.Set("nodes", "08"); err != nil || s.Text("nodes") != "8" || s.Int("nodes") != 8 {
		t.Errorf("nodes 08: %v, %q", err, s.Text("nodes"))
	}
	if err := s.Set("eager-limit", "1KiB"); err != nil || s.Int("eager-limit") != 1024 {
		t.Errorf("eager limit 1KiB: %v, %d", err, s.Int("eager-limit"))
	}
	if s.Float("dilation") != 0 || base().Clone().Values["eager-limit"] != "machine" {
		t.Error("words are not kept as words")
	}
	fresh := base()
	if fresh.Int("eager-limit") != -1 {
		t.Errorf("the word machine reads as %d, want -1", fresh.Int("eager-limit"))
	}
	if err := s.Set("colour", "red"); err == nil ||
		!strings.HasPrefix(err.Error(), `unknown knob "colour" of sorting: want one of machine, fabric, nodes`) {
		t.Errorf("an unknown knob: %v", err)
	}
	if err := s.Set("nodes", "0"); err == nil || s.Text("nodes") != "8" {
		t.Errorf("a bad value: %v, and nodes is %s", err, s.Text("nodes"))
	}
}

func TestCloneIsItsOwn(t *testing.T) {
	a := base()
	b := a.Clone()
	if err := b.Set("group", "2"); err != nil {
		t.Fatal(err)
	}
	if a.Text("group") != "4" {
		t.Error("a clone's knob turned the original's")
	}
}

func TestScenarioLayout(t *testing.T) {
	s := base()
	for knob, value := range map[string]string{
		"nodes": "3", "ranks-per-node": "4", "threads-per-rank": "2", "ranking": "round-robin",
		"model": "nested-funneled", "group": "6", "world-seed": "9",
	} {
		if err := s.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	want := cluster.Layout{
		Nodes: 3, RanksPerNode: 4, ThreadsPerRank: 2, Ranking: cluster.RoundRobin,
		Model: cluster.NestedFunneled, Group: 6, WorldSeed: 9,
	}
	if d := cmp.Diff(want, s.Layout()); d != "" {
		t.Error(d)
	}
}

// The choices of the table are the values that the cluster accepts.
func TestBaseKnowsTheCluster(t *testing.T) {
	s := base()
	models, rankings := []cluster.Model{}, []cluster.Ranking{}
	for _, name := range []string{"model", "ranking"} {
		k, err := s.Knob(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range k.Choices {
			if IsCheapest(c) { // a search, whose result is a list
				continue
			}
			if name == "model" {
				models = append(models, cluster.Model(c))
			} else {
				rankings = append(rankings, cluster.Ranking(c))
			}
		}
	}
	if d := cmp.Diff(cluster.Models, models); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(cluster.Rankings, rankings); d != "" {
		t.Error(d)
	}
}

func TestScenarioJSON(t *testing.T) {
	s := NewScenario("sorting", []Knob{whole, size, number, choice})
	if err := s.Set("dilation", "2.5"); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"workload":"sorting","knobs":{"dilation":2.5,"group":4,"limit":"machine","model":"flat"}}`
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestMetricJSON(t *testing.T) {
	for value, want := range map[float64]string{
		0.25: `0.25`, math.Inf(1): `null`, math.Inf(-1): `null`, 0: `0`, 4.1e-6: `0.0000041`,
	} {
		got, err := json.Marshal(Metric{Name: "m", Value: value, Unit: "s", Kind: Measured})
		if err != nil || string(got) != `{"value":`+want+`,"unit":"s","kind":"measured"}` {
			t.Errorf("%g: %s, %v", value, got, err)
		}
	}
	got, err := json.Marshal(map[string]Metric{"m": {Value: math.NaN()}})
	if err != nil || string(got) != `{"m":{"value":null,"unit":"","kind":""}}` {
		t.Errorf("NaN: %s, %v", got, err)
	}
}

// A knob that is not in the table is a bug of the workload.
func TestTextOfNoKnobPanics(t *testing.T) {
	defer func() {
		if v := recover(); v != "engine: workload sorting has no knob colour" {
			t.Errorf("it panicked with %v", v)
		}
	}()
	s := base()
	s.Text("colour")
}
