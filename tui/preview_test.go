package tui

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
)

// TestPreviewOfTheSelectedKnob checks the status line for knobs with and without a model, and that an old preview
// disappears when another knob is selected.
func TestPreviewOfTheSelectedKnob(t *testing.T) {
	sc, err := session.Scenario("pingpong")
	if err != nil {
		t.Fatal(err)
	}
	if err := sc.Set("fabric", engine.Sim); err != nil {
		t.Fatal(err)
	}
	a := shownApp(&engine.Snapshot{Seq: 1, Scenario: sc, Kind: engine.Simulated, Phase: engine.Running, Layout: sc.Layout()})
	p := &program{app: a, w: 120, h: 40}
	status := func() string {
		lines := strings.Split(strings.TrimRight(p.screen.draw(a, 120, 40).PlainText(), "\n"), "\n")
		return lines[len(lines)-2]
	}
	for _, c := range []struct{ knob, want string }{
		{"pair", "in-node: latency 4.76× shorter (modelled)"},
		{"seed", ""},
		{"pair", "in-node: latency 4.76× shorter (modelled)"},
	} {
		a.Panel.Select(c.knob)
		if strings.Contains(status(), "modelled") {
			t.Errorf("%s: the last preview stays: %q", c.knob, status())
		}
		do := p.preview()
		if do == nil || p.preview() != nil {
			t.Fatalf("%s: want one command at a time", c.knob)
		}
		p.Update(do())
		if got := status(); !strings.Contains(got, c.want) || strings.Contains(got, "modelled") != (c.want != "") {
			t.Errorf("%s: the status line is %q, want %q", c.knob, got, c.want)
		}
		if p.preview() != nil {
			t.Errorf("%s: the preview is computed again", c.knob)
		}
	}
	for _, c := range []struct {
		e    session.Preview
		want string
	}{
		{session.Preview{Phrase: "access time", Unit: "s", Before: 2, After: 10}, "→ 8: access time 5× longer (modelled)"},
		{session.Preview{Phrase: "b eff", Unit: "B/s", Before: 1e9, After: 3.5e9}, "→ 8: b eff 3.5× higher (modelled)"},
		{session.Preview{Phrase: "b eff", Unit: "B/s", Before: 3e9, After: 2e9}, "→ 8: b eff 1.5× lower (modelled)"},
	} {
		if got := previewText("→ 8", &c.e); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
