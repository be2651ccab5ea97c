package timeline

import (
	"errors"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// textRows is the maximum number of rows of a timeline in text before lanes are folded.
const textRows = 64

// Text draws the end of a snapshot's timeline as text of w columns, in the same way as the screen
// without colours. last is the length of the interval; 0 means the latest iterations. Messages are
// drawn if they were recorded. Text returns an error if the snapshot has no timeline.
func Text(s *engine.Snapshot, w int, last cluster.Time) (string, error) {
	tl := s.Timeline
	if tl == nil || tl.Edge <= 0 {
		return "", errors.New("no timeline was recorded: run with --timeline on")
	}
	mono, _ := grid.ThemeByName("mono")
	h := &pane.Host{Snap: s, Theme: mono, Keys: func(string) string { return "" }}
	t := Pane{piece: -1}
	t.rows.arrange(tl, foldAuto, textRows)
	t.Want.Sequential = true
	t.Want.Arrows, t.Want.Fold = len(tl.Arrows) > 0, t.rows.fold
	h.Window.Span = last
	rows := min(len(t.rows.all), textRows)
	around := 3 // rows of the legend, the axis and the key hints
	if len(tl.Parts) > 0 {
		around++
	}
	g := grid.New(w, rows+around)
	g.Mono = true
	for t.draw(g.All(), h); t.shown.incomplete; {
		t.draw(g.All(), h)
	}
	var b strings.Builder
	b.WriteString(t.caption(h) + "\n")
	lines := strings.Split(strings.TrimRight(g.PlainText(), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] { // the last one has the key hints
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String(), nil
}
