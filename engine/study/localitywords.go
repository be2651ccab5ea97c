package study

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/engine"
)

// minAccesses is the minimum number of accesses needed to describe a group size.
const minAccesses = 100

// WhyLocality explains the locality of accesses at the current group size, and the effect of
// another one. It uses only numbers of the rows.
func WhyLocality(v *engine.StudyView, nodes int) string {
	now := v.Present()
	if now == nil || now.Cells[LocalityAccesses] < minAccesses {
		return ""
	}
	text := fmt.Sprintf("Group %s %s", now.Label, describeLocality(now.Cells, nodes))
	other, ratio, modelled := selectContrast(v.Rows, now)
	if other == nil {
		return text + "."
	}
	provenance := ""
	if modelled {
		provenance = " (modelled)"
	}
	switch {
	case ratio >= Alike:
		return fmt.Sprintf("%s: a single access is %s× faster than with group %s%s%s, %s.", text, Figure(ratio), other.Label, provenance,
			describeWhole(other.Cells, now.Cells), describeMemory(now.Cells, other.Cells))
	case ratio <= 1/Alike:
		return fmt.Sprintf("%s. A single access is %s× faster with group %s%s%s, %s.", text, Figure(1/ratio), other.Label, provenance,
			describeWhole(now.Cells, other.Cells), describeMemory(other.Cells, now.Cells))
	}
	memory := describeMemory(now.Cells, other.Cells)
	return fmt.Sprintf("%s: a single access is as fast as with group %s%s, %s.", text, other.Label, provenance, memory)
}

// describeLocality describes the locality of a group size.
func describeLocality(cells []float64, nodes int) string {
	switch {
	case cells[LocalityGroup] == 1:
		return "keeps every access in the local rank's memory"
	case nodes == 1:
		return fmt.Sprintf("finds %s of its accesses in the local rank's memory", Percent(cells[LocalityRank]))
	case cells[LocalityNode] == 1:
		return "keeps every access inside a node"
	}
	return fmt.Sprintf("sends %s of its accesses to other nodes", Percent(1-cells[LocalityNode]))
}

// selectContrast selects the group size to compare with: the measured one whose access time differs
// most, or else such a modelled one that fits into memory. ratio is its access time relative to
// now.
func selectContrast(rows []engine.Row, now *engine.Row) (other *engine.Row, ratio float64, modelled bool) {
	widest := -1.0
	for _, model := range []bool{false, true} {
		for i := range rows {
			r := &rows[i]
			if r.Key == now.Key {
				continue
			}
			column, isUsable := LocalityAccess, r.Cells[LocalityAccesses] >= minAccesses
			if model {
				column, isUsable = LocalityLaw, r.Flag != engine.Unfit
			}
			t, base := r.Cells[column], now.Cells[column]
			if d := math.Abs(math.Log(t / base)); isUsable && t > 0 && base > 0 && d > widest {
				widest = d
				other = r
				ratio = t / base
				modelled = model
			}
		}
		if other != nil {
			break
		}
	}
	return other, ratio, modelled
}

// describeWhole states how much faster the program is in b than in a. It returns "" if a time is unknown.
func describeWhole(a, b []float64) string {
	switch ratio := a[LocalityWhole] / b[LocalityWhole]; {
	case ratio >= Alike:
		return fmt.Sprintf(" (program %s×)", Figure(ratio))
	case ratio > 1/Alike:
		return " (program as fast)"
	case ratio > 0:
		return fmt.Sprintf(" (program %s× slower)", Figure(1/ratio))
	}
	return ""
}

// describeMemory states the memory of a compared with b.
func describeMemory(a, b []float64) string {
	replicas := fmt.Sprintf("%.0f replicas", a[LocalityReplicas])
	if a[LocalityReplicas] == 1 {
		replicas = "1 replica"
	}
	switch x, y := a[LocalityMemory], b[LocalityMemory]; {
	case x > y && y > 0:
		return fmt.Sprintf("at %s× the memory (%s)", Figure(x/y), replicas)
	case x < y && x > 0:
		return fmt.Sprintf("with 1/%s of the memory (%s)", Figure(y/x), replicas)
	}
	return fmt.Sprintf("at the same memory (%s)", replicas)
}
