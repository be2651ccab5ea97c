package spmv

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// slack is by how much a ratio of two times may be off without a doubt.
const slack = 1.02

// doubt says that ε is above its bound, 1 + m(1 − 1/n) (paper 2, equation (7)), which
// overlapping cannot pass.
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
	why := "masteronly and the scheme are timed one after the other, and something else took the host meanwhile"
	if snap.Kind == engine.Simulated {
		why = "the bound takes it that fewer threads compute more slowly, and here fewer fill the memory"
	}
	return fmt.Sprintf("ε %.2f is above its bound 1 + m(1 − 1/n) = %.2f: %s", e, l.Upper, why)
}
