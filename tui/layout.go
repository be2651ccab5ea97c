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

	moreReasons = 24 // rows of a screen that has three rows for the change and the reason
)

// Smallest sizes of the panes next to the main pane: of one in a row of three, and of one above another.
const (
	threeW = 40
	stackH = 7
	fewH   = 6 // of a pane on a screen for four panes

	wordsH = 16 // of the reasons below the knobs
	wordsW = 80 // maximum width of the reasons next to charts
	belowH = 10 // of the pane below them
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
	guide, warning, lesson      grid.Rect
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
//	header                       header              header
//	cluster │ main               main  │ cluster     one
//	knobs   │ why │ rates times  rates │ knobs
//	status                       why
//	footer                       status              status
//	                             footer              footer
//
// The main pane is the one of the workload's place. A large screen has a third row, right of the knobs,
// for additional panes. A place without data leaves its room to the others. The focused pane is always
// shown. A failure replaces the main pane, except for a deadlock, which has its own pane there.
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
	if rows := a.warningRows(body.W); rows > 0 && rows < body.H {
		p.warning, body = body.CutBottom(rows)
	}
	if rows := a.guide.rows(body.W, body.H, a.Snap.Scenario.Workload); rows > 0 {
		p.guide, body = body.CutBottom(rows)
		h -= rows
	}
	p.lesson, body = a.course.place(body, a.isAnswering())
	if body.Empty() {
		return p
	}
	w, h = w-(p.header.W-body.W), h-p.lessonRows(body.W)
	failed, focus := a.Snap.Phase == engine.Failed, a.specs[a.focus].Place
	if a.Snap.Deadlock != nil { // its pane shows the failure
		failed = false
	}
	switch {
	case a.course.isTaught():
		if body.H >= moreReasons {
			p.why, body = body.CutBottom(3)
		}
		p.at[focus], p.shown = body, 1
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
		p.placeSix(body, low, a, failed)
	default:
		if h >= 20 && !failed {
			rows := 1
			if h >= moreReasons {
				rows = 3
			}
			p.why, body = body.CutBottom(rows)
		}
		p.placeFour(body, a, failed)
	}
	return p
}

// lessonRows returns the rows of a lesson below a body of w columns.
func (p *arrangement) lessonRows(w int) int {
	if p.lesson.W == w {
		return p.lesson.H
	}
	return 0
}

// leftWidth returns the width of the left column of a body.
func leftWidth(body grid.Rect) int { return min(max(body.W*26/100, 28), 60) }

// put places the pane of a place.
func (p *arrangement) put(at pane.Place, r grid.Rect) {
	p.at[at] = r
	p.shown++
}

// clusterRows returns the rows that suffice for the nodes and the legend, at most half of a body with h rows.
func clusterRows(a *app, h int) int { return min(a.Snap.Layout.Nodes*4+8, h/2) }

// below returns the place that a high left column has below the reasons: times or rates, or Places if neither has data.
func (a *app) below() pane.Place {
	for _, at := range [...]pane.Place{pane.Times, pane.Rates} {
		if a.occupied(at) {
			return at
		}
	}
	return pane.Places
}

// placeSix divides a body among the six places. The rectangle others, below the right columns, is
// left for additional panes. In a high left column, the reasons are below the knobs,
// and the times or rates below them.
func (p *arrangement) placeSix(body, others grid.Rect, a *app, failed bool) {
	column, rest := body.CutLeft(leftWidth(body))
	knobs := len(a.Panel.Scenario.Table) + 6
	if spare := body.H - knobs - clusterRows(a, body.H); spare >= wordsH && !failed {
		var words, below grid.Rect
		words, column = column.CutBottom(spare)
		if at := a.below(); at < pane.Places && column.W >= threeW && spare*2/5 >= belowH {
			words, below = words.CutTop(spare - spare*2/5)
			p.put(at, below)
		}
		p.put(pane.Reasons, words)
	} else {
		knobs = min(max(knobs, body.H/2), body.H*3/5)
	}
	top, low := column.CutTop(column.H - knobs)
	p.put(pane.Cluster, top)
	p.put(pane.Knobs, low)
	if !others.Empty() {
		_, rest = rest.CutBottom(others.H)
	}
	var with []pane.Place
	for _, at := range [...]pane.Place{pane.Reasons, pane.Rates, pane.Times} {
		if p.at[at].Empty() && (at == pane.Reasons && !failed || at != pane.Reasons && a.occupied(at)) {
			with = append(with, at)
		}
	}
	t := a.paneOf("timeline")
	hasTimeline := len(with) < 3 && others.Empty() && a.Snap.Timeline != nil && p.pane(t, a.specs).Empty()
	high := rest.H * 11 / 20
	if len(with) == 0 && !hasTimeline {
		high = rest.H
	}
	main, row := rest.CutTop(high)
	if failed { // the failure is the main pane
		p.put(pane.Reasons, main)
	} else {
		p.put(pane.Workload, main)
	}
	if hasTimeline {
		share := 2
		if len(with) == 0 {
			share = 1
		}
		p.extra[0].pane = t
		p.extra[0].at, row = row.CutRight(row.W / share)
		p.shown++
	}
	switch {
	case len(with) == 2 && hasTimeline && row.W < 2*threeW && row.H >= 2*stackH: // one below the other
		top, low := row.CutTop((row.H + 1) / 2)
		p.put(with[0], top)
		p.put(with[1], low)
	case len(with) == 3 && row.W < 3*threeW && row.H >= 2*stackH: // the last two in one column
		words, column := row.CutLeft(row.W / 2)
		p.put(with[0], words)
		top, low := column.CutTop((row.H + 1) / 2)
		p.put(with[1], top)
		p.put(with[2], low)
	default:
		if len(with) == 3 && row.W < 3*threeW { // no room for three
			without := pane.Times
			if a.specs[a.focus].Place == pane.Times {
				without = pane.Rates
			}
			with = slices.DeleteFunc(with, func(at pane.Place) bool { return at == without })
		}
		for i, at := range with {
			var one grid.Rect
			wide := row.W / (len(with) - i)
			if at == pane.Reasons && i < len(with)-1 {
				wide = min(wide, wordsW)
			}
			one, row = row.CutLeft(wide)
			p.put(at, one)
		}
	}
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

// placeFour divides a body among the main pane, the rates, the cluster and the knobs. A focused pane of
// another place replaces the most similar one.
func (p *arrangement) placeFour(body grid.Rect, a *app, failed bool) {
	main, below, beside := pane.Workload, pane.Rates, pane.Cluster
	if failed {
		main = pane.Reasons
	}
	focus := a.specs[a.focus].Place
	low := body.H * 2 / 5
	first, second := body.CutLeft(body.W - min(max(body.W*45/100, 30), 48))
	if low < fewH { // only two panes
		if focus != pane.Knobs && !failed {
			main = focus
		}
		p.put(main, first)
		p.put(pane.Knobs, second)
		return
	}
	switch focus {
	case pane.Times:
		beside = pane.Times
	case pane.Reasons:
		main = pane.Reasons
	}
	if a.occupied(below) {
		var r grid.Rect
		r, first = first.CutBottom(low)
		p.put(below, r)
	}
	p.put(main, first)
	top, knobs := second.CutTop(low)
	p.put(beside, top)
	p.put(pane.Knobs, knobs)
}

// occupied reports whether the pane of a place has something to show, or may have it soon.
func (a *app) occupied(at pane.Place) bool {
	p := a.shownAt(at)
	return a.focus == p || !a.vacant[p]
}

// updateVacant finds the panes that the run has no data for. Before the first iteration these are the
// panes of single accesses that the workload does not name.
func (a *app) updateVacant() {
	named := workload.Panes(a.Snap.Scenario.Workload)
	for p := range a.specs {
		s := &a.specs[p]
		switch {
		case s.Now == nil:
		case a.Snap.Iteration > 0 || a.Snap.Phase == engine.Failed:
			a.vacant[p] = !s.Now(a.Snap)
		default:
			a.vacant[p] = s.Place == pane.Times && !slices.Contains(named, s.Name)
		}
	}
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
