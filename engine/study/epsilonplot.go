package study

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// Plots of the study of overlap: figure 5, and figures 6 and 7.
const (
	plotComm = iota
	plotPlanes
	epsilonPlots
)

// commSteps is the number of intervals of figure 5's curves, without the kink.
const commSteps = 96

// planeSteps is the maximum number of points per doubling of n_k on figure 6's curve.
const planeSteps = 8

// minPlanesRange is the minimum upper end of the axis of figures 6 and 7.
const minPlanesRange = 64

// familyShares lists the f_comp,non of figure 5's curves, and their labels.
var familyShares = [...]struct {
	share float64
	text  string
}{{0, "0"}, {0.2, "0.2"}, {0.4, "0.4"}, {0.6, "0.6"}, {0.8, "0.8"}}

// drawEpsilon draws the model for m of n threads, without any point.
func drawEpsilon(v *engine.StudyView, level string, r models.Reserved) {
	v.Plots, v.Missing = make([]engine.Plot, epsilonPlots), nil
	if r.N < 2 {
		v.Missing = []engine.Hint{
			{Text: "ε compares schemes for the threads of a rank, but each rank has only 1."},
			{Text: "Increase threads/rank: ", Command: "threads-per-rank 8"},
		}
		return
	}
	if r.Check() != nil {
		v.Missing = []engine.Hint{
			{Text: fmt.Sprintf("%.3g of %d threads are reserved: no thread is left to compute.", r.M, r.N)},
			{Text: "Reserve fewer: ", Command: "reserved 1"},
		}
		return
	}
	comm, planes := &v.Plots[plotComm], &v.Plots[plotPlanes]
	scheme := fmt.Sprintf("m %.3g of n %d", r.M, r.N)
	if level != "" {
		scheme = level + ", " + scheme
	}
	comm.Title = "ε over f_comm, " + scheme
	comm.XRange = engine.Range{Max: 1}
	for _, f := range familyShares {
		line := commCurve(r, f.share)
		line.Label, line.Look = f.text, engine.Faint
		if top, err := models.LimitsOf(r, f.share); err == nil {
			line.LabelX, line.LabelY = top.CommBest, top.Max
		}
		comm.Lines = append(comm.Lines, line)
	}
	comm.Lines[0].Name = "modelled, by f_non"
	l, _ := models.LimitsOf(r, 0) // r has been checked
	comm.Rules = []engine.Rule{
		{At: l.Upper, Label: fmt.Sprintf("1 + m(1 − 1/n) = %.3g", l.Upper), Minor: true},
		{At: l.Lower, Label: fmt.Sprintf("1 − m/n = %.3g", l.Lower), Minor: true},
		{At: 1, Label: "ε = 1", Wide: "ε = 1: overlap pays off above"},
	}
	planes.Title = "ε over n_k, planes per rank"
	planes.Rules = []engine.Rule{{At: 1}}
	planes.XRange = engine.Range{Min: 1, Max: minPlanesRange}
	planes.Lines = []engine.Line{fittedCurve(r, minPlanesRange)}
	planes.Marks = publishedMarkers(r)
	fitRanges(v)
}

// fittedCurve returns the model over planes with the fit of figure 6.
func fittedCurve(r models.Reserved, maxPlanes int) engine.Line {
	line := planesCurve(r, models.PaperCommFitted, models.PaperSplit, maxPlanes)
	line.Name, line.Look = fmt.Sprintf("modelled, x_comm/x_overlap %.3g", models.PaperCommFitted), engine.Faint
	return line
}

// publishedMarkers returns the published values of figures 6 and 7.
func publishedMarkers(r models.Reserved) []engine.Marker {
	switch {
	case r.M == 1 && r.N == 8: // figure 6
		return []engine.Marker{
			{X: models.PaperCrossover, Y: 1, Kind: engine.Published},
			// Its position is the maximum of the model, where both terms of (14) are equal.
			{X: models.PaperCommFitted * 7 / 8, Y: models.PaperGain, Kind: engine.Published,
				Text: fmt.Sprintf("published: maximum ε %.3g, ε = 1 at %d", models.PaperGain, models.PaperCrossover)},
		}
	case r.M == 1 && r.N == 16: // figure 7
		return []engine.Marker{{X: math.NaN(), Y: math.NaN(), Kind: engine.Published, Text: "published: never below about 1"}}
	}
	return nil
}

// drawPoint adds the model at the current point.
func drawPoint(v *engine.StudyView, r models.Reserved) {
	at := v.Present().Cells
	l, _ := models.LimitsOf(r, at[EpsilonNonOverlap]) // r has been checked
	fitRanges(v)
	comm, planes := v.Plots[plotComm], v.Plots[plotPlanes]
	n := len(familyShares)
	here := commCurve(r, at[EpsilonNonOverlap])
	here.Kind = engine.Modelled
	comm.Lines = append(comm.Lines[:n:n], here)
	comm.Marks = []engine.Marker{
		{X: l.CommBest, Y: l.Max, Glyph: engine.AtBest, Kind: engine.Modelled, Under: true,
			Text: fmt.Sprintf("ε_max %.2f at %.0f%%", l.Max, 100*l.CommBest)},
		{X: l.CommEquiv, Y: 1, Glyph: engine.AtEqual, Kind: engine.Modelled, Under: true,
			Text: fmt.Sprintf("ε = 1 at %.0f%%", 100*l.CommEquiv)},
		{X: at[EpsilonComm], Y: at[EpsilonModel], Glyph: engine.AtModel, Kind: engine.Modelled},
	}
	maxPlanes := int(planes.XRange.Max)
	lines := planes.Lines[:1:1]
	if maxPlanes > minPlanesRange {
		lines = []engine.Line{fittedCurve(r, maxPlanes)}
	}
	if cost := at[EpsilonCommCost]; isFiniteCost(cost) {
		split := models.PaperSplit
		if at[EpsilonOverlap] > 0 {
			split = at[EpsilonNonOverlap] / at[EpsilonOverlap]
		}
		runCurve := planesCurve(r, cost, split, maxPlanes)
		runCurve.Kind = engine.Modelled
		lines = append(lines, runCurve)
		if cross, err := models.PlanesAtCrossover(r, cost); err == nil {
			marker := engine.Marker{X: cross, Y: 1, Glyph: engine.AtEqual, Kind: engine.Modelled,
				Text: fmt.Sprintf("ε = 1 at n_k %.3g", cross)}
			planes.Marks = append([]engine.Marker{marker}, planes.Marks...)
		}
	}
	planes.Lines = lines
	v.Plots[plotComm], v.Plots[plotPlanes] = comm, planes
}

// fitRanges extends the axes to the model's bounds and all points. It copies the plots, because
// the views of a launch share them.
func fitRanges(v *engine.StudyView) {
	v.Plots = slices.Clone(v.Plots)
	if len(v.Missing) > 0 {
		return
	}
	rules := v.Plots[plotComm].Rules
	upper, lower := rules[0].At, rules[1].At
	low := lower
	high := upper
	maxPlanes := float64(minPlanesRange)
	for i := range v.Rows {
		r := &v.Rows[i]
		maxPlanes = max(maxPlanes, r.Cells[EpsilonPlanes])
		if r.Flag != engine.Passing {
			low, high = min(low, r.Cells[EpsilonValue]), max(high, r.Cells[EpsilonValue])
		}
	}
	pad := 0.06 * (upper - lower)
	v.Plots[plotComm].YRange = engine.Range{Min: max(low-pad, 0), Max: high + pad}
	v.Plots[plotPlanes].YRange = v.Plots[plotComm].YRange
	v.Plots[plotPlanes].XRange = engine.Range{Min: 1, Max: maxPlanes}
}

// commCurve returns equation (3) over f_comm at a fixed f_comp,non, with its kink at f_comm,best.
func commCurve(r models.Reserved, nonOverlap float64) engine.Line {
	l, err := models.LimitsOf(r, nonOverlap)
	if err != nil {
		return engine.Line{}
	}
	line := engine.Line{X: make([]float64, 0, commSteps+2), Y: make([]float64, 0, commSteps+2)}
	at := func(comm float64) {
		if f, err := models.Split(comm, nonOverlap); err == nil {
			line.X, line.Y = append(line.X, comm), append(line.Y, models.EpsilonAt(r, f))
		}
	}
	step := (1 - nonOverlap) / commSteps
	for i := range commSteps + 1 {
		if x := float64(i) * step; l.CommBest > x-step && l.CommBest < x {
			at(l.CommBest)
		}
		at(min(float64(i)*step, 1-nonOverlap))
	}
	return line
}

// planesCurve returns equation (14) over the local planes, from 1 to maxPlanes. comm is
// x_comm/x_MVM,overlap, and nonOverlap is x_MVM,non/x_MVM,overlap.
func planesCurve(r models.Reserved, comm, nonOverlap float64, maxPlanes int) engine.Line {
	var line engine.Line
	x := models.SparseCosts{Comm: comm, NonOverlap: nonOverlap, Overlap: 1}
	last := 0
	for i := 0; last < maxPlanes; i++ {
		nk := min(int(math.Exp2(float64(i)/planeSteps)+0.5), maxPlanes)
		if nk == last {
			continue
		}
		last = nk
		f, err := x.Fractions(nk)
		if err != nil {
			return line
		}
		line.X, line.Y = append(line.X, float64(nk)), append(line.Y, models.EpsilonAt(r, f))
	}
	return line
}
