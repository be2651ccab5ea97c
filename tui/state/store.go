package state

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
)

// Kept is what is remembered. The zero value is nothing.
type Kept struct {
	Theme     string
	Units     string
	Mouse     *bool
	Markers   string
	Workloads map[string]Workload
}

// Workload is what is remembered of a workload.
type Workload struct {
	Knobs  map[string]string // its last scenario; nil: none
	Layout *Layout           // of its panes; nil: none
}

// Layout is how panes were looked at.
type Layout struct {
	Focus  string
	Zoomed bool
	Panes  []string // those that had the focus last, each in its place
}

// Store is the two files.
type Store struct {
	// Warnings say what of the files is not used. They are whole lines.
	Warnings []string

	mu            sync.Mutex // of what follows, and of the files
	config, state file
	refused       map[string]bool // files that are not written: one was named already
	last          Kept            // as this screen has written it, or found it worth nothing
}

// Open reads what is remembered. A folder without a name has nothing, and keeps
// nothing.
func Open(config, state string) (*Store, Kept) {
	s := &Store{refused: map[string]bool{}}
	s.config.head = "# What hybridtop's screen looks like. It replaces this file; comments are lost then."
	s.state.head = "# What hybridtop remembers of its workloads. It replaces this file."
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

func (s *Store) load(f *file, take func(tree, *reader)) {
	if f.name == "" {
		return
	}
	t, err := f.read()
	if err != nil {
		what := "not used"
		var late *newer
		if errors.As(err, &late) {
			what = "neither used nor changed"
			s.refused[f.name] = true
		}
		s.Warnings = append(s.Warnings, err.Error()+": "+what)
		return
	}
	r := reader{file: f.name}
	take(t, &r)
	s.Warnings = append(s.Warnings, r.skipped...)
}

// Began says how the screen begins: that much is not worth keeping.
func (s *Store) Began(now Kept) { s.last = now }

// Keep writes what has changed since it was called last. What cannot be written is
// told once; later changes of that file are not kept either.
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
		return fmt.Errorf("not remembered: %w", err)
	}
	if copied != "" {
		return fmt.Errorf("%s was broken: it is replaced, and kept as %s", f.name, copied)
	}
	return nil
}

func sameLayout(a, b *Layout) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Focus == b.Focus && a.Zoomed == b.Zoomed && slices.Equal(a.Panes, b.Panes)
}
