package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Limits end a session automatically. The zero Limits never do.
type Limits struct {
	// For is the time during which a launch may start iterations; it starts at least one. The last
	// one may then take as long again (at least a second, a minute on a simulation) before it is
	// stopped. 0: no limit.
	For time.Duration
	// Iterations is the number of iterations of one launch. 0: no limit.
	Iterations int
	// Until is the time on the fabric's clock from which a launch starts no further iteration. A
	// session that lingers pauses instead. 0: no limit.
	Until cluster.Time
	// Usual is the default limit of a launch without any other: on a virtual clock the workload's
	// number of iterations, otherwise this value of For. 0: no limit.
	Usual time.Duration
}

// forSetup returns the limits that apply to a setup.
func (l Limits) forSetup(set *setup) Limits {
	switch {
	case l.Usual == 0 || l.For > 0 || l.Iterations > 0 || l.Until > 0:
	case set.kind() == engine.Simulated:
		l.Iterations = max(set.workload.Iterations, 1) + set.plan.Tries
	default:
		l.For = l.Usual
	}
	return l
}

// patience returns the time that the current iteration may still take at the end of For. A
// simulation detects deadlocks itself, so a long iteration is just a large one.
func (l *Limits) patience(simulated bool) time.Duration {
	if simulated {
		return max(l.For, time.Minute)
	}
	return max(l.For, time.Second)
}

// Options configures a session.
type Options struct {
	Fabrics  map[string]cluster.Fabric // by value of the fabric knob
	Machines []cluster.Machine         // the user's own, in addition to the presets
	Limits   Limits
	// Linger keeps the session open after its run has ended or failed: the next changed knob
	// starts a new run. Otherwise, the session ends with the run.
	Linger bool
	// Memory limits the bytes of host memory that all simultaneous runs may use. 0: ask the host
	// each time.
	Memory int64
	// Whole ends RunRows at the first refused row, because the other rows are useless without it.
	Whole bool
	// Checksums adds the checksum of the results to snapshots.
	Checksums bool
	// Observer, if not nil, is notified of the session's events. Observers returns the observer of
	// each point of a sweep.
	Observer  engine.Observer
	Observers func(*Row) engine.Observer
	// FabricsOf, if not nil, returns the fabrics of a point of a sweep. They replace Fabrics.
	FabricsOf func(*Row) map[string]cluster.Fabric
	// Ended, if not nil, is called with each point of a sweep that has run.
	Ended func(*Row)

	// Context ends searches for ranking = cheapest while scenarios are planned; nil: they end by
	// themselves.
	Context context.Context

	counting  time.Duration          // limit of a count of bytes for ranking = cheapest; 0: maxCounting
	search    *search                // of a session; nil: Context
	patience  time.Duration          // for the current iteration at the end of For; 0: derived from the limits
	unwatched bool                   // snapshots are rare, to leave the cores to others
	published func(*engine.Snapshot) // tests see every snapshot
}

// Session runs one scenario at a time, from Start to Wait.
type Session struct {
	options Options
	began   time.Time
	current atomic.Pointer[engine.Snapshot]
	gate    *gate
	arrived chan struct{} // signals that rank 0 waits at the gate
	wakeup  chan struct{} // signals a change of the fields below
	done    chan struct{}
	started sync.Once

	plan sync.Mutex // of commands that change wanted, history and lastScenarios; locked before mu

	mu            sync.Mutex
	wanted        setup
	history       undoHistory // of wanted
	version       int         // of wanted
	reset         bool        // clear the history
	stop          bool
	idle          bool                       // the run is over, and a knob starts the next
	lastScenarios map[string]engine.Scenario // last scenarios of workloads that ran before
	late          []float64                  // dilations of launches that were repeated because the host fell behind
	err           error
}

// New plans and checks a scenario. It launches nothing yet.
func New(scenario engine.Scenario, o Options) (*Session, error) {
	s := &Session{
		options:       o,
		wakeup:        make(chan struct{}, 1),
		arrived:       make(chan struct{}, 1),
		done:          make(chan struct{}),
		lastScenarios: map[string]engine.Scenario{},
	}
	s.options.search = newSearch(o.Context)
	s.options.search.begin()
	var err error
	s.wanted, err = s.options.resolve(scenario.Clone(), "")
	if err != nil {
		return nil, err
	}
	s.options.Limits = o.Limits.forSetup(&s.wanted)
	s.gate = newGate(s.options.Limits, o.Linger)
	s.gate.arrived = func() { signal(s.arrived) }
	h := newHistory(!o.Linger)
	h.begin(s.wanted, 0, nil)
	s.current.Store(h.snapshot(s.wanted, nil, engine.Starting, 0))
	return s, nil
}

// Start starts the session; ctx ends it as Stop does. Only the first call has an effect.
func (s *Session) Start(ctx context.Context) {
	s.started.Do(func() {
		s.began = time.Now()
		search := s.options.search
		forget := context.AfterFunc(ctx, func() { search.stop(context.Cause(ctx)) })
		go func() {
			defer func() { // ctx may outlive the session, and holds what waits for its end
				forget()
				search.stop(errOver)
			}()
			s.loop(ctx)
		}()
	})
}

// Load returns the latest snapshot. It is never nil.
func (s *Session) Load() *engine.Snapshot { return s.current.Load() }

// errOver is the error of a command after the end of the session.
var errOver = errors.New("the session has ended")

// Do executes a command. If it returns an error, nothing has changed.
func (s *Session) Do(c engine.Command) error {
	err := s.do(c)
	if o := s.options.Observer; o != nil && !errors.Is(err, errOver) {
		o.Commanded(c, s.Load().Elapsed, err)
	}
	return err
}

func (s *Session) do(c engine.Command) error {
	select {
	case <-s.done:
		return errOver
	default:
	}
	switch c.Verb {
	case engine.Set:
		if err := s.setKnob(c.Knob, c.Value); err != nil {
			return err
		}
	case engine.Take:
		plan := func(*engine.Scenario) (setup, error) { return s.options.planTaken(c.Scenario) }
		if err := s.replaceWanted(plan, s.history.push); err != nil {
			return err
		}
	case engine.Default:
		if err := s.setDefault(c.Knob); err != nil {
			return err
		}
	case engine.Undo:
		if err := s.undo(); err != nil {
			return err
		}
	case engine.Redo:
		if err := s.redo(); err != nil {
			return err
		}
	case engine.Pause:
		s.gate.pause()
	case engine.Resume:
		s.gate.resume()
	case engine.Step:
		s.gate.step()
	case engine.Reset:
		s.mu.Lock()
		s.reset = true
		s.mu.Unlock()
	case engine.Stop:
		s.mu.Lock()
		s.stop = true
		s.mu.Unlock()
		s.options.search.stop(errOver)
	default:
		return errors.New("unknown command " + string(c.Verb) +
			": want one of set, take, default, undo, redo, pause, resume, step, reset, stop")
	}
	s.wake()
	return nil
}

// setKnob sets one knob of the wanted scenario. A workload that ran before returns with its last
// scenario.
func (s *Session) setKnob(knob, value string) error {
	return s.replaceWanted(func(from *engine.Scenario) (setup, error) {
		if last, ok := s.lastScenarios[value]; ok && knob == "workload" && value != from.Workload {
			if set, err := s.options.planReturn(from, &last); err == nil {
				return set, nil
			}
		}
		return s.options.planChange(from, knob, value)
	}, s.history.push)
}

// replaceWanted replaces the wanted scenario, unless the new one cannot run. It passes the old one
// to onLeave. A plan may take long: the session runs meanwhile, and can be stopped.
func (s *Session) replaceWanted(next func(from *engine.Scenario) (setup, error), onLeave func(engine.Scenario)) error {
	s.options.search.end(errNewer)
	s.plan.Lock()
	defer s.plan.Unlock()
	s.options.search.begin()
	s.mu.Lock()
	scenario := s.wanted.scenario
	s.mu.Unlock()
	set, err := next(&scenario)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to := &s.wanted.scenario, &set.scenario
	same := from.Workload == to.Workload && maps.Equal(from.Values, to.Values)
	if same && !s.idle {
		return nil
	}
	takesEffectNow := from.Workload == to.Workload && !s.idle && s.wanted.kind() == set.kind() &&
		!slices.ContainsFunc(to.Table, func(k engine.Knob) bool {
			return k.Scope != engine.ScopeNow && from.Values[k.Name] != to.Values[k.Name] &&
				(workload.Idle(from, set.kind(), k.Name) == "" || workload.Idle(to, set.kind(), k.Name) == "")
		})
	if !same {
		onLeave(*from)
	}
	if from.Workload != to.Workload {
		s.lastScenarios[from.Workload] = *from
	}
	s.wanted = set
	if !takesEffectNow {
		s.version++
	}
	return nil
}

func (s *Session) wake() { signal(s.wakeup) }

// signal sends to a channel with a buffer of one, unless it is full.
func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Late returns the dilations at which the host could not keep up. Each belongs to a launch that an
// unwatched session repeated with a larger one.
func (s *Session) Late() []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.late)
}

// Wait waits for the end of the session and returns the error of its last run.
func (s *Session) Wait() error {
	<-s.done
	return s.err
}

// Done returns a channel that is closed when the session is over.
func (s *Session) Done() <-chan struct{} { return s.done }

// Stop ends the session and waits for it. The results remain in Load.
func (s *Session) Stop() error {
	if err := s.Do(engine.Command{Verb: engine.Stop}); err != nil && !errors.Is(err, errOver) {
		return err
	}
	return s.Wait()
}
