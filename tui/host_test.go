package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine"
)

// late is a run on a host that cannot emulate the machine at any practical dilation.
func late() *engine.Snapshot {
	s := demo(4, 4, 4)
	s.Scenario.Values["dilation"] = "auto"
	s.Keeping = engine.Beyond
	s.Why, s.Change = "", ""
	return s
}

// TestAHostThatCannotEmulate shows one row that says so and offers the simulation. If the user does
// nothing, the screen simulates by itself, once.
func TestAHostThatCannotEmulate(t *testing.T) {
	toSim := []engine.Command{{Verb: engine.Set, Knob: "fabric", Value: engine.Sim}}
	start := time.Unix(1000, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	fixed := late()
	fixed.Keeping, fixed.Dilation = engine.Behind, 1
	fixed.Scenario.Values["dilation"] = "1"
	rising := late()
	rising.Keeping = engine.Behind
	for what, c := range map[string]struct {
		snap *engine.Snapshot
		do   func(*app)
		want []engine.Command
		text string
	}{
		"nothing":            {late(), func(*app) {}, toSim, "too slow to emulate demo: its times are invalid. S simulates it"},
		"a fixed dilation":   {fixed, func(*app) {}, toSim, "too slow to emulate demo at a time dilation of 1: its times are invalid"},
		"a rising dilation":  {rising, func(*app) {}, nil, ""},
		"a key":              {late(), func(a *app) { keys(a, "down") }, nil, "S simulates it"},
		"a frozen screen":    {late(), func(a *app) { keys(a, "f") }, nil, "S simulates it"},
		"the user simulates": {late(), func(a *app) { keys(a, "S") }, toSim, "S simulates it"},
	} {
		t.Run(what, func(t *testing.T) {
			a := shownApp(c.snap)
			a.watchHost(at(0))
			a.watchHost(at(4.9))
			if len(a.out) > 0 {
				t.Errorf("early it sends %v", a.out)
			}
			c.do(a)
			for _, size := range sizes(80, 24, 120, 40, 300, 90) {
				text := (&screen{}).draw(a, size[0], size[1]).PlainText()
				text = strings.Join(strings.Fields(text), " ")
				if n := strings.Count(text, "too slow to emulate"); n != min(len(c.text), 1) {
					t.Errorf("%v: the warning appears %d times:\n%s", size, n, text)
				}
				if !strings.Contains(text, c.text) {
					t.Errorf("%v: not on the screen: %q\n%s", size, c.text, text)
				}
			}
			a.watchHost(at(5.1))
			a.watchHost(at(6))
			if d := cmp.Diff(c.want, a.out); d != "" {
				t.Error(d)
			}
			if len(c.want) == 0 || what == "the user simulates" {
				return
			}
			if !strings.Contains(a.notice, "simulating it in virtual time") {
				t.Errorf("it reports %q", a.notice)
			}
			a.out = nil
			a.load(late())
			a.watchHost(at(20))
			a.watchHost(at(30))
			if len(a.out) > 0 {
				t.Errorf("the second time it sends %v", a.out)
			}
		})
	}
}

// TestTheQuestion draws the workload's question at every size before the first change.
func TestTheQuestion(t *testing.T) {
	s := demo(4, 4, 4)
	s.Scenario.Workload = "randomaccess"
	s.Change = ""
	for _, size := range sizes(80, 24, 120, 40, 300, 90) {
		if text := (&screen{}).draw(shownApp(s), size[0], size[1]).PlainText(); !strings.Contains(text,
			"Turn group: does locality pay?") {
			t.Errorf("%v: no question:\n%s", size, text)
		}
	}
}
