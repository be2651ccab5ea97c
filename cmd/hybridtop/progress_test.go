package main

import (
	"math"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// The line that a sweep writes while it runs.
func TestSweepLine(t *testing.T) {
	sc, err := session.Scenario("pingpong")
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(sc, session.Options{Fabrics: session.Fabrics()})
	if err != nil {
		t.Fatal(err)
	}
	point := func(size string) session.Running {
		return session.Running{Row: &session.Row{Knobs: []session.Setting{{Knob: "size", Value: size}}}, Session: s}
	}
	for _, c := range []struct {
		p    session.Progress
		want string
	}{
		{session.Progress{Total: 3, Running: []session.Running{point("8")}},
			"[0/3]  size 8  pingpong  starting  0.0 s  0 iterations"},
		{session.Progress{Done: 1, Total: 3, Left: 61 * time.Second, Running: []session.Running{point("8"), point("64")}},
			"[1/3]  about 61 s left  2 at once:  size 8 (0 iterations)  size 64 (0 iterations)"},
	} {
		if got := sweepLine(&c.p); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for d, want := range map[time.Duration]string{
		time.Millisecond: "1 s", 89 * time.Second: "89 s", 2 * time.Minute: "2 min", 3 * time.Hour: "3.0 h",
	} {
		if got := pane.Roughly(d); got != want {
			t.Errorf("%v is roughly %q, want %q", d, got, want)
		}
	}
}

// The progress of a long iteration only contains known values.
func TestLongIteration(t *testing.T) {
	for _, c := range []struct {
		p    engine.Progress
		want string
	}{
		{engine.Progress{Spent: time.Second, Share: 0.5}, ""},
		{engine.Progress{Spent: 12 * time.Second, Share: math.NaN()}, "iteration 1: 12 s so far"},
		{engine.Progress{Spent: 12 * time.Second, Share: 0.374, Left: 20 * time.Second},
			"iteration 1: 12 s so far, 37 % done, about 20 s left"},
		{engine.Progress{Spent: 3 * time.Second, Share: math.NaN(), Clock: 2 * cluster.Millisecond, Events: 3400000},
			"iteration 1: 3 s so far, 3.4M events, virtual time 2 ms"},
	} {
		if got := pane.Progress(&engine.Snapshot{Progress: c.p}); got != c.want {
			t.Errorf("%+v is told as %q, want %q", c.p, got, c.want)
		}
	}
}
