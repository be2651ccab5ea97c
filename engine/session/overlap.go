package session

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// maxEpsilonPoints is how many points are kept, of all that a session has run.
const maxEpsilonPoints = 1024

// overlap keeps what each threading scheme has given on each problem.
type overlap struct{ points []epsilonPoint }

// epsilonPoint is a point and the rest of its scenario: points of the same rest
// compare.
type epsilonPoint struct {
	engine.EpsilonPoint
	rest     string
	reserved string // as the knob says it
}

// apart are the knobs that tell the points of one chart apart, or that change how
// they were found out and not what they are.
var apart = []string{"threading", "thread-support", "reserved", "local-k", "nodes", "fabric", "seed", "pace", "dilation", "timeline"}

// rest is the scenario without the knobs that points are told apart by.
func rest(s *engine.Scenario) string {
	var b strings.Builder
	b.WriteString(s.Workload)
	for i := range s.Table {
		if name := s.Table[i].Name; !slices.Contains(apart, name) {
			fmt.Fprintf(&b, " %s=%s", name, s.Values[name])
		}
	}
	return b.String()
}

// same says that a later point takes the place of p: the same was run.
func (p *epsilonPoint) same(q *epsilonPoint) bool {
	return p.Kind == q.Kind && p.Threading == q.Threading && p.reserved == q.reserved && p.Planes == q.Planes &&
		p.Nodes == q.Nodes && p.rest == q.rest
}

// forget drops every point. The run under way gives its own again.
func (o *overlap) forget() { o.points = nil }

// look takes in what the snapshot's metrics tell, and gives what all runs have told.
// Metrics are means over a launch, so a launch has one point, which moves.
func (o *overlap) look(s *engine.Snapshot) *engine.Overlap {
	now, ok := epsilonOf(s)
	if !ok {
		return nil
	}
	if !math.IsNaN(now.Epsilon) && now.Overlaps {
		o.keep(now)
	}
	v := &engine.Overlap{Now: now.EpsilonPoint}
	for i := range o.points {
		if o.points[i].rest == now.rest {
			v.Points = append(v.Points, o.points[i].EpsilonPoint)
		}
	}
	slices.SortStableFunc(v.Points, func(a, b engine.EpsilonPoint) int { return a.Planes - b.Planes })
	return v
}

func (o *overlap) keep(now epsilonPoint) {
	if i := slices.IndexFunc(o.points, func(p epsilonPoint) bool { return p.same(&now) }); i >= 0 {
		o.points[i] = now
		return
	}
	if len(o.points) == maxEpsilonPoints {
		o.points = slices.Delete(o.points, 0, 1)
	}
	o.points = append(o.points, now)
}

// overlaps says that the scheme of a run computes during communication: a workload
// reports the model's ε where it does, which masteronly and a single thread do not.
func overlaps(s *engine.Snapshot) bool {
	switch s.Scenario.Values["threading"] {
	case "funneled", "serialized", "multiple":
		_, ok := s.Metric("epsilon_model")
		return ok
	}
	return false
}

// epsilonOf reads the present point out of a snapshot's metrics; false: they tell
// no fractions yet.
func epsilonOf(s *engine.Snapshot) (epsilonPoint, bool) {
	value := func(name string) float64 {
		if m, ok := s.Metric(name); ok {
			return m.Value
		}
		return math.NaN()
	}
	f, err := models.FractionsOf(value("f_comm"), value("f_non"), value("f_overlap"))
	if err != nil || s.Iteration == 0 {
		return epsilonPoint{}, false
	}
	sc := &s.Scenario
	p := epsilonPoint{rest: rest(sc), reserved: sc.Values["reserved"]}
	p.EpsilonPoint = engine.EpsilonPoint{
		Threading: sc.Values["threading"], Overlaps: overlaps(s), Reserved: sc.Reserved(), Threads: s.Layout.ThreadsPerRank, Nodes: s.Layout.Nodes,
		Kind: s.Kind, Comm: f.Comm, NonOverlap: f.NonOverlap, Overlap: f.Overlap, CommCost: value("x_comm_over_x_overlap"),
		Masteronly: value("time_masteronly"), Scheme: value("time_scheme"), Epsilon: value("epsilon"), Model: value("epsilon_model"),
	}
	if _, there := sc.Values["local-k"]; there {
		p.Planes = int(max(sc.Int("local-k"), 0))
	}
	if math.IsNaN(p.Reserved) {
		p.Reserved = balanced(f, p.Threads)
	}
	if math.IsNaN(p.Model) {
		if e, err := models.Epsilon(models.Reserved{M: p.Reserved, N: p.Threads}, f); err == nil {
			p.Model = e.Value
		}
	}
	return p, true
}

// balanced is the m that makes both terms of the max() equal, by equation (4), and
// at most the one thread that communicates.
func balanced(f models.Fractions, n int) float64 {
	return min(1, float64(n)*f.Comm/(f.Comm+float64(n)*f.Overlap))
}

// worthIt is the gain of ε from which another m is worth a word.
const worthIt = 1.01

// idleAtLeast is the share of the time from which one speaks of idling.
const idleAtLeast = 0.005

// whyOverlap puts into words which term of equation (3) rules, and what another m
// would give; "": the model has nothing to say of this run.
func whyOverlap(p *engine.EpsilonPoint) string {
	r := models.Reserved{M: p.Reserved, N: p.Threads}
	f := models.Fractions{Comm: p.Comm, NonOverlap: p.NonOverlap, Overlap: p.Overlap}
	e, err := models.Epsilon(r, f)
	if err != nil {
		return ""
	}
	if !p.Overlaps {
		return whyMasteronly(r, f, e)
	}
	comm, comp := e.Max[0].Value*e.Value, e.Max[1].Value*e.Value // shares of the scheme's own time
	switch {
	case math.Abs(comm-comp) < idleAtLeast:
		return "communication and computing are balanced: hardly a thread idles (modelled)."
	case comm > comp:
		text := fmt.Sprintf("communication rules: the computing threads idle %s of the time", percent(comm-comp))
		if more, ok := better(r, f, e, +1); ok {
			return fmt.Sprintf("%s; %s communicating thread would help: ε %.2f instead of %.2f (modelled).", text, another(r.M), more, e.Value)
		}
		return text + ", and more communicating threads would not help (modelled)."
	}
	text := "computing rules: the reserved thread idles"
	if r.M > 1 {
		text = fmt.Sprintf("computing rules: the %.3g reserved threads idle", r.M)
	}
	text = fmt.Sprintf("%s %s of the time", text, percent(comp-comm))
	if fewer, ok := better(r, f, e, -1); ok {
		return fmt.Sprintf("%s; one less would give ε %.2f instead of %.2f (modelled).", text, fewer, e.Value)
	}
	if e.Value < 1 {
		text += ", and masteronly would be faster"
	}
	return text + " (modelled)."
}

// better is ε with more reserved threads, if that is worth it.
func better(r models.Reserved, f models.Fractions, e models.Prediction, more float64) (float64, bool) {
	other, err := models.Epsilon(models.Reserved{M: r.M + more, N: r.N}, f)
	return other.Value, err == nil && other.Value > e.Value*worthIt
}

func another(m float64) string {
	if m == 1 {
		return "a second"
	}
	return "one more"
}

// whyMasteronly says whether threads should be reserved where none are.
func whyMasteronly(r models.Reserved, f models.Fractions, e models.Prediction) string {
	l, err := models.LimitsOf(r, f.NonOverlap)
	if err != nil {
		return ""
	}
	who := "1 reserved thread"
	if r.M != 1 {
		who = fmt.Sprintf("%.3g reserved threads", r.M)
	}
	asleep := fmt.Sprintf("all threads but one sleep during communication, %s of the time", percent(f.Comm))
	if e.Value > 1 {
		return fmt.Sprintf("%s: %s would give ε %.2f (modelled).", asleep, who, e.Value)
	}
	return fmt.Sprintf("%s: too little for %s, which pay from %s on (modelled).", asleep, who, percent(l.CommEquiv))
}
