package calibrate

import (
	"math"

	"github.com/hybridtop/hybridtop/models"
)

// Check is the result of one program on both fabrics.
type Check struct {
	Program   string
	At        string  // its size
	Live      float64 // measured, seconds per operation
	Simulated float64 // seconds per operation
	Error     float64 // (simulated − live) / live
	Noise     float64 // see Time
	// The 95 % ranges of both times over the resamples of the rounds.
	LiveRange, SimulatedRange Range
}

// maxWidth is the maximum width of the range of a live time, relative to it.
const maxWidth = 0.2

// Noisy reports whether the live time is too uncertain to judge a prediction.
func (c *Check) Noisy() bool { return c.LiveRange.Width() > maxWidth }

// Limits that a calibration must meet, over the checks that are not noisy.
const (
	MaxMedian = 0.10 // median error
	MaxError  = 0.35 // maximum error of any check
	MaxNoisy  = 0.25 // share of all checks
)

// Judged is the summary of the checks that are not noisy.
type Judged struct {
	Median, Worst float64 // absolute errors; NaN: all checks are noisy
	At            string  // program and size of the worst check
	Noisy, Checks int
}

// Judge summarizes checks, without noisy ones.
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

// Pass reports whether the predictions are close enough, and few enough checks are noisy.
func (j *Judged) Pass() bool {
	return j.Median <= MaxMedian && j.Worst <= MaxError && float64(j.Noisy) <= MaxNoisy*float64(j.Checks)
}

func newCheck(program, at string, live, simulated, noise float64) Check {
	return Check{Program: program, At: at, Live: live, Simulated: simulated,
		Error: models.RelativeError(simulated, live), Noise: noise}
}

// ProgramError is the median error over the sizes of one program.
type ProgramError struct {
	Program string
	Error   float64 // absolute value
}

// Errors returns the medians of the absolute errors, for each program and for all checks.
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
