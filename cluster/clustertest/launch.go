package clustertest

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testLaunch(t *testing.T) {
	t.Run("the fabric has a name", func(t *testing.T) {
		if s.fabric.Name() == "" {
			t.Error("no name")
		}
	})

	t.Run("the clock is the one that the fabric states", func(t *testing.T) {
		spec := s.spec(4)
		clock := s.fabric.Clock(&spec.Machine)
		var phantoms [4]bool
		run := Must(t, s.fabric, spec, func(r *cluster.Rank) error {
			phantoms[r.ID()] = (r.Spec().Clock == cluster.VirtualClock)
			return r.Barrier(r.All())
		})
		virtual, ok := run.(cluster.Virtual)
		if isVirtual := clock == cluster.VirtualClock; ok != isVirtual || phantoms != [4]bool{isVirtual, isVirtual, isVirtual, isVirtual} {
			t.Errorf("a %v clock, and a run that is cluster.Virtual: %v, phantoms: %v", clock, ok, phantoms)
		}
		if d := run.Dilation(); d < 1 || d > 1 && clock != cluster.DilatedClock {
			t.Errorf("a %v clock is dilated %g times", clock, d)
		}
		if ok && (virtual.Events() == 0 || virtual.Hash() == 0) {
			t.Errorf("%d events with the hash %x", virtual.Events(), virtual.Hash())
		}
	})

	for _, ranks := range []int{1, 2, 7, 64} {
		spec := s.spec(ranks)
		t.Run("every rank runs once", func(t *testing.T) {
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
					t.Errorf("rank %d ran %d times", i, n)
				}
			}
		})
	}

	t.Run("a segment may be empty", func(t *testing.T) {
		spec := s.spec(2)
		spec.Segment = 0
		s.run(t, spec, func(p *proc) {
			p.ok(p.Put(cluster.At(1-p.ID(), 0), cluster.Data{}))
			p.fails(p.Put(cluster.At(1-p.ID(), 0), cluster.Of([]byte{1})), "put at rank", "its segment of 0 B")
			p.fails(errOf(p.Atomic(cluster.At(p.ID(), 0), cluster.AtomicStore, 1)), "atomic at rank", "segment")
			p.ok(p.Barrier(p.All()))
		})
	})

	t.Run("a rank's error is the run's", func(t *testing.T) {
		boom := errors.New("boom")
		err := s.ports(t, s.spec(4), func(p cluster.Port) error {
			if p.ID() == 2 {
				return boom
			}
			return nil
		})
		if !errors.Is(err, boom) {
			t.Errorf("error %v, want %v", err, boom)
		}
	})

	t.Run("a spec that cannot be is refused", func(t *testing.T) {
		for what, spoil := range map[string]func(*cluster.Spec){
			"no nodes":                    func(s *cluster.Spec) { s.Layout.Nodes = 0 },
			"negative segment":            func(s *cluster.Spec) { s.Segment = -1 },
			"more memory than a host has": func(s *cluster.Spec) { s.Segment = 1 << 52 },
			"more nodes than the machine": func(s *cluster.Spec) { s.Machine.Nodes = 1; s.Layout.Nodes = 2 },
		} {
			spec := s.spec(4)
			spoil(&spec)
			run, err := s.fabric.Start(t.Context(), spec, func(cluster.Port) error { return nil })
			if err == nil {
				t.Errorf("%s: accepted", what)
				run.Cancel(nil)
				run.Wait()
			}
		}
	})

	t.Run("a run tells of itself", func(t *testing.T) {
		spec := s.spec(4)
		run, err := cluster.Start(t.Context(), s.fabric, spec, dress(func(p *proc) {
			for range s.times(50) {
				p.ok(p.Barrier(p.World()))
			}
		}))
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
		if d := run.Dilation(); d < 1 || !s.machine.Emulated && d != 1 {
			t.Errorf("dilation %v", d)
		}
		run.Warnings()
	})

	t.Run("the same seed gives a rank the same numbers", func(t *testing.T) {
		draw := func() []uint64 {
			got := make([]uint64, 4)
			s.run(t, s.spec(4), func(p *proc) { got[p.ID()] = p.Rand().Uint64() })
			return got
		}
		a, b := draw(), draw()
		for i := range a {
			if a[i] != b[i] || i > 0 && a[i] == a[0] {
				t.Fatalf("draws %v and %v", a, b)
			}
		}
	})
}
