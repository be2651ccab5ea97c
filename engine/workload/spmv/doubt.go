package spmv

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// slack is the factor by which a ratio of two times may exceed its bound without a doubt.
const slack = 1.02

// doubt returns a warning if ε exceeds its bound, 1 + m(1 − 1/n) (paper 2, equation (7)). Overlap
// cannot exceed this bound.
func doubt(snap *engine.Snapshot) string {
	value := func(name string) float64 {
		m, _ := snap.Metric(name)
		return m.Value
	}
	f := models.Fractions{Comm: value("f_comm"), NonOverlap: value("f_non"), Overlap: value("f_overlap")}
	r, overlaps := reserved(&snap.Scenario, f)
	l, err := models.LimitsOf(r, f.NonOverlap)
	e := value("epsilon")
	if !overlaps || err != nil || e <= slack*l.Upper {
		return ""
	}
	why := "masteronly and the scheme are timed one after the other, and the host was busy with something else meanwhile"
	if snap.Kind == engine.Simulated {
		why = "the bound assumes that fewer threads compute more slowly, but here fewer threads saturate the memory"
	}
	return fmt.Sprintf("ε %.2f is above its bound 1 + m(1 − 1/n) = %.2f: %s", e, l.Upper, why)
}
