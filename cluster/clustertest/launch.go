package clustertest

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var launchCases = []testCase{
	{"a fabric has a name", func(s *suite, t *testing.T) {
		if s.fabric.Name() == "" {
			t.Error("no name")
		}
	}},
	{"every rank runs once, on a zeroed segment", (*suite).ranksRunOnce},
	{"a segment may be empty", (*suite).emptySegment},
	{"the error of a rank is the error of the run", (*suite).errorOfRank},
	{"an invalid spec is refused", (*suite).refuseSpecs},
	{"a run has the clock that the fabric states, and reports states and dilation", (*suite).runReports},
	{"a seed gives each rank its own numbers, the same in each run", (*suite).seedRepeats},
}

func (s *suite) runReports(t *testing.T) {
	spec := s.spec(4)
	clock := s.fabric.Clock(&spec.Machine)
	run, err := s.start(t.Context(), spec, func(p *proc) {
		p.check((p.Spec().Clock == cluster.VirtualClock) == s.virtual(), "virtual clock: %t",
			(p.Spec().Clock == cluster.VirtualClock))
		for range s.times(50) {
			p.ok(p.Barrier(p.World()))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(run.States(nil)); n != 4 {
		t.Errorf("%d states of 4 ranks", n)
	}
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	for i, st := range run.States(nil) {
		if st != cluster.Idle {
			t.Errorf("rank %d has ended, and its state is %v", i, st)
		}
	}
	if d := run.Dilation(); d < 1 || d > 1 && clock != cluster.DilatedClock {
		t.Errorf("a %v clock is dilated %g times", clock, d)
	}
	virtual, ok := run.(cluster.Virtual)
	if ok != s.virtual() {
		t.Errorf("a %v clock, and a run that is cluster.Virtual: %t", clock, ok)
	}
	if ok && (virtual.Events() == 0 || virtual.Hash() == 0) {
		t.Errorf("%d events with the hash %x", virtual.Events(), virtual.Hash())
	}
	run.Warnings()
}

func (s *suite) ranksRunOnce(t *testing.T) {
	for _, ranks := range []int{1, 2, 7, 64} {
		spec := s.spec(ranks)
		runs := make([]atomic.Int32, ranks)
		s.run(t, spec, func(p *proc) {
			runs[p.ID()].Add(1)
			same(p, "ranks", p.Ranks(), ranks)
			same(p, "segment", len(p.Segment()), int(spec.Segment))
			for i, b := range p.Segment() {
				p.check(b == 0, "byte %d of a fresh segment is %#x", i, b)
			}
		})
		for i := range runs {
			if n := runs[i].Load(); n != 1 {
				t.Errorf("rank %d of %d ran %d times", i, ranks, n)
			}
		}
	}
}

func (s *suite) emptySegment(t *testing.T) {
	spec := s.spec(2)
	spec.Segment = 0
	s.run(t, spec, func(p *proc) {
		p.ok(p.Put(cluster.At(1-p.ID(), 0), cluster.Data{}))
		p.fails(p.Put(cluster.At(1-p.ID(), 0), cluster.Of([]byte{1})), "put at rank", "its segment of 0 B")
		p.fails(only(p.Atomic(cluster.At(p.ID(), 0), cluster.AtomicStore, 1)), "atomic at rank", "segment")
		p.ok(p.Barrier(p.All()))
	})
}

func (s *suite) errorOfRank(t *testing.T) {
	err := s.ports(t, s.spec(4), func(p cluster.Port) error {
		if p.ID() == 2 {
			return errBoom
		}
		return nil
	})
	if !errors.Is(err, errBoom) {
		t.Errorf("error %v, want %v", err, errBoom)
	}
}

func (s *suite) refuseSpecs(t *testing.T) {
	for _, c := range []struct {
		what  string
		spoil func(*cluster.Spec)
	}{
		{"no nodes", func(s *cluster.Spec) { s.Layout.Nodes = 0 }},
		{"negative segment", func(s *cluster.Spec) { s.Segment = -1 }},
		{"more memory than a host has", func(s *cluster.Spec) { s.Segment = 1 << 52 }},
		{"more nodes than the machine", func(s *cluster.Spec) { s.Machine.Nodes = 1; s.Layout.Nodes = 2 }},
	} {
		spec := s.spec(4)
		c.spoil(&spec)
		run, err := s.fabric.Start(t.Context(), spec, func(cluster.Port) error { return nil })
		if err == nil {
			t.Errorf("%s: accepted", c.what)
			run.Cancel(nil)
			run.Wait()
		}
	}
}

func (s *suite) seedRepeats(t *testing.T) {
	draw := func() []uint64 {
		got := make([]uint64, 4)
		s.run(t, s.spec(4), func(p *proc) { got[p.ID()] = p.Rand().Uint64() })
		return got
	}
	a, b := draw(), draw()
	if !slices.Equal(a, b) || slices.Contains(a[1:], a[0]) {
		t.Fatalf("draws %v and %v", a, b)
	}
}
