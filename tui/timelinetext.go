package tui

import (
	"errors"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// textRows is how many rows a timeline in text has at most, until lanes are folded.
const textRows = 64

// TimelineText draws the end of a snapshot's timeline as text of w columns, as the
// screen does without colours: so much of it, or with 0 the latest iterations.
// Messages are drawn if they were recorded.
func TimelineText(s *engine.Snapshot, w int, last cluster.Time) (string, error) {
	tl := s.Timeline
	if tl == nil || tl.To <= 0 {
		return "", errors.New("no timeline was recorded: run with --timeline on")
	}
	a := newApp()
	a.load(s)
	a.chooseTheme("mono")
	a.focus = timelinePane
	a.timeline.arrows = len(tl.Arrows) > 0
	var t timeline
	t.rows.arrange(tl, foldAuto, textRows)
	a.timeline.fold = t.rows.fold
	if last > 0 {
		a.timeline.column = fitTime(last / cluster.Time(max(w-t.rows.labelWidth()-1-sharesCol, 1)))
	}
	rows := min(len(t.rows.all), textRows)
	g := grid.New(w, rows+3)
	g.Mono = true
	for t.draw(g.All(), a); t.shown.late; {
		t.draw(g.All(), a)
	}
	var b strings.Builder
	b.WriteString(t.caption(a) + "\n")
	lines := strings.Split(strings.TrimRight(g.PlainText(), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] { // the last one tells of keys
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String(), nil
}
