package palette

import (
	"testing"

	"github.com/hybridtop/hybridtop/engine/workload"
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
	h := &overlay.Host{Host: &pane.Host{Snap: s}, Close: func() {}, Picture: func(of string) error {
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
