package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Options select the machine and the duration of a calibration.
type Options struct {
	Live   cluster.Fabric  // must use this host's clock
	Sim    cluster.Fabric  // fabric of the predictions
	Host   cluster.Machine // not emulated; provides the eager limit and the kind of progress
	Name   string          // of the machine
	Cores  int             // ranks of the check programs, at least 2
	Rounds int             // turns of each trial and check program
	// Progress, if not nil, is called before each turn.
	Progress func(done, total int, name string)

	pace *pace // nil: onHost
}

// Rounds of a full and of a quick calibration.
const (
	DefaultRounds = 60
	QuickRounds   = 8
)

// Result is the result of a calibration.
type Result struct {
	Machine string // its name
	Model   *Model // nil: the caller passed a machine
	Times   []Time
	Checks  []Check
	// Noise is the median, over trials and programs, of the relative extra time of the median batch
	// compared with the quiet batches.
	Noise float64
}

// maxTrip is a time in seconds that is longer than any host needs for a short message between two
// cores. A longer time means that the ranks shared a core and slept.
const maxTrip = 20e-6

// Calibrate measures the host, fits a machine and checks it.
func Calibrate(ctx context.Context, o Options) (*Result, error) {
	return o.run(ctx, nil)
}

// CheckMachine checks an existing machine.
func CheckMachine(ctx context.Context, o Options, m cluster.Machine) (*Result, error) {
	return o.run(ctx, &m)
}

func (o *Options) run(ctx context.Context, machine *cluster.Machine) (*Result, error) {
	if o.Host.Emulated {
		return nil, fmt.Errorf("calibrate: machine %s is emulated; want a machine without delays (this-host)", o.Host.Name)
	}
	if o.Cores < 2 {
		return nil, fmt.Errorf("calibrate: %d core: want at least two, because ranks that share a core cannot "+
			"be modelled", o.Cores)
	}
	if o.Rounds < 1 {
		return nil, fmt.Errorf("calibrate: %d rounds: want at least 1", o.Rounds)
	}
	ps, err := programs(o.Cores)
	if err != nil {
		return nil, err
	}
	var ts []trial
	if machine == nil {
		ts = trials(o.Cores)
	}
	var jobs []*job
	for i := range ts {
		jobs = append(jobs, &ts[i].job)
	}
	for i := range ps {
		jobs = append(jobs, &ps[i].job)
	}
	turns, err := o.measure(ctx, jobs)
	if err != nil {
		return nil, err
	}
	if err := checkHost(turns); err != nil {
		return nil, err
	}
	result := &Result{Machine: o.Name}
	var noises []float64
	for i := range ts {
		quiet, noise := estimate(slices.Concat(turns[i]...))
		if ts[i].kind == trialPingpong && ts[i].x == float64(pingpongSizes[0]) && quiet > maxTrip {
			return nil, fmt.Errorf("calibrate: a message of %g B takes %.3g s: the ranks shared a core; stop other "+
				"programs on this host", ts[i].x, quiet)
		}
		noises = append(noises, noise)
		result.Times = append(result.Times, Time{Kind: ts[i].kind, X: ts[i].x, Seconds: quiet, Noise: noise})
	}
	var fit func(seconds []float64) (*Model, error)
	if machine == nil {
		result.Model, err = Fit(result.Times, o.Host, o.Name, o.Cores)
		if err != nil {
			return nil, err
		}
		machine = &result.Model.Machine
		fit = func(seconds []float64) (*Model, error) {
			times := slices.Clone(result.Times)
			for i := range times {
				times[i].Seconds = seconds[i]
			}
			return Fit(times, o.Host, o.Name, o.Cores)
		}
	} else {
		result.Machine = machine.Name
	}
	again, err := resample(turns[:len(ts)], turns[len(ts):], o.Rounds, fit)
	if err != nil {
		return nil, err
	}
	for i := range result.Times {
		result.Times[i].Range = rangeOf(result.Times[i].Seconds, again.times[i])
	}
	if result.Model != nil {
		again.ranges(result.Model)
	}
	for i := range ps {
		quiet, noise := estimate(slices.Concat(turns[len(ts)+i]...))
		noises = append(noises, noise)
		simulated, err := ps[i].predicted(ctx, o.Sim, machine, again.models)
		if err != nil {
			return nil, err
		}
		c := newCheck(ps[i].kind, ps[i].at, quiet, simulated[0], noise)
		c.LiveRange, c.SimulatedRange = rangeOf(quiet, again.checks[i]), rangeOf(simulated[0], simulated[1:])
		result.Checks = append(result.Checks, c)
	}
	result.Noise = median(noises)
	return result, nil
}

// predicted returns the prediction of a program by a simulation of the machine, followed by the
// predictions with some resampled machines.
func (p *program) predicted(ctx context.Context, sim cluster.Fabric, m *cluster.Machine,
	others []*Model) ([]float64, error) {
	all := make([]float64, 0, 1+predictions)
	for i := range 1 + min(predictions, len(others)) {
		at := m
		if i > 0 {
			at = &others[i-1].Machine
		}
		times, err := p.play(ctx, sim, *at, inSim)
		if err != nil {
			return nil, err
		}
		all = append(all, times[0])
	}
	return all, nil
}

// maxDisturbed is the maximum share of jobs without a calm third of their batches.
const maxDisturbed = 0.5

// checkHost returns an error if the host disturbed too many jobs.
func checkHost(turns [][][]float64) error {
	disturbed := 0
	for _, t := range turns {
		if !isCalm(slices.Concat(t...)) {
			disturbed++
		}
	}
	if float64(disturbed) > maxDisturbed*float64(len(turns)) {
		return fmt.Errorf("%w: in %d of %d measurements no third of the batches is within a factor of %g; stop other "+
			"programs on it", ErrBusy, disturbed, len(turns), spread)
	}
	return nil
}

// measure runs the turns of each job, in rounds, and returns the batches of each turn. After the
// rounds, disturbed jobs get up to the same number of turns again.
func (o *Options) measure(ctx context.Context, jobs []*job) ([][][]float64, error) {
	p := onHost
	if o.pace != nil {
		p = *o.pace
	}
	turns := make([][][]float64, len(jobs))
	for round := range 2 * o.Rounds {
		for i, j := range jobs {
			if round >= o.Rounds && isCalm(slices.Concat(turns[i]...)) {
				continue
			}
			if o.Progress != nil {
				o.Progress(round*len(jobs)+i, o.Rounds*len(jobs), j.name)
			}
			times, err := j.play(ctx, o.Live, o.Host, p)
			if err != nil {
				return nil, err
			}
			turns[i] = append(turns[i], times)
		}
	}
	return turns, nil
}

// spread is the maximum ratio between quiet batches. slower is their maximum time relative to the
// fastest batch. Hosts that migrate cores have faster periods; hosts with other load lose whole
// time slices.
const (
	spread = 1.5
	slower = 8
)

// quietBatches returns the third of the batches with the closest values. They show the most frequent
// host condition. The fastest third would be biased. If a host is sometimes faster, the fastest
// thirds of two jobs would come from different conditions.
func quietBatches(batches []float64) []float64 {
	sorted := slices.Sorted(slices.Values(batches))
	n := (len(sorted) + 2) / 3
	near := len(sorted)
	for near > n && sorted[near-1] > slower*sorted[0] {
		near--
	}
	best := 0
	for i := range near - n + 1 {
		if sorted[i+n-1]-sorted[i] < sorted[best+n-1]-sorted[best] {
			best = i
		}
	}
	return sorted[best : best+n]
}

// isCalm reports whether a third of the batches are close to each other, and not too far from the
// fastest.
func isCalm(batches []float64) bool {
	quiet := quietBatches(batches)
	last := quiet[len(quiet)-1]
	return last <= spread*quiet[0] && last <= slower*slices.Min(batches)
}

// estimate returns the median of the quiet batches, and the relative extra time of the median of all
// batches.
func estimate(batches []float64) (quiet, noise float64) {
	quiet = median(quietBatches(batches))
	return quiet, median(batches)/quiet - 1
}

// median returns the median of values. It returns NaN for an empty list.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
