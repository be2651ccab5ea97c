package clustertest

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// slack is the share of a machine's time by which a fabric's clock may fall
// short, for rounding.
const slack = 0.01

var timeCases = []testCase{
	{"Compute runs its body once and takes at least the machine's time", onRanks(4, computeTakesTime)},
	{"a computation until a time ends then, and at once if the time is past", onRanks(4, computeEndsAtTime)},
	{"time does not run backwards", onRanks(4, timeMovesForward)},
	{"a message takes at least the machine's time", forSizes(4, messagesTakeTime, 8, eager+8, 12_000)},
	{"puts, gets and atomics take at least the machine's time", forSizes(4, transfersTakeTime, 8, eager+8, 12_000)},
	{"a thread at each end packs and unpacks pieces that travel as one message", piecesArePacked},
	{"a kernel takes the time of its rate on its number of cores", kernelTakesTimeOfRate},
	{"work by an unknown kernel or on fewer than 0 cores is refused", impossibleWorkIsRefused},
}

func computeTakesTime(p *proc) {
	w := cluster.Work{Flops: 10_000, Bytes: 10_000}
	want := cluster.Time(0)
	runs := 0
	if m := &p.Spec().Machine; m.Emulated {
		want = m.ComputeTime(w)
	}
	for range 10 {
		p.takes("computing", want, func() { p.Compute(w, func() { runs++ }) })
	}
	same(p, "runs", runs, 10)
	p.ok(p.Barrier(p.All()))
}

func computeEndsAtTime(p *proc) {
	runs := 0
	for i := range 5 {
		at := p.Now() + cluster.Time(1+(p.ID()+i)%3)*50*cluster.Microsecond
		for range 2 {
			before := p.Now()
			p.Compute(cluster.Work{Until: at, Flops: 1e12}, func() { runs++ })
			now := p.Now()
			p.check(now >= at, "ended at %v, want %v", now, at)
			if p.Spec().Clock == cluster.VirtualClock {
				p.check(now <= max(at, before)+cluster.Microsecond, "ended at %v, want %v", now, max(at, before))
			}
		}
	}
	same(p, "runs", runs, 10)
	p.ok(p.Barrier(p.All()))
}

func timeMovesForward(p *proc) {
	last := cluster.Time(0)
	for range p.times(50) {
		now := p.Now()
		p.check(now >= last, "%v after %v", now, last)
		last = now
		p.ok(p.Barrier(p.All()))
		p.Compute(cluster.Work{Flops: 100}, func() {})
	}
}

func messagesTakeTime(p *proc, size int) {
	b := make([]byte, size)
	for range p.times(10) {
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
}

func transfersTakeTime(p *proc, size int) {
	b, offset := make([]byte, size), int64(64+13_000*p.ID()) // of this rank only, at each target
	for to := range p.Ranks() {
		if to == p.ID() {
			continue
		}
		one := p.machineTime(p.Spec().Layout.ClassOf(p.ID(), to), int64(size))
		p.takes("put", one, func() { p.ok(p.Put(cluster.At(to, offset), cluster.Of(b))) })
		p.takes("get", one, func() { p.ok(p.Get(cluster.At(to, offset), cluster.Of(b))) })
		p.takes("atomic", p.machineTime(p.Spec().Layout.ClassOf(p.ID(), to), 8), func() {
			p.word(p.Atomic(cluster.At(to, 56_000), cluster.AtomicAdd, 1))
		})
	}
	p.ok(p.Barrier(p.All()))
}

func piecesArePacked(s *suite, t *testing.T) {
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
			p.takes("strided put", want, func() {
				p.ok(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(b), Shape: face}, nil, nil))
			})
			p.takes("strided get", want, func() {
				p.ok(p.GetWith(&cluster.Get{From: cluster.At(1, 0), Data: cluster.Of(b), Shape: face}, nil))
			})
		}
		p.ok(p.Barrier(p.All()))
	})
}

// kernelTakesTimeOfRate runs kernels, which have a share of a core's rate. A multi-threaded
// kernel uses several cores in one call, without threads of the program.
func kernelTakesTimeOfRate(s *suite, t *testing.T) {
	shares := [cluster.Kernels]float64{cluster.Dgemm: 0.8, cluster.Potrf: 0.5, cluster.FFT: 0.125}
	spec := s.spec(2)
	spec.Machine.CoresPerNode, spec.Machine.Kernels = 8, shares
	virtual := s.fabric.Clock(&spec.Machine) == cluster.VirtualClock
	for k := range cluster.Kernels {
		for _, cores := range []int{0, 1, 4} {
			t.Run(fmt.Sprintf("%s on %d cores", k, cores), func(t *testing.T) {
				s.run(t, spec, func(p *proc) {
					work := cluster.Work{Flops: 100_000, Kernel: k, Cores: cores}
					m := &p.Spec().Machine
					runs := 0
					want := cluster.Time(0)
					if virtual || m.Emulated {
						share := shares[k]
						if share == 0 {
							share = 1
						}
						want = cluster.FromSeconds(work.Flops / (m.Flops * share * float64(max(cores, 1))))
						same(p, "the machine's time", m.ComputeTime(work), want)
					}
					took := p.takes("computing", want, func() { p.Compute(work, func() { runs++ }) })
					same(p, "runs of the body", runs, 1)
					p.check(!virtual || took <= want+cluster.Microsecond, "computing took %v, and nothing delays %v", took, want)
				})
			})
		}
	}
}

func impossibleWorkIsRefused(s *suite, t *testing.T) {
	for _, w := range []cluster.Work{{Kernel: cluster.Kernels}, {Cores: -1}} {
		if err := s.launch(t, s.spec(1), func(p *proc) { p.Compute(w, nil) }); !contains(err, "rank 0: compute by kernel") {
			t.Errorf("kernel %d on %d cores: error %v", w.Kernel, w.Cores, err)
		}
	}
}

// machineTime returns the time of a transfer on the machine; 0 where time is the host's.
func (p *proc) machineTime(c cluster.Class, n int64) cluster.Time {
	m := &p.Spec().Machine
	if !m.Emulated {
		return 0
	}
	return m.TransferTime(c, n)
}

// takes checks that a call takes at least the machine's time, and returns how long it took.
func (p *proc) takes(what string, minimum cluster.Time, call func()) cluster.Time {
	at := p.Now()
	call()
	took := p.Now() - at
	p.took(what, took, minimum)
	return took
}

// took checks that something took the machine's time at least.
func (p *proc) took(what string, got, minimum cluster.Time) {
	p.check(float64(got) >= float64(minimum)*(1-slack), "%s took %v, the machine takes %v", what, got, minimum)
}
