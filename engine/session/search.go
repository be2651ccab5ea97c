package session

import (
	"context"
	"errors"
	"sync"
)

// errNewer is the reason why the search of a command ended.
var errNewer = errors.New("the search ended at the next command")

// search has the contexts of a session's searches for ranking = cheapest. The next command, or the
// end of the session, ends a search.
type search struct {
	all  context.Context // of all searches
	stop context.CancelCauseFunc

	mu     sync.Mutex
	now    context.Context
	cancel context.CancelCauseFunc // of now; nil: none yet
}

// newSearch returns the searches that end with parent; nil: they end with the session.
func newSearch(parent context.Context) *search {
	if parent == nil {
		parent = context.Background()
	}
	s := &search{}
	s.all, s.stop = context.WithCancelCause(parent)
	return s
}

// begin makes the context of the next command.
func (s *search) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.cancel = context.WithCancelCause(s.all)
}

// end ends the search in progress.
func (s *search) end(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(why)
	}
}

// searchContext returns the context of a search.
func (o *Options) searchContext() context.Context {
	switch {
	case o.search != nil:
		o.search.mu.Lock()
		defer o.search.mu.Unlock()
		return o.search.now
	case o.Context != nil:
		return o.Context
	}
	return context.Background()
}
