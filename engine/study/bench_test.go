package study_test

import (
	"strconv"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// BenchmarkLook measures a look of a session, with numbers that change between looks and rows of
// ten earlier runs.
func BenchmarkLook(b *testing.B) {
	b.Run("study=epsilon", func(b *testing.B) {
		t := newNotes()
		for planes := range 10 {
			t.look(product("multiple", 0.4, 0.2, 1.5, "local-k", strconv.Itoa(planes+2)))
		}
		snaps := []*engine.Snapshot{product("multiple", 0.4, 0.2, 1.5), product("multiple", 0.4, 0.21, 1.5)}
		t.Begin(&snaps[0].Scenario, &cluster.Machine{}, engine.Measured)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			t.Look(snaps[i&1])
		}
	})
	b.Run("study=locality", func(b *testing.B) {
		t := study.NewTable(groups)
		snaps := []*engine.Snapshot{grouped(64, 16, 16, 100, 300, 500), grouped(64, 16, 16, 101, 303, 502)}
		t.Begin(&snaps[0].Scenario, &cluster.Machine{}, engine.Measured)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			t.Look(snaps[i&1])
		}
	})
}

// BenchmarkBegin measures the start of a launch: the model's family of curves.
func BenchmarkBegin(b *testing.B) {
	s := product("multiple", 0.4, 0.2, 1.5)
	t := newNotes()
	b.ReportAllocs()
	for b.Loop() {
		t.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
	}
}
