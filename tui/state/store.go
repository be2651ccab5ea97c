package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
)

// Kept holds the saved settings. Fields with zero values are not saved.
type Kept struct {
	Theme     string
	Units     string
	Mouse     *bool
	Markers   string
	Recent    []string // commands typed last, the newest first
	Workloads map[string]Workload
}

// MaxRecent is the maximum number of recent commands.
const MaxRecent = 20

// Workload holds the saved state of a workload.
type Workload struct {
	Knobs  map[string]string // values of its last scenario; nil: none
	Layout *Layout           // layout of its panes; nil: none
}

// Layout is the layout of the panes.
type Layout struct {
	Focus  string
	Zoomed bool
	Panes  []string // the panes that last had the focus, at most one per place
	Folded []string // groups of knobs that the user folded or unfolded
}

// Store reads and writes the two files.
type Store struct {
	// Warnings lists what was ignored in the files, one line each.
	Warnings []string

	mu            sync.Mutex // guards the fields below and the files
	config, state file
	refused       map[string]bool // files that are not written any more; the reason was reported
	last          Kept            // settings as of the last write, or the initial ones
}

// Open reads the files in two folders. For an empty folder name it reads and writes nothing.
func Open(config, state string) (*Store, Kept) {
	s := &Store{refused: map[string]bool{}}
	s.config.head = "# Settings of hybridtop's screen. hybridtop replaces this file; comments are lost."
	s.state.head = "# State of hybridtop's workloads. hybridtop replaces this file."
	if config != "" {
		s.config.name = filepath.Join(config, "config.toml")
	}
	if state != "" {
		s.state.name = filepath.Join(state, "state.toml")
	}
	var k Kept
	s.load(&s.config, func(t tree, r *reader) { r.config(t, &k) })
	s.load(&s.state, func(t tree, r *reader) { r.state(t, &k) })
	return s, k
}

func (s *Store) load(f *file, apply func(tree, *reader)) {
	if f.name == "" {
		return
	}
	t, err := f.read()
	if err != nil {
		what := "not used"
		var tooNew *newer
		if errors.As(err, &tooNew) {
			what = "neither used nor changed"
			s.refused[f.name] = true
		}
		s.Warnings = append(s.Warnings, err.Error()+": "+what)
		return
	}
	r := reader{file: f.name}
	apply(t, &r)
	s.Warnings = append(s.Warnings, r.skipped...)
}

// Began sets the initial settings. Keep saves only changes from them.
func (s *Store) Began(now Kept) { s.last = now }

// Keep writes the changes since its last call. It reports an error once per file; later changes of
// that file are not written.
func (s *Store) Keep(ctx context.Context, now Kept) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.last
	s.last = now
	return errors.Join(
		s.keep(ctx, &s.config, configChange(&last, &now)),
		s.keep(ctx, &s.state, stateChange(&last, &now)),
	)
}

func (s *Store) keep(ctx context.Context, f *file, change func(tree)) error {
	if change == nil || f.name == "" || s.refused[f.name] {
		return nil
	}
	copied, err := f.replace(ctx, change)
	if err != nil {
		s.refused[f.name] = true
		return fmt.Errorf("settings not saved: %w", err)
	}
	if copied != "" {
		return fmt.Errorf("%s: broken file replaced, copy kept as %s", f.name, copied)
	}
	return nil
}

func sameLayout(a, b *Layout) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Focus == b.Focus && a.Zoomed == b.Zoomed && slices.Equal(a.Panes, b.Panes) && slices.Equal(a.Folded, b.Folded)
}
