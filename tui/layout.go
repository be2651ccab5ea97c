package tui

import (
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// What a screen needs for all panes, for four, and for one with its borders;
// below, the essential is told in lines.
const (
	sixW, sixH   = 100, 28
	fourW, fourH = 60, 16
	oneW, oneH   = 30, 8

	manyW, manyH = 160, 50 // more than six panes

	twoReasons = 24 // rows of a screen whose reason takes two
)

// The panes that a large screen shows beside those of the places: how many, and what
// each needs.
const (
	mostBeside = 3
	besideW    = 70
	besideH    = 14
)

// places is where everything stands on a screen. An empty rectangle is not
// shown.
type places struct {
	header, why, status, footer grid.Rect
	at                          [pane.Places]grid.Rect
	of                          [pane.Places]int // the pane that is shown there
	beside                      [mostBeside]beside
	shown                       int // panes
	lines                       grid.Rect
}

// beside is a pane that stands outside of its place. An empty rectangle is none.
type beside struct {
	pane int
	at   grid.Rect
}

// pane is where pane p is shown.
func (p *places) pane(n int, specs []pane.Spec) grid.Rect {
	for i := range p.beside {
		if p.beside[i].pane == n && !p.beside[i].at.Empty() {
			return p.beside[i].at
		}
	}
	if home := specs[n].Place; p.of[home] == n {
		return p.at[home]
	}
	return grid.Rect{}
}

// arrange shares the screen out between the places of the panes:
//
//	header                       header             header
//	cluster │ rates │ times      rates │ times      one
//	knobs   │ story │ reasons    story │ knobs
//	status                       why
//	footer                       status             status
//	                             footer             footer
//
// A large screen has a third row, right of the knobs, for panes beside those of the
// places. The focused pane is always shown. A failure takes the place of the story, but for a
// deadlock, which has a pane of its own there.
func arrange(w, h int, a *app) places {
	var p places
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
	failed, focus := a.Snap.Phase == engine.Failed, a.specs[a.focus].Place
	if a.Snap.Deadlock != nil { // its pane tells the failure
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
			low = p.more(body, a)
		}
		p.six(body, low, len(a.Panel.Scenario.Table), failed)
	default:
		if h >= 20 && !failed {
			rows := 1
			if h >= twoReasons {
				rows = 2
			}
			p.why, body = body.CutBottom(rows)
		}
		p.four(body, focus, failed)
	}
	return p
}

// leftOf is how wide the left column of a body is.
func leftOf(body grid.Rect) int { return min(max(body.W*26/100, 28), 60) }

// six shares a body out to the six places; below those right of the left column there
// are others.
func (p *places) six(body, others grid.Rect, knobs int, failed bool) {
	p.shown += 6
	bottom := min(max(knobs+6, body.H/2), body.H*3/5)
	right := min(max(body.W*30/100, 36), 84)
	column, rest := body.CutLeft(leftOf(body))
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

// more gives the panes that have something to show, and no place of their own on the
// screen, the rows that it returns. The places keep their other panes.
func (p *places) more(body grid.Rect, a *app) grid.Rect {
	_, low := body.CutLeft(leftOf(body))
	_, low = low.CutTop(low.H - max(besideH, low.H*3/10))
	all, n := a.numbered()
	k := 0
	for _, one := range all[:n] {
		if s := &a.specs[one]; k < min(mostBeside, low.W/besideW) && a.home(s.Place) != one && (s.Now == nil || s.Now(a.Snap)) {
			p.beside[k].pane = one
			k++
		}
	}
	if k == 0 {
		return grid.Rect{}
	}
	p.shown += k
	rest := low
	for i := range k {
		b := &p.beside[i]
		b.at, rest = rest.CutLeft(rest.W / (k - i))
		if home := a.specs[b.pane].Place; p.of[home] == b.pane {
			p.of[home] = a.home(home)
		}
	}
	return low
}

func (p *places) four(body grid.Rect, focus pane.Place, failed bool) {
	p.shown = 4
	corners := [4]pane.Place{pane.Rates, pane.Times, pane.Workload, pane.Knobs}
	if failed {
		corners[2] = pane.Reasons
	}
	switch focus { // the focused pane comes in for the one that is most like it
	case pane.Cluster:
		corners[1] = pane.Cluster
	case pane.Reasons:
		corners[2] = pane.Reasons
	}
	right := min(max(body.W*45/100, 30), 48)
	half := body.H / 2
	if !p.why.Empty() { // an odd row goes up: below, the reason tells what a story's row would
		half = (body.H + 1) / 2
	}
	top, low := body.CutTop(half)
	p.at[corners[1]], p.at[corners[0]] = top.CutRight(right)
	p.at[corners[3]], p.at[corners[2]] = low.CutRight(right)
}

// offered says that a run has something for a pane. Before there is a run,
// every pane is on offer.
func (a *app) offered(p int) bool {
	of := a.specs[p].Offered
	return of == nil || a.Snap.Layout.Nodes == 0 || of(a.Snap)
}

// home is the pane of a place as long as none there has had the focus: that of the
// workload's story, or the first on offer.
func (a *app) home(at pane.Place) int {
	if at == pane.Workload && a.Snap.Deadlock != nil {
		return a.paneOf("waits")
	}
	for _, name := range workload.Panes(a.Snap.Scenario.Workload) {
		if p := a.paneOf(name); p >= 0 && a.specs[p].Place == at && a.offered(p) {
			return p
		}
	}
	first := -1
	for p := range a.specs {
		if a.specs[p].Place != at {
			continue
		}
		if a.offered(p) {
			return p
		}
		if first < 0 {
			first = p
		}
	}
	return first
}

// shownAt is the pane that a place shows: the focused one, the one that had the
// focus last, or its home pane.
func (a *app) shownAt(at pane.Place) int {
	if a.specs[a.focus].Place == at {
		return a.focus
	}
	if last := a.last[at]; last > 0 && a.offered(last-1) && !(at == pane.Workload && a.Snap.Deadlock != nil) {
		return last - 1
	}
	return a.home(at)
}

// mostDigits is how many panes can have one.
const mostDigits = 9

// numbered are the panes by their digits, from 1: what this run has to show, the
// home pane of each place first.
func (a *app) numbered() (all [mostDigits]int, n int) {
	for at := range pane.Places {
		if p := a.home(at); p >= 0 {
			all[n] = p
			n++
		}
	}
	homes := n
	for p := range a.specs {
		if n < mostDigits && a.offered(p) && !slices.Contains(all[:homes], p) {
			all[n] = p
			n++
		}
	}
	return all, n
}

// digit is a pane's own; 0: it has none.
func (a *app) digit(p int) int {
	all, n := a.numbered()
	return slices.Index(all[:n], p) + 1
}
