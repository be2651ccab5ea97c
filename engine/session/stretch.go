package session

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// stretch finds how much longer than the fabric's own choice an emulated machine's time
// has to last, for the host to keep it under its present load. What it decides follows
// from measured lateness alone. It rises at once and by what is missing; it falls a step
// at a time after a calm while, which doubles whenever a fall was too early.
type stretch struct {
	// alone says that nobody looks on: a launch that was late begins anew, and one that
	// is in time is not disturbed.
	alone  bool
	factor float64 // on the fabric's own dilation
	beyond bool    // no factor up to mostStretch would do, and factor is 1

	begun  cluster.Lateness // what was counted when the window began
	since  time.Duration    // when it did
	first  bool             // window of its launch
	late   int              // windows in a row
	calm   int              // windows in a row that a smaller factor would have done for
	wait   int              // calm windows that a fall takes
	fallen bool             // the last step was down, or out of beyond
}

const (
	windowEvents = 200                    // a window has at least
	windowTime   = 250 * time.Millisecond // and lasts at least
	mostStretch  = 100                    // above it one waits seconds for an iteration
	mostAlone    = 10                     // likewise where nobody looks on, who would know why it takes so long
	spare        = 2                      // what a rise adds to what was missing
	lateWindows  = 3                      // in a row make a rise; so does a launch's first, if a rise helps
	calmPart     = 4                      // a smaller factor does if it leaves so much room
	calmWindows  = 20                     // make a fall
	mostWait     = 64 * calmWindows
)

func newStretch(alone bool) stretch { return stretch{alone: alone, factor: 1, wait: calmWindows} }

// launch begins anew with a launch.
func (x *stretch) launch(at time.Duration) {
	x.begun, x.since, x.first, x.late, x.calm = cluster.Lateness{}, at, true, 0, 0
}

// look takes in what was counted up to a time, and reports whether the factor is
// another one.
func (x *stretch) look(at time.Duration, l cluster.Lateness) bool {
	w := since(l, x.begun)
	if w.Events < windowEvents || at-x.since < windowTime {
		return false
	}
	first := x.first
	x.begun, x.since, x.first = l, at, false
	excess := w.Excess()
	switch {
	case x.alone && (x.beyond || l.Excess() <= 1): // nothing would be better, or the launch as a whole is in time
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

// end takes in what was counted of a launch that has ended, and reports whether it is to
// begin anew with another factor.
func (x *stretch) end(l cluster.Lateness) bool {
	return x.alone && !x.beyond && l.Proven() && l.Excess() > 1 && x.rise(l.Excess())
}

// rise takes the factor that would have kept a window, with some room.
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

// recover counts windows in which some factor would have done again, with room, and takes
// it after enough of them.
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

// rest counts windows that are calm, and falls a step after enough of them.
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

// steps are those of a decade.
var steps = [...]float64{1, 2, 5}

// stepUp is the least of 1, 2, 5, 10, … that is not below a factor up to mostStretch.
func stepUp(f float64) float64 {
	for decade := 1.0; ; decade *= 10 {
		for _, s := range steps {
			if s*decade >= f {
				return s * decade
			}
		}
	}
}

// stepDown is the step below a step.
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

// since returns what was counted after an earlier count of the same run.
func since(l, o cluster.Lateness) cluster.Lateness {
	l.Events, l.Late = l.Events-o.Events, l.Late-o.Late
	l.Bodies, l.Overruns = l.Bodies-o.Bodies, l.Overruns-o.Overruns
	l.Took, l.Modelled = l.Took-o.Took, l.Modelled-o.Modelled
	return l
}
