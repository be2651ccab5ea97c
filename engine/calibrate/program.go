package calibrate

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/dot"          // a check program
	_ "github.com/hybridtop/hybridtop/engine/workload/heat"         // a check program
	_ "github.com/hybridtop/hybridtop/engine/workload/multigrid"    // a check program
	_ "github.com/hybridtop/hybridtop/engine/workload/randomaccess" // a check program
)

// The kinds of check programs.
const (
	ProgramBarrier   = "barrier"
	ProgramBandwidth = "windowed bandwidth"
	ProgramHalo      = "halo exchange"
	ProgramDot       = "dot product"
	ProgramRandom    = "random access"
	ProgramHeat      = "heat conduction"
	ProgramMultigrid = "multigrid"
	ProgramThreads   = "heat conduction on threads"
)

// program is a check program, which a simulation of the fitted machine must predict.
type program struct {
	kind string
	at   string // its size, in words
	job
}

const (
	windowMessages = 16
	haloFlops      = 1000
)

var (
	windowSizes  = []int{1 << 10, 4 << 10, 64 << 10, 1 << 20}
	haloSizes    = []int{256, 2 << 10, 8 << 10, 32 << 10, 128 << 10}
	dotElements  = []int{1000, 10007, 100000}
	randomFlops  = []int{1000, 100}
	randomAccess = 64
	heatSides    = []int{12, 20, 40}
	boxSides     = []int{4, 8}
)

// programs returns the check programs for a number of ranks, in the order of a round. The programs
// of kind ProgramThreads run one rank with as many threads.
func programs(ranks int) ([]program, error) {
	var all []program
	add := func(kind, at string, ops float64, b body) {
		all = append(all, program{kind: kind, at: at, job: job{name: kind + " " + at, ranks: ranks, ops: ops, body: b}})
	}
	add(ProgramBarrier, fmt.Sprintf("%d ranks", ranks), 1, barrier)
	for _, n := range windowSizes {
		add(ProgramBandwidth, fmt.Sprintf("%d × %d B", windowMessages, n), 2, windows(windowMessages, n))
	}
	for _, n := range haloSizes {
		add(ProgramHalo, fmt.Sprintf("faces of %d B", n), 1, halo(n))
	}
	for _, n := range dotElements {
		p, err := work("dot", ProgramDot, fmt.Sprintf("%d elements", n), "dot_time", ranks,
			map[string]string{"elements": fmt.Sprint(n)})
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	for _, n := range randomFlops {
		p, err := work("randomaccess", ProgramRandom, fmt.Sprintf("%d flop per access", n), "", ranks,
			map[string]string{"flops": fmt.Sprint(n), "accesses": fmt.Sprint(randomAccess), "replica": "full"})
		if err != nil {
			return nil, err
		}
		p.ops = float64(randomAccess)
		all = append(all, p)
	}
	for _, n := range heatSides {
		p, err := work("heat", ProgramHeat, fmt.Sprintf("step of %d³ cells", n), "step_median", ranks,
			map[string]string{"size": fmt.Sprint(n)})
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	for _, n := range heatSides[1:] {
		p, err := work("heat", ProgramThreads, fmt.Sprintf("step of %d³ cells", n), "step_median", 1,
			map[string]string{"size": fmt.Sprint(n), "threads-per-rank": fmt.Sprint(ranks), "threading": "masteronly"})
		if err != nil {
			return nil, err
		}
		p.threads = ranks
		all = append(all, p)
	}
	for _, n := range boxSides {
		p, err := work("multigrid", ProgramMultigrid, fmt.Sprintf("solve with boxes of %d³ cells", n), "solve_time", ranks,
			map[string]string{"box": fmt.Sprint(n)})
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func barrier(r *cluster.Rank, s *stopwatch) error {
	for s.more() {
		if err := r.Barrier(r.All()); err != nil {
			return err
		}
	}
	return nil
}

// windows sends a window of k messages from each even rank to the next one, and then the same bytes
// back.
func windows(k, n int) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		bytes := make([]byte, k*n)
		requests := make([]cluster.Request, k)
		other := r.ID() ^ 1
		if other >= r.Ranks() {
			for s.more() {
			}
			return nil
		}
		for s.more() {
			for half := range 2 {
				for i := range requests {
					var err error
					if piece := bytes[i*n : (i+1)*n]; half == r.ID()&1 {
						err = r.Isend(&requests[i], r.World(), other, tagData, cluster.Of(piece))
					} else {
						err = r.Irecv(&requests[i], r.World(), other, tagData, cluster.Of(piece))
					}
					if err != nil {
						return err
					}
				}
				if err := r.Waitall(requests, nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// halo exchanges a face with each neighbour on a ring, and computes a little. Data received from
// one side go to the other side in the next step.
func halo(n int) body {
	return func(r *cluster.Rank, s *stopwatch) error {
		world, p := r.World(), r.Ranks()
		left, right := (r.ID()+p-1)%p, (r.ID()+1)%p
		fromLeft := make([]byte, n)
		fromRight := make([]byte, n)
		toLeft := make([]byte, n)
		toRight := make([]byte, n)
		const leftwards, rightwards = 1, 2
		requests := make([]cluster.Request, 4)
		compute := cluster.Work{Flops: haloFlops, Kernel: cluster.Chain}
		v, x := 3.0, 3.0
		for s.more() {
			if err := r.Irecv(&requests[0], world, left, rightwards, cluster.Of(fromLeft)); err != nil {
				return err
			}
			if err := r.Irecv(&requests[1], world, right, leftwards, cluster.Of(fromRight)); err != nil {
				return err
			}
			if err := r.Isend(&requests[2], world, left, leftwards, cluster.Of(toLeft)); err != nil {
				return err
			}
			if err := r.Isend(&requests[3], world, right, rightwards, cluster.Of(toRight)); err != nil {
				return err
			}
			if err := r.Waitall(requests, nil); err != nil {
				return err
			}
			fromLeft, toRight = toRight, fromLeft
			fromRight, toLeft = toLeft, fromRight
			r.Compute(compute, func() { x = dependent(v, x, haloFlops) })
		}
		if x != v {
			return fmt.Errorf("rank %d: the computed value is %v, want %v", r.ID(), x, v)
		}
		return nil
	}
}

// work returns a check program of a workload: its own body, under the flat model. Its time is the
// metric that the workload reports, or the time of an iteration if metric is "".
func work(name, kind, at, metric string, ranks int, knobs map[string]string) (program, error) {
	w, err := workload.Find(name)
	if err != nil {
		return program{}, err
	}
	sc := w.Scenario([]string{"this-host"})
	for knob, v := range map[string]string{"machine": "this-host", "nodes": "1", "ranks-per-node": fmt.Sprint(ranks),
		"model": string(cluster.Flat)} {
		if err := sc.Set(knob, v); err != nil {
			return program{}, err
		}
	}
	for knob, v := range knobs {
		if err := sc.Set(knob, v); err != nil {
			return program{}, err
		}
	}
	plan := func(on *workload.Site) (workload.Plan, error) { return w.Plan(&sc, on) }
	b := func(r *cluster.Rank, s *stopwatch) error {
		s.metric, s.usesSum = metric, metric != ""
		p := &probe{stopwatch: s, scenario: &sc}
		if err := w.Run(r, p); err != nil {
			return err
		}
		if p.failure != "" || r.ID() == 0 && p.checks == 0 {
			return fmt.Errorf("rank %d: %s was not verified: %s", r.ID(), name, p.failure)
		}
		return nil
	}
	return program{kind: kind, at: at, job: job{name: kind + " " + at, ranks: ranks, ops: 1, body: b, plan: plan}}, nil
}

// probe connects a workload's body to the stopwatch. The stopwatch provides the iterations; of the
// reported values only the checks and the stopwatch's metric are used.
type probe struct {
	*stopwatch
	scenario *engine.Scenario
	n        int
	checks   int
	failure  string
}

func (p *probe) Next() bool {
	p.n++
	return p.more()
}

func (p *probe) Iteration() int                       { return p.n - 1 }
func (p *probe) Access(int, int64, cluster.Time)      {}
func (p *probe) Sample(string, float64)               {}
func (p *probe) Tally(string, int, int, int64)        {}
func (p *probe) TallyIn(string, int, int, int, int64) {}
func (p *probe) Place(string, int, float64)           {}
func (p *probe) Part(int, string)                     {}
func (p *probe) Step(int, int)                        {}
func (p *probe) Checksum(func() uint64)               {}
func (p *probe) Clock() cluster.Time                  { return 0 }
func (p *probe) Int(knob string) int64                { return p.scenario.Int(knob) }
func (p *probe) Float(knob string) float64            { return p.scenario.Float(knob) }
func (p *probe) Text(knob string) string              { return p.scenario.Text(knob) }

func (p *probe) Report(metric string, x float64) {
	if metric == p.metric {
		p.sum += x
	}
}

func (p *probe) Verify(ok bool, detail string) {
	p.checks++
	if !ok && p.failure == "" {
		p.failure = detail
	}
}

var _ engine.Probe = (*probe)(nil)
