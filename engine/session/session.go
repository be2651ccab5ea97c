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

// Limits end a session by themselves. The zero Limits never do.
type Limits struct {
	// For is how long a launch may start iterations, of which there is one at
	// least; the one under way then may take as long again (at least a second, and
	// a minute on a simulation), before it is cut off. 0: no limit.
	For time.Duration
	// Iterations of one launch; 0: no limit.
	Iterations int
	// Until is the time on the fabric's clock from which a launch starts no further
	// iteration, and a session that lingers pauses; 0: no limit.
	Until cluster.Time
	// Usual is the limit of a launch that has none of these: on a virtual clock as many
	// iterations as its workload says, otherwise For so long. 0: there is none.
	Usual time.Duration
}

// of gives the limits that hold for a setup.
func (l Limits) of(set *setup) Limits {
	switch {
	case l.Usual == 0 || l.For > 0 || l.Iterations > 0 || l.Until > 0:
	case set.kind() == engine.Simulated:
		l.Iterations = max(set.workload.Iterations, 1)
	default:
		l.For = l.Usual
	}
	return l
}

// patience is how long the iteration under way at the end of For may still take.
// A simulation finds out by itself that it cannot go on: a long one is a large one.
func (l *Limits) patience(simulated bool) time.Duration {
	if simulated {
		return max(l.For, time.Minute)
	}
	return max(l.For, time.Second)
}

// Options are what a session needs beside its scenario.
type Options struct {
	Fabrics  map[string]cluster.Fabric // by the name that the fabric knob gives
	Machines []cluster.Machine         // of the user's own, beside the presets
	Limits   Limits
	// Linger keeps the session when its run has ended or failed: the next knob
	// that is turned starts anew. Without it the session ends with the run.
	Linger bool
	// Memory is how many bytes of the host all runs at once may hold; 0: what the
	// host says, each time.
	Memory int64
	// Whole ends rows that run together at the first that is refused: the others are
	// worth nothing without it.
	Whole bool
	// Observer is told what becomes of the session; nil: nobody is. Observers gives the
	// one of each point of a sweep.
	Observer  engine.Observer
	Observers func(*Row) engine.Observer

	patience  time.Duration          // of the iteration under way at the end of For; 0: as the limits give
	unwatched bool                   // snapshots come seldom: the cores are others'
	published func(*engine.Snapshot) // tests see every snapshot
}

// Session runs one scenario at a time, from Start to Wait.
type Session struct {
	options Options
	began   time.Time
	current atomic.Pointer[engine.Snapshot]
	gate    *gate
	poke    chan struct{} // something below changed
	done    chan struct{}
	started sync.Once

	mu      sync.Mutex
	wanted  setup
	past    past // of wanted
	version int  // of wanted
	reset   bool // forget the history
	stop    bool
	idle    bool                       // the run is over, and a knob starts the next
	left    map[string]engine.Scenario // of workloads that ran before, as they were left
	late    []float64                  // dilations of launches that began anew because the host was late
	err     error
}

// New plans and checks a scenario; nothing is launched yet.
func New(scenario engine.Scenario, o Options) (*Session, error) {
	s := &Session{options: o, poke: make(chan struct{}, 1), done: make(chan struct{}), left: map[string]engine.Scenario{}}
	var err error
	if s.wanted, err = s.options.resolve(scenario.Clone(), ""); err != nil {
		return nil, err
	}
	s.options.Limits = o.Limits.of(&s.wanted)
	s.gate = newGate(s.options.Limits, o.Linger)
	h := newHistory(!o.Linger)
	h.begin(s.wanted, 0)
	s.current.Store(h.snapshot(s.wanted, nil, engine.Starting, 0))
	return s, nil
}

// Start begins to run; ctx ends it as Stop does. It may be called once.
func (s *Session) Start(ctx context.Context) {
	s.started.Do(func() {
		s.began = time.Now()
		go s.loop(ctx)
	})
}

// Load gives the latest snapshot; never nil.
func (s *Session) Load() *engine.Snapshot { return s.current.Load() }

// errOver says that a command came too late.
var errOver = errors.New("the session has ended")

// Do takes a command. What cannot be run is refused with the reason, and changes
// nothing.
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
		if err := s.turn(c.Knob, c.Value); err != nil {
			return err
		}
	case engine.Take:
		err := s.want(func(*engine.Scenario) (setup, error) { return s.options.taken(c.Scenario) }, s.past.turned)
		if err != nil {
			return err
		}
	case engine.Default:
		if err := s.byDefault(c.Knob); err != nil {
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
	default:
		return errors.New("unknown command " + string(c.Verb) + ": want one of set, take, default, undo, redo, pause, resume, step, reset, stop")
	}
	s.wake()
	return nil
}

// turn sets one knob of the wanted scenario. A workload that was left comes back as it
// was left.
func (s *Session) turn(knob, value string) error {
	return s.want(func(from *engine.Scenario) (setup, error) {
		if left, ok := s.left[value]; ok && knob == "workload" && value != from.Workload {
			if set, err := s.options.back(from, &left); err == nil {
				return set, nil
			}
		}
		return s.options.turned(from, knob, value)
	}, s.past.turned)
}

// want makes another scenario the wanted one, unless it cannot be run; left is told of
// the one before.
func (s *Session) want(next func(from *engine.Scenario) (setup, error), left func(engine.Scenario)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	set, err := next(&s.wanted.scenario)
	if err != nil {
		return err
	}
	from, to := &s.wanted.scenario, &set.scenario
	same := from.Workload == to.Workload && maps.Equal(from.Values, to.Values)
	if same && !s.idle {
		return nil
	}
	now := from.Workload == to.Workload && !s.idle && s.wanted.kind() == set.kind() && !slices.ContainsFunc(to.Table, func(k engine.Knob) bool {
		return k.Scope != engine.ScopeNow && from.Values[k.Name] != to.Values[k.Name] &&
			(workload.Idle(from, set.kind(), k.Name) == "" || workload.Idle(to, set.kind(), k.Name) == "")
	})
	if !same {
		left(*from)
	}
	if from.Workload != to.Workload {
		s.left[from.Workload] = *from
	}
	s.wanted = set
	if !now {
		s.version++
	}
	return nil
}

func (s *Session) wake() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// Late are the dilations that the host could not keep, each of a launch that began anew
// with the next one, where nobody looked on.
func (s *Session) Late() []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.late)
}

// Wait returns when the session is over: nil, or why its last run failed.
func (s *Session) Wait() error {
	<-s.done
	return s.err
}

// Done is closed when the session is over.
func (s *Session) Done() <-chan struct{} { return s.done }

// Stop ends the session and waits for it; what was recorded stays in Load.
func (s *Session) Stop() error {
	if err := s.Do(engine.Command{Verb: engine.Stop}); err != nil && !errors.Is(err, errOver) {
		return err
	}
	return s.Wait()
}
