package advise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/session"
)

// Knobs returns the knobs that differ between candidates.
func (a *Advice) Knobs() (names []string) {
	values := map[string]map[string]bool{}
	for _, c := range a.Candidates {
		for _, axis := range slices.Concat(a.Axes, a.Late) {
			for _, knob := range strings.Split(axis.Knob, ",") {
				if values[knob] == nil {
					values[knob] = map[string]bool{}
					names = append(names, knob)
				}
				values[knob][c.Scenario.Text(knob)] = true
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return len(values[name]) < 2 })
}

// Setting returns the value of a knob, or "" if the knob has no effect.
func (c *Candidate) Setting(knob string) string {
	at := slices.IndexFunc(c.Knobs, func(s session.Setting) bool { return s.Knob == knob })
	if at < 0 {
		return ""
	}
	return c.Knobs[at].Value
}

// Tied returns the number of other candidates with a candidate's place.
func (a *Advice) Tied(c *Candidate) (n int) {
	for _, other := range a.Candidates {
		if other != c && other.Place == c.Place {
			n++
		}
	}
	return n
}

// Conclusion names the winner, the number of candidates that tie with it, and the runner-up. It states how much more
// time the runner-up takes, and the two largest causes. The function text formats times.
func (a *Advice) Conclusion(text func(cluster.Time) string) string {
	w, r := a.Winner(), a.RunnerUp()
	s := "Winner: " + w.Name()
	if n := a.Tied(w); n > 0 {
		s += fmt.Sprintf(", in a tie with %d", n)
	}
	if r == nil {
		return s + ". No candidate differs by more than 2 % or the noise."
	}
	s += fmt.Sprintf(". Runner-up: %s, %s more time.", r.Name(), Percent(a.Ratio(r)-1))
	if a.Difference != nil {
		if causes := a.Difference.Causes(text); causes != "" {
			s += " On its critical path, " + causes + "."
		}
	}
	return s
}

// Percent returns a share in percent with three digits.
func Percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + " %" }

// A Refusal is a reason why candidates could not run.
type Refusal struct {
	Name, Why string // candidates and reason
	count     int
}

// Refusals returns each reason once, with its first candidate and the number of candidates.
func (a *Advice) Refusals() (all []Refusal) {
	for _, c := range a.Candidates {
		if c.Refusal == "" {
			continue
		}
		at := slices.IndexFunc(all, func(r Refusal) bool { return r.Why == c.Refusal })
		if at < 0 {
			all = append(all, Refusal{Name: c.Name(), Why: c.Refusal, count: 1})
			continue
		}
		all[at].count++
	}
	for i := range all {
		if all[i].count > 1 {
			all[i].Name += fmt.Sprintf(" and %d more", all[i].count-1)
		}
	}
	return all
}
