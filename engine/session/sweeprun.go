package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/engine"
)

// Progress is the progress of a sweep. It is valid only during the call that reports it.
type Progress struct {
	Done, Total int
	Running     []Running     // points in progress, in the order of the points
	Left        time.Duration // estimate; 0: none yet
}

// Running is a point of a sweep in progress.
type Running struct {
	Row     *Row
	Session *Session
	index   int
}

// sweepRun holds the points of a sweep while they run.
type sweepRun struct {
	options  Options
	cores    int // maximum number of points that run at the same time
	rows     []Row
	setups   []setup
	refusals map[int]error // by point, of the points that were refused
	running  []Running
	done     int
	load     float64 // weight of the finished points
	began    time.Time
}

// progressEvery is the interval between progress reports.
const progressEvery = 100 * time.Millisecond

// run runs all points. The longest simulations start first, so that the last core does not finish
// late. Points that need the whole host come after them.
func (f *sweepRun) run(ctx context.Context, progress func(*Progress)) {
	var order []int
	for i := range f.rows {
		if f.refusals[i] == nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if sa, sb := f.runsInParallel(a), f.runsInParallel(b); sa != sb {
			return map[bool]int{true: -1, false: 1}[sa]
		} else if !sa {
			return 0
		}
		return cmp.Compare(f.weight(b), f.weight(a))
	})
	ended := make(chan int, len(f.rows))
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for f.done < len(f.rows) && (ctx.Err() == nil || len(f.running) > 0) {
		for len(order) > 0 && ctx.Err() == nil && f.canStart(order[0]) {
			f.start(ctx, order[0], ended)
			order = order[1:]
			if f.refused() != nil {
				f.stop()
				return
			}
		}
		if progress != nil {
			progress(&Progress{Done: f.done, Total: len(f.rows), Running: f.running, Left: f.left()})
		}
		select {
		case i := <-ended:
			f.finish(i)
		case <-ticker.C:
		}
	}
	if progress != nil {
		progress(&Progress{Done: f.done, Total: len(f.rows)})
	}
}

// refuse ends a point that cannot run. The other points still run.
func (f *sweepRun) refuse(i int, sc engine.Scenario, err error) {
	s := &engine.Snapshot{
		Scenario: sc, Phase: engine.Failed, Layout: sc.Layout(), Machine: sc.Text("machine"), Dilation: 1,
		Failure: err.Error(),
	}
	if m, err := f.options.machine(s.Machine); err == nil {
		if fabric, ok := f.options.Fabrics[sc.Text("fabric")]; ok {
			s.Kind = kinds[fabric.Clock(&m)]
		}
	}
	f.rows[i].Snapshot, f.refusals[i] = s, err
	f.done++
}

// refused returns the first refusal if it ends the whole sweep: every point was refused, or
// Options.Whole is set.
func (f *sweepRun) refused() error {
	if len(f.refusals) == 0 || !f.options.Whole && len(f.refusals) < len(f.rows) {
		return nil
	}
	i := slices.Min(slices.Collect(maps.Keys(f.refusals)))
	return withRowName(&f.rows[i], f.refusals[i])
}

// runsInParallel reports whether a point may run in parallel with others.
func (f *sweepRun) runsInParallel(i int) bool { return f.setups[i].kind() == engine.Simulated }

// canStart reports whether a point may start now: a core is free, and the memory is sufficient.
func (f *sweepRun) canStart(i int) bool {
	if len(f.running) == 0 {
		return true
	}
	if !f.runsInParallel(i) || len(f.running) >= f.cores {
		return false
	}
	need := f.setups[i].memory()
	for _, r := range f.running {
		if !f.runsInParallel(r.index) {
			return false
		}
		need += f.setups[r.index].memory()
	}
	limit := f.options.memory()
	return limit == 0 || need <= float64(limit)
}

// start starts a point. The host may have less memory than when all points were checked.
func (f *sweepRun) start(ctx context.Context, i int, ended chan<- int) {
	o := f.options
	o.unwatched = f.runsInParallel(i)
	if o.Observers != nil {
		o.Observer = o.Observers(&f.rows[i])
	}
	if o.FabricsOf != nil {
		o.Fabrics = o.FabricsOf(&f.rows[i])
	}
	s, err := New(f.setups[i].scenario, o)
	if err != nil {
		f.refuse(i, f.setups[i].scenario, err)
		return
	}
	f.running = append(f.running, Running{Row: &f.rows[i], Session: s, index: i})
	slices.SortFunc(f.running, func(a, b Running) int { return cmp.Compare(a.index, b.index) })
	s.Start(ctx)
	go func() {
		_ = s.Wait() // the snapshot contains the failure
		ended <- i
	}()
}

func (f *sweepRun) finish(i int) {
	index := slices.IndexFunc(f.running, func(r Running) bool { return r.index == i })
	f.rows[i].Snapshot, f.rows[i].Late = f.running[index].Session.Load(), f.running[index].Session.Late()
	f.running = slices.Delete(f.running, index, index+1)
	if f.options.Ended != nil {
		f.options.Ended(&f.rows[i])
	}
	f.load += f.weight(i)
	f.done++
}

// stop stops the points in progress.
func (f *sweepRun) stop() {
	for _, r := range f.running {
		_ = r.Session.Stop()
	}
}

// weight returns the share of a point in the total work, by its ranks. With a time limit all
// points have the same weight. A refused point has weight 0.
func (f *sweepRun) weight(i int) float64 {
	if f.refusals[i] != nil {
		return 0
	}
	if f.options.Limits.forSetup(&f.setups[i]).For > 0 {
		return 1
	}
	return float64(f.setups[i].spec.Layout.Ranks())
}

// left estimates the remaining time from the work done so far.
func (f *sweepRun) left() time.Duration {
	done, all := f.load, 0.0
	for i := range f.rows {
		all += f.weight(i)
	}
	for _, r := range f.running {
		limits := f.options.Limits.forSetup(&f.setups[r.index])
		done += f.weight(r.index) * shareDone(r.Session.Load(), &limits)
	}
	if done == 0 {
		return 0
	}
	return time.Duration(float64(time.Since(f.began)) * (all - done) / done)
}

// shareDone returns the finished part of a point, 0 to 1.
func shareDone(s *engine.Snapshot, l *Limits) float64 {
	switch {
	case l.Iterations > 0:
		return float64(s.Iteration) / float64(l.Iterations)
	case l.For > 0:
		return min(s.Elapsed.Seconds()/l.For.Seconds(), 1)
	}
	return 0
}

// Left estimates the remaining time of the current launch. It returns 0 if there is no estimate.
func (s *Session) Left() time.Duration {
	now := s.Load()
	done := shareDone(now, &s.options.Limits)
	if done <= 0 || now.Phase != engine.Running {
		return 0
	}
	return time.Duration(float64(now.Elapsed) * (1 - min(done, 1)) / done)
}
