package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// preview is the modelled effect of the next change of the selected knob, for the status line.
type preview struct {
	text      string
	edits     int             // Panel.Edits when it was computed
	forecasts *pane.Forecasts // for the charts; nil: none
}

// previewed is the result of computing a preview.
type previewed preview

// preview returns the command that computes the preview if the selected knob or the scenario has changed, so that
// the screen does not wait for a model.
func (p *program) preview() tea.Cmd {
	a := p.app
	k := a.Panel.Knob()
	if p.previewing || a.replay != nil || k == nil || a.latest.Phase == engine.Starting || a.previewed.edits == a.Panel.Edits {
		return nil
	}
	p.previewing = true
	sc, edits, machines, now := a.latest.Scenario, a.Panel.Edits, a.overHost.Machines, a.Panel.Value(k.Name)
	key, to := label("right"), k.Next(now, +1)
	if to == now {
		key, to = label("left"), k.Next(now, -1)
	}
	knob := *k
	return func() tea.Msg {
		text := ""
		if e, ok := session.PreviewOf(&sc, knob.Name, to, machines); ok {
			text = previewText(key+" "+knob.Text(to), &e)
		}
		return previewed{text, edits, forecastsOf(&sc, knob.Name, machines)}
	}
}

// forecastsOf returns the modelled rows of a scenario for the choices of a knob, or nil.
func forecastsOf(sc *engine.Scenario, knob string, machines []cluster.Machine) *pane.Forecasts {
	rows := session.Forecasts(sc, knob, machines)
	if len(rows) == 0 {
		return nil
	}
	return &pane.Forecasts{Workload: sc.Workload, Rows: rows}
}

// previewText describes a preview: "→ 8: access time 5.3× longer (modelled)".
func previewText(change string, e *session.Preview) string {
	words := [2]string{"longer", "shorter"}
	if e.Unit == "B/s" {
		words = [2]string{"higher", "lower"}
	}
	ratio, word := e.After/e.Before, words[0]
	if ratio < 1 {
		ratio, word = 1/ratio, words[1]
	}
	return fmt.Sprintf("%s: %s %.3g× %s (modelled)", change, e.Phrase, ratio, word)
}

// previewPart shows the preview while it belongs to the selected knob.
func previewPart(a *app) part {
	if a.previewed.text == "" || a.previewed.edits != a.Panel.Edits || a.Panel.Typed != nil {
		return part{}
	}
	return part{a.previewed.text, a.Theme.Kind(grid.Modelled).Style, 6}
}
