package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// iterations is the number of iterations of an explained run. The last one is explained, because
// the first one can differ.
const iterations = 2

// A Term is a part of a time.
type Term struct {
	Name  string // a constant of the machine, a phase, a reason, or an activity
	Note  string // noise or slow part; empty: the constant itself
	Span  cluster.Time
	Count float64 // the number of times, bytes or operations for which the constant was paid; 0: unknown
	Unit  string  // of the count: B, flop, or empty
	Where string  // the rank with the largest part, with its node
	Why   string  // why the path leaves that rank

	places map[place]cluster.Time
}

// place is a rank on a path, with the reason for which the path leaves it.
type place struct {
	rank int
	why  string
}

// Run is an explained run.
type Run struct {
	Scenario engine.Scenario
	Machine  cluster.Machine
	Total    cluster.Time
	Terms    []Term // by constant, the largest first
	Phases   []Term // by part of the program
	Reasons  []Term // by reason for which the path came to a rank
	Spent    []Term // by activity of the rank that ends last
	Path     sim.Path
	Timeline *timeline.View // nil: not recorded

	layout cluster.Layout
}

// tracer is a traced simulator that keeps its last run.
type tracer struct {
	*sim.Fabric
	run *sim.Run
}

// Start implements cluster.Fabric.
func (t *tracer) Start(ctx context.Context, s cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	run, err := t.Fabric.Start(ctx, s, body)
	if err == nil {
		t.run, _ = run.(*sim.Run)
	}
	return run, err
}

// Explain runs a scenario in a traced simulation and explains the time that it reports.
func Explain(ctx context.Context, sc engine.Scenario, o session.Options) (*Run, error) {
	if sc.Text("fabric") != engine.Sim {
		return nil, errors.New("explain: the fabric measures, so no path is known (use --fabric sim)")
	}
	traced := &tracer{Fabric: &sim.Fabric{Trace: true}}
	o.Fabrics = map[string]cluster.Fabric{engine.Sim: traced}
	o.Limits = session.Limits{Iterations: iterations}
	rows, err := session.RunRows(ctx, []session.Row{{}}, []engine.Scenario{sc}, o, nil)
	if err != nil {
		return nil, err
	}
	snap := rows[0].Snapshot
	switch {
	case snap.Failure != "":
		return nil, errors.New(snap.Failure)
	case traced.run == nil:
		return nil, errors.New("explain: the simulation did not start")
	}
	m, err := MachineOf(&snap.Scenario, o.Machines)
	if err != nil {
		return nil, err
	}
	r, err := explained(&snap.Scenario, &m, traced.run.Explained(), snap.Layout)
	if err == nil {
		r.Timeline = snap.Timeline
	}
	return r, err
}

// MachineOf returns the machine of a scenario, one of the user's own or a preset.
func MachineOf(sc *engine.Scenario, own []cluster.Machine) (cluster.Machine, error) {
	name := sc.Text("machine")
	for _, m := range own {
		if m.Name == name {
			return m, nil
		}
	}
	return presets.Machine(name)
}

var errTraceFull = errors.New("explain: the trace exceeds 134 million records (use fewer ranks or a smaller problem)")

// explained returns the explanation of a path.
func explained(sc *engine.Scenario, m *cluster.Machine, p sim.Path, l cluster.Layout) (*Run, error) {
	if !p.Whole {
		return nil, errTraceFull
	}
	r := &Run{Scenario: *sc, Machine: *m, Total: p.Total, Path: p, layout: l}
	r.Terms = r.byConstant()
	r.Phases = r.bySegment(func(s *sim.Segment) string { return cmp.Or(s.Phase, "no named part") })
	reason := "start"
	r.Reasons = r.bySegment(func(s *sim.Segment) string {
		if s.Reason != sim.NoNote {
			reason = words(s.Reason, s.Resource)
		}
		return reason
	})
	r.Spent = r.activities()
	return r, nil
}

// words returns a reason in words.
func words(why sim.Note, of sim.Resource) string {
	if why == sim.NoteHeld {
		return why.String() + ": " + of.String()
	}
	return why.String()
}

// byConstant returns the time by constant.
func (r *Run) byConstant() []Term {
	var all []Term
	names := namesOf(&r.Machine)
	notes := map[[2]string]cluster.Time{}
	for i := range r.Path.Segments {
		if s := &r.Path.Segments[i]; s.Note != sim.NoNote {
			notes[[2]string{names[s.Constant], s.Note.String()}] += s.Span
		}
	}
	spans := map[string]cluster.Time{}
	for c, span := range r.Path.Spans {
		if span != 0 {
			spans[names[c]] += span
		}
	}
	for key, span := range notes {
		all = append(all, Term{Name: key[0], Note: key[1], Span: span})
		spans[key[0]] -= span
	}
	for key, span := range spans {
		if span != 0 {
			t := Term{Name: key, Span: span}
			t.Count, t.Unit = r.count(key, span)
			all = append(all, t)
		}
	}
	for i := range all {
		t := &all[i]
		t.places = r.placesOf(t, names)
		t.Where, t.Why = largest(t.places, &r.layout)
	}
	return sorted(all)
}

// count returns the number of times, bytes or operations of a span.
func (r *Run) count(key string, span cluster.Time) (n float64, unit string) {
	x, of, ok := presets.Value(&r.Machine, key)
	switch {
	case !ok || x <= 0:
		return 0, ""
	case of == "s":
		return span.Seconds() / x, ""
	case of == "B/s":
		return span.Seconds() * x, "B"
	case of == "flop/s":
		return span.Seconds() * x, "flop"
	}
	return span.Seconds() * x * r.Machine.Flops, "flop" // the share of a kernel
}

// namesOf returns the name of each constant of a machine.
func namesOf(m *cluster.Machine) (names [sim.Constants]string) {
	for c := range names {
		names[c] = sim.Constant(c).Name(m)
	}
	return names
}

// placesOf returns the time of a term by place.
func (r *Run) placesOf(t *Term, names [sim.Constants]string) map[place]cluster.Time {
	spans := map[place]cluster.Time{}
	all := r.Path.Segments
	next := ""
	for i := len(all) - 1; i >= 0; i-- {
		s := &all[i]
		if names[s.Constant] == t.Name && s.Note.String() == t.Note {
			spans[place{s.Rank, next}] += s.Span
		}
		if s.Reason != sim.NoNote {
			next = words(s.Reason, s.Resource)
		}
	}
	return spans
}

// largest returns the place with the largest time.
func largest(spans map[place]cluster.Time, l *cluster.Layout) (where, why string) {
	best, found := place{}, false
	for v, span := range spans {
		if !found || span > spans[best] || span == spans[best] && (v.rank < best.rank || v.rank == best.rank && v.why < best.why) {
			best, found = v, true
		}
	}
	if !found {
		return "", ""
	}
	return fmt.Sprintf("rank %d, node %d", best.rank, l.NodeOf(best.rank)), best.why
}

// bySegment returns the time by a name of the pieces. The names of all pieces add up to the time.
func (r *Run) bySegment(name func(*sim.Segment) string) []Term {
	spans := map[string]cluster.Time{}
	left := r.Total
	for i := range r.Path.Segments {
		s := &r.Path.Segments[i]
		spans[name(s)] += s.Span
		left -= s.Span
	}
	if left != 0 {
		spans["before the begin"] += left
	}
	var all []Term
	for key, span := range spans {
		all = append(all, Term{Name: key, Span: span})
	}
	return sorted(all)
}

// The activities of a rank.
const (
	computing   = "computing"
	overheads   = "overheads of calls"
	copying     = "copies and memory accesses"
	waiting     = "communication not hidden"
	barriers    = "waiting at barriers"
	kernels     = "waiting for a device"
	threads     = "threads: locks, forks, barriers"
	beforeBegin = "earlier or later begin"
)

// activities returns the time of the rank that ends last, by activity.
func (r *Run) activities() []Term {
	a := &r.Path.Account
	spans := map[string]cluster.Time{kernels: a.Device}
	for c, span := range a.Spent {
		spans[activityOf(sim.Constant(c).Cause())] += span
	}
	for n, span := range a.Waited {
		switch sim.Note(n) {
		case sim.NoteLast:
			spans[barriers] += span
		case sim.NoteJoin, sim.NoteLocked:
			spans[threads] += span
		default:
			spans[waiting] += span
		}
	}
	spans[beforeBegin] = r.Total - a.Total()
	var all []Term
	for key, span := range spans {
		if span != 0 {
			all = append(all, Term{Name: key, Span: span})
		}
	}
	return sorted(all)
}

func activityOf(c sim.Cause) string {
	switch c {
	case sim.CauseCompute, sim.CauseKernel:
		return computing
	case sim.CauseSync, sim.CauseLock:
		return threads
	case sim.CauseOverhead:
		return overheads
	}
	return copying
}

// sorted sorts terms, the largest first.
func sorted(all []Term) []Term {
	slices.SortFunc(all, func(a, b Term) int {
		return cmp.Or(cmp.Compare(max(b.Span, -b.Span), max(a.Span, -a.Span)), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Note, b.Note))
	})
	return all
}

// Pieces calls visit for the pieces of the path that overlap a time span.
func (r *Run) Pieces(begin, end cluster.Time, visit func(*sim.Segment)) {
	all := r.Path.Segments
	for i := sort.Search(len(all), func(i int) bool { return all[i].Start+all[i].Span > begin }); i < len(all); i++ {
		if all[i].Start >= end {
			return
		}
		visit(&all[i])
	}
}

// Describe describes a piece of the path: its constant, duration and rank, and why the path reaches it.
func (r *Run) Describe(x *sim.Segment) string {
	text := x.Constant.Name(&r.Machine)
	if x.Note != sim.NoNote {
		text += " (" + x.Note.String() + ")"
	}
	text += fmt.Sprintf(" for %s on rank %d", x.Span, x.Rank)
	if x.Reason != sim.NoNote {
		text += ", reached by " + x.Reason.String()
		if x.Resource != sim.NoResource {
			text += " (" + x.Resource.String() + ")"
		}
	}
	return text
}

// Longest returns the n longest pieces of the path, the longest first.
func (r *Run) Longest(n int) []sim.Segment {
	all := slices.Clone(r.Path.Segments)
	slices.SortStableFunc(all, func(a, b sim.Segment) int { return cmp.Compare(b.Span, a.Span) })
	return all[:min(n, len(all))]
}
