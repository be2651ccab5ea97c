package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// A Relay is a fabric whose runs have their own sessions, in the processes of a job. The session here plans
// them, passes commands on, and publishes their snapshots as its own.
type Relay interface {
	cluster.Fabric
	// Relay starts a job that runs a scenario within limits. It can begin with a pause.
	Relay(sc *engine.Scenario, l Limits, paused bool) (Relayed, error)
	// JobSize returns the default of the knob processes, or 0 if scenarios do not have this knob.
	JobSize() int
}

// Report is a message of a job: a snapshot, or access times.
type Report struct {
	Snapshot *engine.Snapshot // with only the samples since the previous one; nil: access times
	Times    []byte           // from EncodeTimes
}

// Relayed is a job. Its methods may be called by any goroutine.
type Relayed interface {
	// Reports returns the channel of the job's reports. It is closed when the job has ended.
	Reports() <-chan Report
	// Order passes one of Pause, Resume, Step and Stop on. It does not wait.
	Order(engine.Verb)
	// Kill ends the job without a result.
	Kill()
	// Wait waits until no process of the job on this host is left. It returns why the job has not sent its result.
	Wait() error
}

// stopTime is the time that a job has for its last result after it was stopped.
const stopTime = 400 * time.Millisecond

// relay runs the wanted scenario in a job until the job ends. It returns the reason for the end and the run's error.
func (s *Session) relay(ctx context.Context, h *history, on Relay, version int) (ending, error) {
	began := s.elapsed()
	isPaused, steps := s.gate.takeSteps()
	job, err := on.Relay(&h.set.scenario, s.options.Limits, isPaused)
	if err != nil {
		return byItself, err
	}
	why := byItself
	var failure error
	var kill <-chan time.Time
	finish := func(reason ending) {
		if reason > why {
			why = reason
			job.Order(engine.Stop)
			kill = time.After(stopTime)
		}
	}
	pass := func(paused bool, steps int) {
		if paused != isPaused {
			isPaused = paused
			job.Order(map[bool]engine.Verb{true: engine.Pause, false: engine.Resume}[paused])
		}
		for range steps {
			job.Order(engine.Step)
		}
	}
	pass(isPaused, steps)
	quit := ctx.Done()
	reports := job.Reports()
	phase := engine.Starting
	for reports != nil {
		select {
		case report, ok := <-reports:
			if !ok {
				reports = nil
				continue
			}
			if err := h.relay(report, began); err != nil {
				failure = fmt.Errorf("report of the job: %w", err)
				job.Kill()
				reports = nil
				continue
			}
			snap := report.Snapshot
			if snap == nil { // the next snapshot publishes the times
				continue
			}
			phase = engine.Running
			if snap.Phase == engine.Paused {
				phase = engine.Paused
			}
			s.publish(h, h.set, nil, phase)
		case <-quit:
			quit = nil
			finish(byStop)
		case <-s.wakeup:
			if s.takeReset() {
				h.forget()
			}
			switch {
			case s.isOver(ctx):
				finish(byStop)
			case s.changed(version):
				finish(byChange)
			default:
				s.mu.Lock()
				wanted := s.wanted
				s.mu.Unlock()
				if !maps.Equal(h.set.scenario.Values, wanted.scenario.Values) {
					h.applyKnobs(wanted, s.elapsed())
				}
				pass(s.gate.takeSteps())
			}
			s.publish(h, h.set, nil, phase)
		case <-kill:
			job.Kill()
			kill = nil
		}
	}
	err = job.Wait()
	for _, t := range h.tables {
		t.Fold()
	}
	switch {
	case failure != nil:
		err = failure
	case why != byItself:
		err = nil
	case h.relayed != nil && h.relayed.Failure != "":
		err = errors.New(h.relayed.Failure)
	}
	return why, err
}

// relay stores a report of a job that began at a time of this session.
func (h *history) relay(x Report, began time.Duration) error {
	snap := x.Snapshot
	if snap == nil {
		return h.relayTimes(x.Times)
	}
	if err := h.fits(snap); err != nil {
		return err
	}
	for _, s := range snap.Series {
		s.At += began
		if n := len(h.series); n > 0 && s.At < h.series[n-1].At {
			return fmt.Errorf("a sample at %v after one at %v", s.At, h.series[n-1].At)
		}
		h.add(s)
	}
	h.relayed = snap
	return nil
}

// fits returns an error if a snapshot of another process does not describe the run of the setup.
func (h *history) fits(snap *engine.Snapshot) error {
	l, w := &h.set.spec.Layout, h.set.workload
	if snap.Scenario.Workload != w.Name || snap.Layout != *l {
		return fmt.Errorf("%s with %d × %d ranks: want %s with %d × %d", snap.Scenario.Workload, snap.Layout.Nodes,
			snap.Layout.RanksPerNode, w.Name, l.Nodes, l.RanksPerNode)
	}
	if err := snap.Check(); err != nil {
		return err
	}
	tables, _ := h.set.layOutTables()
	for i := range snap.Tallies {
		t := &snap.Tallies[i]
		if !slices.ContainsFunc(tables, func(d table) bool {
			return d.spec.Name == t.Name && slices.Equal(d.rows, t.Rows) && slices.Equal(d.columns, t.Columns) &&
				slices.Equal(d.layers, t.Layers)
		}) {
			return fmt.Errorf("table %q is not a table of this run", t.Name)
		}
	}
	for i := range snap.Ranked {
		if len(snap.Ranked[i].Values) != l.Ranks() {
			return fmt.Errorf("metric %q of %d ranks: want %d", snap.Ranked[i].Name, len(snap.Ranked[i].Values), l.Ranks())
		}
	}
	return nil
}

// relayedSnapshot returns the state of the session that runs in a job: the job's latest snapshot, with the series,
// marks, tables and comparisons of this session.
func (h *history) relayedSnapshot(set setup, phase engine.Phase, elapsed time.Duration) *engine.Snapshot {
	snap := *h.relayed
	snap.Phase, snap.Scenario, snap.Layout = phase, set.scenario, set.spec.Layout
	snap.Machine, snap.Kind, snap.Elapsed = set.machine.Name, set.kind(), elapsed
	snap.Series, snap.Marks = h.series[:len(h.series):len(h.series)], h.marks[:len(h.marks):len(h.marks)]
	snap.LaunchLine, snap.Virtual = set.launchLine(), nil
	snap.Failure, snap.Deadlock = h.failure, h.deadlock
	snap.Warnings = slices.Concat(h.warnings, h.relayed.Warnings)
	if phase != engine.Running && phase != engine.Paused {
		snap.Progress = engine.Progress{}
	}
	snap.Studies = make([]engine.StudyView, len(h.tables))
	for i, t := range h.tables {
		snap.Studies[i] = t.Frame()
	}
	for i, t := range h.tables {
		snap.Studies[i] = t.Look(&snap)
	}
	snap.Why, snap.Change = why(&snap, &set.machine), Change(h.before, &snap)
	h.shown = &snap
	return &snap
}
