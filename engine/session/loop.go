package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/engine"
)

// Intervals of the session's loop.
const (
	tick         = 5 * time.Millisecond   // sampling of states
	slowTick     = 100 * time.Millisecond // likewise, if the session is not watched
	publishEvery = 10                     // ticks
	restAfter    = 4 * publishEvery       // ticks of a pause after which the loop only waits for commands
	tickShare    = 9                      // a tick waits for this multiple of the previous tick's time
	grace        = 100 * time.Millisecond
)

// ending is the reason why a run ended.
type ending int

const (
	byItself ending = iota
	byHost          // the session changes the dilation
	byChange
	byLimit
	byStop
)

var errCut = errors.New("the session ended the run")

func (s *Session) loop(ctx context.Context) {
	defer close(s.done)
	if o := s.options.Observer; o != nil {
		defer o.Over()
	}
	h := newHistory(!s.options.Linger)
	var last *run
	for {
		set, version := s.take()
		if set.adaptsDilation() {
			set.spec.DilationFactor = h.dilator.factor
		}
		h.begin(set, s.elapsed(), func() { signal(s.wakeup) })
		s.notifyLaunch(&set)
		s.publish(h, set, nil, engine.Starting)
		last = nil
		admitted := host.Admit(s.options.memory(), int64(min(set.memory(), 1<<50)))
		why := byItself
		var r *run
		var err error
		relay, isRelay := set.fabric.(Relay)
		if isRelay {
			why, err = s.relay(ctx, h, relay, version)
			set = h.set
		} else {
			r, err = launch(context.WithoutCancel(ctx), set, s.gate)
		}
		if r != nil && err == nil {
			last = r
			h.markDilation(r, s.elapsed())
			why, err = s.watch(ctx, h, r, version)
			h.fold(r, err == nil && !r.cut, why != byItself, s.elapsed())
			set = h.set // with the knobs changed meanwhile
			if x, ok := r.handle.(cluster.Dilated); ok && err == nil && (why == byItself || why == byLimit) &&
				set.adaptsDilation() && h.dilator.finish(x.Lateness()) {
				why = byHost
			}
			if why == byHost && !s.options.Linger {
				s.mu.Lock()
				s.late = append(s.late, r.handle.Dilation())
				s.mu.Unlock()
			}
		}
		admitted()
		if err == nil && (why == byItself || why == byLimit) { // a failure is shown at once
			s.awaitTables(ctx, h, version, func() { s.publish(h, set, last, engine.Running) })
		}
		phase := engine.Ended
		if err != nil && why != byStop {
			phase = engine.Failed
			h.failure = err.Error()
			h.deadlock = engine.DeadlockOf(err)
			if h.relayed != nil {
				h.deadlock = h.relayed.Deadlock
			}
		}
		s.notifyEnd(h, set, last, phase)
		if s.isOver(ctx) || why == byStop || (!s.options.Linger && why != byChange && why != byHost) {
			s.err = err
			s.publish(h, set, last, phase)
			return
		}
		if why == byChange || why == byHost {
			continue
		}
		s.setIdle() // a change by a user who sees the end must start a run
		if !s.linger(ctx, h, &set.scenario, version, func() { s.publish(h, set, last, phase) }) {
			s.err = err
			return
		}
	}
}

// awaitTables waits until the tables of a launch have their slow frames, and publishes the results before it waits. The
// end of the session or another scenario ends the wait.
func (s *Session) awaitTables(ctx context.Context, h *history, version int, publish func()) {
	if h.isComplete() {
		return
	}
	publish()
	for !h.isComplete() && !s.isOver(ctx) && !s.changed(version) {
		select {
		case <-ctx.Done():
		case <-s.wakeup:
		}
	}
	signal(s.wakeup) // it may have had other reasons
}

// take returns the wanted setup and its version, and reopens the gate.
func (s *Session) take() (setup, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = false
	s.gate.reopen()
	return s.wanted, s.version
}

func (s *Session) changed(version int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version != version
}

// knobsChangedSince reports whether the wanted scenario differs from the one that ran. The version
// does not change for a knob that takes effect at once, if it changes between the last look at a
// run and its end.
func (s *Session) knobsChangedSince(ran *engine.Scenario) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !maps.Equal(s.wanted.scenario.Values, ran.Values)
}

func (s *Session) isOver(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop || ctx.Err() != nil
}

func (s *Session) takeReset() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	requested := s.reset
	s.reset = false
	return requested
}

// setIdle makes every knob start a run, even with its present value.
func (s *Session) setIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = true
}

// linger publishes the end of a run, and waits for a changed knob. It publishes again when the tables have their slow
// frames, or when the user clears the history. It reports false if the session is over.
func (s *Session) linger(ctx context.Context, h *history, ran *engine.Scenario, version int, publish func()) bool {
	complete := h.isComplete() // read before the publication, which may omit later frames
	publish()
	for {
		if s.isOver(ctx) {
			return false
		}
		if s.changed(version) || s.knobsChangedSince(ran) {
			return true
		}
		if !complete && h.isComplete() {
			complete = true
			publish()
		}
		if s.takeReset() {
			h.forget()
			publish()
		}
		select {
		case <-ctx.Done():
		case <-s.wakeup:
		}
	}
}

// watch follows a run until it ends. It returns the reason for the end and the run's error.
func (s *Session) watch(ctx context.Context, h *history, r *run, version int) (ending, error) {
	s.keepPace(h, r)
	over := make(chan error, 1)
	go func() { over <- r.handle.Wait() }()
	every := tick
	patience := cmp.Or(s.options.patience, s.options.Limits.patience(r.virtual != nil))
	if s.options.unwatched {
		every = slowTick
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var limit, cut <-chan time.Time
	if s.options.Limits.For > 0 && r.number == 0 { // only process 0 ends a run of several processes
		limit = time.After(s.options.Limits.For)
	}
	why := byItself
	finish := func(reason ending, wait time.Duration) {
		if reason > why {
			why = reason
			if reason == byLimit {
				s.gate.expire()
			} else {
				s.gate.close()
			}
			cut = time.After(wait)
		}
	}
	quit := ctx.Done()
	n, paused := 0, 0                     // ticks, and those of a pause
	last, next := time.Now(), time.Time{} // times of the previous tick, and the earliest of the next one
	var costs tickCosts
	for {
		select {
		case err := <-over:
			h.sample(r, s.elapsed())
			r.over = true
			if r.cut {
				err = nil
			}
			return why, err
		case <-quit:
			quit = nil
			finish(byStop, grace)
		case <-s.arrived: // ticks publish the complete counts, even if the loop has rested
			ticker.Reset(every)
			paused = 0
		case <-s.wakeup:
			if paused == restAfter {
				ticker.Reset(every)
			}
			paused = 0
			if s.takeReset() {
				h.forget()
			}
			if s.isOver(ctx) {
				finish(byStop, grace)
			} else if s.changed(version) {
				finish(byChange, grace)
			} else {
				s.adjust(h, r)
			}
			phase := s.phase(r)
			if phase == engine.Paused {
				h.sample(r, s.elapsed())
			}
			s.publish(h, h.set, r, phase)
		case <-limit:
			limit = nil
			finish(byLimit, patience)
		case <-cut:
			r.cut = true
			if why == byLimit {
				h.warnings = append(h.warnings, fmt.Sprintf("time limit %v: the current iteration did not finish within "+
					"another %v and was stopped",
					s.options.Limits.For, patience))
			}
			r.handle.Cancel(errCut)
		case <-ticker.C:
			start := time.Now() // later than the tick's own time, if ranks use all cores
			if start.Before(next) {
				continue
			}
			n = following(n, int(start.Sub(last)/every))
			last = start
			if s.tick(h, r, n) {
				finish(byHost, grace)
			}
			next = time.Now().Add(costs.rest(n, time.Since(start)))
			if paused++; s.phase(r) != engine.Paused {
				paused = 0
			}
			if paused == restAfter { // nothing changes until the next command
				ticker.Stop()
			}
		}
	}
}

// tickCosts has the times of the last tick that published, and of the last one that did not.
type tickCosts [2]time.Duration

// rest returns the time between tick n, which took some time, and the next tick. A tick that takes
// longer than the one before of its kind was probably interrupted by other work of the host. The
// shorter time counts.
func (c *tickCosts) rest(n int, took time.Duration) time.Duration {
	kind := &c[min(n%publishEvery, 1)]
	shorter := min(took, *kind)
	*kind = took
	return tickShare * shorter
}

// following returns the number of the tick after tick n. Ticks that were due in between count, so
// that snapshots keep their rate. No tick that requests counts or publishes is left out.
func following(n, due int) int {
	request := n - n%publishEvery + publishEvery - 1
	if n == request {
		return n + 1
	}
	return min(n+max(1, due), request)
}

// tick samples states, requests counts ahead of a sample, and publishes. Until the first sample of
// a launch, every tick tries to take one. It reports whether the dilation has to change.
func (s *Session) tick(h *history, r *run, n int) bool {
	s.freeze(r)
	phase := s.phase(r)
	if n%publishEvery == 0 {
		h.states.startWindow()
	}
	if r.number == 0 {
		r.sampler.sample(r.handle, n)
	}
	first := h.awaitsSample && h.sample(r, s.elapsed())
	if h.awaitsSample || n%publishEvery == publishEvery-1 {
		r.requests.Add(1)
	}
	if n%publishEvery == 0 {
		h.sample(r, s.elapsed())
		r.publish()
	}
	if first || n%publishEvery == 0 {
		s.keepPace(h, r)
		s.publish(h, h.set, r, phase)
	}
	x, ok := r.handle.(cluster.Dilated)
	return ok && phase == engine.Running && r.setup.adaptsDilation() && h.dilator.observe(s.elapsed(), x.Lateness())
}

// adjust applies knobs that change while the run continues.
func (s *Session) adjust(h *history, r *run) {
	s.mu.Lock()
	wanted := s.wanted
	s.mu.Unlock()
	if !maps.Equal(h.set.scenario.Values, wanted.scenario.Values) {
		h.applyKnobs(wanted, s.elapsed())
		s.keepPace(h, r)
	}
}

// phase must be called before the counts are gathered. Ranks publish their counts before rank 0
// waits at the gate, so a snapshot shown as paused is complete.
func (s *Session) phase(r *run) engine.Phase {
	if s.gate.isWaiting() || r.frozen {
		return engine.Paused
	}
	return engine.Running
}

func (s *Session) elapsed() time.Duration { return time.Since(s.began) }

func (s *Session) publish(h *history, set setup, r *run, phase engine.Phase) {
	snap := h.snapshot(set, r, phase, s.elapsed())
	snap.Seq = s.Load().Seq + 1
	s.current.Store(snap)
	if o := s.options.Observer; o != nil {
		o.Published(snap)
		s.reportLatencies(h, snap.Elapsed, false)
	}
	if s.options.published != nil {
		s.options.published(snap)
	}
}
