package session

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// stretch finds the factor by which an emulated machine's time has to exceed the fabric's own
// dilation, so that the host keeps up under its present load. It decides only from measured
// lateness. The factor rises at once by the missing amount. It falls one step after a calm period,
// which doubles whenever a fall was too early.
type stretch struct {
	// alone means that the session is not watched: a late launch is repeated, and a launch in time
	// is not disturbed.
	alone  bool
	factor float64 // on the fabric's own dilation
	beyond bool    // no factor up to mostStretch is enough, and factor is 1

	begun  cluster.Lateness // counts at the start of the window
	since  time.Duration    // start of the window
	first  bool             // first window of its launch
	late   int              // successive late windows
	calm   int              // successive windows for which a smaller factor would be enough
	wait   int              // calm windows before a fall
	fallen bool             // the last step was down, or left beyond
}

const (
	windowEvents = 200                    // minimum per window
	windowTime   = 250 * time.Millisecond // minimum per window
	mostStretch  = 100                    // above it, an iteration takes seconds
	mostAlone    = 10                     // likewise in an unwatched session, where no user can see why it takes so long
	spare        = 2                      // extra factor of a rise
	lateWindows  = 3                      // successive late windows that cause a rise; the first of a launch is enough if a rise helps
	calmPart     = 4                      // a smaller factor is enough if it leaves this margin
	calmWindows  = 20                     // successive calm windows that cause a fall
	mostWait     = 64 * calmWindows
)

func newStretch(alone bool) stretch { return stretch{alone: alone, factor: 1, wait: calmWindows} }

// launch resets the counts for a launch.
func (x *stretch) launch(at time.Duration) {
	x.begun, x.since, x.first, x.late, x.calm = cluster.Lateness{}, at, true, 0, 0
}

// look evaluates the counts up to a time, and reports whether the factor changes.
func (x *stretch) look(at time.Duration, l cluster.Lateness) bool {
	w := since(l, x.begun)
	if w.Events < windowEvents || at-x.since < windowTime {
		return false
	}
	first := x.first
	x.begun, x.since, x.first = l, at, false
	excess := w.Excess()
	switch {
	case x.alone && (x.beyond || l.Excess() <= 1): // nothing would help, or the launch as a whole is in time
		return false
	case x.beyond:
		return x.recover(excess)
	}
	if excess > 1 {
		x.late++
		x.calm = 0
		return (x.late == lateWindows || first && x.factor*excess*spare <= mostStretch) && x.rise(excess)
	}
	x.late = 0
	return !x.alone && x.rest(excess)
}

// end evaluates the counts of a finished launch, and reports whether to repeat it with another
// factor.
func (x *stretch) end(l cluster.Lateness) bool {
	return x.alone && !x.beyond && l.Proven() && l.Excess() > 1 && x.rise(l.Excess())
}

// rise sets the factor that the window needed, with a margin.
func (x *stretch) rise(excess float64) bool {
	x.late = 0
	if x.fallen {
		x.wait, x.fallen = min(2*x.wait, mostWait), false
	}
	was, want := x.factor, x.factor*excess*spare
	switch {
	case x.alone && want > mostAlone:
		x.beyond = want > mostStretch
	case want > mostStretch:
		x.factor, x.beyond = 1, true
	default:
		x.factor = stepUp(want)
	}
	return x.factor != was
}

// recover counts windows for which some factor is enough again, with a margin. After enough
// windows it leaves beyond.
func (x *stretch) recover(excess float64) bool {
	if excess*spare > mostStretch/calmPart {
		x.calm = 0
		return false
	}
	if x.calm++; x.calm < x.wait {
		return false
	}
	x.beyond, x.calm, x.late = false, 0, 0
	rises := excess > 1 && x.rise(excess)
	x.fallen = true
	return rises
}

// rest counts calm windows, and lowers the factor by a step after enough of them.
func (x *stretch) rest(excess float64) bool {
	if x.factor == 1 {
		return false
	}
	lower := stepDown(x.factor)
	if excess*x.factor/lower > 1.0/calmPart {
		x.calm = 0
		return false
	}
	if x.calm++; x.calm < x.wait {
		return false
	}
	x.factor, x.calm, x.fallen = lower, 0, true
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

// since returns the counts after an earlier count of the same run.
func since(l, o cluster.Lateness) cluster.Lateness {
	l.Events, l.Late = l.Events-o.Events, l.Late-o.Late
	l.Bodies, l.Overruns = l.Bodies-o.Bodies, l.Overruns-o.Overruns
	l.Took, l.Modelled = l.Took-o.Took, l.Modelled-o.Modelled
	return l
}
