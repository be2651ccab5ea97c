package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// mapped returns a simulated run's screen after a key or a command asked for a map.
func mapped(t *testing.T, pressed ...string) (*app, *program) {
	t.Helper()
	a := shownApp(runs.Last("pingpong").On(t, "demo"))
	keys(a, pressed...)
	return a, &program{ctx: t.Context(), app: a}
}

// TestAMapIsMadeInTheBackground asks for a map by a command and by a key, shows it, and returns to the path.
func TestAMapIsMadeInTheBackground(t *testing.T) {
	a, p := mapped(t, ":", "'decide method=two-sided,put size=8,1024 remote.latency_s=0.5,2", "enter")
	if a.Inquiry == nil || a.Inquiry.Map != nil || a.inquiring.asked == nil {
		t.Fatalf("the command asks for nothing: %q", a.notice)
	}
	made := p.startInquiry()
	if !a.isExplaining() {
		t.Error("the screen may rest while the map is simulated")
	}
	a.showAnswer(made().(answered))
	if d := a.Inquiry; d.Map == nil || d.Map.Simulations == 0 || a.isExplaining() {
		t.Fatalf("the map has %+v, failure %q", d.Map, d.Failure)
	}
	if keys(a, "E"); a.Inquiry != nil {
		t.Error("E does not leave the map")
	}

	a, _ = mapped(t, "&")
	if a.Inquiry == nil || a.inquiring.asked == nil {
		t.Errorf("& asks for no map of the selected knob: %q", a.notice)
	}
}

// TestAMapThatNobodyWaitsForEnds cancels the simulations of a map by leaving it, by its key, by another map, and by a change of the run.
func TestAMapThatNobodyWaitsForEnds(t *testing.T) {
	const large = "'decide rounds=1000,1001,1002,1003 size=8,16,32,64,128,256,512,1024 remote.latency_s=0.5..8"
	for name, leave := range map[string]func(*app){
		"E":       func(a *app) { keys(a, "E") },
		"&":       func(a *app) { keys(a, "&") },
		"another": func(a *app) { keys(a, ":", "'decide method=two-sided,put size=8,1024 remote.latency_s=0.5,2", "enter") },
		"a change": func(a *app) {
			s := *a.Snap
			s.Scenario = s.Scenario.Clone()
			s.Scenario.Values["size"] = "32"
			a.load(&s)
			a.followInquiry()
		},
	} {
		a, p := mapped(t, ":", large, "enter")
		of, made := a.Inquiry, p.startInquiry()
		leave(a)
		ended := make(chan answered)
		go func() { ended <- made().(answered) }()
		select {
		case d := <-ended:
			if a.showAnswer(d); d.err == nil || a.Inquiry == of {
				t.Errorf("%s: the map is made to its end: %v", name, d.err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: the simulations continue", name)
		}
	}
}

// TestAMapThatCannotBeMade refuses live runs and wrong axes.
func TestAMapThatCannotBeMade(t *testing.T) {
	for axes, want := range map[string]string{
		"size=8,9 nodes=2":           "got 2 axes",
		"size=8 nodes=2 nodes=4":     "1 variants",
		"size=8,9 nodes=2 colour=no": "want KEY=FACTOR",
	} {
		a, _ := mapped(t)
		if err := a.askQuestion("decide", axes); err == nil || a.Inquiry != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", axes, err, want)
		}
	}
	a := shownApp(demo(4, 4, 4))
	if keys(a, "&"); a.Snap.Scenario.Values["fabric"] == engine.Sim || !strings.Contains(a.notice, "simulate") {
		t.Errorf("a live run: %q", a.notice)
	}
	a, _ = mapped(t) // an earlier time, with another workload than the panel
	a.Panel.Load(runs.Last("heat").On(t, "demo").Scenario)
	a.Panel.Select("reduce-every")
	if keys(a, "&"); a.Inquiry != nil || !strings.Contains(a.notice, "has no choices") {
		t.Errorf("a knob of another workload: %q", a.notice)
	}
}
