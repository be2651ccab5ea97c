package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// IdleProbe is a probe that has a scenario's knobs and records nothing. It is for measurements and
// tests of parts of a program.
type IdleProbe struct{ *engine.Scenario }

func (IdleProbe) Next() bool                           { return false }
func (IdleProbe) Iteration() int                       { return 0 }
func (IdleProbe) Access(int, int64, cluster.Time)      {}
func (IdleProbe) Report(string, float64)               {}
func (IdleProbe) Sample(string, float64)               {}
func (IdleProbe) Tally(string, int, int, int64)        {}
func (IdleProbe) TallyIn(string, int, int, int, int64) {}
func (IdleProbe) Place(string, int, float64)           {}
func (IdleProbe) Verify(bool, string)                  {}
func (IdleProbe) Checksum(func() uint64)               {}
func (IdleProbe) Part(int, string)                     {}
func (IdleProbe) Step(int, int)                        {}
func (IdleProbe) Clock() cluster.Time                  { return 0 }

var _ engine.Probe = IdleProbe{}
