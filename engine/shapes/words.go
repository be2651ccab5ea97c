package shapes

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/session"
)

// Conclusion names the best shape, the runner-up, and the two largest parts of their difference. The function text
// formats times. If all shapes take the same time, there is no runner-up.
func (r *Report) Conclusion(text func(cluster.Time) string) string {
	best := r.Best()
	if best == nil {
		return "No shape has run."
	}
	var tied []string
	var next *Shape
	for _, s := range r.Shapes {
		switch {
		case s == best || s.Time == 0:
		case s.Place == 1:
			tied = append(tied, s.Name())
		case next == nil || s.Time < next.Time:
			next = s
		}
	}
	s := fmt.Sprintf("Best: %s ranks × threads", best.Name())
	if len(tied) > 0 {
		s += ", in a tie with " + strings.Join(tied, " and ")
	}
	if next == nil {
		return s + "."
	}
	s += fmt.Sprintf(". Runner-up: %s, %s more time", next.Name(), advise.Percent(r.Ratio(next)-1))
	if a := r.Advice; a != nil {
		if parts := a.LargestParts(text); parts != "" {
			s += " (" + parts + ")"
		}
	}
	return s + "."
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
