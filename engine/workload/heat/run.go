package heat

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// process is one process, and its part of the cube.
type process struct {
	*exchange
	kernels
	bodies   bodies
	noise    noise
	skew     *workload.Skew // delays of an untimed run; nil: none
	p        *algorithm.Caller
	f        *field
	byThread []sums
	steps    int
	now      int // the step in progress
	every    int
	overlap  bool
	prepost  bool
	means    cluster.Means
	shown    bool // it reports its steps to the screen

	want   []float64  // reference temperatures after all steps; nil: unknown
	mean   float64    // of T before the last update; NaN: not yet reduced
	sums   [2]float64 // of this process, and of all
	spans  []span     // by step
	flows  []float64  // by step: energy gained by the block, and lost by radiation
	wanted float64    // published average; 0: there is none
}

// span holds the parts of a step's time.
type span struct{ pack, exchange, compute, reduce cluster.Time }

func (s *span) total() cluster.Time { return s.pack + s.exchange + s.compute + s.reduce }

func run(r *cluster.Rank, probe engine.Probe) error {
	if r.World().Rank() < 0 { // not an MPI rank: it has no block
		for probe.Next() {
		}
		return nil
	}
	if err := workload.RequestThreads(r, probe); err != nil {
		return err
	}
	p, err := reduction.Caller(r, probe, r.World(), r.World())
	if err != nil {
		return err
	}
	whole, n := cube{int(p.Int("size")), int(p.Int("steps"))}, divide(r.World().Size())
	timed, verified, err := workload.Parts(workload.Store(r, p, whole.bytes(n)),
		func(store cluster.Store, small bool) (*process, error) {
			tag := 0
			if small {
				tag = directions
			}
			return newProcess(r, p, store, whole.part(small, n), tag)
		})
	if err != nil {
		return err
	}
	timed.shown = true
	for p.Next() {
		if err := verified.conduct(); err != nil {
			return err
		}
		if err := verified.verify(); err != nil {
			return err
		}
		if verified != timed {
			if err := timed.conduct(); err != nil {
				return err
			}
		}
		workload.VerifySize(p, "size", timed.b.side)
		workload.VerifySize(p, "steps", timed.steps)
		if err := p.Took(timed.report()); err != nil {
			return err
		}
	}
	return verified.verifyMode()
}

// cube is the side of the cube, and the number of steps.
type cube struct{ side, steps int }

// bytes returns the bytes of the temperatures and of their changes, for the process with the most
// cells.
func (c cube) bytes(n [3]int) int64 {
	b := blockOf(c.side, n, 0)
	return 2 * cell * b.cells()
}

// part returns the cube itself, or a small one. Blocks of the small one have inner cells if
// the cube is large enough.
func (c cube) part(small bool, n [3]int) cube {
	if small {
		return cube{min(c.side, 3*slices.Max(n[:])), min(c.steps, 4)}
	}
	return c
}

// newProcess allocates memory for the process's block of a cube. Its messages have the tags from
// tag on.
func newProcess(r *cluster.Rank, p *algorithm.Caller, store cluster.Store, of cube, tag int) (*process, error) {
	n := divide(r.World().Size())
	b, largest := blockOf(of.side, n, r.World().Rank()), blockOf(of.side, n, 0)
	x := &exchange{r: r, b: b, variant: p.Text("variant"), tag: tag}
	x.single = p.Text("inboxes") == oneInbox && x.variant != twoSided
	if err := x.allocate(store, largest); err != nil {
		return nil, err
	}
	device := p.Text("memory") != memoryHost
	loops := workload.NewLoops(r)
	c := &process{exchange: x, kernels: kernels{on: r, loops: loops, device: device}, byThread: make([]sums, loops.Threads()),
		noise: newNoise(r, p.Float("noise-rate"), p.Float("noise-length")), p: p, f: newField(b, store), steps: of.steps,
		every: int(p.Int("reduce-every")), spans: make([]span, of.steps+1),
		overlap: p.Text("overlap") == "on", prepost: p.Text("prepost") == "on" && x.variant == twoSided}
	if device {
		c.means = cluster.Means{Own: cluster.DeviceMemory, Far: cluster.DeviceMemory}
	}
	c.setRows()
	return c, store.Do(func() error {
		c.bindBodies()
		c.flows = make([]float64, 2*(of.steps+1))
		c.wanted = average[[2]int{of.side, of.steps}]
		if checkable(&largest, of.steps, r.World().Size()) {
			c.want = sequential(&b, of.steps)
		}
		return nil
	})
}

// setRows sets the rows of the kernels.
func (c *process) setRows() {
	for d := range directions {
		c.bodies.pack[d].rows, _ = c.b.faceRows(d)
	}
	c.bodies.inner.rows, c.bodies.surface.rows, c.bodies.update.rows = c.b.innerRows(), c.b.rows(), c.b.rows()
}

// bindBodies creates the bodies of the kernels.
func (c *process) bindBodies() {
	bind := func(k *kernel, body func(thread, lo, hi int)) {
		k.body, k.whole = body, func() { body(0, 0, k.rows) }
	}
	for d := range directions {
		bind(&c.bodies.pack[d], func(_, lo, hi int) { c.f.pack(d, c.out[c.step%2][d].Slice(), lo, hi) })
	}
	bind(&c.bodies.inner, func(_, lo, hi int) { c.f.inner(lo, hi) })
	bind(&c.bodies.surface, func(thread, lo, hi int) { c.byThread[thread].radiated = c.f.surface(lo, hi) })
	bind(&c.bodies.update, func(thread, lo, hi int) {
		of := &c.byThread[thread]
		of.content, of.gained = c.f.update(lo, hi)
	})
}

// addSums adds the sums of the threads in their order.
func (c *process) addSums() {
	all := c.byThread[0]
	for _, s := range c.byThread[1:] {
		all.content += s.content
		all.gained += s.gained
		all.radiated += s.radiated
	}
	c.f.sums = all
	if len(c.flows) > 0 {
		c.flows[2*c.now], c.flows[2*c.now+1] = all.gained, all.radiated
	}
}

// conduct runs all steps, starting from T = 0.
func (c *process) conduct() error {
	clear(c.f.t)
	return c.runSteps(c.steps, true)
}

// runSteps runs the steps from 0 to the last one, with the source in the first half or without it.
func (c *process) runSteps(last int, heated bool) error {
	if err := c.expect(c.step); err != nil {
		return err
	}
	if err := c.resetCount(); err != nil {
		return err
	}
	now, err := workload.Begin(c.r, c.r.World())
	if err != nil {
		return err
	}
	c.mean = math.NaN()
	for t := range last + 1 {
		if c.shown {
			c.p.Step(t, c.steps+1)
		}
		c.now, c.f.on = t, heated && t <= c.steps/2
		now, err = c.runStep(t, last, now)
		if err != nil {
			return err
		}
	}
	workload.MarkEnd(c.r)
	for parity := range c.sends { // so that the next iteration starts like the first one
		if err := c.r.Waitall(c.sends[parity][:], nil); err != nil {
			return err
		}
	}
	return nil
}

// runStep runs step t, which began at the time begun, and returns the time of its end.
func (c *process) runStep(t, last int, begun cluster.Time) (cluster.Time, error) {
	s, clock := &c.spans[t], c.p.Clock()
	lap := func(part *cluster.Time) {
		now := c.r.Now()
		*part += max(now-begun-clock, 0)
		begun = now
	}
	*s = span{}
	for d := range c.f.in {
		c.f.in[d] = c.in[c.step%2][d].Slice()
	}
	if t < last {
		if err := c.expect(c.step + 1); err != nil {
			return 0, err
		}
	}
	if c.skew == nil {
		c.noise.runDetours(begun)
	}
	c.skew.Delay()
	if err := c.r.Using(c.means, c.sendFaces); err != nil {
		return 0, err
	}
	lap(&s.pack)
	if c.overlap && !c.device {
		if err := c.inner(); err != nil {
			return 0, err
		}
		lap(&s.compute)
	}
	if err := c.wait(); err != nil {
		return 0, err
	}
	lap(&s.exchange)
	if !c.overlap {
		if err := c.inner(); err != nil {
			return 0, err
		}
	}
	if err := c.surface(); err != nil {
		return 0, err
	}
	if err := c.fenceAll(); err != nil {
		return 0, err
	}
	if err := c.launch(bulk, updateWork(&c.b), &c.bodies.update); err != nil {
		return 0, err
	}
	if err := c.fenceAll(); err != nil {
		return 0, err
	}
	c.addSums()
	lap(&s.compute)
	if (t+1)%c.every == 0 || t == last {
		c.sums = [2]float64{c.f.content}
		if err := algorithm.Allreduce(c.p, c.r, c.r.World(), cluster.Sum, c.sums[:1], c.sums[1:]); err != nil {
			return 0, err
		}
		cells := float64(c.b.side) * float64(c.b.side) * float64(c.b.side)
		c.mean = c.sums[1] / cells
		lap(&s.reduce)
	}
	return begun, nil
}

// inner computes the cells that need no face.
func (c *process) inner() error { return c.launch(bulk, innerWork(&c.b), &c.bodies.inner) }

// sendFaces packs each face and starts to send it. On a device all faces are packed concurrently,
// and with overlap the inner cells are in progress before the first face is sent.
func (c *process) sendFaces() error {
	if err := c.waitSent(); err != nil {
		return err
	}
	if c.prepost {
		for d, peer := range c.b.peers {
			if peer < 0 {
				continue
			}
			if err := c.receive(d); err != nil {
				return err
			}
		}
	}
	for d, peer := range c.b.peers {
		if peer < 0 || !c.device {
			continue
		}
		if err := c.pack(d); err != nil {
			return err
		}
	}
	if c.device && c.overlap {
		if err := c.inner(); err != nil {
			return err
		}
	}
	for d, peer := range c.b.peers {
		if peer < 0 {
			continue
		}
		if err := c.waitPacked(d); err != nil {
			return err
		}
		if c.variant == twoSided && !c.prepost {
			if err := c.receive(d); err != nil {
				return err
			}
		}
		if err := c.send(d); err != nil {
			return err
		}
	}
	return nil
}

// pack starts to pack a face.
func (c *process) pack(d int) error {
	return c.launch(d, packWork(&c.b, d), &c.bodies.pack[d])
}

// waitPacked returns when a face is packed. A processor packs it now.
func (c *process) waitPacked(d int) error {
	if !c.device {
		return c.pack(d)
	}
	return c.fence(d)
}

// warmUp returns the number of steps that are not counted.
func warmUp(steps int) int { return min(3, steps/4) }

// report reports the times of the counted steps, and returns their sum. Two successive steps contain all parts of a step
// on every process, even if it is ahead.
func (c *process) report() cluster.Time {
	counted := c.spans[warmUp(c.steps):]
	var sum span
	windows := make([]float64, 0, len(counted))
	for i := range counted {
		s := &counted[i]
		sum.pack += s.pack
		sum.exchange += s.exchange
		sum.compute += s.compute
		sum.reduce += s.reduce
		if i > 0 {
			window := s.total() + counted[i-1].total()
			c.p.Sample("two_steps", window.Seconds())
			windows = append(windows, window.Seconds()/2)
		}
	}
	n := float64(len(counted))
	each := sum.total().Seconds() / n
	c.p.Report("step_time", each)
	c.p.Report("compute_time", sum.compute.Seconds()/n)
	c.p.Report("exchange_time", (sum.pack+sum.exchange).Seconds()/n)
	c.p.Report("reduce_time", sum.reduce.Seconds()/n)
	if each > 0 {
		c.p.Report("comm_share", 1-sum.compute.Seconds()/n/each)
	}
	slices.Sort(windows)
	at := func(q float64) float64 { return windows[int(q*float64(len(windows)-1)+0.5)] }
	c.p.Report("step_median", at(0.5))
	if at(0.5) > 0 {
		c.p.Report("step_spread", (at(0.9)-at(0.1))/at(0.5))
	}
	took := cluster.FromSeconds((sum.pack + sum.exchange).Seconds() / n)
	for d, peer := range c.b.peers {
		if peer >= 0 {
			c.p.Access(c.r.World().Global(peer), cell*c.b.face(d), took)
		}
	}
	return sum.total()
}
