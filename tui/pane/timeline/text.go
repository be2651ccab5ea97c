package timeline

import (
	"errors"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// textRows is how many rows a timeline in text has at most, until lanes are folded.
const textRows = 64

// Text draws the end of a snapshot's timeline as text of w columns, as the
// screen does without colours: so much of it, or with 0 the latest iterations.
// Messages are drawn if they were recorded.
func Text(s *engine.Snapshot, w int, last cluster.Time) (string, error) {
	tl := s.Timeline
	if tl == nil || tl.Edge <= 0 {
		return "", errors.New("no timeline was recorded: run with --timeline on")
	}
	mono, _ := grid.ThemeByName("mono")
	h := &pane.Host{Snap: s, Theme: mono, Keys: func(string) string { return "" }}
	var t Pane
	t.rows.arrange(tl, foldAuto, textRows)
	t.Want.Apart = true
	t.Want.Arrows, t.Want.Fold = len(tl.Arrows) > 0, t.rows.fold
	if last > 0 {
		t.Want.Column = fitTime(last / cluster.Time(max(w-t.rows.labelWidth()-1-sharesCol, 1)))
	}
	rows := min(len(t.rows.all), textRows)
	around := 3 // rows of legend, axis and keys
	if len(tl.Parts) > 0 {
		around++
	}
	g := grid.New(w, rows+around)
	g.Mono = true
	for t.draw(g.All(), h); t.shown.late; {
		t.draw(g.All(), h)
	}
	var b strings.Builder
	b.WriteString(t.caption(h) + "\n")
	lines := strings.Split(strings.TrimRight(g.PlainText(), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] { // the last one tells of keys
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String(), nil
}
