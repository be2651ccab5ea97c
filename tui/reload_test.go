package tui

import (
	"errors"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
)

// TestChangedCompositionIsRunAgain checks that the screen runs a composition again when its file has
// changed. A broken file is reported once, and changes nothing.
func TestChangedCompositionIsRunAgain(t *testing.T) {
	a := newApp()
	s := *nothing
	s.Scenario = engine.Scenario{Workload: "collective", Values: map[string]string{"composition": "mine: a + b"}}
	a.latest = &s
	a.recompose(reread{from: "mine: a + b", to: "mine: a + b"})
	a.recompose(reread{from: "mine: old", to: "mine: other"}) // of a run that has ended
	a.recompose(reread{from: "mine: a + b", err: errors.New("mine.toml:4: part-1: wrong")})
	if len(a.out) != 0 || a.notice != "mine.toml:4: part-1: wrong" {
		t.Errorf("commands %+v, notice %q", a.out, a.notice)
	}
	a.notice = ""
	a.recompose(reread{from: "mine: a + b", err: errors.New("mine.toml:4: part-1: wrong")})
	if a.notice != "" {
		t.Errorf("the error is repeated: %q", a.notice)
	}
	a.recompose(reread{from: "mine: a + b", to: "mine: c + d"})
	want := engine.Command{Verb: engine.Set, Knob: "composition", Value: "mine: c + d"}
	if len(a.out) != 1 || a.out[0] != want {
		t.Errorf("commands %+v, want %+v", a.out, want)
	}
}
