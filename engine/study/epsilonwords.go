package study

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// missingNotes explains why there is no point yet.
func missingNotes(s *engine.Snapshot) []engine.Note {
	text := "no point yet: ε, the speedup over masteronly, appears after an iteration"
	switch {
	case s.Phase == engine.Failed:
		text = "no point: the run failed"
	case s.Late():
		text = "no point: the host is too slow for valid timings"
	}
	return []engine.Note{{Text: text, Glyph: engine.NoGlyph, Dim: true}}
}

// factNotes returns the ε of the run, the modelled ε, and the product's cost of
// communication next to the published costs.
func factNotes(p *engine.Row, level string) []engine.Note {
	at := p.Cells
	all := []engine.Note{{Text: fmt.Sprintf("ε %.2f %s", at[EpsilonValue], p.Kind), Kind: p.Kind, Now: true}}
	if math.IsNaN(at[EpsilonValue]) {
		all[0] = engine.Note{Text: "no ε of " + level, Glyph: engine.Dash, Dim: true}
	}
	all = append(all,
		engine.Note{Text: fmt.Sprintf("%.2f modelled", at[EpsilonModel]), Glyph: engine.AtModel, Kind: engine.Modelled},
		engine.Note{Text: fmt.Sprintf("f_comm %.1f%%, f_non %.1f%%", 100*at[EpsilonComm], 100*at[EpsilonNonOverlap]),
			Kind: p.Kind})
	if isFiniteCost(at[EpsilonCommCost]) {
		all = append(all,
			engine.Note{Text: fmt.Sprintf("x_comm/x_overlap %.3g", at[EpsilonCommCost]), Kind: p.Kind},
			engine.Note{Text: fmt.Sprintf("SR8000-F1: %.3g, %.3g", models.PaperCommFitted, models.PaperCommProfiled),
				Kind: engine.Published})
	}
	return all
}

// isFiniteCost reports whether a cost is finite and not NaN.
func isFiniteCost(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// hiddenPhrase returns a phrase with the part of masteronly's communication time that the scheme
// saves: its gain over masteronly, at most the whole communication. The gain already includes the
// loss from computing on fewer threads. It returns "" if the metrics are insufficient.
func hiddenPhrase(t *Result) string {
	comm := t.Comm * t.Masteronly
	if !(comm > 0) || math.IsInf(comm, 1) || math.IsNaN(t.Scheme) {
		return ""
	}
	all := cluster.FromSeconds(comm).String()
	gain := min(t.Masteronly-t.Scheme, comm)
	switch {
	case !t.Overlaps:
		return all + " communication not hidden"
	case gain <= 0.005*comm:
		return all + " communication overlapped, without a gain"
	}
	return fmt.Sprintf("%s of %s communication now hidden", cluster.FromSeconds(gain), all)
}

// minGain is the minimum ratio of two ε for which another m is recommended.
const minGain = 1.01

// minIdle is the minimum share of the time that counts as idle.
const minIdle = 0.005

// whyEpsilon explains which term of equation (3) is the bottleneck, and the effect of another m.
// It returns "" if the model does not apply to the run.
func whyEpsilon(r models.Reserved, f models.Fractions, overlaps bool) string {
	e, err := models.Epsilon(r, f)
	if err != nil {
		return ""
	}
	if !overlaps {
		return whyMasteronly(r, f, e)
	}
	comm, comp := e.Max[0].Value*e.Value, e.Max[1].Value*e.Value // shares of the scheme's own time
	switch {
	case math.Abs(comm-comp) < minIdle:
		return "Communication and computation are balanced: threads are hardly ever idle (modelled)."
	case comm > comp:
		text := fmt.Sprintf("Communication is the bottleneck: compute threads are idle %s of the time", Percent(comm-comp))
		if more, ok := epsilonWith(r, f, e, +1); ok {
			return fmt.Sprintf("%s. %s communication thread would raise ε from %.2f to %.2f (modelled).", text,
				nextOrdinal(r.M), e.Value, more)
		}
		return text + ". More communication threads would not help (modelled)."
	}
	text := "Computation is the bottleneck: the reserved thread is idle"
	if r.M > 1 {
		text = fmt.Sprintf("Computation is the bottleneck: the %.3g reserved threads are idle", r.M)
	}
	text = fmt.Sprintf("%s %s of the time", text, Percent(comp-comm))
	if fewer, ok := epsilonWith(r, f, e, -1); ok {
		return fmt.Sprintf("%s. One reserved thread fewer would raise ε from %.2f to %.2f (modelled).", text, e.Value, fewer)
	}
	if e.Value < 1 {
		text += ". Masteronly would be faster"
	}
	return text + " (modelled)."
}

// epsilonWith returns ε with more reserved threads, and reports whether the gain is worth it.
func epsilonWith(r models.Reserved, f models.Fractions, e models.Prediction, more float64) (float64, bool) {
	other, err := models.Epsilon(models.Reserved{M: r.M + more, N: r.N}, f)
	return other.Value, err == nil && other.Value > e.Value*minGain
}

func nextOrdinal(m float64) string {
	if m == 1 {
		return "A second"
	}
	return "Another"
}

// whyMasteronly explains whether reserving threads would pay off.
func whyMasteronly(r models.Reserved, f models.Fractions, e models.Prediction) string {
	l, err := models.LimitsOf(r, f.NonOverlap)
	if err != nil {
		return ""
	}
	who := "1 reserved thread"
	if r.M != 1 {
		who = fmt.Sprintf("%.3g reserved threads", r.M)
	}
	asleep := fmt.Sprintf("All threads except one are idle during communication, %s of the time", Percent(f.Comm))
	if e.Value > 1 {
		return fmt.Sprintf("%s. With %s, ε would be %.2f (modelled).", asleep, who, e.Value)
	}
	return fmt.Sprintf("%s. This is too little for %s to pay off: at least %s is needed (modelled).", asleep, who,
		Percent(l.CommEquiv))
}
