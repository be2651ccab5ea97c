package lesson

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

// charted returns a metric of the step's run that the answer depends on and that a chart of the run shows, or "".
func (r Results) charted(s *presets.Step) string {
	if s.Show == nil || s.Ask == nil || s.Ask.Kind == presets.AskChoice || r[s.Show.Run] == nil {
		return ""
	}
	x, err := ParseExpression(s.Ask.Expect[0].Metric)
	if err != nil {
		return ""
	}
	for _, m := range x.Metrics() {
		if m[0] == s.Show.Run && hasChart(r[m[0]], m[1]) {
			return m[1]
		}
	}
	return ""
}

// hasChart reports whether a chart of a run has a metric on its value axis.
func hasChart(s *engine.Snapshot, metric string) bool {
	for i := range s.Studies {
		for _, c := range s.Studies[i].Charts {
			if (c.Shape == engine.Curve || c.Shape == engine.Bars) &&
				slices.ContainsFunc(c.Y, func(y int) bool { return s.Studies[i].Columns[y].Name == metric }) {
				return true
			}
		}
	}
	return false
}

// checkPoint checks that a chart of the run shows a point of the question.
func (r Results) checkPoint(s *presets.Step) error {
	if s.Ask.Kind == presets.AskPoint && r.charted(s) == "" {
		return fmt.Errorf("no chart of the step's run shows a metric of the answer %q (use kind = number, or another metric)", s.Ask.Expect[0].Metric)
	}
	return nil
}

// Predicted returns the student's prediction as a value of a metric of the shown run, in SI base units. It returns
// false if there is none.
func (p *Player) Predicted() (metric string, value float64, ok bool) {
	if p.stage != Revealed || p.class != nil {
		return "", 0, false
	}
	s := &p.Lesson.Steps[p.step]
	given, name := p.Answers.find(s.Heading), p.results.charted(s)
	if given == nil || name == "" {
		return "", 0, false
	}
	x, err := ParseExpression(s.Ask.Expect[0].Metric)
	if err != nil {
		return "", 0, false
	}
	// Near the result, the answer is a power of the metric: the exponent is 1 for a time, and −1 for a speed-up.
	const step = 1.001
	was, is := 0.0, 0.0
	for factor, v := range map[float64]*float64{1: &was, step: &is} {
		*v, err = x.root.eval(func(run, metric string) (float64, error) {
			v, err := p.results.value(run + "." + metric)
			if run == s.Show.Run && metric == name {
				value = v
				v *= factor
			}
			return v, err
		})
		if err != nil {
			return "", 0, false
		}
	}
	exponent := math.Log(is/was) / math.Log(step)
	value *= math.Pow(given.Prediction/was, 1/exponent)
	return name, value, !math.IsNaN(value) && !math.IsInf(value, 0)
}
