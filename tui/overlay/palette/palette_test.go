package palette

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/overlay"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// Every action of the screen, every workload and every knob is listed. Actions of other modes are
// not.
func TestOffers(t *testing.T) {
	s := panetest.Demo(4, 4, 4)
	h := &overlay.Host{Host: &pane.Host{Snap: s}, Lines: func() []overlay.Line {
		return []overlay.Line{{Name: "pause", Mode: overlay.OnScreen}, {Name: "erase", Mode: "in the help"}}
	}}
	h.Panel.Load(s.Scenario)
	offered := map[string]bool{}
	for _, e := range (&palette{h: h}).entries("") {
		offered[e.text] = true
	}
	for _, w := range workload.All() {
		if !offered["workload "+w.Name] {
			t.Errorf("%s is not offered", w.Name)
		}
	}
	for _, k := range s.Scenario.Table {
		if !offered["set "+k.Name] {
			t.Errorf("set %s is not offered", k.Name)
		}
	}
	if !offered["pause"] || offered["erase"] {
		t.Errorf("pause is offered: %v, erase, which is no command: %v", offered["pause"], offered["erase"])
	}
}

// After the file of a picture, the names of panes are listed.
func TestPicturesOfPanesAreOffered(t *testing.T) {
	s := panetest.Demo(4, 4, 4)
	picture := ""
	h := &overlay.Host{Host: &pane.Host{Snap: s}, Close: func() {}, Used: func(string) {}, Picture: func(of string) error {
		picture = of
		return nil
	}, Lines: func() []overlay.Line {
		return []overlay.Line{{Name: "zoom-latency", Mode: overlay.OnScreen}, {Name: "zoom", Mode: overlay.OnScreen}}
	}}
	h.Panel.Load(s.Scenario)
	o := &palette{h: h}
	for query, want := range map[string]int{"picture a": 0, "picture my own.svg ": 1, "picture a.png la": 1} {
		if all := o.pictures(query); len(all) != want {
			t.Errorf("%q offers %d panes, want %d", query, len(all), want)
		}
	}
	o.line.Put("picture my own.svg lat")
	o.Retyped()
	o.complete()
	if o.run(); picture != "my own.svg latency" {
		t.Errorf("tab and enter make a picture of %q", picture)
	}
}

// TestRanking checks the order of commands for typed texts. Recent commands are first if they contain the typed
// words. A recent command that cannot run now is not listed.
func TestRanking(t *testing.T) {
	s := panetest.Demo(4, 4, 4)
	recent := []string{"theme mono", "set group 8", "set cube 4", "zoom-latency"}
	h := &overlay.Host{Host: &pane.Host{Snap: s}, Close: func() {}, Recent: func() []string { return recent },
		Scenarios: func() ([]presets.Scenario, []error) { return nil, nil },
		Used:      func(text string) { recent = append([]string{text}, recent...) },
		Lines: func() []overlay.Line {
			return []overlay.Line{{Name: "zoom-latency", Keys: "3", Mode: overlay.OnScreen, Run: func() {}},
				{Name: "longer", Mode: overlay.OnScreen}, {Name: "log", Mode: overlay.OnScreen}}
		}}
	h.Panel.Load(s.Scenario)
	o := &palette{h: h}
	for query, want := range map[string]string{
		"":       "theme mono, set group 8, zoom-latency, longer",
		"group":  "set group 8, set group",
		"seed":   "set seed",
		"rpn":    "set ranks-per-node",
		"log":    "log",
		"theme":  "theme mono, theme dark",
		"latenc": "zoom-latency",
	} {
		o.Open()
		o.line.Insert(query)
		o.Retyped()
		var got []string
		for _, e := range o.offers() {
			got = append(got, e.text)
		}
		if !strings.HasPrefix(strings.Join(got, ", ")+", ", want+", ") {
			t.Errorf("%q offers %q, want first %q", query, got, want)
		}
	}
	o.Open()
	o.line.Insert("zoom-l")
	if o.run(); recent[0] != "zoom-latency" {
		t.Errorf("the newest command is %q, want zoom-latency", recent[0])
	}
}

// TestNumbersStayAsTyped checks that only a knob with a fixed list of values completes its value. A number is also
// the start of other numbers.
func TestNumbersStayAsTyped(t *testing.T) {
	s := panetest.Demo(4, 4, 4)
	h := &overlay.Host{Host: &pane.Host{Snap: s}, Lines: func() []overlay.Line { return nil }}
	h.Panel.Load(s.Scenario)
	o := &palette{h: h}
	for text, want := range map[string]string{
		"nodes 3": "set nodes 3", "nodes=6": "set nodes 6", "set nodes 3": "set nodes 3", "set group=3": "set group 3",
		"eager-limit 6": "set eager-limit 6", "ranking seq": "set ranking sequential", "threading fun": "set threading funneled",
	} {
		if e, err := o.resolve(text); err != nil || e.text != want {
			t.Errorf("%q means %q, %v, want %q", text, e.text, err, want)
		}
	}
}

// TestUnknownValuesAreNamed checks the errors of values that a command does not have.
func TestUnknownValuesAreNamed(t *testing.T) {
	s := panetest.Demo(4, 4, 4)
	h := &overlay.Host{Host: &pane.Host{Snap: s}, Lines: func() []overlay.Line { return nil }}
	h.Panel.Load(s.Scenario)
	o := &palette{h: h}
	for text, want := range map[string]string{
		"units nosuch":      `unknown units "nosuch": want one of mixed, binary, decimal, bits`,
		"workload nosuch":   `unknown workload "nosuch": want one of ` + workload.All()[0].Name + ", ",
		"workload demo-dat": `; did you mean "demo-dot"?`,
		"nosuch workload":   `unknown command "nosuch workload"`,
	} {
		if _, err := o.command(text); err == nil || !strings.Contains(err.Error(), want) || grid.Width(err.Error()) > 135 {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
