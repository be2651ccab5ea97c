package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// A scenario from the list is loaded completely, with its pane and its text.
func TestAScenarioIsLoaded(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, press := range [][]string{{"O", "'overlap-sr", "enter"}, {":", "'load overlap", "enter"}} {
		a := shownApp(demo(4, 4, 4))
		a.Set("group", "8")
		a.out = nil
		a.zoomed = true
		keys(a, press...)
		if len(a.out) != 1 || a.out[0].Verb != engine.Take || a.out[0].Scenario.Workload != "spmv" ||
			a.out[0].Scenario.Text("threads-per-rank") != "8" {
			t.Fatalf("%q sends %v", press, a.out)
		}
		if a.focus != epsilonPane || a.zoomed || !strings.HasPrefix(a.guide.scenario.Watch, "One of 8 threads") ||
			a.Panel.Pending("group") {
			t.Errorf("%q: focus on %d, zoomed %v, says %q", press, a.focus+1, a.zoomed, a.notice)
		}
		a.workloads["demo-access"] = a.workloads["spmv"]
		s := scheme(1, 8)
		s.Scenario.Workload = "spmv"
		if a.load(s); a.focus != epsilonPane {
			t.Errorf("%q: when it comes, the focus is on %d", press, a.focus+1)
		}
	}
	a := shownApp(demo(4, 4, 4))
	keys(a, ":", "'load nothing", "enter")
	if a.over == nil || !strings.Contains(a.over.Offer(), `unknown scenario "nothing"`) || len(a.out) > 0 {
		t.Errorf("it sends %v", a.out)
	}
}

// The current run is saved as a file that can be loaded again.
func TestAScenarioIsSaved(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	sc, err := session.Scenario("dot")
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Set("elements", "1000"); err != nil {
		t.Fatal(err)
	}
	p, err := newProgram(&player{snap: &engine.Snapshot{Phase: engine.Running, Scenario: sc}},
		Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	p.ctx = t.Context()
	for _, name := range []string{"locality-law", "A B", ""} {
		keys(p.app, ":", "'save "+name, "enter")
		if p.app.saving != nil {
			t.Errorf("%q is taken for a name", name)
		}
		keys(p.app, "esc")
	}
	keys(p.app, ":", "'save small", "enter")
	if p.app.saving == nil {
		t.Fatal("nothing is to be saved")
	}
	p.Update(p.saveScenario()())
	file := filepath.Join(home, "hybridtop", "scenarios", "small.toml")
	if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "elements = 1000") {
		t.Errorf("%v: the file is\n%s", err, b)
	}
	if !strings.Contains(p.app.notice, "saved to "+file) {
		t.Errorf("it says %q", p.app.notice)
	}
	keys(p.app, ":", "'load sma", "enter")
	if len(p.app.out) != 1 || p.app.out[0].Scenario.Text("elements") != "1000" {
		t.Errorf("loaded again it sends %v", p.app.out)
	}
}

// A copied text goes to the terminal, and the status line shows it.
func TestCopy(t *testing.T) {
	sc, err := session.Scenario("dot")
	if err != nil {
		t.Fatal(err)
	}
	for knob, v := range map[string]string{"model": "flat", "threads-per-rank": "2", "fabric": "sim"} {
		if err := sc.Set(knob, v); err != nil {
			t.Fatal(err)
		}
	}
	s := &engine.Snapshot{Phase: engine.Running, Scenario: sc, Kind: engine.Simulated, Iteration: 7,
		LaunchLine: "mpiexec -n 4", Layout: sc.Layout()}
	p, err := newProgram(&player{snap: s}, Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	lines := engine.Launches(&s.Layout, "myapp")
	for what, want := range map[string]string{
		"command":        "hybridtop run dot --fabric sim --threads-per-rank 2 --model flat --iterations 7",
		"launch":         lines[0].Command,
		"launch openmpi": lines[0].Command,
		"launch mpich":   lines[1].Command,
		"launch slurm":   lines[2].Command,
		"launch paper":   "mpiexec -n 4",
	} {
		keys(p.app, ":", "'copy "+what, "enter")
		if p.app.copied != want || !strings.HasSuffix(p.app.notice, want) {
			t.Errorf("%s: %q is copied, and it says %q", what, p.app.copied, p.app.notice)
		}
		_, cmd := p.Update(tea.FocusMsg{})
		if cmd == nil || p.app.copied != "" {
			t.Errorf("%s: nothing goes to the terminal", what)
		}
	}
	a := newApp()
	keys(a, ":", "'copy launch", "enter")
	if a.copied != "" || a.notice != "nothing to copy yet" {
		t.Errorf("before a run %q is copied", a.copied)
	}
}

// The wheel scrolls the knobs, and changes a knob only while a modifier key is held.
func TestTheWheelTurnsNothing(t *testing.T) {
	p, err := newProgram(&player{snap: demo(4, 4, 4)}, Options{Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	p.w, p.h = 120, 40
	p.draw()
	at := p.screen.at.pane(knobsPane, p.app.specs)
	wheel := tea.MouseWheelMsg{X: at.X + 3, Y: at.Y + 2, Button: tea.MouseWheelDown}
	before := p.app.Panel.At()
	next := newApp()
	next.load(demo(4, 4, 4))
	next.Panel.Move(+1)
	p.Update(wheel)
	if at := p.app.Panel.At(); at == before || at != next.Panel.At() || len(p.app.out) > 0 {
		t.Errorf("knob %d is selected after %d, and it sends %v", p.app.Panel.At(), before, p.app.out)
	}
	held := wheel
	held.Button, held.Mod = tea.MouseWheelUp, tea.ModCtrl
	for range p.app.Panel.Scenario.Table { // some knobs of the test have no choices
		held.Y++
		p.Update(held)
	}
	if !p.sending {
		t.Error("ctrl and the wheel turn nothing")
	}
}
