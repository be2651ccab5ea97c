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
