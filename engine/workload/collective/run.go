package collective

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A team is one rank's data of the run.
type team struct {
	r    *cluster.Rank
	p    *algorithm.Tuning
	keys []coll.Key // that online tuning tries, or the only one
	key  coll.Key   // of the current iteration
	name string
	how  string // how the model chose the algorithm; "": the knobs name it

	timed    *part
	verified *part

	what      coll.Collective
	ranks, me int
	n         int64
	calls     int
	done      uint64 // calls so far, over all iterations
	busy      *busy
	start     *workload.Start

	times     []int64      // of the calls of an iteration, ps; then their maximum over ranks; see iterate
	ends      []int64      // by call: end on this rank
	local     cluster.Time // sum of the times of only the calls on this rank
	wrong     string
	violation string // of the modes
	checked   int    // 1 + number of the key of the last call of the verified part
}

// Times that are stored per call. Start and end are stored twice, with both signs, so that the
// maximum over ranks returns the last and the first one. The others are the rank's times of the
// call, of the computation alone, and of both.
const (
	lastStart = iota
	firstStart
	lastEnd
	firstEnd
	alone
	computed
	both
	perCall
)

// choice is the key of a teamChoice.
type choice struct{}

// A teamChoice is the site of the team and the keys to try. The ranks of a launch share it, because
// both take time in proportion to the number of ranks.
type teamChoice struct {
	at   teamSite
	keys []coll.Key
	how  string
	err  error
}

func run(r *cluster.Rank, p engine.Probe) error {
	if !r.Spec().Layout.MayCallMPI(r.ID()) {
		for p.Next() {
		}
		return nil
	}
	t, err := newTeam(r, p)
	if err != nil {
		return err
	}
	if err := t.makeParts(); err != nil {
		return err
	}
	for p.Next() {
		if err := t.iterate(); err != nil {
			return err
		}
	}
	if err := t.verifySkewed(); err != nil {
		return err
	}
	if t.verified != t.timed {
		if err := t.verified.comm.Free(); err != nil {
			return err
		}
	}
	return t.timed.comm.Free()
}

// newTeam makes the rank's data without its parts, and sends no messages. Its large stack frame must not be
// below the frames of a call: a rank's stack then stays below 4 KiB.
func newTeam(r *cluster.Rank, p engine.Probe) (*team, error) {
	world := r.World()
	chosen := r.Lib().Shared(choice{}, func() any {
		at := teamSiteIn(&r.Spec().Layout, &r.Spec().Machine, algorithm.KindOf(r))
		keys, err := at.tried(p, world.Size())
		return &teamChoice{at, keys, at.how(p, world.Size()), err}
	}).(*teamChoice)
	if chosen.err != nil {
		return nil, chosen.err
	}
	keys := chosen.keys
	t := &team{
		r: r, keys: keys, how: chosen.how, what: of(p), ranks: world.Size(), me: world.Rank(), n: length(p),
		calls: int(p.Int("calls")),
		p: algorithm.Tune(r, world, p, func() []algorithm.Cell {
			return []algorithm.Cell{chosen.at.cell(p, world.Size())}
		}),
	}
	t.times, t.ends = make([]int64, perCall*t.calls), make([]int64, t.calls)
	t.start = workload.NewStart(r, world)
	t.busy = newBusy(r, p.Int("overlap"), p.Int("slices"))
	return t, nil
}

// makeParts makes the timed and the verified part.
func (t *team) makeParts() (err error) {
	in, out := t.what.Lengths(t.ranks, true, t.n)
	t.timed, t.verified, err = workload.Parts(workload.Store(t.r, t.p, in+out), t.newPart)
	return err
}

// sizeOf returns the bytes of a call: n, or for the small call that is verified next to size-only
// ones, a size with buffers within the limit.
func sizeOf(c coll.Collective, ranks int, n, limit int64, small bool) int64 {
	if !small {
		return n
	}
	blocks := int64(1)
	if c.ByMember() {
		blocks = int64(ranks)
	}
	least := int64(1)
	if c.Combines() {
		least = unit
	}
	return min(n, max(limit/2/blocks/unit*unit, least))
}

// iterate does the calls of an iteration, and reports them.
func (t *team) iterate() error {
	t.wrong, t.violation, t.local = "", "", 0
	t.key = t.keys[t.p.Now()]
	t.name = algorithm.Describe(&t.key)
	if t.p.Text("check-modes") == "on" && t.what != coll.OpBarrier {
		if err := t.callChecked(); err != nil {
			return err
		}
	}
	if now := 1 + t.p.Now(); t.verified != t.timed && (t.ranks <= largeTeam || t.checked != now) {
		if err := t.verifyCall(t.verified); err != nil {
			return err
		}
		t.checked = now
	}
	for i := range t.calls {
		if err := t.timeCall(i); err != nil {
			return err
		}
	}
	if err := t.r.Barrier(t.r.World()); err != nil { // keeps what follows out of the last call in the timeline
		return err
	}
	all, err := workload.Maxima(t.r, t.r.World(), t.times...)
	if err != nil {
		return err
	}
	return t.p.Took(t.report(all))
}

// verifyCall does one untimed call of a part, and checks it.
func (t *team) verifyCall(at *part) error {
	x := t.call(at)
	at.fill(x)
	if _, err := t.start.Together(); err != nil {
		return err
	}
	if err := at.comm.DoAlike(t.libraryCall(x, at)); err != nil {
		return err
	}
	return t.check(x, at)
}

// check verifies the result of a call. If the modes require it, the ranks synchronize first.
func (t *team) check(x *call, at *part) error {
	return at.data.store.Do(func() error {
		if t.key.Out == coll.NoSync {
			if err := t.r.Barrier(t.r.World()); err != nil {
				return err
			}
		}
		t.noteWrong(x.check(&at.data))
		return nil
	})
}

// call returns the next call of a part, and prepares its buffers.
func (t *team) call(at *part) *call {
	root := 0
	if t.what.Rooted() {
		root = int(t.p.Int("root"))
		if root < 0 {
			root = int(t.done % uint64(t.ranks))
		}
	}
	x := &call{what: t.what, ranks: t.ranks, me: t.me, root: root, n: at.n, stamp: t.done}
	at.data.resize(t.what, t.ranks, t.me == root, at.n)
	t.done++
	return x
}

// libraryCall returns the call for package coll.
func (t *team) libraryCall(x *call, at *part) coll.Call {
	c := coll.Call{Key: t.key, Root: x.root, Blocks: t.key.Blocks(x.n, elementOf(t.what)), In: at.data.inData(),
		Out: at.data.outData(), InAt: at.in, OutAt: at.out}
	if t.what.Combines() {
		c.Combine = add
	}
	return c
}

// timeCall does call i of an iteration, and with overlap the same call again during computation.
func (t *team) timeCall(i int) error {
	times, last := t.times[i*perCall:][:perCall], i == t.calls-1
	x := t.call(t.timed)
	t.timed.fill(x)
	start, err := t.start.Together()
	if err != nil {
		return err
	}
	if last {
		t.p.Part(0, t.name)
	}
	if err := t.timed.comm.DoAlike(t.libraryCall(x, t.timed)); err != nil {
		return err
	}
	end := workload.End(t.r)
	if last {
		t.p.Part(-1, "")
	}
	if err := t.check(x, t.timed); err != nil {
		return err
	}
	clock := t.p.Clock()
	times[lastStart] = int64(start)
	times[firstStart] = -int64(start)
	times[lastEnd] = int64(end)
	times[firstEnd] = -int64(end)
	times[alone] = int64(max(end-start-clock, 0))
	t.ends[i] = int64(end)
	t.local += cluster.Time(times[alone])
	t.p.Sample("member_time", cluster.Time(times[alone]).Seconds())
	if t.busy == nil {
		return nil
	}
	start, err = t.start.Together()
	if err != nil {
		return err
	}
	for range t.busy.slices {
		t.busy.slice()
	}
	times[computed] = int64(max(t.r.Now()-start-clock, 0))
	t.timed.fill(x)
	start, err = t.start.Together()
	if err != nil {
		return err
	}
	if err := t.overlap(x); err != nil {
		return err
	}
	times[both] = int64(max(t.r.Now()-start-clock, 0))
	return t.check(x, t.timed)
}

// overlap computes while a call is in progress.
func (t *team) overlap(of *call) error {
	x, err := t.timed.comm.Start(t.libraryCall(of, t.timed))
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

func (t *team) noteWrong(wrong string) {
	if t.wrong == "" {
		t.wrong = wrong
	}
}

// report reports the calls of an iteration by their times over all ranks, and returns their mean time. In virtual time, a call lasts from the start of the
// first rank to the end of the last one. On a live fabric, a rank may have no core when it could
// start, so a call lasts as long as on the slowest rank.
func (t *team) report(times []int64) cluster.Time {
	blocks := blocksOf(t.ranks)
	var call, busy, together cluster.Time
	for i := range t.calls {
		all := times[i*perCall:][:perCall]
		busy += cluster.Time(all[computed])
		together += cluster.Time(all[both])
		if t.r.Spec().Clock == cluster.VirtualClock {
			call += max(cluster.Time(all[lastEnd]+all[firstStart])-t.p.Clock(), 0)
		} else {
			call += cluster.Time(all[alone])
		}
		row := t.me * blocks / t.ranks
		t.p.Tally("progress", row, 0, (t.ends[i]+all[firstStart])/int64(cluster.Nanosecond))
		t.p.Tally("progress", row, 1, 1)
		if t.what == coll.OpBarrier && -all[firstEnd] < all[lastStart] {
			t.noteWrong(fmt.Sprintf("barrier: a rank left %s before the last rank arrived",
				cluster.Time(all[lastStart]+all[firstEnd])))
		}
	}
	n := cluster.Time(t.calls)
	t.p.Report("mean_time", (t.local / n).Seconds())
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
	if t.violation != "" {
		if t.violation != otherRank {
			t.p.Verify(false, fmt.Sprintf("iteration %d: %s", t.p.Iteration(), t.violation))
		}
		return call / n
	}
	if t.wrong != "" {
		t.p.Verify(false, fmt.Sprintf("iteration %d: %s by %s", t.p.Iteration(), t.wrong, t.name))
		return call / n
	}
	text := t.verifiedText()
	if t.how != "" {
		text += "; " + t.how
	}
	if t.p.Text("check-modes") == "on" && t.what != coll.OpBarrier {
		text += "; its modes allow writes directly before a call and reads directly after it"
	}
	t.p.Verify(true, text)
	return call / n
}

// verifiedText returns a description of the verification.
func (t *team) verifiedText() string {
	switch {
	case t.what == coll.OpBarrier:
		return fmt.Sprintf("barrier by %s among %d ranks: no rank left before all had arrived", t.name, t.ranks)
	case t.verified == t.timed:
		return fmt.Sprintf("%s by %s among %d ranks: every byte of every result is correct", t.what, t.name, t.ranks)
	}
	when := ""
	if t.ranks > largeTeam {
		when = " (once for each algorithm)"
	}
	return fmt.Sprintf("%s by %s among %d ranks: every byte is correct with %s%s; the timed calls are size-only", t.what,
		t.name, t.ranks, cluster.SizeText(float64(t.verified.n)), when)
}

// maxBlocks is the maximum number of rows in the table of progress.
const maxBlocks = 64

// blocksOf returns the number of blocks into which the ranks of a team are grouped.
func blocksOf(ranks int) int { return min(ranks, maxBlocks) }

// progressLabels returns the rows and columns of that table.
func progressLabels(s *engine.Scenario, _ *cluster.Machine) (rows, columns []string) {
	l := s.Layout()
	ranks := l.N().MPI
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
