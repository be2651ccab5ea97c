package cholesky

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// process is one of the grid's: its part of the matrix that is timed, and of a small one
// that is verified where the other has no numbers.
type process struct {
	r     *cluster.Rank
	p     engine.Probe
	of    matrix
	start *workload.Start
	timed *factor
	proof *factor
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

func newProcess(r *cluster.Rank, p engine.Probe) (*process, error) {
	world := r.World()
	g := asked(p, world.Size(), world.Rank())
	c := &process{r: r, p: p, of: matrix{name: p.Text("matrix"), seed: uint64(p.Int("seed"))}, start: workload.NewStart(r, world)}
	row, column, err := teams(r, &g)
	if err != nil {
		return nil, err
	}
	rows, columns := sites(&r.Spec().Machine, algorithm.KindOf(r), &r.Spec().Layout, &g)
	all := []*factor{newFactor(r, p, g, !phantom(&g, p.Int("real-limit"), (r.Spec().Clock == cluster.VirtualClock)))}
	if c.timed = all[0]; !c.timed.real {
		c.proof = newFactor(r, p, g.proof(), true)
		all = append(all, c.proof)
	}
	for _, f := range all { // at one offset everywhere: before the teams' own
		if err := f.place(); err != nil {
			return nil, err
		}
	}
	for _, f := range all {
		f.world = world
		across, pieces := f.most()
		if f.row, err = newCaster(r, row, rows, p, pieces, f.real); err != nil {
			return nil, err
		}
		if f.column, err = newCaster(r, column, columns, p, across, f.real); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// asked is the grid of a process among so many; a square one where they do not stand in as
// many rows as asked (plan refuses that).
func asked(s algorithm.Reader, processes, i int) grid {
	tx, fits := gridRows(s, processes)
	if !fits {
		tx = dense.Square(processes)
	}
	return gridOf(int(s.Int("n")), int(s.Int("block")), tx, processes/tx, i)
}

// gridRows are the rows that are asked for, and whether the processes stand in them.
func gridRows(s algorithm.Reader, processes int) (rows int, fits bool) {
	if s.Text("rows") == squareGrid {
		return dense.Square(processes), true
	}
	rows = int(s.Int("rows"))
	return rows, processes%rows == 0
}

// phantom reports whether a matrix is one without numbers.
func phantom(g *grid, limit int64, phantoms bool) bool { return phantoms && int64(g.n) > limit }

// proof is the same grid with a small matrix: each process has some blocks, and the last
// one is shorter.
func (g *grid) proof() grid {
	nb := min(g.nb, proofBlock)
	blocks := min(g.blocks(), 2*max(g.tx, g.ty)+1)
	n := min(g.n, blocks*nb)
	if blocks > 1 && n == blocks*nb && nb > 1 {
		n--
	}
	return gridOf(n, nb, g.tx, g.ty, g.x*g.ty+g.y)
}

// proofBlock is the rows of a block of the small matrix.
const proofBlock = 4

// teams are the rows and columns of processes.
func teams(r *cluster.Rank, g *grid) (row, column *cluster.Team, err error) {
	var across, down []int
	for y := range g.ty {
		across = append(across, g.x*g.ty+y)
	}
	for x := range g.tx {
		down = append(down, x*g.ty+g.y)
	}
	if row, err = r.Subteam(r.World(), across); err != nil {
		return nil, nil, err
	}
	column, err = r.Subteam(r.World(), down)
	return row, column, err
}

// sites are where the rows of processes are, and the columns: all rows choose alike, and
// so do all columns.
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

func newFactor(r *cluster.Rank, p engine.Probe, g grid, real bool) *factor {
	transfer, err := coll.TransferOf(p.Text("transfer"))
	if err != nil {
		panic(err) // the knob has them for choices
	}
	return &factor{
		grid: g, r: r, p: p, real: real, ld: g.leading(), direct: p.Text("handoff") == direct && g.tx > 1,
		ahead: p.Text("lookahead") == "on", slices: int(p.Int("slices")), cores: workload.CoresOf(p, &r.Spec().Machine, &r.Spec().Layout),
		post: mail{puts: transfer.OneSided()},
	}
}

// most are the bytes of the longest messages: of round 2, and of rounds 1 and 3.
func (f *factor) most() (across, pieces int64) {
	return word * int64(1+f.nb*f.cols.Most()), word * int64(max(1+f.nb*f.nb, f.nb*f.both.Most()))
}

// place takes the process' memory, of numbers or of sizes.
func (f *factor) place() error {
	extent := f.placesFrom(0).end
	if !f.real {
		words, err := f.r.Alloc(wordsOf(f.tx))
		f.at = f.placesFrom(int64(len(f.r.Segment())))
		f.at.words, f.post.words = words, words
		return err
	}
	base, err := f.r.Alloc(extent)
	if err != nil {
		return err
	}
	f.at = f.placesFrom(base)
	f.post.words = f.at.words
	f.a = numbers(f.r, f.at.a, f.rows.Most()*f.ld)
	f.diag = numbers(f.r, f.at.diag, 1+f.nb*f.nb)
	f.post.side = numbers(f.r, f.at.side, f.nb*f.cols.Most())
	for parity := range 2 {
		f.panels[parity].across = numbers(f.r, f.at.across[parity], 1+f.nb*f.cols.Most())
		f.panels[parity].pieces = make([][]float64, f.ty)
		for y := range f.ty {
			if f.meet(f.x, y) >= 0 {
				f.panels[parity].pieces[y] = numbers(f.r, f.at.pieces[parity][y], f.nb*f.both.Most())
			}
		}
	}
	return nil
}

// iterate factors the matrix, verifies it or a small one, and tells of it.
func (c *process) iterate() error {
	if c.proof != nil {
		if err := c.attempt(c.proof); err != nil {
			return err
		}
		if err := c.verify(c.proof); err != nil {
			return err
		}
	}
	if err := c.attempt(c.timed); err != nil {
		return err
	}
	if c.timed.real {
		if err := c.verify(c.timed); err != nil {
			return err
		}
	}
	return c.report(c.timed)
}

// attempt factors a matrix anew.
func (c *process) attempt(f *factor) error {
	of := c.matrix(f)
	if f.real {
		of.fill(f, f.a)
	}
	if _, err := c.start.Together(); err != nil {
		return err
	}
	if err := f.run(); err != nil {
		return err
	}
	if f.broken >= 0 {
		return f.notPositive(of.name)
	}
	return nil
}

func (c *process) matrix(f *factor) matrix {
	of := c.of
	of.n = f.n
	return of
}

// fill makes the own elements of the upper triangle; those below it are 0.
func (m matrix) fill(f *factor, into []float64) {
	clear(into)
	f.each(func(i, j, at int) { into[at] = m.at(i, j) })
}

// each calls for each own element of the upper triangle, by its place.
func (f *factor) each(do func(i, j, at int)) {
	columns := f.cols.Len(f.y)
	for li := range f.rows.Len(f.x) {
		i := f.rows.Global(f.x, li)
		for lj := f.cols.From(f.y, i); lj < columns; lj++ {
			do(i, f.cols.Global(f.y, lj), li*f.ld+lj)
		}
	}
}

// report tells of a factorization: the slowest process decides, and of the parts the mean
// counts.
func (c *process) report(f *factor) error {
	took := []int64{int64(f.times.took)}
	if err := coll.Allreduce(f.r, f.world, cluster.Max, took, took); err != nil {
		return err
	}
	slowest := cluster.Time(took[0]).Seconds()
	if f.world.Rank() == 0 {
		c.p.Report("factor_time", slowest)
		if slowest > 0 {
			c.p.Report("flop_rate", Flops(f.n)/slowest)
		}
	}
	waiting := f.times.waiting()
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

// Flops are those of a factorization of n rows, as LAPACK counts them.
func Flops(n int) float64 {
	x := float64(n)
	return x*x*x/3 + x*x/2 + x/6
}
