package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// The map of a knob has factors of the network's latency and bandwidth as axes.
const (
	mapAcross   = "remote.latency_s=0.25..4"
	mapDown     = "remote.bandwidth_bytes_per_s=0.25..4"
	mapVariants = 4 // maximum number of choices that the key compares: the current one, and the first others
)

// decideKnob asks for a map of the fastest choice of the selected knob over latency and bandwidth of the network, or
// ends the map.
func (a *app) decideKnob() {
	if a.endsInquiry("decide") {
		return
	}
	k := a.Panel.Knob()
	if k != nil { // the screen may show another workload than the panel: an earlier time
		k, _ = a.Snap.Scenario.Knob(k.Name)
	}
	if k == nil || len(k.Choices) < 2 {
		a.notice = "the selected knob has no choices to compare (select another knob, or use " + a.Keys("command") + "decide)"
		return
	}
	now := a.Snap.Scenario.Text(k.Name)
	choices := append([]string{now}, slices.DeleteFunc(slices.Clone(k.Choices), func(c string) bool { return c == now })...)
	choices = choices[:min(len(choices), mapVariants)]
	if err := a.askQuestion("decide", k.Name+"="+strings.Join(choices, ",")+" "+mapAcross+" "+mapDown); err != nil {
		a.notice = err.Error()
	}
}

// decide asks for a map: KNOB=A,B X Y.
func (a *app) decide(sc engine.Scenario, text string) error {
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
	a.inquire("decide", "explain", "Decision map", sc, func(ctx context.Context, o session.Options, _ func(*session.Progress)) (func(*pane.Inquiry), error) {
		m, err := explain.Decide(ctx, sc, axes[1], axes[2], axes[0], o)
		return func(q *pane.Inquiry) { q.Map = m }, err
	})
	return nil
}
