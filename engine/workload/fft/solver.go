package fft

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// solver solves the problem as one process of a team.
type solver struct {
	r       *cluster.Rank
	p       *algorithm.Tuning
	problem problem
	grid    grid
	team    *cluster.Team
	store   cluster.Store
	timed   bool // the timed part of the iteration is running
	cores   int  // that a process computes on
	slices  int  // of a pass; the process polls the exchanges between two

	channels [exchanges]channel // of the timed part
	setup    [exchanges]channel // of the rest, so that equal runs begin equally
	sums     *coll.Comm         // among all
	sumKey   coll.Key
	combine  func(acc, in []byte)
	mine     cluster.Buf[float64] // this process's part of a sum
	all      cluster.Buf[float64] // the sum

	there, back       shape // transform to wave numbers, and the timed transform back
	linesTo, linesFro axes

	arrays     [4]cluster.Buf[complex128]
	at         [4]int64 // where they are in the segments
	arrayCount int      // number of arrays
	spectrum   []complex128
	result     int // the array that the last transform has filled
	decay      [3][]float64

	loops *workload.Loops
	body  func(thread, lo, hi int) // the next computation
	first int                      // its first unit
	do    func(thread, lo, hi int) // runs body from there; nil: size-only

	last cluster.Time
	took times
}

// times are the parts of a time step (paper 5, figure 18).
type times struct{ fft, comm, memory, other, barrier cluster.Time }

// lap adds the time since the last lap.
func (s *solver) lap(to *cluster.Time) {
	now := s.r.Now()
	*to += max(now-s.last-s.p.Clock(), 0)
	s.last = now
}

// newSolver creates a solver on a process of the team. Numbers in the team are numbers in the grid.
func newSolver(r *cluster.Rank, p *algorithm.Tuning, team *cluster.Team, of instance, store cluster.Store) (*solver, error) {
	s := &solver{
		r: r, p: p, problem: of.problem, grid: of.grid, team: team, store: store,
		cores: workload.CoresOf(p, &r.Spec().Machine, &r.Spec().Layout), slices: int(p.Int("slices")),
		loops: workload.NewLoops(r),
	}
	s.there, s.back = of.shapes()
	teams, err := s.teams()
	if err != nil {
		return nil, err
	}
	m := algorithm.Modes(p)
	s.arrayCount = arrays(m)
	size := s.back.size()
	for i := range s.arrayCount {
		if !m.Transfer.OneSided() {
			s.arrays[i] = cluster.Make[complex128](store, size)
			continue
		}
		at, err := cluster.Alloc[complex128](r, store, size)
		if err != nil {
			return nil, err
		}
		s.at[i], s.arrays[i] = at.Off, at.Local(r, size)
	}
	for e, t := range teams {
		if t == nil {
			continue
		}
		timed, err := cellFor(algorithm.TeamOf(r, t), t.Size(), s.back.blocks()[e]).Keys(p, p.Names)
		if err != nil {
			return nil, err
		}
		c := &s.channels[e]
		*c, err = newChannel(r, t, timed, &s.back)
		if err != nil {
			return nil, err
		}
		if err := store.Do(func() error {
			k, err := setupKey(t.Size())
			if err == nil {
				s.setup[e], err = newChannel(r, t, []coll.Key{k}, &s.there, &s.back)
			}
			return err
		}); err != nil {
			return nil, err
		}
		if m.Transfer.OneSided() {
			need := scratch(timed, e, &s.back)
			need.Store = store
			if err := c.comm.Reserve(need, slots(&s.back)); err != nil {
				return nil, err
			}
		}
	}
	s.sums, err = coll.New(r, team)
	if err != nil {
		return nil, err
	}
	sum, err := coll.Find(coll.OpAllreduce, "recursive-doubling")
	if err == nil {
		s.sumKey, err = sum.Key(coll.Parameters{Ranks: team.Size()})
	}
	if err == nil {
		s.combine, err = coll.Combining[float64](r, "combine", cluster.Sum)
	}
	s.mine, s.all = cluster.Make[float64](store, 2), cluster.Make[float64](store, 2)
	s.spectrum = cluster.Make[complex128](store, size).Slice()
	store.Do(func() error {
		s.do = func(thread, lo, hi int) { s.body(thread, s.first+lo, s.first+hi) }
		s.linesTo, s.linesFro = linesOf(&s.there, false, s.loops.Threads()), linesOf(&s.back, true, s.loops.Threads())
		for a := range s.decay {
			s.decay[a] = make([]float64, s.problem.n[a])
		}
		return nil
	})
	return s, err
}

func newChannel(r *cluster.Rank, t *cluster.Team, keys []coll.Key, shapes ...*shape) (channel, error) {
	maxSlabs := 0
	for _, s := range shapes {
		maxSlabs = max(maxSlabs, s.slabs)
	}
	c, err := coll.New(r, t)
	return channel{comm: c, keys: keys, key: keys[0], runs: make([]*coll.Run, maxSlabs)}, err
}

// axes are the lines along the axes, by thread.
type axes [3][]*lines

func linesOf(s *shape, inverse bool, threads int) (all axes) {
	for axis, n := range [...]int{s.n1, s.n2, s.n3} {
		for range threads {
			all[axis] = append(all[axis], newLines(n, inverse))
		}
	}
	return all
}

// teams returns the teams of this process: its plane z and its row y; nil: the team has one member.
func (s *solver) teams() (all [exchanges]*cluster.Team, err error) {
	g := &s.grid
	for e, members := range [exchanges][]int{g.plane(), g.row()} {
		if len(members) == 1 {
			continue
		}
		all[e], err = s.r.Subteam(s.team, members)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// free releases the process's communicators.
func (s *solver) free() error {
	for _, all := range [][exchanges]channel{s.channels, s.setup} {
		for e := range all {
			if c := all[e].comm; c != nil {
				if err := c.Free(); err != nil {
					return err
				}
			}
		}
	}
	return s.sums.Free()
}

// compute runs body for all units, in slices. It lets exchanges advance between two slices.
func (s *solver) compute(units int, each cluster.Work, body func(thread, lo, hi int)) error {
	n := min(s.slices, units)
	s.body = body
	for i := range n {
		lo, hi := i*units/n, (i+1)*units/n
		s.first = lo
		w := each
		w.Flops *= float64(hi - lo)
		w.Bytes *= float64(hi - lo)
		w.Cores = s.cores
		if err := s.loops.Run(hi-lo, w, s.do); err != nil {
			return err
		}
		if i < n-1 {
			s.r.Progress()
		}
	}
	return nil
}

// work returns the work of transforming k lines of n points. Each is read and written once.
func (s *solver) work(k float64, n int) cluster.Work {
	return cluster.Work{Flops: k * flops(n), Bytes: 32 * k * float64(n), Kernel: cluster.FFT}
}

// transform transforms array 0 along all axes, and leaves the result in s.result. Its exchanges
// overlap with computing if there are several slabs.
func (s *solver) transform(of *shape, by *axes) error {
	from, to := 0, 1 // of the second pass
	target := 2
	if s.grid.ty > 1 {
		from = 2
		to = 0
		target = 1
		if s.arrayCount > 3 {
			target = 3
		}
	}
	s.part(0, "first pass")
	for slab := range of.slabs {
		s.step(slab, 3*of.slabs)
		if err := s.pass1(of, by[0], slab); err != nil {
			return err
		}
		if s.grid.ty > 1 {
			if err := s.pack(of, slab); err != nil {
				return err
			}
			if err := s.start(first, of, slab, 1, 2); err != nil {
				return err
			}
		}
	}
	s.part(1, "second pass")
	for slab := range of.slabs {
		s.step(of.slabs+slab, 3*of.slabs)
		if s.grid.ty > 1 {
			if err := s.wait(first, slab); err != nil {
				return err
			}
		}
		if err := s.pass2(of, by[1], slab, from, to); err != nil {
			return err
		}
		if s.grid.tz > 1 {
			if err := s.start(second, of, slab, to, target); err != nil {
				return err
			}
		}
	}
	s.part(2, "third pass")
	s.step(2*of.slabs, 3*of.slabs)
	if s.grid.tz > 1 {
		for slab := range of.slabs {
			if err := s.wait(second, slab); err != nil {
				return err
			}
		}
		from = target
	} else {
		from = to
	}
	s.result = 0
	if from == 0 {
		s.result = 1
	}
	if err := s.pass3(of, by[2], from, s.result); err != nil {
		return err
	}
	s.part(-1, "")
	return nil
}

// part names the current part for the timeline.
func (s *solver) part(row int, name string) {
	if s.timed {
		s.p.Part(row, name)
	}
}

// step reports the progress of the transform.
func (s *solver) step(done, of int) {
	if s.timed {
		s.p.Step(done, of)
	}
}

// pass1 transforms a slab along axis 1, in place.
func (s *solver) pass1(of *shape, by []*lines, slab int) error {
	at := slab * of.slab()
	err := s.compute(of.depth*of.rows, s.work(1, of.n1), func(thread, lo, hi int) {
		by[thread].rows(s.arrays[0].Slice()[at+lo*of.n1 : at+hi*of.n1])
	})
	s.lap(&s.took.fft)
	return err
}

// pack copies the data for each member of the first team into contiguous blocks.
func (s *solver) pack(of *shape, slab int) error {
	at := slab * of.slab()
	rows := of.depth * of.rows
	err := s.compute(rows, cluster.Work{Bytes: 32 * float64(of.n1)}, func(_, lo, hi int) {
		from, to := s.arrays[0].Slice(), s.arrays[1].Slice()
		for row := lo; row < hi; row++ {
			src := from[at+row*of.n1:][:of.n1]
			for j := range s.grid.ty {
				copy(to[at+(j*rows+row)*of.m1:][:of.m1], src[j*of.m1:])
			}
		}
	})
	s.lap(&s.took.memory)
	return err
}

// pass2 transforms a slab along axis 2, from the target of the first exchange to the source of the
// second one.
func (s *solver) pass2(of *shape, by []*lines, slab, from, to int) error {
	at := slab * of.slab()
	groups := (of.m1 + gathered - 1) / gathered
	err := s.compute(of.depth*groups, s.work(float64(of.m1)/float64(groups), of.n2), func(thread, lo, hi int) {
		src, dst := s.arrays[from].Slice()[at:], s.arrays[to].Slice()[at:]
		for u := lo; u < hi; u++ {
			p, column := u/groups, u%groups*gathered
			by[thread].columns(dst, src, column, min(column+gathered, of.m1), of.afterFirst(p), of.beforeSecond(p))
		}
	})
	s.lap(&s.took.fft)
	return err
}

// pass3 transforms all slabs along axis 3.
func (s *solver) pass3(of *shape, by []*lines, from, to int) error {
	groups := (of.m1 + gathered - 1) / gathered
	err := s.compute(of.m2*groups, s.work(float64(of.m1)/float64(groups), of.n3), func(thread, lo, hi int) {
		src, dst := s.arrays[from].Slice(), s.arrays[to].Slice()
		for u := lo; u < hi; u++ {
			r, column := u/groups, u%groups*gathered
			by[thread].across(dst[r*of.m1*of.n3:], src, column, min(column+gathered, of.m1), of.afterSecond(r))
		}
	})
	s.lap(&s.took.fft)
	return err
}
