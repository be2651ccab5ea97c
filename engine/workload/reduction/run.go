package reduction

import (
	"cmp"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Tags of the two phases.
const (
	tagAdd = 1 + iota
	tagResult
)

// A sum is one process's part of a reduction.
type sum struct {
	r        *cluster.Rank
	store    cluster.Store
	me, n    int // of the processes
	parts    int // of a piece; each part is a message
	in, out  cluster.Buf[float64]
	received []cluster.Buf[float64] // parts of partial sums, in the order of their arrival
	receives []cluster.Request
	sends    []cluster.Request
	addAll   func() (local cluster.Time, err error)
	clock    cluster.Time
}

func run(r *cluster.Rank, p engine.Probe) error {
	if r.World().Rank() < 0 { // not an MPI process
		for p.Next() {
		}
		return nil
	}
	elements, processes := int(p.Int("elements")), r.World().Size()
	timed, verified, err := workload.Parts(workload.Store(r, p, bytes(elements, processes)),
		func(store cluster.Store, small bool) (*sum, error) {
			return newSum(r, p, store, lengthOf(elements, processes, small)), nil
		})
	if err != nil {
		return err
	}
	for p.Next() {
		if verified != timed {
			if _, _, err := verified.reduce(p.Iteration()); err != nil {
				return err
			}
		}
		took, local, err := timed.reduce(p.Iteration())
		if err != nil {
			return err
		}
		verified.verify(p)
		workload.VerifySize(p, "elements", timed.in.Len())
		if timed.n > 1 {
			p.Access(r.World().Global(timed.next()), 2*8*int64(elements-elements/processes), took)
		}
		p.Report("reduction_time", took.Seconds())
		p.Report("local_time", local.Seconds())
		p.Report("comm_time", max(took-local, 0).Seconds())
	}
	return nil
}

func newSum(r *cluster.Rank, p engine.Probe, store cluster.Store, elements int) *sum {
	c := &sum{r: r, store: store, me: r.World().Rank(), n: r.World().Size(), parts: 1,
		in: cluster.Make[float64](store, elements), out: cluster.Make[float64](store, elements), clock: p.Clock()}
	switch p.Text("reduction") {
	case split:
		c.addAll = c.addBetween
	case overlapped:
		c.parts = 2
		c.addAll = c.addMeanwhile
	default:
		c.addAll = c.addAlone
	}
	messages := c.parts * (c.n - 1)
	c.receives, c.sends = make([]cluster.Request, messages), make([]cluster.Request, messages)
	for k := range messages {
		c.received = append(c.received, cluster.Make[float64](store, c.sumAt(k).Len()))
	}
	return c
}

// next and previous return the neighbours in the ring of processes.
func (c *sum) next() int     { return (c.me + 1) % c.n }
func (c *sum) previous() int { return (c.me + c.n - 1) % c.n }

// piece returns a piece of the result, counted modulo the processes.
func (c *sum) piece(i int) cluster.Buf[float64] {
	lo, hi := cluster.Share(c.out.Len(), c.n, (i+c.n)%c.n)
	return c.out.Part(lo, hi)
}

// part returns a part of a piece of the result.
func (c *sum) part(piece, part int) cluster.Buf[float64] {
	p := c.piece(piece)
	lo, hi := cluster.Share(p.Len(), c.parts, part)
	return p.Part(lo, hi)
}

// sent returns the part of the result that is message k of this process. sumAt returns the part to
// which message k of the previous process is added.
func (c *sum) sent(k int) cluster.Buf[float64]  { return c.part(c.me-k/c.parts, k%c.parts) }
func (c *sum) sumAt(k int) cluster.Buf[float64] { return c.part(c.me-1-k/c.parts, k%c.parts) }

// reduce does one reduction. It returns its time, and the time of the local part that communication
// does not hide.
func (c *sum) reduce(iteration int) (took, local cluster.Time, err error) {
	_ = c.store.Do(func() error {
		in := c.in.Slice()
		for i := range in {
			in[i] = element(c.me, i, iteration)
		}
		copy(c.out.Slice(), in)
		return nil
	})
	begin, err := workload.Begin(c.r, c.r.World())
	if err != nil {
		return 0, 0, err
	}
	if c.n > 1 {
		if local, err = c.scatter(); err == nil {
			err = c.gather()
		}
	}
	return max(workload.End(c.r)-begin-c.clock, 0), local, err
}

// scatter sends partial sums around the ring. Afterwards this process has the result of its piece.
func (c *sum) scatter() (local cluster.Time, err error) {
	for k := range c.receives {
		if err := c.r.Irecv(&c.receives[k], c.r.World(), c.previous(), tagAdd, c.received[k].Data()); err != nil {
			return 0, err
		}
	}
	for part := range c.parts {
		if err := c.send(c.r, part); err != nil {
			return 0, err
		}
	}
	if local, err = c.addAll(); err != nil {
		return 0, err
	}
	return local, c.r.Waitall(c.sends, nil)
}

// send sends message k, if there is one.
func (c *sum) send(r *cluster.Rank, k int) error {
	if k >= len(c.sends) {
		return nil
	}
	return r.Isend(&c.sends[k], r.World(), c.next(), tagAdd, c.sent(k).Data())
}

// gather sends the results of all pieces around the ring.
func (c *sum) gather() error {
	requests := c.n - 1
	for s := range requests {
		err := c.r.Irecv(&c.receives[s], c.r.World(), c.previous(), tagResult, c.piece(c.me-s).Data())
		if err != nil {
			return err
		}
	}
	for s := range requests {
		if s > 0 {
			if _, err := c.r.Wait(&c.receives[s-1]); err != nil {
				return err
			}
		}
		if err := c.r.Isend(&c.sends[s], c.r.World(), c.next(), tagResult, c.piece(c.me+1-s).Data()); err != nil {
			return err
		}
	}
	if _, err := c.r.Wait(&c.receives[requests-1]); err != nil {
		return err
	}
	return c.r.Waitall(c.sends[:requests], nil)
}

// add adds elements [lo, hi) of message k on a thread.
func (c *sum) add(r *cluster.Rank, k, lo, hi int) {
	r.Compute(work(float64(hi-lo)), c.store.Body(func() {
		out := c.sumAt(k).Slice()[lo:hi]
		for i, v := range c.received[k].Slice()[lo:hi] {
			out[i] += v
		}
	}))
}

// addAlone lets the master add each message, as inside one MPI call.
func (c *sum) addAlone() (cluster.Time, error) {
	return c.addEach(func(k int) error {
		c.add(c.r, k, 0, c.received[k].Len())
		return nil
	})
}

// addBetween lets all threads add each message in a parallel loop, between the master's MPI calls.
func (c *sum) addBetween() (cluster.Time, error) {
	return c.addEach(func(k int) error {
		return c.r.Fork(0, func(t *cluster.Thread) error { return c.share(t, k, 0) })
	})
}

// addEach waits for each message, adds it, and sends the sum on. It returns the time of the additions.
func (c *sum) addEach(add func(k int) error) (local cluster.Time, err error) {
	for k := range c.received {
		if _, err := c.r.Wait(&c.receives[k]); err != nil {
			return 0, err
		}
		begin := c.r.Now()
		if err := add(k); err != nil {
			return 0, err
		}
		local += max(c.r.Now()-begin-c.clock, 0)
		if err := c.send(c.r, k+c.parts); err != nil {
			return 0, err
		}
	}
	return local, nil
}

// share adds one thread's share of message k.
func (c *sum) share(t *cluster.Thread, k, reserved int) error {
	return t.For(c.received[k].Len(), cluster.Loop{Reserved: reserved, Nowait: true}, func(lo, hi int) error {
		c.add(&t.Rank, k, lo, hi)
		return nil
	})
}

// addMeanwhile lets the other threads add a message while the master sends the sum of the message
// before and waits for the next one. A thread barrier follows each wait: the message has arrived, and
// the one before is added. A master that fails continues to the barriers. addMeanwhile returns the
// time for which the master waits for the other threads.
func (c *sum) addMeanwhile() (local cluster.Time, err error) {
	var waited cluster.Time
	err = c.r.Fork(0, func(t *cluster.Thread) error {
		var failed error
		for k := range len(c.received) + 1 {
			master := t.Number() == 0
			if master && k < len(c.received) && failed == nil {
				_, failed = t.Wait(&c.receives[k])
			}
			begin := t.Now()
			t.Meet()
			if master {
				waited += max(t.Now()-begin-c.clock, 0)
			}
			if master && k > 0 && failed == nil {
				failed = c.send(&t.Rank, k-1+c.parts)
			}
			if k < len(c.received) {
				failed = cmp.Or(failed, c.share(t, k, 1))
			}
		}
		return failed
	})
	return waited, err
}

// The vectors contain integers below 2³², so sums are exact in any order. The periods make a
// misplaced element visible, the factor makes a missing or repeated process visible.
const (
	period1 = 13
	period2 = 7
)

// element returns element i of a process's vector.
func element(process, i, iteration int) float64 {
	return float64((process+1)*(i%period1+1) + i%period2*(iteration%5+1))
}

// closedForm returns element i of the sum.
func closedForm(processes, i, iteration int) float64 {
	return float64(processes*(processes+1)/2*(i%period1+1) + processes*(i%period2)*(iteration%5+1))
}

// verify checks every element of the result.
func (c *sum) verify(p engine.Probe) {
	for i, got := range c.out.Slice() {
		if want := closedForm(c.n, i, p.Iteration()); got != want {
			p.Verify(false, fmt.Sprintf("rank %d, iteration %d, %s: element %d of the sum is %v, want %v", c.r.ID(),
				p.Iteration(), p.Text("reduction"), i, got, want))
			return
		}
	}
	p.Verify(true, "every element of the sum equals the closed form at every process")
}
