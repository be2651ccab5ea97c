package explain

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/presets"
)

// A Forecast is the predicted time after changes of the machine.
type Forecast struct {
	Line      cluster.Time // along the derivative of the first run: at least this time, while no choice changes
	Low, High cluster.Time // the interval of the time, while no choice changes
	Known     bool         // false: the path has no derivative for a change, such as noise or a limit
	Ended     bool         // a simulation of the same change, or of a part of it, made other choices
}

// An Outlook predicts the time of a scenario on changed machines, from its simulations.
//
// While no choice changes, the time is convex in the times of all constants, and proportional if all
// of them change alike. So each simulation adds a tangent, which is a lower bound. A machine that is
// nowhere slower than a sum of simulated machines has at most the sum of their times. For one
// changed constant this is the chord between two simulations.
type Outlook struct {
	base   *Run
	points []outlookPoint // with the choices of base, which is the first
	others []outlookPoint // simulations with other choices
}

// outlookPoint is a simulation.
type outlookPoint struct {
	times []float64 // of each constant, relative to base
	run   *Run
}

// NewOutlook returns the outlook from one run.
func NewOutlook(base *Run) *Outlook {
	o := &Outlook{base: base}
	times, _ := o.timesOf(nil)
	o.points = append(o.points, outlookPoint{times, base})
	return o
}

// Base returns the run of the unchanged machine.
func (o *Outlook) Base() *Run { return o.base }

// Add adds a simulation of the scenario on the changed machine. It reports whether the run makes the
// choices of the first one. Otherwise it bounds nothing, and ends the bounds of larger changes.
func (o *Outlook) Add(changes []presets.Change, r *Run) (same bool) {
	same = r.Path.Choices == o.base.Path.Choices
	has := func(p outlookPoint) bool { return p.run == r }
	if slices.ContainsFunc(o.points, has) || slices.ContainsFunc(o.others, has) {
		return same
	}
	times, known := o.timesOf(changes)
	switch {
	case !same:
		o.others = append(o.others, outlookPoint{times, r})
	case known:
		o.points = append(o.points, outlookPoint{times, r})
	}
	return same
}

// At returns the forecast for changes.
func (o *Outlook) At(changes []presets.Change) Forecast {
	times, known := o.timesOf(changes)
	f := Forecast{Known: known, Line: cluster.Time(math.Round(o.points[0].tangent(times)))}
	f.Ended = slices.ContainsFunc(o.others, func(x outlookPoint) bool { return isPart(x.times, times) })
	if !known {
		f.Line = o.base.Total
		return f
	}
	low, high := 0.0, math.Inf(1)
	for i := range o.points {
		a := &o.points[i]
		low = max(low, a.tangent(times)-a.slack()*a.growth(times))
		for j := range o.points[:i+1] {
			high = min(high, smallestSum(a, &o.points[j], times))
		}
	}
	f.Low, f.High = cluster.Time(math.Floor(low)), cluster.Time(math.Ceil(high))
	return f
}

// timesOf returns the time of each constant after changes, relative to the machine of the
// base. A change is known if the times of a constant are proportional to the number.
func (o *Outlook) timesOf(changes []presets.Change) (times []float64, known bool) {
	m := &o.base.Machine
	times = slices.Repeat([]float64{1}, int(sim.Constants))
	next, err := presets.Changed(m, changes)
	if err != nil {
		return times, false
	}
	known = true
	for k, c := range changes {
		if slices.ContainsFunc(changes[:k], func(x presets.Change) bool { return x.Key == c.Key }) {
			continue // the ratio below has all changes of the key
		}
		old, unit, _ := presets.Value(m, c.Key)
		x, _, ok := presets.Value(&next, c.Key)
		by := x / old
		if unit != "s" {
			by = old / x
		}
		used := false
		for i := range times {
			if ok && old > 0 && slices.Contains(sim.Constant(i).Keys(m), c.Key) {
				times[i] *= by
				used = true
			}
		}
		known = known && used
	}
	return times, known
}

// isPart reports whether each time changes in the direction of all, and by no more.
func isPart(part, all []float64) bool {
	for i, x := range part {
		if y := all[i]; x > max(y, 1)*(1+1e-9) || x < min(y, 1)*(1-1e-9) {
			return false
		}
	}
	return true
}

// tangent returns the time along the derivative of the point.
func (p *outlookPoint) tangent(times []float64) float64 {
	t := float64(p.run.Total)
	for c, span := range p.run.Path.Spans {
		if span != 0 {
			t += float64(span) * (times[c]/p.times[c] - 1)
		}
	}
	return t
}

// growth returns the largest ratio of a time to the point's, and at least 1.
func (p *outlookPoint) growth(times []float64) float64 {
	most := 1.0
	for c, t := range times {
		most = max(most, t/p.times[c])
	}
	return most
}

// slack is the rounding of the time: half a picosecond for each piece of the path.
func (p *outlookPoint) slack() float64 { return float64(len(p.run.Path.Segments) + 1) }

// smallestSum returns the smallest time of a sum of two simulated machines that is nowhere faster
// than the machine with the given times: x a + y b ≥ times.
func smallestSum(a, b *outlookPoint, times []float64) float64 {
	var limits [][3]float64 // a, b, time
	for c, t := range times {
		if l := [3]float64{a.times[c], b.times[c], t}; !slices.Contains(limits, l) {
			limits = append(limits, l)
		}
	}
	best := math.Inf(1)
	try := func(x, y float64) {
		if !(x >= 0 && y >= 0) {
			return
		}
		for _, l := range limits {
			if x*l[0]+y*l[1] < l[2]*(1-1e-12) {
				return
			}
		}
		best = min(best, x*(float64(a.run.Total)+a.slack())+y*(float64(b.run.Total)+b.slack()))
	}
	for i, l := range limits {
		try(l[2]/l[0], 0)
		try(0, l[2]/l[1])
		for _, k := range limits[:i] {
			d := l[0]*k[1] - l[1]*k[0]
			try((l[2]*k[1]-l[1]*k[2])/d, (l[0]*k[2]-l[2]*k[0])/d)
		}
	}
	return best
}
