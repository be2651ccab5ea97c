package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// LinkRun is a run of a workload on two nodes with one rank each.
type LinkRun struct {
	Workload string
	Knobs    [][2]string // names and values
	Metric   string      // in seconds
}

// LinkOptions select a job and the machine of its nodes.
type LinkOptions struct {
	Node   cluster.Machine // calibrated
	Name   string          // of the machine with the link
	Rounds int             // repetitions of each run
	// Measure runs a workload over the processes of the job, and Simulate in virtual time on a
	// machine. Both return the value of the run's metric.
	Measure  func(ctx context.Context, r *LinkRun) (float64, error)
	Simulate func(ctx context.Context, r *LinkRun, m *cluster.Machine) (float64, error)
	// Progress, if not nil, is called before each run.
	Progress func(done, total int, name string)
}

// LinkRanks is the number of ranks of each run of a link.
const LinkRanks = 2

// Rounds of a full and of a quick calibration of a link.
const (
	LinkRounds      = 9
	QuickLinkRounds = 3
)

var (
	linkSizes   = []int{8, 64, 512, 2048, 8192, 32 << 10, 256 << 10, 1 << 20, 4 << 20}
	linkWindows = []int{16, 64, 256}
)

// linkTrial is a run that the fit uses. A linkCheck is a run that the fitted machine predicts.
type linkTrial struct {
	kind string
	x    float64
	ops  float64 // messages whose time the fit uses
	LinkRun
}

type linkCheck struct {
	kind, at string
	LinkRun
}

func linkTrials() []linkTrial {
	var all []linkTrial
	for _, n := range linkSizes {
		all = append(all, linkTrial{trialPingpong, float64(n), 1, linkPingpong(n)})
	}
	for _, k := range linkWindows {
		all = append(all, linkTrial{trialFlood, float64(k), float64(k), linkFlood(k, 8)})
	}
	return all
}

func linkPingpong(n int) LinkRun {
	return LinkRun{"pingpong", [][2]string{{"pair", "remote"}, {"size", fmt.Sprint(n)}}, "latency"}
}

func linkFlood(window, n int) LinkRun {
	return LinkRun{"msgrate", [][2]string{{"threads-per-rank", "1"}, {"window", fmt.Sprint(window)}, {"size", fmt.Sprint(n)},
		{"rounds", "16"}}, "message_time"}
}

func linkChecks() []linkCheck {
	var all []linkCheck
	for _, n := range []int{256, 4096, 128 << 10} {
		all = append(all, linkCheck{"ping-pong", fmt.Sprintf("%d B", n), linkPingpong(n)})
	}
	for _, n := range []int{8, 512, 4096} {
		all = append(all, linkCheck{ProgramBandwidth, fmt.Sprintf("32 × %d B", n), linkFlood(32, n)})
	}
	all = append(all, linkCheck{ProgramDot, "10007 elements",
		LinkRun{"dot", [][2]string{{"elements", "10007"}}, "dot_time"}})
	for _, n := range []string{"20", "40"} {
		all = append(all, linkCheck{ProgramHeat, "step of " + n + "³ cells", LinkRun{"heat", [][2]string{{"size", n}}, "step_median"}})
	}
	return all
}

// CalibrateLink measures the messages between two processes of a job, and fits the link between the
// nodes of a machine. Then it compares simulations with other runs of the job.
func CalibrateLink(ctx context.Context, o LinkOptions) (*Result, error) {
	if o.Rounds < 1 {
		return nil, fmt.Errorf("calibrate: %d rounds: want at least 1", o.Rounds)
	}
	trials, checks := linkTrials(), linkChecks()
	var runs []*LinkRun
	for i := range trials {
		runs = append(runs, &trials[i].LinkRun)
	}
	for i := range checks {
		runs = append(runs, &checks[i].LinkRun)
	}
	turns := make([][][]float64, len(runs)) // by run and round, one batch each
	for round := range o.Rounds {
		for i, r := range runs {
			if o.Progress != nil {
				o.Progress(round*len(runs)+i, o.Rounds*len(runs), r.Workload)
			}
			t, err := o.Measure(ctx, r)
			if err != nil {
				return nil, err
			}
			if i < len(trials) {
				t *= trials[i].ops
			}
			turns[i] = append(turns[i], []float64{t})
		}
	}
	result := &Result{Machine: o.Name}
	var noises []float64
	for i := range trials {
		quiet, noise := estimate(slices.Concat(turns[i]...))
		noises = append(noises, noise)
		result.Times = append(result.Times, Time{Kind: trials[i].kind, X: trials[i].x, Seconds: quiet, Noise: noise})
	}
	fit := func(seconds []float64) (*Model, error) {
		times := slices.Clone(result.Times)
		for i := range times {
			times[i].Seconds = seconds[i]
		}
		return FitLink(times, o.Node, o.Name)
	}
	var err error
	if result.Model, err = FitLink(result.Times, o.Node, o.Name); err != nil {
		return nil, err
	}
	again, err := resample(turns[:len(trials)], turns[len(trials):], o.Rounds, fit)
	if err != nil {
		return nil, err
	}
	for i := range result.Times {
		result.Times[i].Range = rangeOf(result.Times[i].Seconds, again.times[i])
	}
	again.ranges(result.Model)
	machines := []*Model{result.Model}
	machines = append(machines, again.models[:min(predictions, len(again.models))]...)
	for i := range checks {
		quiet, noise := estimate(slices.Concat(turns[len(trials)+i]...))
		noises = append(noises, noise)
		var simulated []float64
		for _, m := range machines {
			t, err := o.Simulate(ctx, &checks[i].LinkRun, &m.Machine)
			if err != nil {
				return nil, err
			}
			simulated = append(simulated, t)
		}
		c := newCheck(checks[i].kind, checks[i].at, quiet, simulated[0], noise)
		c.LiveRange, c.SimulatedRange = rangeOf(quiet, again.checks[i]), rangeOf(simulated[0], simulated[1:])
		result.Checks = append(result.Checks, c)
	}
	result.Noise = median(noises)
	return result, nil
}

// FitLink fits the link between the nodes of a machine and keeps the machine's other numbers. It
// uses the simulator's formulas, with ratios as errors:
//
//	flood of k messages    a + k·max(o, g)     of 8 B
//	ping-pong, n ≤ eager   2o + L + nG         one way
//	ping-pong, n > eager   4o + 3L + nG        with a handshake; 2o less with ProgressOffload
//
// The sender's overhead and the adapter's gap cannot be separated, so both are the time of one more
// message.
func FitLink(times []Time, node cluster.Machine, name string) (*Model, error) {
	f := &fitter{by: make(map[string][]Time), machine: node}
	m := &f.machine
	m.Name, m.Title, m.Emulated = name, node.Title+"; processes of an MPI job as nodes", true
	m.Source = make(map[string]string)
	for key, s := range node.Source {
		if !strings.HasPrefix(key, "remote.") {
			m.Source[key] = s
		}
	}
	for _, t := range times {
		f.by[t.Kind] = append(f.by[t.Kind], t)
	}
	flood := f.line(trialFlood)
	trips := f.of(trialPingpong, 3)
	if err := errors.Join(f.errs...); err != nil {
		return nil, err
	}
	o := flood.slope
	if cluster.FromSeconds(o) <= 0 {
		return nil, fmt.Errorf("%w: %s between processes does not take longer with more messages", ErrFit, trialFlood)
	}
	handshake := 4.0
	if node.Progress == cluster.ProgressOffload {
		handshake = 2
	}
	parts := func(t Time) (overheads, latencies float64) {
		if t.X > float64(node.EagerLimit) {
			return handshake, 3
		}
		return 2, 1
	}
	var terms []term
	for _, t := range trips {
		overheads, latencies := parts(t)
		terms = append(terms, term{a: []float64{latencies, t.X}, constant: overheads * o, t: t.Seconds})
	}
	x, ok := solve(terms)
	if !ok || x[1] == 0 {
		return nil, fmt.Errorf("%w: ping-pong between processes, minus an overhead of %.3g s, does not take longer with more bytes", ErrFit, o)
	}
	latency, perByte := max(x[0], minLatency), x[1]
	l := &m.Classes[cluster.Remote]
	*l = cluster.Link{Latency: cluster.FromSeconds(latency), Overhead: cluster.FromSeconds(o), Gap: cluster.FromSeconds(o),
		Bandwidth: round(1 / perByte), Adapters: 1}
	at := func(t Time) float64 {
		overheads, latencies := parts(t)
		return overheads*o + latencies*latency + t.X*perByte
	}
	const floods = "floods of messages of 8 B between two processes: time of one more message in a window"
	line := func(t Time) float64 { return flood.first + t.X*o }
	f.record(Number{Key: "remote.overhead_s", Unit: "s", Value: o, To: floods}, flood.times, line)
	f.record(Number{Key: "remote.gap_s", Unit: "s", Value: o, To: floods + ", as the overhead"}, flood.times, line)
	const trip = "ping-pong between two processes, 2o + L + nG, with a handshake above the eager limit"
	f.record(Number{Key: "remote.latency_s", Unit: "s", Value: latency, To: trip}, trips, at)
	f.record(Number{Key: "remote.bandwidth_bytes_per_s", Unit: "B/s", Value: l.Bandwidth, To: trip}, trips, at)
	m.Source["remote.adapters_per_node"] = "one: the link is measured between one rank of each process"
	for _, n := range f.numbers {
		if n.Value < 0 || math.IsNaN(n.Value) || math.IsInf(n.Value, 0) {
			return nil, fmt.Errorf("%w: %s = %v %s; measure again on quieter hosts", ErrFit, n.Key, n.Value, n.Unit)
		}
	}
	return &Model{Machine: *m, Numbers: f.numbers, Limits: []string{
		"ranks of one process that send at the same time share its connection to the MPI library, which a simulation models " +
			"as one adapter",
		"one-sided operations between processes are charged like messages; the library may be faster or slower",
	}}, nil
}
