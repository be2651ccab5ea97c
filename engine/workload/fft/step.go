package fft

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// alpha is the equation's α.
const alpha = 1e-6

// begin generates the numbers and their spectrum, from which all time steps start.
func (s *solver) begin() error {
	into := s.arrays[0].Slice()
	s.eachNumber(func(at int, v complex128) { into[at] = v })
	if err := s.transform(&s.there, &s.linesTo); err != nil {
		return err
	}
	copy(s.spectrum, s.arrays[s.result].Slice())
	return s.r.Barrier(s.team)
}

// eachNumber calls each with the numbers of the process before the transform to wave numbers, and
// with their positions.
func (s *solver) eachNumber(each func(at int, v complex128)) {
	lo, n := s.there.partBefore(&s.grid)
	s.problem.generate(lo, n, func(x, y, z int, v complex128) { each(s.there.indexBefore(lo, [3]int{x, y, z}), v) })
}

// advance does a time step. It returns its time and the checksum.
func (s *solver) advance(t int) (took cluster.Time, sum complex128, err error) {
	begin, err := workload.BeginInOrder(s.r, s.team)
	if err != nil {
		return 0, 0, err
	}
	s.timed, s.took = true, times{}
	s.last = begin
	if err := s.evolve(t); err != nil {
		return 0, 0, err
	}
	s.lap(&s.took.other)
	if err := s.transform(&s.back, &s.linesFro); err != nil {
		return 0, 0, err
	}
	if err := s.r.Barrier(s.team); err != nil { // the others wait for slow processes here, not in the checksum
		return 0, 0, err
	}
	s.lap(&s.took.barrier)
	sum, err = s.checksum()
	if err != nil {
		return 0, 0, err
	}
	s.lap(&s.took.other)
	s.timed = false
	return workload.End(s.r) - begin, sum, nil
}

// evolve writes the spectrum at time t into array 0: wave number k has decayed by exp(−4απ²k²t).
func (s *solver) evolve(t int) error {
	n := s.back.size()
	_ = s.store.Do(func() error { s.problem.decays(t, &s.decay); return nil })
	return s.compute(n/s.back.n1, cluster.Work{Flops: 4 * float64(s.back.n1), Bytes: 32 * float64(s.back.n1)}, func(_, lo, hi int) {
		first, _ := s.back.partBefore(&s.grid)
		for row := lo; row < hi; row++ {
			of := s.decay[1][first[1]+row%s.back.rows] * s.decay[2][first[2]+row/s.back.rows]
			at := row * s.back.n1
			into := s.arrays[0].Slice()[at : at+s.back.n1]
			for x, v := range s.spectrum[at : at+s.back.n1] {
				d := of * s.decay[0][x]
				into[x] = complex(real(v)*d, imag(v)*d)
			}
		}
	})
}

// decays computes the decay factors of the wave numbers along each axis at a time.
func (b *problem) decays(t int, decay *[3][]float64) {
	for a, all := range decay {
		n := b.n[a]
		for i := range all {
			k := float64((i+n/2)%n - n/2)
			all[i] = math.Exp(-4 * alpha * math.Pi * math.Pi * k * k * float64(t))
		}
	}
}

// samples is the number of points in a checksum.
const samples = 1024

// sample returns point j of a checksum, from 1 on.
func (b *problem) sample(j int) [3]int { return [3]int{j % b.n[0], 3 * j % b.n[1], 5 * j % b.n[2]} }

// checksum adds the sampled points of the result over all processes.
func (s *solver) checksum() (complex128, error) {
	err := s.compute(1, cluster.Work{Flops: 2 * samples / float64(s.team.Size())}, func(int, int, int) {
		mine, result := s.mine.Slice(), s.arrays[s.result].Slice()
		clear(mine)
		lo, n := s.back.partAfter(&s.grid)
		for j := 1; j <= samples; j++ {
			x := s.problem.sample(j)
			if contains(x, lo, n) {
				v := result[s.back.indexAfter(lo, x)]
				mine[0] += real(v)
				mine[1] += imag(v)
			}
		}
	})
	if err != nil {
		return 0, err
	}
	all, err := s.sum()
	if err != nil {
		return 0, err
	}
	points := float64(s.problem.points())
	return complex(all[0]/points, all[1]/points), nil
}

func contains(x, lo, n [3]int) bool {
	for a := range x {
		if x[a] < lo[a] || x[a] >= lo[a]+n[a] {
			return false
		}
	}
	return true
}

// sum adds the numbers in mine over the processes.
func (s *solver) sum() (all [2]float64, err error) {
	in := s.mine.Data()
	err = s.sums.Do(coll.Call{Key: s.sumKey, Blocks: s.sumKey.Blocks(in.Len(), 8), In: in, Out: s.all.Data(),
		Combine: s.combine})
	copy(all[:], s.all.Slice())
	return all, err
}

// timeAlone returns the time of the exchanges of a transform's slabs without any other work. It
// times one slab per team, and multiplies by the number of slabs.
func (s *solver) timeAlone() (cluster.Time, error) {
	var all cluster.Time
	s.timed = true
	for e := range s.channels {
		if s.channels[e].comm == nil {
			continue
		}
		begin, err := workload.BeginInOrder(s.r, s.team)
		if err != nil {
			return 0, err
		}
		if err := s.channels[e].comm.Do(s.call(e, &s.back, 0, 1, 2)); err != nil {
			return 0, err
		}
		all += max(s.r.Now()-begin-s.p.Clock(), 0) * cluster.Time(s.back.slabs)
	}
	s.timed = false
	return all, nil
}
