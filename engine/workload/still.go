package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Still is a probe that has a scenario's knobs and records nothing. It is for measurements and
// tests of parts of a program.
type Still struct{ *engine.Scenario }

func (Still) Next() bool                           { return false }
func (Still) Iteration() int                       { return 0 }
func (Still) Access(int, int64, cluster.Time)      {}
func (Still) Report(string, float64)               {}
func (Still) Sample(string, float64)               {}
func (Still) Tally(string, int, int, int64)        {}
func (Still) TallyIn(string, int, int, int, int64) {}
func (Still) Place(string, int, float64)           {}
func (Still) Verify(bool, string)                  {}
func (Still) Part(int, string)                     {}
func (Still) Step(int, int)                        {}
func (Still) Clock() cluster.Time                  { return 0 }

var _ engine.Probe = Still{}
