package recording

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/safetext"
)

// Position is the position of a replay.
type Position struct {
	Name         string // of the file
	At, Length   time.Duration
	Speed        float64
	Playing      bool
	Mark, Marks  int    // the last mark before At, from 1 (0: none), and the number of marks
	Label, Error string // of that mark; read error
}

// Replay plays a run. It offers the methods of a session, but its commands move in the recording.
type Replay struct {
	current  atomic.Pointer[engine.Snapshot]
	position atomic.Pointer[Position]
	played   chan struct{} // signals that the replay starts to play

	mu     sync.Mutex // guards the fields below
	player *Player
	at     Position
}

// speeds lists the speeds that the user can step through.
var speeds = []float64{0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 64}

// playEvery is the interval between updates of a playing replay.
const playEvery = 33 * time.Millisecond

// NewReplay returns a paused replay at a time of a run.
func NewReplay(p *Player, at time.Duration, speed float64) (*Replay, error) {
	r := &Replay{player: p, played: make(chan struct{}, 1),
		at: Position{Name: p.file.Name, At: min(max(at, p.Begin()), p.Length), Length: p.Length, Marks: len(p.Marks)}}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.setSpeed(strconv.FormatFloat(speed, 'g', -1, 64)); err != nil {
		return nil, err
	}
	return r, r.show()
}

// Start plays until ctx ends.
func (r *Replay) Start(ctx context.Context) {
	r.mu.Lock()
	r.at.Playing = true
	r.mu.Unlock()
	r.Run(ctx)
}

// Run runs the replay until ctx ends. It stays paused until the user plays it.
func (r *Replay) Run(ctx context.Context) {
	go func() {
		ticker := time.NewTicker(playEvery)
		defer ticker.Stop()
		last := time.Now()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-ticker.C:
				if !r.advance(now.Sub(last)) {
					ticker.Stop()
				}
				last = now
			case <-r.played:
				ticker.Reset(playEvery)
				last = time.Now()
			}
		}
	}()
}

// advance moves the position by an amount of wall time. It reports whether the replay is playing.
func (r *Replay) advance(d time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.at.Playing {
		return false
	}
	r.at.At += time.Duration(float64(d) * r.at.Speed)
	if r.at.At >= r.at.Length {
		r.at.At, r.at.Playing = r.at.Length, false
	}
	_ = r.show() // the position has the error
	return r.at.Playing
}

// show publishes the snapshot and the position.
func (r *Replay) show() error {
	s, err := r.player.At(r.at.At)
	r.at.Error = ""
	if err != nil {
		r.at.Error, r.at.Playing = err.Error(), false
	} else {
		r.current.Store(s)
	}
	r.at.Mark, r.at.Label = 0, ""
	for i, m := range r.player.Marks {
		if m.At <= r.at.At {
			r.at.Mark, r.at.Label = i+1, m.Label
		}
	}
	now := r.at
	r.position.Store(&now)
	return err
}

// Load returns the snapshot at the position.
func (r *Replay) Load() *engine.Snapshot { return r.current.Load() }

// Position returns the current position.
func (r *Replay) Position() Position { return *r.position.Load() }

// errReadOnly is the error of a command that a recording cannot execute.
var errReadOnly = errors.New("a recording cannot be changed (play, pause or seek)")

// Do executes a command: pause, resume, step, and engine's seek and speed.
func (r *Replay) Do(c engine.Command) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch c.Verb {
	case engine.Pause:
		r.at.Playing = false
	case engine.Resume:
		if r.at.At >= r.at.Length {
			r.at.At = r.player.Begin()
		}
		r.at.Playing = true
		select {
		case r.played <- struct{}{}:
		default:
		}
	case engine.Step:
		r.at.Playing = false
		if next, ok := r.player.Next(r.at.At); ok {
			r.at.At = next
		}
	case engine.Seek:
		at, err := r.player.Find(c.Value, r.at.At)
		if err != nil {
			return err
		}
		r.at.At = at
	case engine.Speed:
		if err := r.setSpeed(c.Value); err != nil {
			return err
		}
	default:
		return errReadOnly
	}
	return r.show()
}

// setSpeed sets the speed to a factor, or with + and − to the next one in speeds.
func (r *Replay) setSpeed(value string) error {
	at := slices.IndexFunc(speeds, func(s float64) bool { return s >= r.at.Speed })
	if at < 0 {
		at = len(speeds) - 1
	}
	switch value {
	case "+":
		r.at.Speed = speeds[min(at+1, len(speeds)-1)]
	case "-":
		r.at.Speed = speeds[max(at-1, 0)]
	default:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= speeds[0] && x <= 1000) {
			return fmt.Errorf("speed %s: want a factor from %g to 1000", safetext.Clean(value), speeds[0])
		}
		r.at.Speed = x
	}
	return nil
}

// Find returns the time that a text specifies, as Moment does. For a mark, it returns the first
// snapshot that has it.
func (p *Player) Find(text string, now time.Duration) (time.Duration, error) {
	marks := make([]engine.Mark, len(p.Marks))
	for i := range marks {
		marks[i] = engine.Mark{At: p.snapshotAfterMark(i), Label: p.Marks[i].Label}
	}
	at, err := Moment(text, now, marks)
	return min(max(at, p.Begin()), p.Length), err
}

// Moment returns the time that a text specifies: "12.5s", "+5s" and "-5s" relative to now,
// "begin", "end", "mark 2", "next mark", "previous mark", or part of a mark's label.
func Moment(text string, now time.Duration, marks []engine.Mark) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil {
		if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
			d += now
		}
		return d, nil
	}
	if rest, ok := strings.CutPrefix(text, "mark "); ok {
		if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= len(marks) {
			return marks[n-1].At, nil
		} else if err == nil {
			return 0, fmt.Errorf("mark %d: the recording has %d marks", n, len(marks))
		}
	}
	switch text {
	case "begin":
		return 0, nil
	case "end":
		return math.MaxInt64, nil
	case "next mark":
		for _, m := range marks {
			if m.At > now {
				return m.At, nil
			}
		}
		return 0, errors.New("no later mark")
	case "previous mark":
		for i := range slices.Backward(marks) {
			if marks[i].At < now {
				return marks[i].At, nil
			}
		}
		return 0, nil
	}
	for _, m := range marks {
		if text != "" && strings.Contains(m.Label, text) {
			return m.At, nil
		}
	}
	if len(marks) == 0 {
		return 0, fmt.Errorf("%q: want a time such as 12.5s or +5s (the recording has no marks)", safetext.Clean(text))
	}
	return 0,
		fmt.Errorf("%q: want a time such as 12.5s or +5s, \"mark 1\" (of %d), or part of a mark's label", safetext.Clean(text),
			len(marks))
}

// snapshotAfterMark returns the time of the first snapshot that has a mark.
func (p *Player) snapshotAfterMark(mark int) time.Duration {
	at := p.Marks[mark].At
	if next, ok := p.Next(at - 1); ok {
		return next
	}
	return at
}
