package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// mapRequest asks for a decision map of a scenario.
type mapRequest struct {
	scenario       engine.Scenario
	x, y, variants explain.MapAxis
}

// decided is the message with a decision map, or with the error.
type decided struct {
	of  *pane.Decisions // request for the map
	m   *explain.DecisionMap
	err error
}

// The map of a knob has factors of the network's latency and bandwidth as axes.
const (
	mapAcross   = "remote.latency_s=0.25..4"
	mapDown     = "remote.bandwidth_bytes_per_s=0.25..4"
	mapVariants = 4 // maximum number of choices that the key compares: the current one, and the first others
)

// decideKnob asks for a map of the fastest choice of the selected knob over latency and bandwidth of the network.
func (a *app) decideKnob() {
	k := a.Panel.Knob()
	if k == nil || len(k.Choices) < 2 {
		a.notice = "the selected knob has no choices to compare (select another knob, or use " + a.Keys("command") + "decide)"
		return
	}
	now := a.Snap.Scenario.Text(k.Name)
	choices := append([]string{now}, slices.DeleteFunc(slices.Clone(k.Choices), func(c string) bool { return c == now })...)
	choices = choices[:min(len(choices), mapVariants)]
	if err := a.decide(k.Name + "=" + strings.Join(choices, ",") + " " + mapAcross + " " + mapDown); err != nil {
		a.notice = err.Error()
	}
}

// decide asks for a map: KNOB=A,B X Y.
func (a *app) decide(text string) error {
	sc := a.Snap.Scenario.Clone()
	if sc.Values["fabric"] != engine.Sim {
		return errors.New("decide: the fabric measures (press " + a.Keys("simulate") + " to simulate)")
	}
	parts := strings.Fields(text)
	if len(parts) != 3 {
		return fmt.Errorf("decide: got %d axes, want KNOB=A,B and two axes: KNOB=VALUE,..., KEY=FACTOR,... or KEY=FROM..TO", len(parts))
	}
	var axes [3]explain.MapAxis
	for i, part := range parts {
		var err error
		if axes[i], err = explain.ParseMapAxis(&sc, part); err != nil {
			return err
		}
	}
	if n := len(axes[0].Values); n < 2 || n > 26 {
		return fmt.Errorf("decide %s: %d variants, want 2 to 26", axes[0].Name, n)
	}
	a.forgetMap()
	a.Decided = &pane.Decisions{Scenario: sc}
	a.explainer.asked = &mapRequest{scenario: sc, variants: axes[0], x: axes[1], y: axes[2]}
	a.setFocus(a.paneOf("explain"))
	return nil
}

// forgetMap removes the map and cancels its simulations.
func (a *app) forgetMap() {
	if a.explainer.stopMap != nil {
		a.explainer.stopMap()
	}
	a.Decided, a.explainer.asked, a.explainer.stopMap = nil, nil, nil
}

// makeMap returns the command that simulates the requested map.
func (p *program) makeMap() tea.Cmd {
	a := p.app
	r, of := a.explainer.asked, a.Decided
	a.explainer.asked = nil
	ctx, cancel := context.WithCancel(p.ctx)
	a.explainer.stopMap = cancel
	o := session.Options{Machines: a.overHost.Machines}
	return func() tea.Msg {
		defer cancel()
		m, err := explain.Decide(ctx, r.scenario, r.x, r.y, r.variants, o)
		return decided{of, m, err}
	}
}

// showMap shows a map if the screen still waits for it.
func (a *app) showMap(d decided) {
	if d.of != a.Decided || d.of == nil {
		return
	}
	next := *d.of
	next.Map = d.m
	if d.err != nil {
		next.Failure = d.err.Error()
	}
	a.Decided, a.explainer.stopMap = &next, nil
}
