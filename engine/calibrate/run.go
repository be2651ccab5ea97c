package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// Options say what to measure and how long.
type Options struct {
	Live   cluster.Fabric  // its clock must be this host's
	Sim    cluster.Fabric  // what the check programs are predicted on
	Host   cluster.Machine // not emulated; gives the eager limit and who progresses
	Name   string          // of the machine
	Cores  int             // ranks of the check programs, at least 2
	Rounds int             // turns of each trial and check program
	// Progress, if not nil, hears of each turn before it begins.
	Progress func(done, total int, name string)

	pace *pace // nil: onHost
}

// Rounds of a full and of a quick calibration.
const (
	DefaultRounds = 60
	QuickRounds   = 8
)

// Result is what a calibration came to.
type Result struct {
	Machine string // its name
	Model   *Model // nil: a machine was given
	Times   []Time
	Checks  []Check
	// Noise is the median, over trials and programs, of how much longer the
	// median batch took than the quiet ones.
	Noise float64
}

// parked is longer than any host's cores take for a short message, in seconds: the
// ranks have taken turns on a core and slept.
const parked = 20e-6

// Calibrate measures the host, fits a machine and checks it.
func Calibrate(ctx context.Context, o Options) (*Result, error) {
	return o.run(ctx, nil)
}

// CheckMachine checks a machine that stands.
func CheckMachine(ctx context.Context, o Options, m cluster.Machine) (*Result, error) {
	return o.run(ctx, &m)
}

func (o *Options) run(ctx context.Context, given *cluster.Machine) (*Result, error) {
	if o.Host.Emulated {
		return nil, fmt.Errorf("calibrate measures this host: machine %s is emulated, and its delays would be added; use this-host", o.Host.Name)
	}
	if o.Cores < 2 {
		return nil, fmt.Errorf("calibrate needs two cores, and there is %d: two ranks on one core take turns, which no machine file can state", o.Cores)
	}
	if o.Rounds < 1 {
		return nil, fmt.Errorf("calibrate: %d rounds: want at least 1", o.Rounds)
	}
	ps, err := programs(o.Cores)
	if err != nil {
		return nil, err
	}
	var ts []trial
	if given == nil {
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
	if err := bearable(turns); err != nil {
		return nil, err
	}
	result := &Result{Machine: o.Name}
	var noises []float64
	for i := range ts {
		quiet, noise := settle(slices.Concat(turns[i]...))
		if ts[i].kind == trialPingpong && ts[i].x == float64(pingpongSizes[0]) && quiet > parked {
			return nil, fmt.Errorf("calibrate: a message of %g B takes %.3g s: the ranks did not get a core each; stop what else runs on this host", ts[i].x, quiet)
		}
		noises = append(noises, noise)
		result.Times = append(result.Times, Time{Kind: ts[i].kind, X: ts[i].x, Seconds: quiet, Noise: noise})
	}
	var fit func(seconds []float64) (*Model, error)
	if given == nil {
		if result.Model, err = Fit(result.Times, o.Host, o.Name, o.Cores); err != nil {
			return nil, err
		}
		given = &result.Model.Machine
		fit = func(seconds []float64) (*Model, error) {
			times := slices.Clone(result.Times)
			for i := range times {
				times[i].Seconds = seconds[i]
			}
			return Fit(times, o.Host, o.Name, o.Cores)
		}
	} else {
		result.Machine = given.Name
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
		quiet, noise := settle(slices.Concat(turns[len(ts)+i]...))
		noises = append(noises, noise)
		simulated, err := ps[i].predicted(ctx, o.Sim, given, again.models)
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

// predicted is what a simulation of the machine says of a program, and after it what
// those of some resampled machines say.
func (p *program) predicted(ctx context.Context, sim cluster.Fabric, m *cluster.Machine, others []*Model) ([]float64, error) {
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

// restless is how large a share of jobs may be without a calm third.
const restless = 0.5

// bearable refuses a host that has let too few jobs run undisturbed.
func bearable(turns [][][]float64) error {
	wild := 0
	for _, t := range turns {
		if !calm(slices.Concat(t...)) {
			wild++
		}
	}
	if float64(wild) > restless*float64(len(turns)) {
		return fmt.Errorf("%w: %d of %d measurements have no third of their batches within %g times each other; stop what else runs on it", ErrBusy, wild, len(turns), spread)
	}
	return nil
}

// measure gives each job its turns, in rounds, and the batches of each turn. After the
// rounds, jobs that the host has not let run calmly get up to as many again.
func (o *Options) measure(ctx context.Context, jobs []*job) ([][][]float64, error) {
	p := onHost
	if o.pace != nil {
		p = *o.pace
	}
	turns := make([][][]float64, len(jobs))
	for round := range 2 * o.Rounds {
		for i, j := range jobs {
			if round >= o.Rounds && calm(slices.Concat(turns[i]...)) {
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

// spread is how far apart quiet batches may be, and slower how much longer than the
// fastest one they may take: a host that moves its cores about has faster moments, and
// one that does something else meanwhile takes a time slice.
const (
	spread = 1.5
	slower = 8
)

// quietOnes are the third of some batches that lie closest together: the mood that the
// host is in most of the time. The fastest third would be biased, and of a host that is
// now and then in a faster mood each job would be from another one.
func quietOnes(batches []float64) []float64 {
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

// calm reports whether a third of the batches are near each other, and not too far from
// the fastest.
func calm(batches []float64) bool {
	quiet := quietOnes(batches)
	last := quiet[len(quiet)-1]
	return last <= spread*quiet[0] && last <= slower*slices.Min(batches)
}

// settle gives the median of the quiet batches, and how much longer the median of
// all is, relative to it.
func settle(batches []float64) (quiet, noise float64) {
	quiet = median(quietOnes(batches))
	return quiet, median(batches)/quiet - 1
}

// median of some values; of none it is no number.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
