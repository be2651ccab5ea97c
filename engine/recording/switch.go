package recording

import (
	"errors"
	"sync"
	"time"

	"github.com/hybridtop/hybridtop/engine"
)

// Switch is an observer that records while it is on. If a session is already running, the
// recording starts at the current time and includes the samples that the session still holds.
type Switch struct {
	mu     sync.Mutex // guards the fields below
	launch *engine.Launch
	last   *engine.Snapshot // of the launch; nil: none yet
	writer *Writer
	run    *Run
}

// errOn and errOff are the errors of redundant commands.
var (
	errOn  = errors.New("already recording")
	errOff = errors.New("not recording")
)

// Start starts recording into a file.
func (s *Switch) Start(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != nil {
		return errOn
	}
	w, err := Create(name)
	if err != nil {
		return err
	}
	r, err := w.Begin(Facts{Began: time.Now()})
	if err != nil {
		return errors.Join(err, w.Close())
	}
	s.writer, s.run = w, r
	if s.launch != nil {
		r.Launched(s.launch)
	}
	if s.last != nil { // a paused session publishes no other
		r.Published(s.last)
	}
	return nil
}

// Stop ends the recording.
func (s *Switch) Stop() error {
	s.mu.Lock()
	w, r := s.writer, s.run
	s.writer, s.run = nil, nil
	s.mu.Unlock()
	if w == nil {
		return errOff
	}
	r.Over()
	return w.Close()
}

// Failed reports whether recording has become impossible. Stop returns the reason.
func (s *Switch) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == nil {
		return false
	}
	select {
	case <-s.writer.Failed():
		return true
	default:
		return false
	}
}

func (s *Switch) currentRun() *Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// Launched implements engine.Observer.
func (s *Switch) Launched(l *engine.Launch) {
	s.mu.Lock()
	s.launch, s.last = l, nil
	r := s.run
	s.mu.Unlock()
	if r != nil {
		r.Launched(l)
	}
}

// Published implements engine.Observer.
func (s *Switch) Published(x *engine.Snapshot) {
	s.mu.Lock()
	s.last = x
	r := s.run
	s.mu.Unlock()
	if r != nil {
		r.Published(x)
	}
}

// Timed implements engine.Observer.
func (s *Switch) Timed(l *engine.Latencies) {
	if r := s.currentRun(); r != nil {
		r.Timed(l)
	}
}

// Ended implements engine.Observer.
func (s *Switch) Ended(o *engine.Outcome) {
	if r := s.currentRun(); r != nil {
		r.Ended(o)
	}
}

// Commanded implements engine.Observer.
func (s *Switch) Commanded(c engine.Command, at time.Duration, err error) {
	if r := s.currentRun(); r != nil {
		r.Commanded(c, at, err)
	}
}

// Over implements engine.Observer.
func (s *Switch) Over() {
	if r := s.currentRun(); r != nil {
		r.Over()
	}
}
