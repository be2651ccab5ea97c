package cartesian

import (
	"cmp"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A process is one process and its exchanges.
type process struct {
	r          *cluster.Rank
	p          engine.Probe
	senders    int
	workers    int // threads that take part
	scratch    bool
	inTurn     bool        // one direction after the other
	vertical   []*exchange // by sending thread
	horizontal *exchange
	done       int // rounds of this iteration before the current part
	steps      int // rounds of an iteration
}

func run(r *cluster.Rank, p engine.Probe) error {
	if r.World().Rank() < 0 { // no MPI rank
		for p.Next() {
		}
		return nil
	}
	size := p.Int("size")
	whole := lengths{vertical: size * int64(r.Spec().Layout.ThreadsPerRank), horizontal: size}
	at := neighboursOf(r.World(), &r.Spec().Layout)
	rounds := int(p.Int("rounds"))
	atOnce := p.Text("directions") == directionsTogether
	store := workload.Store(r, p, whole.data(len(at.vertical), len(at.horizontal)))
	timed, verified, err := workload.Parts(store, func(store cluster.Store, small bool) (*process, error) {
		n := whole
		if small {
			n = whole.small(workload.Limit(p, r.Ranks()), p.Int("senders"))
		}
		return newProcess(r, p, store, at, n), nil
	})
	if err != nil {
		return err
	}
	timed.steps = rounds + 1
	if !atOnce {
		timed.steps *= 2
	}
	for p.Next() {
		timed.done = 0
		timed.verifySizes()
		if err := verified.verify(atOnce); err != nil {
			return err
		}
		if atOnce {
			mine, all, err := timed.time(rounds, true, timed.both, true)
			if err != nil {
				return err
			}
			p.Sample("process_time", mine)
			timed.report(all, 0, all)
			timed.verifyDirections(0)
			continue
		}
		several := r.Spec().Layout.Nodes > 1
		myInter, inter, err := timed.time(rounds, true, timed.vertically, several)
		if err != nil {
			return err
		}
		timed.done = rounds + 1
		myIntra, intra, err := timed.time(rounds, false, timed.horizontally, !several)
		if err != nil {
			return err
		}
		p.Sample("process_time", myInter+myIntra)
		timed.report(inter, intra, inter+intra)
		timed.verifyDirections(intra)
	}
	return verified.verifySkewed(atOnce)
}

// lengths are the numbers of bytes that a process sends to a neighbour.
type lengths struct{ vertical, horizontal int64 }

// newProcess returns a process whose senders share the vertical bytes.
func newProcess(r *cluster.Rank, p engine.Probe, s cluster.Store, at neighbours, n lengths) *process {
	senders := int(p.Int("senders"))
	c := &process{r: r, p: p, senders: senders, workers: senders, inTurn: p.Text("method") == "sendrecv"}
	packing := p.Text("packing")
	if c.scratch = packing == scratch && len(at.vertical) > 0; c.scratch && senders > 1 {
		c.workers = r.Spec().Layout.ThreadsPerRank
	}
	directions, copies := len(at.vertical), p.Text("copies") == staged
	for k := range senders {
		part := int64(k+1)*n.vertical/int64(senders) - int64(k)*n.vertical/int64(senders)
		c.vertical = append(c.vertical, newExchange(s, at.vertical, part, directions*k, copies, packing))
	}
	c.horizontal = newExchange(s, at.horizontal, n.horizontal, directions*senders, false, contiguous)
	return c
}

// data returns the bytes that a process sends and receives, for a number of neighbours.
func (n lengths) data(vertical, horizontal int) int64 {
	return 2 * (int64(vertical)*n.vertical + int64(horizontal)*n.horizontal)
}

// small returns the lengths of a small instance: the data of four neighbours are at most limit
// bytes, and every sender has at least one byte.
func (n lengths) small(limit, senders int64) lengths {
	const messages = 8
	vertical := min(n.vertical, max(limit/messages, senders))
	return lengths{vertical: vertical, horizontal: min(n.horizontal, vertical)}
}

// A part is the work of one sending thread in a round.
type part func(r *cluster.Rank, k int) error

// A worker is a thread that takes part in the rounds. Threads from the number of senders on only
// pack.
type worker struct {
	r *cluster.Rank
	t *cluster.Thread // nil: the master, outside parallel regions
	k int
}

// pack packs the vertical data by all threads. In a region, the messages of the last round must have
// left the buffers before, and all data must be packed after.
func (c *process) pack(w worker) error {
	if w.t == nil {
		return c.r.Fork(0, c.packShare)
	}
	w.t.Meet()
	err := c.packShare(w.t)
	w.t.Meet()
	return err
}

// packShare packs one thread's share of every message.
func (c *process) packShare(t *cluster.Thread) error {
	for _, x := range c.vertical {
		for i := range x.peers {
			err := t.For(int(elements(x.size)), cluster.Loop{Nowait: true}, func(lo, hi int) error {
				x.pack(&t.Rank, i, lo, hi)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// vertically exchanges between nodes.
func (c *process) vertically(r *cluster.Rank, k int) error { return c.methodOf(c.vertical[k])(r) }

// horizontally exchanges inside the node; only the first thread takes part.
func (c *process) horizontally(r *cluster.Rank, k int) error {
	if k > 0 {
		return nil
	}
	return c.methodOf(c.horizontal)(r)
}

// both exchanges in all directions at the same time.
func (c *process) both(r *cluster.Rank, k int) error {
	if err := c.vertical[k].begin(r); err != nil {
		return err
	}
	if k == 0 {
		if err := c.horizontal.atOnce(r); err != nil {
			return err
		}
	}
	return c.vertical[k].end(r, 0, len(c.vertical[k].peers))
}

// methodOf returns the method of an exchange.
func (c *process) methodOf(x *exchange) func(*cluster.Rank) error {
	if c.inTurn {
		return x.inTurn
	}
	return x.atOnce
}

// forEachWorker runs do in each thread that takes part. A single sender is the master, outside
// parallel regions.
func (c *process) forEachWorker(do func(worker) error) error {
	if c.senders == 1 {
		return do(worker{r: c.r})
	}
	return c.r.Fork(c.workers, func(t *cluster.Thread) error { return do(worker{&t.Rank, t, t.Number()}) })
}

// runRounds runs a number of rounds on a thread, each after packing its data. The timed process reports
// them as steps from done on. A thread that fails, or has failed before, continues to pack, because the others
// wait for it.
func (c *process) runRounds(w worker, rounds int, packs bool, round part, done int, failed error) error {
	for i := range rounds {
		if c.steps > 0 && w.k == 0 {
			c.p.Step(done+i, c.steps)
		}
		if packs && c.scratch {
			failed = cmp.Or(failed, c.pack(w))
		}
		if failed == nil && w.k < c.senders {
			failed = round(w.r, w.k)
		}
		if failed != nil && !c.scratch {
			break
		}
	}
	return failed
}

// time returns the time of a round on the slowest thread of this process, and on the slowest
// process. After a barrier and one warm-up round, the rounds run without a break in one parallel
// region. An explanation of the run is about the rounds that it marks.
func (c *process) time(rounds int, packs bool, round part, marks bool) (mine, slowest float64, err error) {
	world := c.r.World()
	if err := c.r.Barrier(world); err != nil {
		return 0, 0, err
	}
	begin, end := (*cluster.Rank).Now, (*cluster.Rank).Now
	if marks {
		begin, end = workload.BeginNow, workload.End
	}
	took := make([]cluster.Time, c.workers)
	err = c.forEachWorker(func(w worker) error {
		err := c.runRounds(w, 1, packs, round, c.done, nil)
		start := begin(w.r)
		err = c.runRounds(w, rounds, packs, round, c.done+1, err)
		took[w.k] = end(w.r) - start
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	mine = max(slices.Max(took)-c.p.Clock(), 0).Seconds() / float64(rounds)
	all, err := workload.Maxima(c.r, world, mine)
	return mine, all[0], err
}

// report reports the times of a round in s, and the bandwidth of a node.
func (c *process) report(inter, intra, all float64) {
	for _, part := range [][]*exchange{c.vertical, {c.horizontal}} {
		for _, x := range part {
			for _, to := range x.peers {
				c.p.Access(c.r.World().Global(to), x.size, cluster.FromSeconds(all))
			}
		}
	}
	if c.r.World().Rank() != 0 {
		return
	}
	c.p.Report("exchange_time", all)
	c.p.Report("inter_node_time", inter)
	c.p.Report("intra_node_time", intra)
	bytes := 0.0
	for _, x := range c.vertical {
		bytes += float64(x.size) * float64(len(x.peers))
	}
	if inter > 0 {
		a := float64(c.r.World().Size()) / float64(len(byNode(c.r.World().Members(), &c.r.Spec().Layout)))
		c.p.Report("node_bandwidth", bytes*a/inter)
	}
}
