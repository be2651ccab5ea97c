package gemm

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// product is one rank's part of C = A·B.
type product struct {
	problem
	r      *cluster.Rank
	p      engine.Probe
	me     [lines]int // column in its row, row in its column
	m, w   int        // rows and columns of C that it has
	real   bool
	ahead  int // panels that are prefetched; 0: broadcasts block
	slices int
	cores  int
	lines  [lines]*panels
	teams  [lines]*cluster.Team
	tiles  *dense.Tiles
	told   bool // its steps are those that are shown

	a, b, c []float64 // its parts, by rows
	inner   [2]int    // columns of A and rows of B that it has

	spans span
	alone cluster.Time        // the panels of a step, with nothing beside them
	each  [lines]cluster.Time // of it each
}

// span is where a product's time went, and which step waited longest.
type span struct {
	all, pack, wait, compute cluster.Time
	longest                  cluster.Time
	step                     int
}

// newProduct takes memory for the rank's part.
func newProduct(r *cluster.Rank, p engine.Probe, of problem, teams [lines]*cluster.Team, behind int64, real bool) (*product, int64, error) {
	x := &product{problem: of, r: r, p: p, teams: teams, real: real, ahead: aheadOf(p), slices: int(p.Int("slices")), cores: workload.CoresOf(p, &r.Spec().Machine, &r.Spec().Layout)}
	if p.Text("schedule") == blocking {
		x.slices = 1
	}
	for line := range lines {
		x.me[line] = teams[line].Rank()
	}
	x.m, x.w = of.along(of.rows).Len(x.me[column]), of.along(of.cols).Len(x.me[row])
	for line, long := range [lines]int{x.m, x.w} {
		most := of.most(line)
		key, err := keyOf(r, p, teams[line], most)
		if err != nil {
			return nil, 0, err
		}
		if x.lines[line], behind, err = newPanels(r, teams[line], key, long, most, x.ahead, real, behind); err != nil {
			return nil, 0, err
		}
	}
	if real {
		x.inner = [2]int{of.along(of.cols).Len(x.me[row]), of.along(of.rows).Len(x.me[column])}
		x.a, x.b, x.c = make([]float64, x.m*x.inner[0]), make([]float64, x.inner[1]*x.w), make([]float64, x.m*x.w)
		x.tiles = new(dense.Tiles)
	}
	return x, behind, nil
}

// aheadOf is how many panels the knobs have prefetched.
func aheadOf(s interface {
	Text(string) string
	Int(string) int64
}) int {
	if s.Text("schedule") == blocking {
		return 0
	}
	return int(s.Int("ahead"))
}

// multiply makes all steps.
func (x *product) multiply() error {
	clear(x.c)
	if err := x.r.Barrier(x.r.World()); err != nil {
		return err
	}
	x.spans = span{}
	steps := x.steps()
	begun := x.r.Now()
	now := begun
	for k := range min(x.ahead, steps) {
		if err := x.start(k, &now); err != nil {
			return err
		}
	}
	for k := range steps {
		if x.told {
			x.p.Step(k, steps)
		}
		if next := k + x.ahead; next < steps {
			if err := x.start(next, &now); err != nil {
				return err
			}
		}
		if err := x.arrive(k, &now); err != nil {
			return err
		}
		if err := x.update(k, &now); err != nil {
			return err
		}
		for _, line := range x.lines {
			if err := line.multiplied(k); err != nil {
				return err
			}
		}
	}
	x.spans.all = x.r.Now() - begun
	for _, line := range x.lines {
		if err := line.settle(); err != nil {
			return err
		}
	}
	return x.r.Barrier(x.r.World())
}

// lap adds the time since now to a part.
func (x *product) lap(part *cluster.Time, now *cluster.Time) {
	t := x.r.Now()
	*part += max(t-*now-x.p.Clock(), 0)
	*now = t
}

// start packs the panels of step k where the rank has them, and begins their broadcasts.
// Without prefetching each ends before the next one begins.
func (x *product) start(k int, now *cluster.Time) error {
	wide := x.along(1).Width(k)
	for line, to := range x.lines {
		if err := to.freed(k); err != nil {
			return err
		}
		x.lap(&x.spans.wait, now)
		root := k % x.size(line)
		if root == x.me[line] {
			x.pack(line, k, wide)
			x.lap(&x.spans.pack, now)
		}
		if err := to.start(k, wide, root); err != nil {
			return err
		}
		if x.ahead == 0 {
			if err := to.wait(k); err != nil {
				return err
			}
		}
		x.lap(&x.spans.wait, now)
	}
	return nil
}

// pack copies the rank's part of panel k into its slot.
func (x *product) pack(line, k, wide int) {
	bytes := 2 * float64(x.lines[line].long) * float64(wide) * unit
	if !x.real {
		x.r.Compute(cluster.Work{Bytes: bytes}, nil)
		return
	}
	first := k / x.size(line) * x.block
	to := x.lines[line].numbers(k, wide)
	x.r.Compute(cluster.Work{Bytes: bytes}, func() {
		if line == column {
			copy(to, x.b[first*x.w:][:wide*x.w])
			return
		}
		for i := range x.m {
			copy(to[i*wide:][:wide], x.a[i*x.inner[0]+first:][:wide])
		}
	})
}

// arrive waits for the panels of step k.
func (x *product) arrive(k int, now *cluster.Time) error {
	before := x.spans.wait
	for _, line := range x.lines {
		if err := line.wait(k); err != nil {
			return err
		}
	}
	x.lap(&x.spans.wait, now)
	if waited := x.spans.wait - before; waited > x.spans.longest && k > 0 { // nothing hides the first
		x.spans.longest, x.spans.step = waited, k
	}
	return nil
}

// update multiplies by the panels of step k, in slices, and lets broadcasts go on between
// two.
func (x *product) update(k int, now *cluster.Time) error {
	wide := x.along(1).Width(k)
	a, b := x.lines[row].numbers(k, wide), x.lines[column].numbers(k, wide)
	for part := range x.slices {
		from, to := x.m*part/x.slices, x.m*(part+1)/x.slices
		work := cluster.Work{Flops: dense.GemmFlops(to-from, x.w, wide), Kernel: cluster.Dgemm, Cores: x.cores}
		if x.real && to > from && x.w > 0 {
			x.r.Compute(work, func() { x.tiles.Gemm(false, to-from, x.w, wide, 1, a[from*wide:], wide, b, x.w, x.c[from*x.w:], x.w) })
		} else {
			x.r.Compute(work, nil)
		}
		if x.ahead == 0 || part == x.slices-1 {
			continue
		}
		for _, line := range x.lines {
			if err := line.poll(); err != nil {
				return err
			}
		}
	}
	x.lap(&x.spans.compute, now)
	return nil
}

// time broadcasts the panels of step 0 with nothing beside it, one after the other.
func (x *product) time() error {
	if err := x.r.Barrier(x.r.World()); err != nil {
		return err
	}
	begun := x.r.Now()
	wide := x.along(1).Width(0)
	now := begun
	for line, to := range x.lines {
		if x.me[line] == 0 {
			x.pack(line, 0, wide)
		}
		if err := to.start(0, wide, 0); err != nil {
			return err
		}
		if err := to.wait(0); err != nil {
			return err
		}
		x.each[line] = 0
		x.lap(&x.each[line], &now)
	}
	x.alone = max(now-begun-x.p.Clock(), 0)
	return x.r.Barrier(x.r.World())
}

// free gives the broadcasts back.
func (x *product) free() error {
	for _, line := range x.lines {
		if err := line.comm.Free(); err != nil {
			return err
		}
	}
	return nil
}
