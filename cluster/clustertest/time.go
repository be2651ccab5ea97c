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
					p.took("message", p.Now()-sent, p.machineTime(p.Class(0), int64(size)))
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
				one := p.machineTime(p.Class(to), int64(size))
				at := p.Now()
				p.ok(p.Put(to, place, b))
				p.took("put", p.Now()-at, one)
				at = p.Now()
				p.ok(p.Get(to, place, b))
				p.took("get", p.Now()-at, one)
				at = p.Now()
				_, err := p.FetchAdd(to, 56_000, 1)
				p.ok(err)
				p.took("atomic", p.Now()-at, p.machineTime(p.Class(to), 8))
			}
			p.ok(p.Barrier(p.All()))
		})
	}

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
