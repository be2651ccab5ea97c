package multigrid

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// level is a rank's part of the grid of a level.
type level struct {
	shape
	boxes     []*box
	edgeLoops int // of fillBoundary, of all boxes
	channels  [ways]*channel
	scratch   [2]cluster.Buf[float64] // images of boxes on their way down, and up
}

// The parts of a solve.
const (
	partSmooth = iota
	partResidual
	partBetween
	partPack
	partTransfer
	partSync
	partBottom
	parts
)

var partNames = [parts]string{"smooth", "residual", "restrict, interpolate", "pack", "transfer", "sync", "bottom"}

// Bytes of memory traffic per cell in each part: vectors that are read and written once.
const (
	sweepBytes    = 64
	residualBytes = 48 // u, f, three faces and the residual
	meansBytes    = 9  // the residual, and an eighth of it
	spreadBytes   = 25 // coarse cells, their images, u read and written
	copyBytes     = 16
	sweepFlops    = 28
)

// solver solves one problem on one rank. Without a rank it solves the whole problem in one box.
type solver struct {
	r       *cluster.Rank
	maximum *algorithm.Caller // of the calls of maxOverRanks; nil: the library
	layout  *layout
	times   [][parts]cluster.Time
	last    cluster.Time
	variant *variant
	loops   *workload.Loops // nil without a rank
	lines   [][]float64     // scratch space of the threads, for a row
	store   cluster.Store
	levels  []*level
	c1, c2  []float64 // of the sweeps of a pass
	norm    float64   // of f

	data     cluster.Ptr[float64] // the vectors and inboxes of a layout
	flags    cluster.Ptr[uint64]
	mem      cluster.Buf[float64] // the data of this rank
	requests []cluster.Request
	inbox    cluster.Buf[float64] // messages of the two-sided variant
	outbox   cluster.Buf[float64] // packed messages
	copy     copying
	messages [][links]counts // by level and link
	skew     *workload.Skew  // delays of an untimed solve; nil: none
	alone    *solution       // of the sequential program
}

// counts is the number of messages by the power of two of their size.
type counts [sizes]int64

// coefficients returns the coefficients of a Chebyshev pass on [λ/8, λ]. λ = 2 is the largest ratio
// of a row's sum to its diagonal.
func coefficients(degree int) (c1, c2 []float64) {
	const high, low = 2., 0.25
	theta, delta := (high+low)/2, (high-low)/2
	sigma := theta / delta
	rho := 1 / sigma
	c1, c2 = []float64{0}, []float64{1 / theta}
	for len(c1) < degree {
		next := 1 / (2*sigma - rho)
		c1, c2 = append(c1, rho*next), append(c2, 2*next/delta)
		rho = next
	}
	return c1, c2
}

// newSolver creates a rank's solver of a problem, and allocates its memory.
func newSolver(r *cluster.Rank, l *layout, store cluster.Store, degree int, v *variant) (*solver, error) {
	s := &solver{r: r, layout: l, store: store, variant: v, times: make([][parts]cluster.Time, len(l.shapes)),
		messages: make([][links]counts, len(l.shapes))}
	s.c1, s.c2 = coefficients(degree)
	s.bind()
	rank, n, threads := 0, int(l.data/8), 1
	if r == nil {
		s.mem = cluster.Make[float64](store, n)
	} else {
		rank = r.ID()
		s.loops = workload.NewLoops(r)
		threads = s.loops.Threads()
		var err error
		s.flags, err = cluster.Alloc[uint64](r, cluster.Store{}, int(l.flags/8))
		if err != nil {
			return nil, err
		}
		s.data, err = cluster.Alloc[float64](r, store, n)
		if err != nil {
			return nil, err
		}
		s.mem = s.data.Local(r, n)
	}
	_ = store.Do(func() error {
		for range threads {
			s.lines = append(s.lines, make([]float64, l.maxSide()))
		}
		return nil
	})
	packs := v != nil && v.packs
	var in, out int64 // maximum bytes of a step's messages
	for i, shape := range l.shapes {
		lv := &level{shape: shape}
		first, end := shape.first(rank, l.ranks), shape.first(rank+1, l.ranks)
		for k := first; k < end; k++ {
			b := &box{shape: shape, slot: k - first, h: 1 / float64(shape.cells())}
			for d, at := range shape.at(k) {
				b.first[d] = at * shape.side
			}
			s.setVectors(b, i)
			lv.edgeLoops += b.edgeLoops()
			lv.boxes = append(lv.boxes, b)
		}
		for way := range ways {
			if way >= down && i == len(l.shapes)-1 {
				break
			}
			c := l.channel(i, way, rank)
			lv.channels[way] = c.trimmed(packs)
			store.Do(func() error { lv.channels[way] = c; return nil })
			in, out = max(in, groupBytes(c.in)), max(out, groupBytes(c.out))
		}
		if lv.channels[down] != nil {
			for way := range lv.scratch {
				n := groupBytes(lv.channels[down+way].out)
				if way == 0 && n > 0 { // by slot
					half := shape.side / 2
					n = 8 * int64(len(lv.boxes)*half*half*half)
				}
				lv.scratch[way] = cluster.Make[float64](store, int(n/8))
			}
		}
		s.levels = append(s.levels, lv)
	}
	if packs {
		s.inbox, s.outbox = cluster.Make[float64](store, int(in/8)), cluster.Make[float64](store, int(out/8))
	}
	return s, nil
}

// setVectors sets the vectors of a box.
func (s *solver) setVectors(b *box, level int) {
	n := int(b.vectorBytes() / 8)
	for v := range b.v {
		at := int(s.layout.vector(level, b.slot, v) / 8)
		b.v[v] = s.mem.Part(at, at+n).Slice()
	}
}

// compute charges work on all cells of a level, with a number of loops over each row of cells. The threads share
// the planes of all boxes, and run body for theirs.
func (s *solver) compute(bytes, flops, loops float64, lv *level, body func(thread int, b *box, of planes)) error {
	if len(lv.boxes) == 0 {
		return nil
	}
	part := func(thread, lo, hi int) {
		for i := lo / lv.side; i*lv.side < hi; i++ {
			first := i * lv.side
			body(thread, lv.boxes[i], planes{max(lo-first, 0), min(hi-first, lv.side)})
		}
	}
	s.skew.Delay()
	return s.loop(len(lv.boxes)*lv.side, lv.work(bytes, flops, loops), part)
}

// loop runs a loop on the threads of the rank. A size-only problem runs no body.
func (s *solver) loop(units int, all cluster.Work, body func(thread, lo, hi int)) error {
	if s.r == nil {
		body(0, 0, units)
		return nil
	}
	var threads func(thread, lo, hi int)
	_ = s.store.Do(func() error { threads = body; return nil })
	return s.loops.Run(units, all, threads)
}

// work returns the work on all cells of a level.
func (lv *level) work(bytes, flops, loops float64) cluster.Work {
	rows := float64(len(lv.boxes) * lv.side * lv.side)
	cells := rows * float64(lv.side)
	return cluster.Work{Bytes: bytes * cells, Flops: flops * cells, Loops: loops * rows, Kernel: cluster.Stencil}
}

// copies charges a copy of n bytes in rows, and runs body.
func (s *solver) copies(n, rows int64, body func()) {
	if s.r == nil {
		body()
		return
	}
	if n > 0 {
		s.skew.Delay()
		s.r.Compute(cluster.Work{Bytes: 2 * float64(n), Loops: float64(rows)}, body)
	}
}

// lap adds the time since the last lap to a part of a level.
func (s *solver) lap(level, part int) {
	if s.r == nil {
		return
	}
	now := s.r.Now()
	s.times[level][part] += now - s.last
	s.last = now
}

// build computes the coefficients and the right-hand side, the same in every variant. The faces of
// a coarser level are computed from the finer level.
func (s *solver) build() error {
	for i, lv := range s.levels {
		if i == 0 {
			for _, b := range lv.boxes {
				b.betas()
				b.fill(vF, source)
			}
		} else if err := s.sendFaces(i - 1); err != nil {
			return err
		}
		for _, b := range lv.boxes {
			b.invert()
		}
	}
	largest := 0.
	for _, b := range s.levels[0].boxes {
		largest = max(largest, b.largest(b.v[vF]))
	}
	var err error
	s.norm, err = s.maxOverRanks(largest)
	return err
}

// sendFaces sends a level's faces to the next coarser level.
func (s *solver) sendFaces(at int) error {
	lv, c := s.levels[at], s.levels[at].channels[down]
	faces := func(d int, p *piece) [3]int { // the last one is the next box's first
		n := [3]int{lv.side / 2, lv.side / 2, lv.side / 2}
		if p.ends[d] {
			n[d]++
		}
		return n
	}
	shift := func(d int) int64 { return int64(vBetaI+d-vR) * s.levels[at+1].vectorBytes() }
	for d := range 3 {
		for _, p := range c.local {
			below := s.levels[at+1].boxes[p.slots[1]]
			lv.boxes[p.slots[0]].faceMeans(d, faces(d, &p), below.image(vBetaI+d, p.image))
		}
		for _, g := range c.out {
			for _, p := range g.pieces {
				n := faces(d, &p)
				image := make([]float64, n[0]*n[1]*n[2])
				lv.boxes[p.slots[0]].faceMeans(d, n, grid{v: image, at: 0, row: n[0], plane: n[0] * n[1]})
				of := rows(n)
				of.Near, of.Far = packed(n, 0), p.of.Far
				of.Far.Off += shift(d)
				if err := s.r.PutWith(&cluster.Put{To: s.data.On(p.to).Target, Data: cluster.Of(image), Shape: of}, nil,
					nil); err != nil {
					return err
				}
			}
		}
	}
	if s.r == nil {
		return nil
	}
	return s.r.Barrier(s.r.All())
}

// maxOverRanks returns the maximum of a number over all ranks.
func (s *solver) maxOverRanks(x float64) (float64, error) {
	if s.r == nil {
		return x, nil
	}
	in, out := [1]float64{x}, [1]float64{}
	err := algorithm.Allreduce(s.maximum, s.r, s.r.All(), cluster.Max, in[:], out[:])
	return out[0], err
}

// exchange fills a vector's ghosts, across faces only or on all sides.
func (s *solver) exchange(at, v, way int) error {
	if err := s.move(at, way, v); err != nil {
		return err
	}
	lv := s.levels[at]
	if lv.edgeLoops == 0 {
		return nil
	}
	return s.loop(len(lv.boxes), cluster.Work{Loops: float64(lv.edgeLoops)}, func(_, lo, hi int) { // no bytes are charged
		for _, b := range lv.boxes[lo:hi] {
			b.fillBoundary(b.v[v])
		}
	})
}

// smooth does a Chebyshev pass on u.
func (s *solver) smooth(at int) error {
	lv := s.levels[at]
	for step := range s.c1 {
		x, to := vU, vTemp
		if step%2 == 1 {
			x, to = to, x
		}
		if err := s.exchange(at, x, faces); err != nil {
			return err
		}
		err := s.compute(sweepBytes, sweepFlops, 2, lv, func(thread int, b *box, of planes) {
			b.sweep(of, b.v[x], b.v[to], b.v[vR], s.lines[thread], s.c1[step], s.c2[step])
		})
		if err != nil {
			return err
		}
		s.lap(at, partSmooth)
	}
	return nil
}

// residual writes f − Au into TEMP, and returns the largest absolute value on this rank.
func (s *solver) residual(at int) (largest float64, err error) {
	if err := s.exchange(at, vU, faces); err != nil {
		return 0, err
	}
	for _, line := range s.lines { // the first element is the thread's maximum
		line[0] = 0
	}
	err = s.compute(residualBytes, sweepFlops, 2, s.levels[at], func(thread int, b *box, of planes) {
		line := s.lines[thread]
		line[0] = max(line[0], b.residual(of, b.v[vU], b.v[vR], b.v[vTemp]))
	})
	for _, line := range s.lines {
		largest = max(largest, line[0])
	}
	s.lap(at, partResidual)
	return largest, err
}

// restrict writes means of a vector into R of the next coarser level.
func (s *solver) restrict(at, v int) error {
	lv, c := s.levels[at], s.levels[at].channels[down]
	half := lv.side / 2
	err := s.compute(meansBytes, 1, 0.25, lv, func(_ int, b *box, of planes) {
		for _, p := range c.local {
			if p.slots[0] == b.slot {
				b.means(of, b.v[v], s.levels[at+1].boxes[p.slots[1]].image(vR, p.image))
			}
		}
		if n := half * half * half; len(c.out) > 0 {
			b.means(of, b.v[v], grid{v: lv.scratch[0].Slice(), at: b.slot * n, row: half, plane: half * half})
		}
	})
	if err != nil {
		return err
	}
	s.lap(at, partBetween)
	return s.move(at, down, 0)
}

// image returns a position in a vector as a grid.
func (b *box) image(v, at int) grid {
	return grid{v: b.v[v], at: at, row: b.stride(), plane: b.stride() * b.stride()}
}

// prolong brings u of the next coarser level up. It adds the values to u, or replaces u by
// interpolated values.
func (s *solver) prolong(at int, add bool) error {
	lv := s.levels[at]
	below := s.levels[at+1]
	c := s.levels[at].channels[up]
	bring := func(of planes, p *piece, to grid, into bool) {
		from := below.boxes[p.slots[0]].image(vU, p.image)
		if add {
			spread(of, from, to, lv.side, into)
		} else {
			interpolate(of, from, to, lv.side)
		}
	}
	images := func() {
		for i := range c.out {
			for k := range c.out[i].pieces {
				p := &c.out[i].pieces[k]
				bring(planes{0, lv.side}, p, grid{v: lv.scratch[1].Slice(), at: int(p.of.Near.Off / 8), row: lv.side, plane: lv.side * lv.side}, false)
			}
		}
	}
	rows := int64(0)
	for i := range c.out {
		rows += c.out[i].rows
	}
	s.copies(groupBytes(c.out), rows, s.store.Body(images))
	s.lap(at, partBetween)
	if err := s.move(at, up, 0); err != nil {
		return err
	}
	err := s.compute(spreadBytes, 1, 1, lv, func(_ int, b *box, of planes) {
		for i := range c.local {
			if p := &c.local[i]; p.slots[1] == b.slot {
				bring(of, p, b.grid(vU, 1, 1, 1), add)
				return
			}
		}
		u, temp := b.v[vU], b.v[vTemp]
		b.rowsOf(of, func(row int) {
			if !add {
				copy(u[row:row+b.side], temp[row:])
				return
			}
			for p := row; p < row+b.side; p++ {
				u[p] += temp[p]
			}
		})
	})
	s.lap(at, partBetween)
	return err
}

// cycle does a V-cycle for u with right-hand side R, from a level down and up again.
func (s *solver) cycle(at int) error {
	if at == len(s.levels)-1 {
		s.bottom()
		return nil
	}
	if err := s.smooth(at); err != nil {
		return err
	}
	if _, err := s.residual(at); err != nil {
		return err
	}
	if err := s.restrict(at, vTemp); err != nil {
		return err
	}
	err := s.compute(1, 0, 1, s.levels[at+1], func(_ int, b *box, of planes) {
		b.rowsOf(of, func(row int) { clear(b.v[vU][row : row+b.side]) })
	})
	if err != nil {
		return err
	}
	if err := s.cycle(at + 1); err != nil {
		return err
	}
	if err := s.prolong(at, true); err != nil {
		return err
	}
	return s.smooth(at)
}

// bottom solves the coarsest grid.
func (s *solver) bottom() {
	at := len(s.levels) - 1
	rounds, loops := float64(bottomRounds), float64(bottomLoops)
	if s.levels[at].side == 1 { // one cell, without loops
		rounds, loops = 1, 0
	}
	for _, b := range s.levels[at].boxes { // the whole grid
		solve := func() { b.solveBottom() }
		if s.r == nil {
			solve()
			continue
		}
		s.skew.Delay()
		s.r.Compute(s.levels[at].work(rounds*4*sweepBytes, rounds*4*sweepFlops, rounds*loops), s.store.Body(solve))
	}
	s.lap(at, partBottom)
}

// solve does an F-cycle, then V-cycles until the residual is small. It returns the residual over f
// by cycle.
func (s *solver) solve(cycles int) (residuals []float64, err error) {
	err = s.compute(copyBytes, 0, 0, s.levels[0], func(_ int, b *box, of planes) {
		b.rowsOf(of, func(row int) { copy(b.v[vR][row:row+b.side], b.v[vF][row:]) })
	})
	if err != nil {
		return nil, err
	}
	coarsest := len(s.levels) - 1
	for at := range coarsest {
		if err := s.restrict(at, vR); err != nil {
			return nil, err
		}
	}
	s.bottom()
	for at := coarsest - 1; at >= 0; at-- {
		if err := s.exchange(at+1, vU, sides); err != nil {
			return nil, err
		}
		if err := s.prolong(at, false); err != nil {
			return nil, err
		}
		if err := s.cycle(at); err != nil {
			return nil, err
		}
	}
	for cycle := 0; ; cycle++ {
		largest, err := s.residual(0)
		if err != nil {
			return residuals, err
		}
		largest, err = s.maxOverRanks(largest)
		if err != nil {
			return residuals, err
		}
		s.lap(0, partSync)
		residuals = append(residuals, largest/s.norm)
		if cycle == cycles || largest < converged*s.norm {
			return residuals, nil
		}
		if err := s.cycle(0); err != nil {
			return residuals, err
		}
	}
}

// converged is the residual over f at which V-cycles end. A size-only residual never reaches it,
// because both values are 0.
const converged = 1e-10

// maxError returns the largest difference between u and the exact solution on this rank.
func (s *solver) maxError() (largest float64) {
	for _, b := range s.levels[0].boxes {
		for k := 1; k <= b.side; k++ {
			for j := 1; j <= b.side; j++ {
				for i := 1; i <= b.side; i++ {
					largest = max(largest,
						math.Abs(b.v[vU][b.index(i, j, k)]-exact(b.coordinate(0, 2*i-1), b.coordinate(1, 2*j-1), b.coordinate(2, 2*k-1))))
				}
			}
		}
	}
	return largest
}

// newAlone creates a solver of the problem in one box, without ranks.
func newAlone(cells, degree, threshold int) (*solver, error) {
	s, err := newSolver(nil, newLayout(shapes(1, cells, threshold), 1, false), cluster.Store{}, degree, nil)
	if err != nil {
		return nil, err
	}
	return s, s.build()
}
