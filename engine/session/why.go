package session

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// enough accesses for a point to be spoken of.
const enough = 100

// alike is the ratio of access times below which two group sizes count as equal.
const alike = 1.05

// why puts into words what rules, and what another choice would give, only from
// numbers that stand in the snapshot.
func why(s *engine.Snapshot) string {
	if s.Overlap != nil {
		if text := whyOverlap(&s.Overlap.Now); text != "" {
			return text
		}
	}
	if len(s.Locality) == 0 {
		if s.Kind == engine.Simulated && s.Phase == engine.Ended {
			return "" // when the session looked is no part of what was simulated
		}
		return whyStates(s)
	}
	now := here(s)
	if now == nil || now.Accesses < enough {
		return ""
	}
	text := fmt.Sprintf("group %d %s", now.Group, keeps(now, s.Layout.Nodes))
	other, ratio, modelled := contrast(s.Locality, now)
	if other == nil {
		return text + "."
	}
	mark := ""
	if modelled {
		mark = " (modelled)"
	}
	switch {
	case ratio >= alike:
		return fmt.Sprintf("%s: %s× faster than group %d%s, %s.", text, figure(ratio), other.Group, mark, price(now, other))
	case ratio <= 1/alike:
		return fmt.Sprintf("%s. Group %d is %s× faster%s, %s.", text, other.Group, figure(1/ratio), mark, price(other, now))
	}
	return fmt.Sprintf("%s: as fast as group %d%s, %s.", text, other.Group, mark, price(now, other))
}

// keeps words where the accesses of a group size land.
func keeps(p *engine.LocalityPoint, nodes int) string {
	switch {
	case p.Group == 1:
		return "keeps every access in the own rank's memory"
	case nodes == 1:
		return fmt.Sprintf("finds %s of its accesses in the own rank's memory", percent(p.RankLocal))
	case p.NodeLocal == 1:
		return "keeps every access inside a node"
	}
	return fmt.Sprintf("sends %s of its accesses to other nodes", percent(1-p.NodeLocal))
}

// contrast picks the group size to compare with: of the measured ones the one
// whose access time differs most, else of the modelled ones that fit into memory.
// ratio is its access time over that of now.
func contrast(points []engine.LocalityPoint, now *engine.LocalityPoint) (other *engine.LocalityPoint, ratio float64, modelled bool) {
	widest := -1.0
	for _, model := range []bool{false, true} {
		for i := range points {
			p := &points[i]
			if p.Group == now.Group {
				continue
			}
			t, base := p.Access, now.Access
			if model {
				t, base = p.LawAccess, now.LawAccess
			}
			stands := t > 0 && base > 0 && (model && p.Fits || !model && p.Accesses >= enough)
			if d := math.Abs(math.Log(t / base)); stands && d > widest {
				widest, other, ratio, modelled = d, p, t/base, model
			}
		}
		if other != nil {
			break
		}
	}
	return other, ratio, modelled
}

// price words what memory a costs beside b.
func price(a, b *engine.LocalityPoint) string {
	replicas := fmt.Sprintf("%d replicas", a.Replicas)
	if a.Replicas == 1 {
		replicas = "1 replica"
	}
	switch {
	case a.Memory > b.Memory && b.Memory > 0:
		return fmt.Sprintf("at %s× the memory (%s)", figure(float64(a.Memory)/float64(b.Memory)), replicas)
	case a.Memory < b.Memory && a.Memory > 0:
		return fmt.Sprintf("with 1/%s of the memory (%s)", figure(float64(b.Memory)/float64(a.Memory)), replicas)
	}
	return fmt.Sprintf("at the same memory (%s)", replicas)
}

// whyStates says what the ranks spent the last second on.
func whyStates(s *engine.Snapshot) string {
	var sum [cluster.States]float64
	n := 0.0
	for i := range s.Ranks {
		for state, share := range s.Ranks[i].Share {
			sum[state] += share
			n += share
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("in the last second ranks spent %s computing, %s inside calls and %s waiting.",
		percent(sum[cluster.Computing]/n), percent(sum[cluster.Calling]/n), percent(sum[cluster.Waiting]/n))
}

func percent(x float64) string { return fmt.Sprintf("%.0f%%", 100*x) }

// figure prints a ratio with two significant digits, whole from ten on.
func figure(x float64) string {
	if x >= 9.95 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}
