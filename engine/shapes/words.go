package shapes

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/session"
)

// RunnerUp returns the fastest shape that does not share the first place, or nil.
func (r *Report) RunnerUp() (next *Shape) {
	for _, s := range r.Shapes {
		if s.Place > 1 && s.Time > 0 && (next == nil || s.Time < next.Time) {
			next = s
		}
	}
	return next
}

// Conclusion names the best shape and the runner-up. If all shapes take the same time, there is no runner-up. If the
// comparison has ended early, the conclusion has the number of shapes that have run.
func (r *Report) Conclusion() string {
	best, next := r.Best(), r.RunnerUp()
	if best == nil {
		return "No shape has run."
	}
	var tied []string
	ran, missing := 0, false
	for _, s := range r.Shapes {
		if s != best && s.Place == 1 {
			tied = append(tied, s.Name())
		}
		if s.Time > 0 {
			ran++
		}
		missing = missing || s.Interrupted
	}
	s := "Best"
	if missing {
		s = fmt.Sprintf("Best of the shapes that have run (%d of %d)", ran, len(r.Shapes))
	}
	s += fmt.Sprintf(": %s ranks × threads", best.Name())
	if len(tied) > 0 {
		s += ", in a tie with " + strings.Join(tied, ", ")
	}
	if next == nil {
		return s + "."
	}
	return s + fmt.Sprintf(". Runner-up: %s, %s more time.", next.Name(), advise.Percent(r.Ratio(next)-1))
}

// Reason names the two largest causes of the runner-up's additional time. They are constants of the machine, on the
// critical paths of both shapes. The function text formats times. Without both paths, the reason is "".
func (r *Report) Reason(text func(cluster.Time) string) string {
	a, best, next := r.Advice, r.Best(), r.RunnerUp()
	if a == nil || a.Difference == nil || best == nil || next == nil || r.find(&a.Winner().Scenario) != best ||
		r.find(&a.RunnerUp().Scenario) != next {
		return ""
	}
	causes := a.Difference.Causes(text)
	if causes == "" {
		return ""
	}
	return fmt.Sprintf("On the critical path of %s, %s.", next.Name(), causes)
}

// Text returns knobs with their values.
func Text(all []session.Setting) string {
	r := session.Row{Knobs: all}
	return r.Name()
}

// Results describes the comparison of the results of all shapes.
func (r *Report) Results() string {
	for _, s := range r.Shapes {
		if s.Time > 0 && s.Verified == "" {
			return "The results are not checked."
		}
	}
	problem := "The results"
	if len(r.Small) > 0 {
		problem = "The results of a small problem with bytes"
	}
	if r.Tolerance != "" {
		return fmt.Sprintf("%s are verified on every shape: %s.", problem, r.Tolerance)
	}
	return problem + " have the same bits on every shape."
}
