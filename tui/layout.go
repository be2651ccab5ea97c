package tui

import (
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// paneID names a pane; its digit on the screen is one more.
type paneID uint8

const (
	topologyPane paneID = iota
	bandwidthPane
	latencyPane
	localityPane
	knobsPane
	whyPane
	epsilonPane
	timelinePane
	panes
)

var paneNames = [panes]string{"Cluster", "Bandwidth", "Latency", "Locality", "Knobs", "Why", "Overlap ε", "Timeline"}

// paneByName finds the number of a pane in the registry.
func paneByName(name string) paneID {
	for p, n := range [panes]string{"cluster", "bandwidth", "latency", "locality", "knobs", "why", "overlap", "timeline"} {
		if n == name {
			return paneID(p)
		}
	}
	panic("tui: no place for pane " + name)
}

// What a screen needs for all panes, for four, and for one with its borders;
// below, the essential is told in lines.
const (
	sixW, sixH   = 100, 28
	fourW, fourH = 60, 16
	oneW, oneH   = 30, 8
)

// places is where everything stands on a screen. An empty rectangle is not
// shown.
type places struct {
	header, why, status, footer grid.Rect
	pane                        [panes]grid.Rect
	shown                       int // panes
	lines                       grid.Rect
}

// arrange shares the screen out:
//
//	header                       header             header
//	cluster │ bandwidth │ latency    bandwidth│latency  bandwidth
//	knobs   │ locality  │ why        locality │knobs
//	status                       why
//	footer                       status             status
//	                             footer             footer
//
// The focused pane is always shown. Locality, ε and the timeline share a place; a failure takes it.
func arrange(w, h int, a *app) places {
	var p places
	body := grid.Rect{W: w, H: h}
	if w < oneW || h < oneH {
		p.lines = body
		return p
	}
	p.header, body = body.CutTop(1)
	p.footer, body = body.CutBottom(1)
	p.status, body = body.CutBottom(1)
	failed := a.Snap.Phase == engine.Failed
	shared := sharedPlace(a)
	switch {
	case a.zoomed || w < fourW || h < fourH:
		one := a.focus
		if failed && !a.zoomed {
			one = whyPane
		}
		p.pane[one], p.shown = body, 1
	case w >= sixW && h >= sixH:
		p.six(body, len(a.Panel.Scenario.Table), shared, failed)
	default:
		if h >= 20 && !failed {
			p.why, body = body.CutBottom(1)
		}
		p.four(body, a.focus, shared, failed)
	}
	return p
}

// sharedPlace says which of locality, ε and timeline is shown where there is room for one: the
// focused one, else ε of a workload whose first study it is.
func sharedPlace(a *app) paneID {
	switch {
	case a.focus == localityPane || a.focus == epsilonPane || a.focus == timelinePane:
		return a.focus
	case len(a.Snap.Studies) > 0 && a.Snap.Studies[0].Name == study.EpsilonName:
		return epsilonPane
	}
	return localityPane
}

func (p *places) six(body grid.Rect, knobs int, shared paneID, failed bool) {
	p.shown = 6
	bottom := min(max(knobs+6, body.H/2), body.H*3/5)
	top, low := body.CutTop(body.H - bottom)
	left := min(max(body.W*26/100, 28), 60)
	right := min(max(body.W*30/100, 36), 84)
	p.pane[topologyPane], top = top.CutLeft(left)
	p.pane[latencyPane], p.pane[bandwidthPane] = top.CutRight(right)
	p.pane[knobsPane], low = low.CutLeft(left)
	if failed {
		p.shown--
		p.pane[whyPane] = low
		return
	}
	p.pane[whyPane], p.pane[shared] = low.CutRight(right)
}

func (p *places) four(body grid.Rect, focus, shared paneID, failed bool) {
	p.shown = 4
	corners := [4]paneID{bandwidthPane, latencyPane, shared, knobsPane}
	if failed {
		corners[2] = whyPane
	}
	switch { // the focused pane comes in for the one that is most like it
	case focus == topologyPane:
		corners[1] = topologyPane
	case focus == whyPane:
		corners[2] = whyPane
	}
	right := min(max(body.W*45/100, 30), 48)
	top, low := body.CutTop(body.H / 2)
	p.pane[corners[1]], p.pane[corners[0]] = top.CutRight(right)
	p.pane[corners[3]], p.pane[corners[2]] = low.CutRight(right)
}
