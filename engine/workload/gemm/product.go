package gemm

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// product is one rank's part of C = A·B.
type product struct {
	problem
	r      *cluster.Rank
	p      *algorithm.Tuning
	me     [lines]int // column in its row, row in its column
	m, w   int        // its rows and columns of C
	ahead  int        // panels that are prefetched; 0: broadcasts block
	slices int
	cores  int
	lines  [lines]*panels
	teams  [lines]*cluster.Team
	loops  *workload.Loops
	tiles  []dense.Tiles // by thread
	shown  bool          // it reports its steps to the screen
	open   int           // steps whose panels are in progress, and their maximum in this product
	most   int
	flops  float64 // charged in this product

	a, b, c []float64 // its parts, by rows
	inner   [2]int    // its columns of A and rows of B
	now     part
	packer  func(thread, lo, hi int) // packs rows of part now
	updater func(thread, lo, hi int) // multiplies rows of part now

	spans span
	waits []cluster.Time      // by step
	alone cluster.Time        // time of the panels of a step without any other work
	each  [lines]cluster.Time // time of each panel
}

// span holds the parts of a product's time.
type span struct {
	all, pack, wait, compute cluster.Time
}

// part is the next piece of work: a panel of a line to pack, or rows of C to multiply.
type part struct{ line, panel, wide, from, to int }

// newProduct allocates memory for the rank's part.
func newProduct(r *cluster.Rank, p *algorithm.Tuning, of problem, teams [lines]*cluster.Team,
	store cluster.Store) (*product, error) {
	x := &product{problem: of, r: r, p: p, teams: teams, ahead: aheadOf(p), slices: int(p.Int("slices")),
		cores: workload.CoresOf(p, &r.Spec().Machine, &r.Spec().Layout), loops: workload.NewLoops(r)}
	x.tiles = make([]dense.Tiles, x.loops.Threads())
	if p.Text("schedule") == blocking {
		x.slices = 1
	}
	for line := range lines {
		x.me[line] = teams[line].Rank()
	}
	x.m, x.w = of.along(of.rows).Len(x.me[column]), of.along(of.cols).Len(x.me[row])
	for line, long := range [lines]int{x.m, x.w} {
		maxBytes := of.maxPanelBytes(line)
		keys, err := keysOf(r, p, teams[line], maxBytes)
		if err != nil {
			return nil, err
		}
		x.lines[line], err = newPanels(r, teams[line], keys, long)
		if err != nil {
			return nil, err
		}
		if err := x.lines[line].allocate(maxBytes, x.ahead, store); err != nil {
			return nil, err
		}
	}
	x.inner = [2]int{x.w, x.m} // the inner dimension is distributed like the outer ones
	matrix := func() []float64 { return cluster.Make[float64](store, x.m*x.w).Slice() }
	x.a = matrix()
	x.b = matrix()
	x.c = matrix()
	x.waits = make([]cluster.Time, x.steps())
	return x, store.Do(func() error {
		x.packer, x.updater = x.packPart, x.updatePart
		return nil
	})
}

// aheadOf returns the number of panels to prefetch.
func aheadOf(s interface {
	Text(string) string
	Int(string) int64
}) int {
	if s.Text("schedule") == blocking {
		return 0
	}
	return int(s.Int("ahead"))
}

// multiply runs all steps.
func (x *product) multiply() error {
	clear(x.c)
	for _, line := range x.lines {
		line.key = line.keys[x.p.Now()]
	}
	x.spans = span{}
	x.most, x.flops = 0, 0
	steps := x.steps()
	begun, err := workload.Begin(x.r, x.r.World())
	if err != nil {
		return err
	}
	now := begun
	for k := range min(x.ahead, steps) {
		if err := x.start(k, &now); err != nil {
			return err
		}
	}
	for k := range steps {
		if x.shown {
			x.p.Step(k, steps)
		}
		if next := k + x.ahead; next < steps {
			if err := x.start(next, &now); err != nil {
				return err
			}
		}
		if err := x.waitPanels(k, &now); err != nil {
			return err
		}
		if err := x.update(k, &now); err != nil {
			return err
		}
		for _, line := range x.lines {
			if err := line.signalFree(k); err != nil {
				return err
			}
		}
	}
	x.spans.all = workload.End(x.r) - begun
	for _, line := range x.lines {
		if err := line.finishCredits(); err != nil {
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

// start packs the panels of step k on the ranks that own them, and begins their broadcasts. Without
// prefetching each broadcast ends before the next one begins.
func (x *product) start(k int, now *cluster.Time) error {
	x.open++
	x.most = max(x.most, x.open)
	wide := x.along(1).Width(k)
	for line, to := range x.lines {
		if err := to.waitFree(k); err != nil {
			return err
		}
		x.lap(&x.spans.wait, now)
		root := k % x.size(line)
		if root == x.me[line] {
			if err := x.pack(line, k, wide); err != nil {
				return err
			}
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
func (x *product) pack(line, k, wide int) error {
	x.now = part{line: line, panel: k, wide: wide}
	rows := x.m
	if line == column {
		rows = wide
	}
	return x.loops.Run(rows, cluster.Work{Bytes: 2 * float64(x.lines[line].long) * float64(wide) * unit}, x.packer)
}

func (x *product) packPart(_, lo, hi int) {
	n := &x.now
	first := n.panel / x.size(n.line) * x.block
	to := x.lines[n.line].panel(n.panel, n.wide).Slice()
	if n.line == column {
		copy(to[lo*x.w:hi*x.w], x.b[(first+lo)*x.w:])
		return
	}
	for i := lo; i < hi; i++ {
		copy(to[i*n.wide:][:n.wide], x.a[i*x.inner[0]+first:][:n.wide])
	}
}

// waitPanels waits for the panels of step k.
func (x *product) waitPanels(k int, now *cluster.Time) error {
	before := x.spans.wait
	for _, line := range x.lines {
		if err := line.wait(k); err != nil {
			return err
		}
	}
	x.open--
	x.lap(&x.spans.wait, now)
	x.waits[k] = x.spans.wait - before
	return nil
}

// update multiplies by the panels of step k, in slices. Between two slices it polls the broadcasts.
func (x *product) update(k int, now *cluster.Time) error {
	wide := x.along(1).Width(k)
	for slice := range x.slices {
		from, to := x.m*slice/x.slices, x.m*(slice+1)/x.slices
		x.now = part{panel: k, wide: wide, from: from, to: to}
		work := cluster.Work{Flops: dense.GemmFlops(to-from, x.w, wide), Kernel: cluster.Dgemm, Cores: x.cores}
		x.flops += work.Flops
		if err := x.loops.Run(to-from, work, x.updater); err != nil {
			return err
		}
		if x.ahead == 0 || slice == x.slices-1 {
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

func (x *product) updatePart(thread, lo, hi int) {
	n := &x.now
	from := n.from + lo
	a, b := x.lines[row].panel(n.panel, n.wide).Slice(), x.lines[column].panel(n.panel, n.wide).Slice()
	x.tiles[thread].Gemm(false, hi-lo, x.w, n.wide, 1, a[from*n.wide:], n.wide, b, x.w, x.c[from*x.w:], x.w)
}

// timePanels broadcasts the panels of step 0 one after the other, without any other work.
func (x *product) timePanels() error {
	wide := x.along(1).Width(0)
	for _, line := range x.lines { // so that a panel of the product is not found
		clear(line.panel(0, wide).Slice())
	}
	if err := x.r.Barrier(x.r.World()); err != nil { // not workload.Begin: an explanation is about the product
		return err
	}
	begun := x.r.Now()
	now := begun
	for line, to := range x.lines {
		if x.me[line] == 0 {
			if err := x.pack(line, 0, wide); err != nil {
				return err
			}
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

// free releases the broadcasts.
func (x *product) free() error {
	for _, line := range x.lines {
		if err := line.comm.Free(); err != nil {
			return err
		}
	}
	return nil
}
