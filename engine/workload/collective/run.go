package collective

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// team is a rank's side of the run.
type team struct {
	r    *cluster.Rank
	p    engine.Probe
	key  coll.Key
	name string

	timed   *space // of the calls that are timed
	proving *space // of those that are verified, if these are others

	what      coll.Collective
	ranks, me int
	n         int64
	proof     int64 // bytes of the calls that are verified
	real      bool  // the timed calls are
	calls     int
	done      uint64 // calls so far, over all iterations
	data      buffers
	own       [2][]uint64 // buffers that are not in the segment
	busy      *busy
	start     *workload.Start

	times []int64 // of the calls of an iteration, ps; see iterate
	worst []int64 // their greatest over ranks
	wrong string
	weak  string // what the modes do not promise
}

// What is kept of a call: its start and its end, as they are and negative, so that the
// greatest over ranks is the last or the first one; and the rank's own times of the
// call, of computing alone, and of both.
const (
	lastStart = iota
	firstStart
	lastEnd
	firstEnd
	alone
	busied
	both
	kept
)

// choice is what ranks of a launch share: one asks the model for all.
type choice struct{}

type chosenKey struct {
	key coll.Key
	err error
}

func run(r *cluster.Rank, p engine.Probe) error {
	world := r.World()
	if !r.Spec().Layout.MayCallMPI(r.ID()) {
		for p.Next() {
		}
		return nil
	}
	ask := func() any {
		k, err := placeIn(&r.Spec().Layout, &r.Spec().Machine, algorithm.KindOf(r)).chosen(p, world.Size())
		return chosenKey{k, err}
	}
	asked := r.Lib().Shared(choice{}, ask).(chosenKey)
	if asked.err != nil {
		return asked.err
	}
	key := asked.key
	t := &team{
		r: r, p: p, key: key, name: algorithm.Called(&key), what: key.Algorithm.Collective, ranks: world.Size(), me: world.Rank(),
		n: length(p), calls: int(p.Int("calls")),
	}
	t.proof, t.real = proven(t.what, t.ranks, t.n, p.Int("real-limit"), (r.Spec().Clock == cluster.VirtualClock))
	t.times, t.worst = make([]int64, kept*t.calls), make([]int64, kept*t.calls)
	t.start = workload.NewStart(r, world)
	t.busy = newBusy(r, p.Int("overlap"), p.Int("slices"))
	var err error
	if t.timed, err = newSpace(r, key, t.n, t.real); err != nil {
		return err
	}
	t.proving = t.timed
	if !t.real {
		if t.proving, err = newSpace(r, key, t.proof, true); err != nil {
			return err
		}
	}
	for p.Next() {
		if err := t.iterate(); err != nil {
			return err
		}
	}
	if !t.real {
		if err := t.proving.comm.Free(); err != nil {
			return err
		}
	}
	return t.timed.comm.Free()
}

// proven is how many bytes the calls that are verified have, and whether these are the
// timed ones.
func proven(c coll.Collective, ranks int, n, limit int64, phantoms bool) (int64, bool) {
	in, out := c.Lengths(ranks, true, n)
	if !phantoms || in+out <= limit {
		return n, true
	}
	blocks := int64(1)
	if c.ByMember() {
		blocks = int64(ranks)
	}
	least := int64(1)
	if c.Combines() {
		least = unit
	}
	return min(n, max(limit/2/blocks/unit*unit, least)), false
}

// iterate makes the calls of an iteration, and tells of them.
func (t *team) iterate() error {
	t.wrong, t.weak = "", ""
	if t.p.Text("check-modes") == "on" && t.what != coll.OpBarrier {
		if err := t.checked(); err != nil {
			return err
		}
	}
	if !t.real {
		x := t.call(t.proof, t.proving)
		x.fill(&t.data)
		if _, err := t.start.Together(); err != nil {
			return err
		}
		if err := t.proving.comm.Do(t.of(x, t.proving, true)); err != nil {
			return err
		}
		if err := t.check(x); err != nil {
			return err
		}
	}
	for i := range t.calls {
		if err := t.time(t.times[i*kept:][:kept], i == t.calls-1); err != nil {
			return err
		}
	}
	if err := t.r.Barrier(t.r.World()); err != nil { // what follows is no part of the last call, for the timeline
		return err
	}
	if err := coll.Allreduce(t.r, t.r.World(), cluster.Max, t.times, t.worst); err != nil {
		return err
	}
	t.report()
	return nil
}

// check looks at what a call has given, once the call's promise is that it is there.
func (t *team) check(x *call) error {
	if t.key.Out == coll.NoSync {
		if err := t.r.Barrier(t.r.World()); err != nil {
			return err
		}
	}
	t.note(x.check(&t.data))
	return nil
}

// call is the next one, of n bytes, with its buffers.
func (t *team) call(n int64, at *space) *call {
	root := 0
	if t.what.Rooted() {
		if root = int(t.p.Int("root")); root < 0 {
			root = int(t.done % uint64(t.ranks))
		}
	}
	x := &call{what: t.what, ranks: t.ranks, me: t.me, root: root, n: n, stamp: t.done}
	if t.data.in, t.data.out = at.words[0], at.words[1]; at.in == nil {
		t.data.in, t.data.out = t.own[0], t.own[1]
	}
	t.data.resize(t.what, t.ranks, t.me == root, n)
	if at.in == nil {
		t.own = [2][]uint64{t.data.in, t.data.out}
	}
	t.done++
	return x
}

// of is the library's call.
func (t *team) of(x *call, at *space, real bool) coll.Call {
	c := coll.Call{Key: t.key, Root: x.root, Blocks: t.key.Blocks(x.n, elementOf(t.what)), InAt: at.in, OutAt: at.out}
	if !real {
		in, out := t.what.Lengths(t.ranks, t.me == x.root, x.n)
		c.In, c.Out = cluster.Sized(in), cluster.Sized(out)
		return c
	}
	c.In, c.Out = cluster.Of(t.data.give()), cluster.Of(t.data.get())
	if t.what.Combines() {
		c.Combine = add
	}
	return c
}

// time makes one call, and with overlap the same once more beside computing.
func (t *team) time(times []int64, last bool) error {
	var x *call
	if t.real {
		x = t.call(t.n, t.timed)
		x.fill(&t.data)
	} else {
		x = t.next()
	}
	c := t.of(x, t.timed, t.real)
	start, err := t.start.Together()
	if err != nil {
		return err
	}
	if last {
		t.p.Part(0, t.name)
	}
	if err := t.timed.comm.Do(c); err != nil {
		return err
	}
	end := t.r.Now()
	if last {
		t.p.Part(-1, "")
	}
	if t.real {
		if err := t.check(x); err != nil {
			return err
		}
	}
	clock := t.p.Clock()
	times[lastStart], times[firstStart], times[lastEnd], times[firstEnd] = int64(start), -int64(start), int64(end), -int64(end)
	times[alone] = int64(max(end-start-clock, 0))
	t.p.Sample("member_time", cluster.Time(times[alone]).Seconds())
	if t.busy == nil {
		return nil
	}
	if start, err = t.start.Together(); err != nil {
		return err
	}
	for range t.busy.slices {
		t.busy.slice()
	}
	times[busied] = int64(max(t.r.Now()-start-clock, 0))
	if t.real {
		x.fill(&t.data)
	}
	if start, err = t.start.Together(); err != nil {
		return err
	}
	if err := t.beside(c); err != nil {
		return err
	}
	times[both] = int64(max(t.r.Now()-start-clock, 0))
	if t.real {
		return t.check(x)
	}
	return nil
}

// next is the next call of sizes alone.
func (t *team) next() *call {
	x := t.call(t.proof, t.proving)
	x.n = t.n
	return x
}

// beside computes while a call is under way.
func (t *team) beside(c coll.Call) error {
	x, err := t.timed.comm.Start(c)
	if err != nil {
		return err
	}
	open := true
	for range t.busy.slices {
		t.busy.slice()
		if open {
			complete, err := x.Test()
			if err != nil {
				return err
			}
			open = !complete
		}
	}
	if open {
		return x.Wait()
	}
	return nil
}

func (t *team) note(wrong string) {
	if t.wrong == "" {
		t.wrong = wrong
	}
}

// report tells of the calls of an iteration. In virtual time a call lasts from when the
// first rank begins until the last has ended; a rank of a live fabric may not even have
// a core when it could begin, and there a call lasts as long as the slowest rank's own.
func (t *team) report() {
	blocks := blocksOf(t.ranks)
	var own, call, busy, together cluster.Time
	for i := range t.calls {
		mine, all := t.times[i*kept:][:kept], t.worst[i*kept:][:kept]
		own += cluster.Time(mine[alone])
		busy += cluster.Time(all[busied])
		together += cluster.Time(all[both])
		if t.r.Spec().Clock == cluster.VirtualClock {
			call += max(cluster.Time(all[lastEnd]+all[firstStart])-t.p.Clock(), 0)
		} else {
			call += cluster.Time(all[alone])
		}
		row := t.me * blocks / t.ranks
		t.p.Tally("progress", row, 0, (mine[lastEnd]+all[firstStart])/int64(cluster.Nanosecond))
		t.p.Tally("progress", row, 1, 1)
		if t.what == coll.OpBarrier && -all[firstEnd] < all[lastStart] {
			t.note(fmt.Sprintf("barrier: a rank went on %s before the last one came", cluster.Time(all[lastStart]+all[firstEnd])))
		}
	}
	n := cluster.Time(t.calls)
	t.p.Report("mean_time", (own / n).Seconds())
	if t.me == 0 {
		t.p.Report("call_time", (call / n).Seconds())
		if t.busy != nil {
			t.p.Report("compute_time", (busy / n).Seconds())
			t.p.Report("overlapped_time", (together / n).Seconds())
			if shorter := min(call, busy); shorter > 0 {
				t.p.Report("hidden_share", float64(call+busy-together)/float64(shorter))
			}
		}
	}
	if t.weak != "" {
		if t.weak != another {
			t.p.Verify(false, fmt.Sprintf("iteration %d: %s", t.p.Iteration(), t.weak))
		}
		return
	}
	if t.wrong != "" {
		t.p.Verify(false, fmt.Sprintf("iteration %d: %s by %s", t.p.Iteration(), t.wrong, t.name))
		return
	}
	proved := t.proved()
	if t.p.Text("check-modes") == "on" && t.what != coll.OpBarrier {
		proved += "; its modes promise all that a program takes for granted which writes just before a call and reads just after"
	}
	t.p.Verify(true, proved)
}

// proved says what was verified.
func (t *team) proved() string {
	switch {
	case t.what == coll.OpBarrier:
		return fmt.Sprintf("barrier by %s among %d ranks: nobody went on before all had come", t.name, t.ranks)
	case t.real:
		return fmt.Sprintf("%s by %s among %d ranks: every byte of every rank's result is right", t.what, t.name, t.ranks)
	}
	return fmt.Sprintf("%s by %s among %d ranks: every byte is right with %s; the timed calls move sizes", t.what, t.name, t.ranks, cluster.SizeText(float64(t.proof)))
}

// mostBlocks is how many rows the table of progress has.
const mostBlocks = 64

// blocksOf is how many blocks the ranks of a team are told of in.
func blocksOf(ranks int) int { return min(ranks, mostBlocks) }

// progressLabels are the rows of that table.
func progressLabels(s *engine.Scenario, _ *cluster.Machine) (rows, columns []string) {
	l := s.Layout()
	ranks := len(l.World())
	blocks := blocksOf(ranks)
	for b := range blocks {
		first, last := (b*ranks+blocks-1)/blocks, ((b+1)*ranks-1)/blocks
		label := fmt.Sprint(first)
		if last > first {
			label = fmt.Sprintf("%d-%d", first, last)
		}
		rows = append(rows, label)
	}
	return rows, []string{"time", "calls"}
}
