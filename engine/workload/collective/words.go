package collective

import (
	"fmt"
	"math"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// why explains the time of a call: its terms, what the model leaves out, and the times of other
// algorithms.
func why(v *engine.StudyView, s *engine.Snapshot, now *engine.Row) string {
	f := engine.DrawingIn[*Flow](v)
	text := fmt.Sprintf("%s among %d ranks, %s: %s per call", f.Name, f.Ranks, cluster.SizeText(now.Cells[columnSize]),
		cluster.FromSeconds(v.Time))
	if share := hiddenShare(s); share != "" {
		text += ", " + share
	}
	text += fmt.Sprintf(" (%s)", now.Kind)
	text += tuned(s)
	model := now.Cells[columnModel]
	if !(model > 0) {
		return text + "; " + describeShape(f) + "." + compareRuns(v, now)
	}
	text += fmt.Sprintf(", %s× the cost model's %s", study.Figure(v.Time/model), cluster.FromSeconds(model))
	alone := 0.0
	for _, t := range f.Terms {
		alone += t.Time
	}
	switch {
	case alone == 0:
		text += "."
	case math.Abs(alone/model-1) < logGP:
		text += " (" + sumOf(f.Terms) + ")."
	default:
		text += fmt.Sprintf(". Without shared resources, LogGP predicts %s (%s).", cluster.FromSeconds(alone), sumOf(f.Terms))
	}
	if l := s.Scenario.Layout(); model > contended*alone && alone > 0 && l.RanksPerNode > 1 && l.Nodes > 1 {
		text += fmt.Sprintf(" The %d ranks of a node share its adapters and memory.", l.RanksPerNode)
	}
	return text + compareRuns(v, now) + modelAdvice(v, now)
}

// tuned returns the cost of online tuning, or "" without it.
func tuned(s *engine.Snapshot) string {
	cost, ok := s.Metric("tuning_cost")
	if !ok {
		return ""
	}
	return fmt.Sprintf(", chosen online for %s", cluster.FromSeconds(cost.Value))
}

// hiddenShare returns the hidden share of a call with overlap, or "" without computation.
func hiddenShare(s *engine.Snapshot) string {
	call, _ := s.Metric("call_time")
	alone, _ := s.Metric("compute_time")
	share, ok := s.Metric("hidden_share")
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s of %s hidden", study.Percent(min(max(share.Value, 0), 1)),
		cluster.FromSeconds(min(call.Value, alone.Value)))
}

// logGP is the relative difference to LogGP's time up to which its terms explain a time.
const logGP = 0.05

// contended is the ratio of a time to LogGP's from which waits for shared resources dominate.
const contended = 1.5

// describeShape returns the number of messages and steps.
func describeShape(f *Flow) string {
	if f.Messages == 0 {
		return "no messages"
	}
	text := plural(f.Messages, "message")
	if f.Loads {
		text = plural(f.Messages, "load")
	}
	if f.Steps > 0 {
		text += " in " + plural(int64(f.Steps), "step")
	}
	return text
}

func plural(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// sumOf formats terms as a sum: "6 L + 12 o + 3 KiB·G".
func sumOf(terms []Term) string {
	var parts []string
	for _, t := range terms {
		count := fmt.Sprintf("%.0f %s", t.Count, t.Name)
		if t.Name == "G" || t.Name == "Gn" || t.Name == "copy" || t.Name == "add" {
			count = cluster.SizeText(t.Count) + "·" + t.Name
		}
		parts = append(parts, count)
	}
	return strings.Join(parts, " + ")
}

// compareRuns compares the run with the best other algorithm that ran with this size and team.
func compareRuns(v *engine.StudyView, now *engine.Row) string {
	var other *engine.Row
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind || r.Series == now.Series || algorithmIn(r) == "" || math.IsNaN(r.Cells[columnTime]) ||
			r.Cells[columnSize] != now.Cells[columnSize] || r.Cells[columnRanks] != now.Cells[columnRanks] {
			continue
		}
		if other == nil || r.Cells[columnTime] < other.Cells[columnTime] {
			other = r
		}
	}
	if other == nil {
		return ""
	}
	name, t := other.Series[:strings.LastIndex(other.Series, ", ")], cluster.FromSeconds(other.Cells[columnTime])
	switch ratio := other.Cells[columnTime] / v.Time; {
	case ratio >= study.Alike:
		return fmt.Sprintf(" %s took %s, %s× as long.", name, t, study.Figure(ratio))
	case ratio <= 1/study.Alike:
		return fmt.Sprintf(" %s took %s, %s× faster.", name, t, study.Figure(1/ratio))
	}
	return fmt.Sprintf(" %s took equally long, %s.", name, t)
}

// modelAdvice returns the model's fastest algorithm for the present knobs, and the size from which
// another one is faster.
func modelAdvice(v *engine.StudyView, now *engine.Row) string {
	f, flow := engine.DrawingIn[*Map](v), engine.DrawingIn[*Flow](v)
	if f == nil || f.NowX < 0 || f.NowY < 0 {
		return ""
	}
	best := modelWinner(f.At(f.NowX, f.NowY))
	if best < 0 {
		return ""
	}
	text := ""
	if current, _, _ := strings.Cut(strings.TrimPrefix(flow.Name, flow.Of+" by "), ","); f.Names[best] == current {
		text = " The model predicts no faster algorithm here"
	} else {
		text = fmt.Sprintf(" The model predicts that %s is fastest here", f.Names[best])
		if best < len(f.Terms) && f.Terms[best] != "" {
			text += ", " + f.Terms[best]
		}
	}
	for x := f.NowX + 1; x < len(f.X); x++ {
		if other := modelWinner(f.At(x, f.NowY)); other >= 0 && other != best {
			return text + fmt.Sprintf("; from %s on, %s is fastest.", cluster.SizeText(f.X[x]), f.Names[other])
		}
	}
	return text + "."
}

// modelWinner returns the model's winner of a cell, or −1 if unknown.
func modelWinner(w *Winner) int {
	if w.Kind == engine.Modelled {
		return w.Best
	}
	return w.Model
}
