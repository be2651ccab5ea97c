package cholesky

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// A process is one process of the grid, with its parts of the timed matrix and of the verified one,
// which is small if the timed one is size-only.
type process struct {
	r        *cluster.Rank
	p        *algorithm.Tuning
	of       matrix
	start    *workload.Start
	timed    *factor
	verified *factor
}

func run(r *cluster.Rank, p engine.Probe) error {
	if !r.Spec().Layout.MayCallMPI(r.ID()) {
		for p.Next() {
		}
		return nil
	}
	c, err := newProcess(r, p)
	if err != nil {
		return err
	}
	for p.Next() {
		if err := c.iterate(); err != nil {
			return err
		}
	}
	return nil
}

func newProcess(r *cluster.Rank, probe engine.Probe) (*process, error) {
	world := r.World()
	spec := r.Spec()
	p := algorithm.Tune(r, world, probe, func() []algorithm.Cell {
		return cells(probe, &spec.Machine, algorithm.KindOf(r), &spec.Layout)
	})
	g := scenarioGrid(p, world.Size(), world.Rank())
	c := &process{r: r, p: p, of: matrix{name: p.Text("matrix"), seed: uint64(p.Int("seed"))},
		start: workload.NewStart(r, world)}
	row, column, err := teams(r, &g)
	if err != nil {
		return nil, err
	}
	rows, columns := sites(&r.Spec().Machine, algorithm.KindOf(r), &r.Spec().Layout, &g)
	c.timed, c.verified, err = workload.Parts(workload.Store(r, p, g.bytes()),
		func(store cluster.Store, small bool) (*factor, error) {
			f := newFactor(r, p, g.part(small), store)
			if err := f.allocateAll(); err != nil {
				return nil, err
			}
			across, pieces := f.longestMessages()
			f.row = &caster{r: r, team: row, site: rows, p: p}
			if err := f.row.open(pieces, store); err != nil {
				return nil, err
			}
			f.column = &caster{r: r, team: column, site: columns, p: p}
			return f, f.column.open(across, store)
		})
	return c, err
}

// scenarioGrid returns the grid of process i of the given number. If they do not divide into the
// requested rows, it returns the squarest grid (plan refuses this case).
func scenarioGrid(s algorithm.Reader, processes, i int) grid {
	tx, fits := gridRows(s, processes)
	if !fits {
		tx = dense.Square(processes)
	}
	return gridOf(int(s.Int("n")), int(s.Int("block")), tx, processes/tx, i)
}

// gridRows returns the requested rows, and whether they divide the number of processes.
func gridRows(s algorithm.Reader, processes int) (rows int, fits bool) {
	if s.Text("rows") == squareGrid {
		return dense.Square(processes), true
	}
	rows = int(s.Int("rows"))
	return rows, processes%rows == 0
}

// bytes returns the bytes of the process that has the most elements.
func (g *grid) bytes() int64 { return word * int64(g.rows.MaxLen()) * int64(g.cols.MaxLen()) }

// part returns the grid of the timed matrix, or a small one on the same processes that is verified
// instead. In the small one, each process has some blocks, and the last block is shorter.
func (g *grid) part(small bool) grid {
	if !small {
		return *g
	}
	nb := min(g.nb, smallBlock)
	blocks := min(g.blocks(), 2*max(g.tx, g.ty)+1)
	n := min(g.n, blocks*nb)
	if blocks > 1 && n == blocks*nb && nb > 1 {
		n--
	}
	return gridOf(n, nb, g.tx, g.ty, g.x*g.ty+g.y)
}

// smallBlock is the number of rows in a block of the small matrix.
const smallBlock = 4

// teams returns this process's row and column as teams.
func teams(r *cluster.Rank, g *grid) (row, column *cluster.Team, err error) {
	var across, down []int
	for y := range g.ty {
		across = append(across, g.x*g.ty+y)
	}
	for x := range g.tx {
		down = append(down, x*g.ty+g.y)
	}
	row, err = r.Subteam(r.World(), across)
	if err != nil {
		return nil, nil, err
	}
	column, err = r.Subteam(r.World(), down)
	return row, column, err
}

// sites returns the locations of all rows and all columns of processes. All rows choose the same
// algorithm, and so do all columns.
func sites(m *cluster.Machine, kind engine.Kind, l *cluster.Layout, g *grid) (rows, columns algorithm.Team) {
	world := l.World()
	var across, down [][]int32
	for x := range g.tx {
		across = append(across, world[x*g.ty:(x+1)*g.ty])
	}
	for y := range g.ty {
		var ranks []int32
		for x := range g.tx {
			ranks = append(ranks, world[x*g.ty+y])
		}
		down = append(down, ranks)
	}
	return algorithm.Among(m, kind, l, across...), algorithm.Among(m, kind, l, down...)
}

func newFactor(r *cluster.Rank, p engine.Probe, g grid, store cluster.Store) *factor {
	transfer, err := coll.TransferOf(p.Text("transfer"))
	if err != nil {
		panic(err) // impossible: the knob has only valid choices
	}
	return &factor{
		grid: g, r: r, p: p, world: r.World(), store: store, ld: g.rowLength(),
		direct: p.Text("handoff") == direct && g.tx > 1,
		ahead:  p.Text("lookahead") == "on", slices: int(p.Int("slices")),
		cores: workload.CoresOf(p, &r.Spec().Machine, &r.Spec().Layout),
		post:  mail{puts: transfer.OneSided()},
	}
}

// longestMessages returns the bytes of the longest messages: of round 2, and of rounds 1 and 3.
func (g *grid) longestMessages() (across, pieces int64) {
	return word * int64(1+g.nb*g.cols.MaxLen()), word * int64(max(1+g.nb*g.nb, g.nb*g.both.MaxLen()))
}

// allocateAll allocates the process's memory and the flags of the hand-off.
func (f *factor) allocateAll() (err error) {
	f.post.words, err = f.r.Alloc(wordsOf(f.tx))
	if err != nil {
		return err
	}
	f.arrays = f.grid.allocate(func(n int) array {
		at, failed := cluster.Alloc[float64](f.r, f.store, n)
		if failed != nil {
			err = failed
			return array{}
		}
		return array{at.Local(f.r, n), at.Off}
	})
	f.a = f.matrix.Slice()
	return err
}

// iterate factors the matrix, verifies it or a small one, and reports.
func (c *process) iterate() error {
	if err := c.attempt(c.verified); err != nil {
		return err
	}
	if err := c.verify(c.verified); err != nil {
		return err
	}
	if c.verified != c.timed {
		if err := c.attempt(c.timed); err != nil {
			return err
		}
	}
	if err := c.report(c.timed); err != nil {
		return err
	}
	return c.p.Took(c.timed.times.took)
}

// cells returns the broadcasts of a factorization at their longest, for online tuning. Shorter ones
// use the same candidate.
func cells(s algorithm.Reader, m *cluster.Machine, kind engine.Kind, l *cluster.Layout) (all []algorithm.Cell) {
	g := scenarioGrid(s, l.N().MPI, 0)
	rows, columns := sites(m, kind, l, &g)
	across, pieces := g.longestMessages()
	for _, c := range []algorithm.Cell{{Team: rows, Ranks: g.ty, Bytes: octave(pieces)},
		{Team: columns, Ranks: g.tx, Bytes: octave(across)}} {
		if c.What = coll.OpBcast; c.Ranks > 1 {
			all = append(all, c)
		}
	}
	return all
}

// attempt fills and factors a matrix.
func (c *process) attempt(f *factor) error {
	of := c.matrix(f)
	f.store.Do(func() error { of.fill(f, f.a); return nil })
	if _, err := c.start.Together(); err != nil {
		return err
	}
	if err := f.run(); err != nil {
		return err
	}
	if f.broken >= 0 {
		return f.pivotError(of.name)
	}
	if wrong := f.wrongFlops(); wrong != "" {
		c.p.Verify(false, fmt.Sprintf("rank %d, iteration %d: %s", c.r.ID(), c.p.Iteration(), wrong))
	}
	return nil
}

func (c *process) matrix(f *factor) matrix {
	of := c.of
	of.n = f.n
	return of
}

// fill sets this process's elements of the upper triangle, and 0 below it.
func (m matrix) fill(f *factor, into []float64) {
	clear(into)
	f.each(func(i, j, at int) { into[at] = m.at(i, j) })
}

// each calls do for each of this process's elements in the upper triangle, with its global position
// and its index.
func (f *factor) each(do func(i, j, at int)) {
	columns := f.cols.Len(f.y)
	for li := range f.rows.Len(f.x) {
		i := f.rows.Global(f.x, li)
		for lj := f.cols.From(f.y, i); lj < columns; lj++ {
			do(i, f.cols.Global(f.y, lj), li*f.ld+lj)
		}
	}
}

// report reports the time of the slowest process, and the mean times of the parts.
func (c *process) report(f *factor) error {
	took, err := workload.Maxima(f.r, f.world, int64(f.times.took))
	if err != nil {
		return err
	}
	slowest := cluster.Time(took[0]).Seconds()
	if f.world.Rank() == 0 {
		c.p.Report("factor_time", slowest)
		if slowest > 0 {
			c.p.Report("flop_rate", Flops(f.n)/slowest)
		}
	}
	waiting := f.times.rounds()
	for part := range parts {
		c.p.Report(partMetrics[part], f.times.sum(part).Seconds())
	}
	if slowest > 0 {
		c.p.Report("wait_share", waiting.Seconds()/slowest)
	}
	for i := range f.times.of {
		for part, t := range f.times.of[i] {
			c.p.Tally("steps", i, stepColumnOf[part], int64(t/cluster.Nanosecond))
		}
	}
	return nil
}

// Flops returns the flops of a factorization of n rows, as LAPACK counts them.
func Flops(n int) float64 {
	x := float64(n)
	return x*x*x/3 + x*x/2 + x/6
}
