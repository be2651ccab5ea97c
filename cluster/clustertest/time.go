package clustertest

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// slack is the share of a machine's time by which a fabric's clock may fall
// short, for rounding.
const slack = 0.01

func (s *suite) testTime(t *testing.T) {
	s.test(t, "compute runs its body once", 4, func(p *proc) {
		runs := 0
		for range 10 {
			p.Compute(cluster.Work{Flops: 1000, Bytes: 1000}, func() { runs++ })
		}
		same(p, "runs", runs, 10)
		p.ok(p.Barrier(p.All()))
	})

	s.test(t, "time does not run backwards", 4, func(p *proc) {
		last := p.Now()
		p.check(last >= 0, "before launch: %v", last)
		for range s.times(50) {
			p.ok(p.Barrier(p.All()))
			p.Compute(cluster.Work{Flops: 100}, func() {})
			now := p.Now()
			p.check(now >= last, "%v after %v", now, last)
			last = now
		}
	})

	for _, size := range []int{8, eager + 8, 12_000} {
		s.test(t, fmt.Sprintf("a message of %d B arrives after it was sent, by the machine's time at least", size), 4, func(p *proc) {
			b := make([]byte, size)
			for range s.times(10) {
				if p.ID() != 0 {
					p.recv(0, 1, b)
					sent := cluster.Time(binary.LittleEndian.Uint64(b))
					p.took("message", p.Now()-sent, p.machineTime(p.Spec().Layout.ClassOf(p.ID(), 0), int64(size)))
					continue
				}
				for to := 1; to < p.Ranks(); to++ {
					binary.LittleEndian.PutUint64(b, uint64(p.Now()))
					p.send(to, 1, b)
				}
			}
		})

		s.test(t, fmt.Sprintf("puts, gets and atomics of %d B take the machine's time at least", size), 4, func(p *proc) {
			b := make([]byte, size)
			place := int64(64 + 13_000*p.ID()) // of one's own at each target
			for to := range p.Ranks() {
				if to == p.ID() {
					continue
				}
				one := p.machineTime(p.Spec().Layout.ClassOf(p.ID(), to), int64(size))
				at := p.Now()
				p.ok(p.Put(cluster.At(to, place), cluster.Of(b)))
				p.took("put", p.Now()-at, one)
				at = p.Now()
				p.ok(p.Get(cluster.At(to, place), cluster.Of(b)))
				p.took("get", p.Now()-at, one)
				at = p.Now()
				_, err := p.Atomic(cluster.At(to, 56_000), cluster.AtomicAdd, 1)
				p.ok(err)
				p.took("atomic", p.Now()-at, p.machineTime(p.Spec().Layout.ClassOf(p.ID(), to), 8))
			}
			p.ok(p.Barrier(p.All()))
		})
	}

	t.Run("pieces that go as one message are packed and unpacked by a thread at either end", func(t *testing.T) {
		const rows, size = 500, 8
		spec := s.spec(2)
		spec.Machine.CopyRate = 2e8
		s.run(t, spec, func(p *proc) {
			b, want := make([]byte, rows*size), cluster.Time(0)
			if m := &p.Spec().Machine; m.Emulated {
				want = m.TransferTime(p.Spec().Layout.ClassOf(p.ID(), 1-p.ID()), rows*size) + 2*m.CopyTime(rows*size) + m.HandlerTime
				same(p, "the copies' time", m.CopyTime(rows*size), 20*cluster.Microsecond)
			}
			face := cluster.Column(0, 2*size, size, rows)
			if p.ID() == 0 {
				at := p.Now()
				p.ok(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(b), Shape: face}, nil, nil))
				p.took("strided put", p.Now()-at, want)
				at = p.Now()
				p.ok(p.GetWith(&cluster.Get{From: cluster.At(1, 0), Data: cluster.Of(b), Shape: face}, nil))
				p.took("strided get", p.Now()-at, want)
			}
			p.ok(p.Barrier(p.All()))
		})
	})

	s.test(t, "computing takes the machine's time at least", 2, func(p *proc) {
		w := cluster.Work{Flops: 10_000, Bytes: 10_000}
		at := p.Now()
		p.Compute(w, func() {})
		want := cluster.Time(0)
		if m := &p.Spec().Machine; m.Emulated {
			want = m.ComputeTime(w)
		}
		p.took("computing", p.Now()-at, want)
	})

	// A kernel has the machine's share of a core's rate, and a multi-threaded one as many
	// cores as it takes, in one call without threads of the program.
	shares := [cluster.Kernels]float64{cluster.Dgemm: 0.8, cluster.Potrf: 0.5, cluster.FFT: 0.125}
	for k := range cluster.Kernels {
		for _, cores := range []int{0, 1, 4} {
			t.Run(fmt.Sprintf("kernel %s on %d cores takes the time of its rate", k, cores), func(t *testing.T) {
				spec := s.spec(2)
				spec.Machine.CoresPerNode, spec.Machine.Kernels = 8, shares
				virtual := s.fabric.Clock(&spec.Machine) == cluster.VirtualClock
				s.run(t, spec, func(p *proc) {
					work := cluster.Work{Flops: 100_000, Kernel: k, Cores: cores}
					m, runs, want := &p.Spec().Machine, 0, cluster.Time(0)
					if virtual || m.Emulated {
						share := shares[k]
						if share == 0 {
							share = 1
						}
						want = cluster.FromSeconds(work.Flops / (m.Flops * share * float64(max(cores, 1))))
						same(p, "the machine's time", m.ComputeTime(work), want)
					}
					at := p.Now()
					p.Compute(work, func() { runs++ })
					took := p.Now() - at
					same(p, "runs of the body", runs, 1)
					p.took("computing", took, want)
					p.check(!virtual || took <= want+cluster.Microsecond, "computing took %v, and nothing is in the way of %v", took, want)
				})
			})
		}
	}

	for _, w := range []cluster.Work{{Kernel: cluster.Kernels}, {Cores: -1}} {
		t.Run(fmt.Sprintf("work by kernel %d on %d cores is refused", w.Kernel, w.Cores), func(t *testing.T) {
			err := s.launch(t, s.spec(1), func(p *proc) { p.Compute(w, nil) })
			if err == nil || !strings.Contains(err.Error(), "rank 0: compute by kernel") {
				t.Errorf("%v", err)
			}
		})
	}
}

// machineTime is what a transfer takes on the machine; nothing where time is the
// host's own.
func (p *proc) machineTime(c cluster.Class, n int64) cluster.Time {
	m := &p.Spec().Machine
	if !m.Emulated {
		return 0
	}
	return m.TransferTime(c, n)
}

func (p *proc) took(what string, got, least cluster.Time) {
	p.check(float64(got) >= float64(least)*(1-slack), "%s took %v, the machine takes %v", what, got, least)
}
