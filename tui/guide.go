package tui

import (
	"strconv"

	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// guide is the text of a scenario over the status line: what the run shows, and numbered things to do.
// It stays until the user hides it, or runs another workload.
type guide struct {
	scenario *presets.Scenario // the scenario of the run; nil: none
	workload string            // its workload
	shown    bool
}

// guideRest is the least number of rows that the guide leaves to the panes. If it needs more, it covers
// them all.
const guideRest = 5

// show shows the text of a scenario, if it has one.
func (d *guide) show(p *presets.Scenario, workload string) {
	*d = guide{scenario: p, workload: workload, shown: p.Text() != ""}
}

// toggleGuide hides the scenario's text, or shows it again.
func (a *app) toggleGuide() {
	if a.course.player != nil {
		a.course.shown = !a.course.shown
	} else if d := &a.guide; d.scenario == nil || d.scenario.Text() == "" {
		a.notice = "no scenario with a text runs (O lists scenarios)"
	} else {
		d.shown = !d.shown
	}
}

// rows returns the rows of the guide on a body of w×h cells, while a workload runs; 0: hidden.
func (d *guide) rows(w, h int, workload string) int {
	if !d.shown || d.workload != workload {
		return 0
	}
	measure := grid.Flow{V: grid.View{}.Sub(grid.Rect{W: w - 4})}
	d.write(&measure, nil)
	if rows := measure.Y + 2; rows <= h-guideRest {
		return rows
	}
	return h
}

// write writes the text. A nil theme only measures.
func (d *guide) write(f *grid.Flow, th *grid.Theme) {
	text, number := grid.Style{}, grid.Style{}
	if th != nil {
		text, number = th.Text, th.Accent
	}
	if d.scenario.Watch != "" {
		f.Text(d.scenario.Watch, text)
	}
	for i, step := range d.scenario.Steps {
		f.Item(strconv.Itoa(i+1), step, number, text)
	}
}

// drawGuide draws the guide.
func (s *screen) drawGuide(a *app) {
	r := s.at.guide
	if r.Empty() {
		return
	}
	s.clear(r, a.Theme)
	in := s.g.Box(r, grid.Box{Title: a.guide.scenario.Title, Right: a.Keys("guide") + " hide", Border: a.Theme.Accent,
		TitleStyle: a.Theme.Title, RightStyle: a.Theme.Dim})
	a.guide.write(&grid.Flow{V: in.Sub(in.Local().Inset(1, 0))}, a.Theme)
}
