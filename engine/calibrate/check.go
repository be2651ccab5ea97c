package calibrate

import (
	"math"

	"github.com/hybridtop/hybridtop/models"
)

// Check is one program on both fabrics.
type Check struct {
	Program   string
	At        string  // its size
	Live      float64 // measured, seconds an operation
	Simulated float64 // seconds an operation
	Error     float64 // (simulated − live) / live
	Noise     float64 // see Time
	// Where 95 of 100 resamples of the rounds have the two.
	LiveRange, SimulatedRange Range
}

// noisy is how wide the range of a live time may be, relative to it.
const noisy = 0.2

// Noisy says that the live time is too uncertain to judge a prediction by.
func (c *Check) Noisy() bool { return c.LiveRange.Width() > noisy }

// What a calibration has to come to, over the checks that are not noisy.
const (
	MostMedian = 0.10 // median error
	MostError  = 0.35 // of any of them
	MostNoisy  = 0.25 // share of all checks
)

// Judged is what the checks that are not noisy come to.
type Judged struct {
	Median, Worst float64 // errors without their signs; NaN: all are noisy
	At            string  // where the worst is
	Noisy, Checks int
}

// Judge leaves noisy checks out.
func Judge(checks []Check) Judged {
	j := Judged{Median: math.NaN(), Worst: math.NaN(), Checks: len(checks)}
	var errors []float64
	for i := range checks {
		c := &checks[i]
		if c.Noisy() {
			j.Noisy++
			continue
		}
		e := math.Abs(c.Error)
		errors = append(errors, e)
		if !(e <= j.Worst) {
			j.Worst, j.At = e, c.Program+" "+c.At
		}
	}
	if len(errors) > 0 {
		j.Median = median(errors)
	}
	return j
}

// Pass says that the predictions are near enough, and few enough of the checks noisy.
func (j *Judged) Pass() bool {
	return j.Median <= MostMedian && j.Worst <= MostError && float64(j.Noisy) <= MostNoisy*float64(j.Checks)
}

func newCheck(program, at string, live, simulated, noise float64) Check {
	return Check{Program: program, At: at, Live: live, Simulated: simulated, Error: models.RelativeError(simulated, live), Noise: noise}
}

// ProgramError is the median error of one program's sizes.
type ProgramError struct {
	Program string
	Error   float64 // without its sign
}

// Errors gives the median of the errors, without their signs, of each program and
// of all checks.
func Errors(checks []Check) (programs []ProgramError, all float64) {
	by := make(map[string][]float64)
	var every []float64
	for _, c := range checks {
		e := math.Abs(c.Error)
		if by[c.Program] == nil {
			programs = append(programs, ProgramError{Program: c.Program})
		}
		by[c.Program] = append(by[c.Program], e)
		every = append(every, e)
	}
	for i := range programs {
		programs[i].Error = median(by[programs[i].Program])
	}
	return programs, median(every)
}
