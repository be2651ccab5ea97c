package shapes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/host"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Knobs of a shape.
const (
	knobRanks   = "ranks-per-node"
	knobThreads = "threads-per-rank"
	knobLimit   = "real-limit"
)

// liveIterations is the number of iterations of a shape that is not simulated.
const liveIterations = 20

// A Request asks for a comparison of the shapes of a scenario.
type Request struct {
	Scenario engine.Scenario // with fabric = sim, or on its own machine in real time
	Chosen   []string        // names of knobs that the user has set, possibly to their defaults
	Options  session.Options
	Progress func(*session.Progress) // may be nil
}

// A Shape is a number of ranks per node, and of threads per rank.
type Shape struct {
	Ranks, Threads int
	Scenario       engine.Scenario
	Time           cluster.Time // of the timed part; 0: see Missing
	Place          int          // from 1; 0: it has no time
	MemoryPerNode  int64        // bytes of the program's segments, arrays and message buffers
	Checksum       uint64       // of the results of the small problem; 0: see Report.Tolerance
	Verified       string       // the checks of the results
	Refusal        string       // why it could not run, or the failed check
	Interrupted    bool         // the comparison ended before the timed part
}

// Name returns the ranks and threads of a shape.
func (s *Shape) Name() string { return fmt.Sprintf("%d × %d", s.Ranks, s.Threads) }

// Missing returns the reason why a shape has no time, or "".
func (s *Shape) Missing() string {
	if s.Interrupted {
		return "not finished (interrupted)"
	}
	return s.Refusal
}

// A Report is the comparison of the shapes of a scenario.
type Report struct {
	Scenario engine.Scenario // of one rank per node
	Kind     engine.Kind
	Cores    int      // of a node
	Shapes   []*Shape // by ranks
	// Problem and Small are the knobs of the timed and of the small problem, in the order of the scenario. Sizes
	// that count per rank are the ones of one rank per node. Small is empty if the timed problem has the checksum.
	Problem, Small []session.Setting
	Tolerance      string         // relative difference that results of shapes may have; "": none
	Advice         *advise.Advice // of simulated shapes; nil: they ran in real time
}

// Compare runs all shapes of a scenario. When ctx ends, it returns the results so far with the error.
func Compare(ctx context.Context, q Request) (*Report, error) {
	w, err := workload.Find(q.Scenario.Workload)
	if err != nil {
		return nil, err
	}
	if w.Shapes == nil {
		return nil, fmt.Errorf("shapes: %s does not use threads: want one of %s", w.Name, strings.Join(Workloads(), ", "))
	}
	r := &Report{Scenario: q.Scenario.Clone(), Kind: engine.Simulated, Tolerance: w.Shapes.Tolerance}
	simulated := q.Scenario.Text("fabric") == engine.Sim
	if q.Progress != nil && simulated {
		q.Progress = together(q.Progress)
	}
	m, err := explain.MachineOf(&q.Scenario, q.Options.Machines)
	if err != nil {
		return nil, err
	}
	if r.Cores, err = coresOf(&m, &q.Scenario); err != nil {
		return nil, err
	}
	switch {
	case simulated:
	case m.Emulated:
		r.Kind = engine.Emulated
	default:
		r.Kind = engine.Measured
	}
	axis, err := r.list(w, &q)
	if err != nil {
		return nil, err
	}
	if simulated {
		err = r.simulate(ctx, w, axis, &q)
	} else {
		err = r.runLive(ctx, w, &q)
	}
	for _, s := range r.Shapes {
		s.Interrupted = ctx.Err() != nil && s.Time == 0 && s.Refusal == ""
	}
	r.rank()
	return r, err
}

// Workloads returns the names of the workloads that have shapes.
func Workloads() (names []string) {
	for _, w := range workload.All() {
		if w.Shapes != nil {
			names = append(names, w.Name)
		}
	}
	return names
}

// together returns a function that reports the progress of several sweeps as one. They are the timed problem, its
// repetitions with other seeds, and the small problem. The last one has as many points as the first.
func together(report func(*session.Progress)) func(*session.Progress) {
	var first, before, done, total int
	return func(p *session.Progress) {
		if p.Done < done {
			before += total
		}
		done, total = p.Done, p.Total
		if first == 0 {
			first = total
		}
		all := *p
		all.Done, all.Total = before+done, max(before+total, 2*first)
		report(&all)
	}
}

// Has reports whether a workload has shapes.
func Has(name string) bool { return slices.Contains(Workloads(), name) }

// coresOf returns the number of cores of a node. In real time, the nodes share the cores of this host.
func coresOf(m *cluster.Machine, sc *engine.Scenario) (int, error) {
	simulated := sc.Text("fabric") == engine.Sim
	switch {
	case m.CoresPerNode > 0 && (simulated || m.Emulated):
		return m.CoresPerNode, nil
	case simulated:
		return 0, fmt.Errorf("shapes: the file of machine %s has no number of cores per node (use another machine)", m.Name)
	}
	return max(host.Cores()/int(sc.Int("nodes")), 1), nil
}

// chooses reports whether the user has set a knob.
func (q *Request) chooses(name string) bool {
	k, err := q.Scenario.Knob(name)
	return slices.Contains(q.Chosen, name) || err == nil && q.Scenario.Text(name) != k.Default
}

// choosesAny reports whether the user has set one of several knobs.
func (q *Request) choosesAny(names map[string]string) bool {
	for name := range names {
		if q.chooses(name) {
			return true
		}
	}
	return false
}

// list makes the shapes: powers of two that divide the cores. It returns the knobs that differ between them.
func (r *Report) list(w *workload.Workload, q *Request) (session.Axis, error) {
	axis := session.Axis{Knob: strings.Join(append([]string{knobRanks, knobThreads}, w.PerRank...), ",")}
	sc, ranks := &r.Scenario, int(r.Scenario.Int(knobRanks))
	sizes := make([]int, len(w.PerRank)) // of a node
	for i, name := range w.PerRank {
		sizes[i] = int(sc.Int(name)) * ranks
	}
	if sc.Text("fabric") == engine.Sim {
		if err := sc.Set(knobLimit, "0"); err != nil { // the small problem has bytes
			return axis, err
		}
		for name, value := range w.Shapes.Problem {
			if q.chooses(name) || w.Shapes.Coupled && q.choosesAny(w.Shapes.Problem) {
				continue
			}
			if err := sc.Set(name, value); err != nil {
				return axis, err
			}
			if i := slices.Index(w.PerRank, name); i >= 0 {
				sizes[i] = int(sc.Int(name))
			}
		}
	}
	for n := 1; n <= r.Cores; n *= 2 {
		if r.Cores%n != 0 {
			break
		}
		s := &Shape{Ranks: n, Threads: r.Cores / n, Scenario: sc.Clone()}
		r.Shapes = append(r.Shapes, s)
		value := []int{s.Ranks, s.Threads}
		for i, name := range w.PerRank {
			if sizes[i]%n != 0 {
				s.Refusal = fmt.Sprintf("%s = %d on a node: not divisible by %d ranks (use a multiple)", name, sizes[i], n)
			}
			value = append(value, sizes[i]/n)
		}
		if s.Refusal != "" {
			continue
		}
		texts := make([]string, len(value))
		for i, name := range strings.Split(axis.Knob, ",") {
			texts[i] = strconv.Itoa(value[i])
			if err := s.Scenario.Set(name, texts[i]); err != nil {
				s.Refusal = err.Error()
			}
		}
		if s.Refusal == "" {
			axis.Values = append(axis.Values, strings.Join(texts, "x"))
		}
	}
	at := slices.IndexFunc(r.Shapes, func(s *Shape) bool { return s.Refusal == "" })
	if at < 0 {
		return axis, errors.New("shapes: " + r.Shapes[0].Refusal)
	}
	*sc = r.Shapes[at].Scenario.Clone()
	for i := range sc.Table {
		k := &sc.Table[i]
		_, chosen := w.Shapes.Problem[k.Name]
		if (chosen || k.Role == engine.Problem) && !slices.Contains(w.PerRank, k.Name) {
			r.Problem = append(r.Problem, session.Setting{Knob: k.Name, Value: sc.Text(k.Name)})
		}
	}
	for i, name := range w.PerRank {
		r.Problem = append(r.Problem, session.Setting{Knob: name + " per node", Value: strconv.Itoa(sizes[i])})
	}
	return axis, nil
}

// simulate simulates the shapes, and then a small problem with bytes on each of them.
func (r *Report) simulate(ctx context.Context, w *workload.Workload, axis session.Axis, q *Request) error {
	var err error
	r.Advice, err = advise.Advise(ctx, advise.Request{Scenario: r.Scenario, Axes: []session.Axis{axis}, All: true,
		Options: q.Options, Progress: q.Progress})
	if r.Advice == nil {
		return err
	}
	for _, c := range r.Advice.Candidates {
		s := r.find(&c.Scenario)
		s.Scenario, s.MemoryPerNode, s.Refusal = c.Scenario, c.MemoryPerNode, c.Refusal
		if c.Run != nil {
			s.Time, s.Place = c.Time, c.Place
		}
	}
	if err != nil {
		return err
	}
	return r.check(ctx, w, q)
}

// find returns the shape of a scenario.
func (r *Report) find(sc *engine.Scenario) *Shape {
	n := int(sc.Int(knobRanks))
	return r.Shapes[slices.IndexFunc(r.Shapes, func(s *Shape) bool { return s.Ranks == n })]
}

// check runs the small problem on the shapes that have run, and compares the results.
func (r *Report) check(ctx context.Context, w *workload.Workload, q *Request) error {
	var rows []session.Row
	var scenarios []engine.Scenario
	var of []*Shape
	for _, s := range r.Shapes {
		if s.Time == 0 {
			continue
		}
		sc := s.Scenario.Clone()
		for name, value := range w.Shapes.Small {
			if slices.Contains(w.PerRank, name) {
				all, err := strconv.Atoi(value)
				if err != nil || all*r.Cores%s.Ranks != 0 {
					return fmt.Errorf("shapes: %s = %s per core does not divide by %d ranks", name, value, s.Ranks)
				}
				value = strconv.Itoa(all * r.Cores / s.Ranks)
			}
			if err := sc.Set(name, value); err != nil {
				return err
			}
		}
		k, err := sc.Knob(knobLimit)
		if err != nil {
			return err
		}
		if err := sc.Set(k.Name, strconv.FormatFloat(k.Max, 'f', 0, 64)); err != nil {
			return err
		}
		if len(r.Small) == 0 {
			for i := range sc.Table {
				name := sc.Table[i].Name
				if _, ok := w.Shapes.Small[name]; ok {
					r.Small = append(r.Small, session.Setting{Knob: name, Value: sc.Text(name)})
				}
			}
		}
		rows, scenarios, of = append(rows, session.Row{Knobs: []session.Setting{{Knob: knobRanks, Value: strconv.Itoa(s.Ranks)}}}),
			append(scenarios, sc), append(of, s)
	}
	o := q.Options
	o.Fabrics, o.Limits, o.Checksums = session.Fabrics(), session.Limits{Iterations: 1}, true
	rows, err := run(ctx, rows, scenarios, o, q.Progress)
	for i := range rows {
		if n := slices.IndexFunc(of, func(s *Shape) bool { return strconv.Itoa(s.Ranks) == rows[i].Knobs[0].Value }); n >= 0 {
			of[n].takeResults(rows[i].Snapshot)
		}
	}
	return errors.Join(err, r.differs())
}

// run runs scenarios, one per row. When ctx ends, it returns the rows that have run to their end, with the error.
func run(ctx context.Context, rows []session.Row, scenarios []engine.Scenario, o session.Options,
	progress func(*session.Progress)) ([]session.Row, error) {
	cut := map[*engine.Snapshot]bool{}
	o.Ended = func(row *session.Row) { cut[row.Snapshot] = ctx.Err() != nil }
	rows, err := session.RunRows(ctx, rows, scenarios, o, progress)
	return slices.DeleteFunc(rows, func(row session.Row) bool { return cut[row.Snapshot] }), err
}

// takeResults stores the checksum of a run, or the reason why there is none.
func (s *Shape) takeResults(snap *engine.Snapshot) {
	switch {
	case snap.Failure != "":
		s.Verified = "failed: " + strings.SplitN(snap.Failure, "\n", 2)[0]
	case !snap.Verification.Done || !snap.Verification.OK:
		s.Verified = "wrong: " + snap.Verification.Detail
	default:
		s.Verified, s.Checksum = snap.Verification.Detail, snap.Checksum
		return
	}
	s.Refusal, s.Time, s.Place = s.Verified, 0, 0
}

// differs returns an error if results of two shapes differ.
func (r *Report) differs() error {
	var first *Shape
	for _, s := range r.Shapes {
		switch {
		case s.Time == 0, s.Checksum == 0:
		case first == nil:
			first = s
		case s.Checksum != first.Checksum:
			return fmt.Errorf("shapes: the checksum of %s is %016x, and of %s %016x: want equal results", first.Name(), first.Checksum,
				s.Name(), s.Checksum)
		}
	}
	return nil
}

// runLive runs the shapes in real time. The timed problem has bytes, and so the checksum.
func (r *Report) runLive(ctx context.Context, w *workload.Workload, q *Request) error {
	var rows []session.Row
	var scenarios []engine.Scenario
	for _, s := range r.Shapes {
		if s.Refusal != "" {
			continue
		}
		rows = append(rows, session.Row{Knobs: []session.Setting{{Knob: knobRanks, Value: strconv.Itoa(s.Ranks)}}})
		scenarios = append(scenarios, s.Scenario)
	}
	o := q.Options
	o.Fabrics, o.Limits, o.Checksums = session.Fabrics(), session.Limits{Iterations: liveIterations}, true
	rows, err := run(ctx, rows, scenarios, o, q.Progress)
	for i := range rows {
		snap := rows[i].Snapshot
		s := r.find(&snap.Scenario)
		s.MemoryPerNode, _ = session.ProgramMemory(s.Scenario, o)
		if t, ok := snap.Metric(w.Shapes.Time); ok && snap.Verification.Done {
			s.Time = cluster.FromSeconds(t.Value)
		}
		s.takeResults(snap)
	}
	return errors.Join(err, r.differs())
}

// rank sets the places of the shapes with a time. Simulated ones have the order and the ties of the advice, which also has
// the places of wrong shapes.
func (r *Report) rank() {
	before := func(a, b *Shape) bool {
		if r.Advice != nil {
			return a.Place < b.Place
		}
		return a.Time < b.Time
	}
	places := make([]int, len(r.Shapes))
	for i, s := range r.Shapes {
		if s.Time == 0 {
			continue
		}
		places[i] = 1
		for _, o := range r.Shapes {
			if o.Time > 0 && before(o, s) {
				places[i]++
			}
		}
	}
	for i, s := range r.Shapes {
		s.Place = places[i]
	}
}

// Best returns the fastest shape, or nil if none ran.
func (r *Report) Best() (best *Shape) {
	for _, s := range r.Shapes {
		if s.Time > 0 && (best == nil || s.Time < best.Time) {
			best = s
		}
	}
	return best
}

// Ratio returns the time of a shape relative to the best one, or NaN.
func (r *Report) Ratio(s *Shape) float64 {
	if s.Time == 0 {
		return math.NaN()
	}
	return float64(s.Time) / float64(r.Best().Time)
}
