package access

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/rma"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, p engine.Probe) error {
	c, err := castOf(&r.Spec().Layout, p.Text("pair"), p.Text("method"))
	if err != nil {
		return err
	}
	transfers, starts, err := prepare(r, p, &c)
	if err != nil {
		return err
	}
	for p.Next() {
		best := cluster.Time(0)
		for k, x := range transfers {
			if r.ID() == 0 {
				p.Step(k, len(transfers))
			}
			took, err := x.once(p, starts[x.owner], best)
			if err != nil {
				return err
			}
			if wrong := wrongOwner(&r.Spec().Layout, p.Text("pair"), x.owner); wrong != "" {
				p.Verify(false, wrong)
			}
			if best == 0 || took < best {
				best = took
			}
		}
		if r.ID() == 0 {
			p.Report("access_time", best.Seconds())
		}
	}
	return nil
}

// prepare returns the transfers in which the rank takes part, and the starts of its teams by owner.
func prepare(r *cluster.Rank, p engine.Probe, c *cast) ([]*transfer, map[int]*workload.Start, error) {
	var all []*transfer
	starts := make(map[int]*workload.Start)
	teams := make(map[int]*cluster.Team)
	at := shapeOf(p.Int)
	off, err := r.Alloc(at.extent())
	if err != nil {
		return nil, nil, err
	}
	for k, m := range c.methods {
		owner := c.owners[k]
		if r.ID() != 0 && r.ID() != owner {
			continue
		}
		if teams[owner] == nil {
			team, err := r.Subteam(r.All(), []int{0, owner})
			if err != nil {
				return nil, nil, err
			}
			teams[owner], starts[owner] = team, workload.NewStart(r, team)
		}
		x, err := newTransfer(r, p, m, owner, teams[owner], off, at)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, x)
	}
	return all, starts, nil
}

// newTransfer returns the state of a method. Rank 0 and the owner both call it.
func newTransfer(r *cluster.Rank, p engine.Probe, m *method, owner int, team *cluster.Team, off int64, at shape) (
	*transfer, error) {
	x := &transfer{r: r, method: m, shape: at, write: p.Text("direction") == write, owner: owner, team: team, off: off,
		words: make([]uint64, at.words)}
	if r.ID() == owner {
		x.region = cluster.Words(r.Segment()[off : off+at.extent()])
	}
	switch {
	case m.name == "one-sided":
		return x, x.openWindow()
	case r.ID() == owner:
	case m.name == "page":
		x.cache, x.valid = make([]uint64, at.extent()/wordSize), make([]bool, at.extent()/at.page)
	case m.name == "prefetch":
		x.depth, x.line = int(p.Int("depth")), int(max(p.Int("line")/wordSize, 1))
		if at.stride > 1 {
			x.line = 1
		}
		x.ops, x.local = make([]cluster.Request, x.depth), make([]cluster.Request, x.depth)
	}
	return x, nil
}

// openWindow makes a window of the owner's words and opens its first epoch.
func (x *transfer) openWindow() error {
	world := x.r.World()
	team, err := x.r.Subteam(world, []int{world.Local(0), world.Local(x.owner)})
	if err != nil {
		return err
	}
	bytes := int64(0)
	if x.r.ID() == x.owner {
		bytes = x.extent()
	}
	x.win, err = rma.NewWindow(x.r, team, bytes)
	if err != nil {
		return err
	}
	if err := x.win.Fence(); err != nil || bytes == 0 {
		return err
	}
	local, err := x.win.Local()
	if err == nil {
		x.region = cluster.Words(local)
	}
	return err
}

// once moves the words of an iteration and checks them. Rank 0 reports and returns the time. best is the shortest time
// of the iteration's other methods so far, or 0. An explanation of the run is about the fastest method.
func (x *transfer) once(p engine.Probe, start *workload.Start, best cluster.Time) (cluster.Time, error) {
	seed := seedOf(p.Iteration(), x.method)
	x.fill(seed)
	begin, err := start.Together()
	if err != nil {
		return 0, err
	}
	first := x.r.ID() == 0
	switch {
	case first:
		err = x.method.move(x)
	case x.method.serve != nil:
		err = x.method.serve(x)
	}
	if err != nil {
		return 0, err
	}
	took := max(x.r.Now()-begin-p.Clock(), 0)
	if first && (best == 0 || took < best) {
		workload.MarkEnd(x.r)
	}
	if err := x.r.Barrier(x.team); err != nil {
		return 0, err
	}
	if first {
		p.Access(x.owner, x.bytes(), took)
		p.Report(x.method.metric("time"), took.Seconds())
	}
	if first != x.write {
		x.verify(p, seed)
	}
	return took, nil
}

// seedOf returns a number that differs between methods and iterations.
func seedOf(iteration int, m *method) uint64 {
	seed := uint64(iteration) << 8
	for i := range m.name {
		seed = seed*31 + uint64(m.name[i])
	}
	return seed
}

// value returns a requested word, and filler a word that is not requested or not yet moved.
func value(seed uint64, i int) uint64 { return (seed + uint64(i) + 1) * 0x9e3779b97f4a7c15 }

func filler(seed uint64, i int) uint64 { return ^value(seed, i) }

// fill writes the words to their source, and other values everywhere else.
func (x *transfer) fill(seed uint64) {
	source := x.region
	for i := range source {
		source[i] = filler(seed, i)
	}
	if x.r.ID() == 0 {
		clear(x.words)
		if x.write {
			for i := range x.words {
				x.words[i] = value(seed, i)
			}
		}
		return
	}
	if !x.write {
		for i := range x.shape.words {
			x.region[i*x.stride] = value(seed, int(i))
		}
	}
}

// verify checks every word, and after a write also those between them.
func (x *transfer) verify(p engine.Probe, seed uint64) {
	wrong := func(i int, got, want uint64) {
		p.Verify(false, fmt.Sprintf("rank %d, iteration %d, %s: word %d is %#x, want %#x", x.r.ID(), p.Iteration(),
			x.method.name, i, got, want))
	}
	if !x.write {
		for i, got := range x.words {
			if want := value(seed, i); got != want {
				wrong(i, got, want)
				return
			}
		}
		p.Verify(true, "every word that was read equals the owner's")
		return
	}
	for i, got := range x.region {
		want := filler(seed, i)
		if k := int64(i) / x.stride; int64(i)%x.stride == 0 && k < x.shape.words {
			want = value(seed, int(k))
		}
		if got != want {
			wrong(i, got, want)
			return
		}
	}
	p.Verify(true, "every word arrived at its owner, and no other word changed")
}
