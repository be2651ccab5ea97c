package tui

import (
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Smallest screens for six panes, for four, and for one with its borders. A smaller screen shows
// only lines of text.
const (
	sixW, sixH   = 100, 28
	fourW, fourH = 60, 16
	oneW, oneH   = 30, 8

	manyW, manyH = 160, 50 // more than six panes

	twoReasons = 24 // rows of a screen that has two rows for the reason
)

// Additional panes on a large screen: the maximum number, and the smallest size of each.
const (
	maxExtra = 3
	extraW   = 70
	extraH   = 14
)

// arrangement holds the position of everything on a screen. An empty rectangle is not shown.
type arrangement struct {
	header, why, status, footer grid.Rect
	guide                       grid.Rect
	at                          [pane.Places]grid.Rect
	of                          [pane.Places]int // the pane shown in each place
	extra                       [maxExtra]extra
	shown                       int // number of panes
	lines                       grid.Rect
}

// extra is an additional pane on a large screen. It is unused if the rectangle is empty.
type extra struct {
	pane int
	at   grid.Rect
}

// pane returns the position of pane n, which is empty if the pane is hidden.
func (p *arrangement) pane(n int, specs []pane.Spec) grid.Rect {
	for i := range p.extra {
		if p.extra[i].pane == n && !p.extra[i].at.Empty() {
			return p.extra[i].at
		}
	}
	if home := specs[n].Place; p.of[home] == n {
		return p.at[home]
	}
	return grid.Rect{}
}

// arrange divides the screen among the places of the panes:
//
//	header                       header             header
//	cluster │ rates │ times      rates │ times      one
//	knobs   │ story │ reasons    story │ knobs
//	status                       why
//	footer                       status             status
//	                             footer             footer
//
// A large screen has a third row, right of the knobs, for additional panes. The focused pane is
// always shown. A failure replaces the story, except for a deadlock, which has its own pane there.
func arrange(w, h int, a *app) arrangement {
	var p arrangement
	body := grid.Rect{W: w, H: h}
	if w < oneW || h < oneH {
		p.lines = body
		return p
	}
	for home := range pane.Places {
		p.of[home] = a.shownAt(home)
	}
	p.header, body = body.CutTop(1)
	p.footer, body = body.CutBottom(1)
	p.status, body = body.CutBottom(1)
	if rows := a.guide.rows(body.W, body.H, a.Snap.Scenario.Workload); rows > 0 {
		p.guide, body = body.CutBottom(rows)
		h -= rows
	}
	if body.Empty() {
		return p
	}
	failed, focus := a.Snap.Phase == engine.Failed, a.specs[a.focus].Place
	if a.Snap.Deadlock != nil { // its pane shows the failure
		failed = false
	}
	switch {
	case a.zoomed || w < fourW || h < fourH:
		if failed && !a.zoomed {
			focus = pane.Reasons
		} else if a.Snap.Deadlock != nil && !a.zoomed {
			focus = pane.Workload
		}
		p.at[focus], p.shown = body, 1
	case w >= sixW && h >= sixH:
		low := grid.Rect{}
		if w >= manyW && h >= manyH && a.Snap.Phase != engine.Failed {
			low = p.placeExtra(body, a)
		}
		p.placeSix(body, low, len(a.Panel.Scenario.Table), failed)
	default:
		if h >= 20 && !failed {
			rows := 1
			if h >= twoReasons {
				rows = 2
			}
			p.why, body = body.CutBottom(rows)
		}
		p.placeFour(body, focus, failed)
	}
	return p
}

// leftWidth returns the width of the left column of a body.
func leftWidth(body grid.Rect) int { return min(max(body.W*26/100, 28), 60) }

// placeSix divides a body among the six places. The rectangle others, below the right columns, is
// left for additional panes.
func (p *arrangement) placeSix(body, others grid.Rect, knobs int, failed bool) {
	p.shown += 6
	bottom := min(max(knobs+6, body.H/2), body.H*3/5)
	right := min(max(body.W*30/100, 36), 84)
	column, rest := body.CutLeft(leftWidth(body))
	p.at[pane.Cluster], p.at[pane.Knobs] = column.CutTop(body.H - bottom)
	if !others.Empty() {
		_, rest = rest.CutBottom(others.H)
		bottom = rest.H * 11 / 20
	}
	top, low := rest.CutTop(rest.H - bottom)
	p.at[pane.Times], p.at[pane.Rates] = top.CutRight(right)
	if failed {
		p.shown--
		p.at[pane.Reasons] = low
		return
	}
	p.at[pane.Reasons], p.at[pane.Workload] = low.CutRight(right)
}

// placeExtra places additional panes that have data and are not the home pane of their place. It
// returns the rows that they need, which are empty if there is no such pane.
func (p *arrangement) placeExtra(body grid.Rect, a *app) grid.Rect {
	_, low := body.CutLeft(leftWidth(body))
	_, low = low.CutTop(low.H - max(extraH, low.H*3/10))
	all, n := a.numbered()
	k := 0
	for _, one := range all[:n] {
		if s := &a.specs[one]; k < min(maxExtra, low.W/extraW) && a.home(s.Place) != one && (s.Now == nil || s.Now(a.Snap)) {
			p.extra[k].pane = one
			k++
		}
	}
	if k == 0 {
		return grid.Rect{}
	}
	p.shown += k
	rest := low
	for i := range k {
		b := &p.extra[i]
		b.at, rest = rest.CutLeft(rest.W / (k - i))
		if home := a.specs[b.pane].Place; p.of[home] == b.pane {
			p.of[home] = a.home(home)
		}
	}
	return low
}

func (p *arrangement) placeFour(body grid.Rect, focus pane.Place, failed bool) {
	p.shown = 4
	corners := [4]pane.Place{pane.Rates, pane.Times, pane.Workload, pane.Knobs}
	if failed {
		corners[2] = pane.Reasons
	}
	switch focus { // the focused pane replaces the most similar one
	case pane.Cluster:
		corners[1] = pane.Cluster
	case pane.Reasons:
		corners[2] = pane.Reasons
	}
	right := min(max(body.W*45/100, 30), 48)
	half := body.H / 2
	if !p.why.Empty() { // the upper half gets an odd row: the reason below replaces a row of the story
		half = (body.H + 1) / 2
	}
	top, low := body.CutTop(half)
	p.at[corners[1]], p.at[corners[0]] = top.CutRight(right)
	p.at[corners[3]], p.at[corners[2]] = low.CutRight(right)
}

// hasData reports whether a run has data for a pane. Before the first run it is true for every
// pane.
func (a *app) hasData(p int) bool {
	of := a.specs[p].Offered
	return of == nil || a.Snap.Layout.Nodes == 0 || of(a.Snap)
}

// home returns the default pane of a place: the one that the workload names, or the first offered
// one.
func (a *app) home(at pane.Place) int {
	if at == pane.Workload && a.Snap.Deadlock != nil {
		return a.paneOf("waits")
	}
	for _, name := range workload.Panes(a.Snap.Scenario.Workload) {
		if p := a.paneOf(name); p >= 0 && a.specs[p].Place == at && a.hasData(p) {
			return p
		}
	}
	first := -1
	for p := range a.specs {
		if a.specs[p].Place != at {
			continue
		}
		if a.hasData(p) {
			return p
		}
		if first < 0 {
			first = p
		}
	}
	return first
}

// shownAt returns the pane that a place shows: the focused one, the one that had the focus last, or
// the home pane.
func (a *app) shownAt(at pane.Place) int {
	if a.specs[a.focus].Place == at {
		return a.focus
	}
	if last := a.last[at]; last > 0 && a.hasData(last-1) && !(at == pane.Workload && a.Snap.Deadlock != nil) {
		return last - 1
	}
	return a.home(at)
}

// maxDigits is the maximum number of panes with a number.
const maxDigits = 9

// numbered returns the offered panes in the order of their numbers, from 1. The home pane of each
// place comes first.
func (a *app) numbered() (all [maxDigits]int, n int) {
	for at := range pane.Places {
		if p := a.home(at); p >= 0 {
			all[n] = p
			n++
		}
	}
	homes := n
	for p := range a.specs {
		if n < maxDigits && a.hasData(p) && !slices.Contains(all[:homes], p) {
			all[n] = p
			n++
		}
	}
	return all, n
}

// digit returns the number of a pane, or 0 if it has none.
func (a *app) digit(p int) int {
	all, n := a.numbered()
	return slices.Index(all[:n], p) + 1
}
