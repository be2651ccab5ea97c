package explain

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// answers draws an inquiry at several sizes, in ASCII and without colours.
func answers(t *testing.T, name string, q *pane.Inquiry) {
	t.Helper()
	h := panetest.Host(&engine.Snapshot{Kind: engine.Simulated})
	q.Pane = Spec.Name
	h.Inquiry = q
	for _, l := range []panetest.Look{{W: 44, H: 9}, {W: 76, H: 19, Alone: true}, {W: 76, H: 19, Alone: true, ASCII: true, Theme: "mono"},
		{W: 230, H: 45}} {
		golden.Text(t, fmt.Sprintf("%s, %d×%d, ascii %t", name, l.W, l.H, l.ASCII), panetest.Draw(Spec.New(), h, l))
	}
}

// TestPairsLookLikeThis draws pairs with a real difference, without one, without any spread, and without a result. The
// values are those of a formula.
func TestPairsLookLikeThis(t *testing.T) {
	of := func(n int, b func(i int, a float64) float64) *pane.Inquiry {
		r := &pairs.Result{Names: [2]string{"exchange two-sided", "exchange put-signal"}}
		for i := range n {
			a := 235e-6 + 20e-6*math.Sin(float64(7*i))
			m := engine.Metric{Name: "iteration_time", Unit: "s", Kind: engine.Simulated, Value: a}
			other := m
			other.Value = b(i, a)
			r.Pairs = append(r.Pairs, [2]engine.Metric{m, other})
		}
		return &pane.Inquiry{Title: "Pairs of heat", Pairs: r}
	}
	answers(t, "pairs: real", of(40, func(i int, a float64) float64 { return a - 28e-6 + 5e-6*math.Cos(float64(3*i)) }))
	answers(t, "pairs: none seen", of(8, func(i int, a float64) float64 { return a + 20e-6*math.Sin(float64(i)) }))
	same := of(8, func(_ int, a float64) float64 { return a })
	for i := range same.Pairs.Pairs {
		same.Pairs.Pairs[i][0].Value, same.Pairs.Pairs[i][1].Value = 1e-6, 1e-6
	}
	answers(t, "pairs: equal", same)
	answers(t, "pairs: no result", of(8, func(int, float64) float64 { return math.NaN() }))
	answers(t, "pairs: simulating", &pane.Inquiry{Action: "pairs", Title: "Pairs of heat", Done: 5, Total: 16})
}

// TestAdviceLooksLikeThis draws advice on a broadcast, with a change of the order and a choice that cannot run.
func TestAdviceLooksLikeThis(t *testing.T) {
	sc, err := session.Scenario("collective")
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"fabric": engine.Sim, "size": "4096", "nodes": "4", "ranks-per-node": "1", "algorithm": "kary"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	a, err := advise.Advise(context.Background(), advise.Request{Scenario: sc, Flips: 1,
		Axes: []session.Axis{{Knob: "algorithm", Values: []string{"kary", "scatter-allgather", "hardware"}}}})
	if err != nil {
		t.Fatal(err)
	}
	answers(t, "advice", &pane.Inquiry{Title: "Advice on collective", Advice: a})
}
