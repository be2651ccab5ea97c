package session

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// dilator finds the factor by which an emulated machine's time has to exceed the fabric's own
// dilation, so that the host keeps up under its present load. It decides only from measured
// lateness. The factor rises at once by the missing amount. It falls one step after a calm period,
// which doubles whenever a fall was too early.
type dilator struct {
	// unattended means that the session is not watched: a late launch is repeated, and a launch in
	// time is not disturbed.
	unattended bool
	factor     float64 // on the fabric's own dilation
	least      float64 // the factor at the start; it never falls below
	beyond     bool    // no factor up to maxFactor is enough, and factor is least

	startCounts cluster.Lateness // counts at the start of the window
	start       time.Duration    // start of the window
	first       bool             // first window of its launch
	late        int              // successive late windows
	calm        int              // successive windows for which a smaller factor would be enough
	wait        int              // calm windows before a fall
	fallen      bool             // the last step was down, or left beyond
}

const (
	windowEvents        = 200                    // minimum per window
	windowTime          = 250 * time.Millisecond // minimum per window
	maxFactor           = 100                    // above it, an iteration takes seconds
	maxFactorUnattended = 10                     // likewise in an unattended session, where no user sees the reason
	riseMargin          = 2                      // extra factor of a rise
	// successive late windows before a rise; a launch's first is enough if a rise helps
	lateWindows = 3
	fallMargin  = 4  // a smaller factor is enough if it leaves this margin
	calmWindows = 20 // successive calm windows that cause a fall
	maxWait     = 64 * calmWindows
)

// attendedFactor is the factor at the start of a session that a user watches. Most hosts then keep up
// from the first frame, because ranks that sleep cost nothing.
const attendedFactor = 5

func newDilator(unattended bool, least float64) dilator {
	return dilator{unattended: unattended, factor: least, least: least, wait: calmWindows}
}

// launch resets the counts for a launch.
func (x *dilator) launch(at time.Duration) {
	x.startCounts = cluster.Lateness{}
	x.start = at
	x.first = true
	x.late = 0
	x.calm = 0
}

// observe evaluates the counts up to a time, and reports whether the factor changes.
func (x *dilator) observe(at time.Duration, l cluster.Lateness) bool {
	w := countsSince(l, x.startCounts)
	if w.Events < windowEvents || at-x.start < windowTime {
		return false
	}
	first := x.first
	x.startCounts = l
	x.start = at
	x.first = false
	excess := w.Excess()
	switch {
	case x.unattended && (x.beyond || l.Excess() <= 1): // nothing would help, or the launch as a whole is in time
		return false
	case x.beyond:
		return x.recover(excess)
	}
	if excess > 1 {
		x.late++
		x.calm = 0
		return (x.late == lateWindows || first && x.factor*excess*riseMargin <= maxFactor) && x.rise(excess)
	}
	x.late = 0
	return !x.unattended && x.relax(excess)
}

// finish evaluates the counts of a finished launch, and reports whether to repeat it with another
// factor.
func (x *dilator) finish(l cluster.Lateness) bool {
	return x.unattended && !x.beyond && l.Proven() && l.Excess() > 1 && x.rise(l.Excess())
}

// rise sets the factor that the window needed, with a margin.
func (x *dilator) rise(excess float64) bool {
	x.late = 0
	if x.fallen {
		x.wait, x.fallen = min(2*x.wait, maxWait), false
	}
	was, want := x.factor, x.factor*excess*riseMargin
	switch {
	case x.unattended && want > maxFactorUnattended:
		x.beyond = want > maxFactor
	case want > maxFactor:
		x.factor, x.beyond = x.least, true
	default:
		x.factor = stepUp(want)
	}
	return x.factor != was
}

// recover counts windows for which some factor is enough again, with a margin. After enough
// windows it leaves beyond.
func (x *dilator) recover(excess float64) bool {
	if excess*riseMargin > maxFactor/fallMargin {
		x.calm = 0
		return false
	}
	x.calm++
	if x.calm < x.wait {
		return false
	}
	x.beyond = false
	x.calm = 0
	x.late = 0
	rises := excess > 1 && x.rise(excess)
	x.fallen = true
	return rises
}

// relax counts calm windows, and lowers the factor by a step after enough of them.
func (x *dilator) relax(excess float64) bool {
	if x.factor <= x.least {
		return false
	}
	lower := max(stepDown(x.factor), x.least)
	if excess*x.factor/lower > 1.0/fallMargin {
		x.calm = 0
		return false
	}
	x.calm++
	if x.calm < x.wait {
		return false
	}
	x.factor = lower
	x.calm = 0
	x.fallen = true
	return true
}

// steps are the steps of a decade.
var steps = [...]float64{1, 2, 5}

// stepUp returns the smallest of 1, 2, 5, 10, … that is at least f.
func stepUp(f float64) float64 {
	for decade := 1.0; ; decade *= 10 {
		for _, s := range steps {
			if s*decade >= f {
				return s * decade
			}
		}
	}
}

// stepDown returns the step below a step.
func stepDown(f float64) float64 {
	below := 1.0
	for decade := 1.0; ; decade *= 10 {
		for _, s := range steps {
			if s*decade >= f {
				return below
			}
			below = s * decade
		}
	}
}

// countsSince returns the counts after an earlier count of the same run.
func countsSince(l, o cluster.Lateness) cluster.Lateness {
	l.Events, l.Late = l.Events-o.Events, l.Late-o.Late
	l.Bodies, l.Overruns = l.Bodies-o.Bodies, l.Overruns-o.Overruns
	l.Took, l.Modelled = l.Took-o.Took, l.Modelled-o.Modelled
	return l
}
