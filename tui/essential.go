package tui

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// drawEssential shows the most important facts as lines of text, on a screen that is too small for
// a pane. It also shows the size that a pane needs. All keys work; the boxes of help, command line
// and value become one line.
func (s *screen) drawEssential(a *app) {
	snap, th := a.latest, a.Theme
	v := s.g.All()
	word, st := phaseWords(snap, th)
	lines := []part{{word, st, 6}}
	if a.over != nil {
		if l := a.over.Line(); l != nil {
			lines = append(lines, part{":" + l.String() + "▏", th.Selected, 8})
		}
		if text := a.over.Offer(); text != "" {
			lines = append(lines, part{"▸ " + text, th.Text, 7})
		}
	}
	if a.notice != "" {
		lines = append(lines, part{a.Units.Text(a.notice), th.Warning, 8})
	}
	if a.Panel.Fault.Text != "" {
		lines = append(lines, part{"✗ " + a.Units.Text(a.Panel.Fault.Text), th.Error, 7})
	}
	knob := s.knobPart(a)
	lines = append(lines, part{knob.text, th.Accent, 3})
	if n := len(snap.Series); n > 0 {
		sum := 0.0
		for _, r := range snap.Series[n-1].Rate {
			sum += r
		}
		lines = append(lines, part{a.Units.Rate().Format(sum, 10) + " " + snap.Scenario.Workload, th.Text, 4})
	}
	if q := &snap.Latency[cluster.Remote]; q.Count > 0 {
		lines = append(lines, part{"inter-node p50 " + grid.Seconds.Format(q.P50, 8), th.Text, 2})
	}
	for i := range snap.Studies {
		if text := snap.Studies[i].Glance; text != "" {
			lines = append(lines, part{a.Units.Text(text), th.Text, 4})
		}
	}
	lines = append(lines,
		part{fmt.Sprintf("%d×%d, needs %d×%d", v.W(), v.H(), oneW, oneH), th.Dim, 5},
		part{"q quit  ? help", th.Dim, 5})
	for len(lines) > v.H() && v.H() > 0 {
		least := 0
		for i := range lines {
			if lines[i].need < lines[least].need {
				least = i
			}
		}
		lines = append(lines[:least], lines[least+1:]...)
	}
	y := 0
	for _, l := range lines {
		if l.text != "" {
			v.TextIn(0, y, v.W(), l.text, grid.Left, l.st)
			y++
		}
	}
}
