package study

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// sweepPoint is a run of a sweep, with the row of its group size.
type sweepPoint struct {
	row   int // of the sweep
	cells []float64
}

// fitLocality fits the law l_avg = (l_l − l_r)·P + l_r to the two runs with the extreme shares P
// of local accesses. It needs comparable runs with recorded accesses at two different shares.
func fitLocality(st *engine.Study, runs []*engine.Snapshot) (*engine.Fit, error) {
	var points []sweepPoint
	nodes, rest := 1, ""
	for i, s := range runs {
		if s == nil {
			continue
		}
		if len(points) > 0 && st.Rest(&s.Scenario) != rest {
			return nil, fmt.Errorf("fit: the rows differ in more than group and model (vary only these two)")
		}
		v := s.Study(LocalityName)
		if v == nil {
			continue
		}
		if p := v.Present(); p != nil && p.Cells[LocalityAccess] > 0 {
			points = append(points, sweepPoint{row: i, cells: p.Cells})
			nodes, rest = s.Layout.Nodes, st.Rest(&s.Scenario)
		}
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("no accesses recorded: %w", models.ErrUndetermined)
	}
	f := &engine.Fit{Formula: "l_avg = (l_l − l_r)·P + l_r, fitted to the two extremes", Share: "P", Within: "node",
		Metric: st.Metric}
	law, measured := LocalityLawNode, LocalityNode
	if nodes == 1 {
		f.Within = "rank"
		law = LocalityLawRank
		measured = LocalityRank
	}
	low, high := extremes(points, law)
	var ends []models.Point
	for _, s := range []sweepPoint{low, high} {
		ends = append(ends,
			models.Point{Share: s.cells[measured], Latency: s.cells[LocalityAccess], Weight: s.cells[LocalityAccesses]})
	}
	fit, err := models.FitLatencies(ends)
	if err != nil {
		return nil, err
	}
	f.Constants = []engine.Metric{
		{Name: "l_l", Value: fit.Local, Unit: "s", Kind: engine.Modelled},
		{Name: "l_r", Value: fit.Remote, Unit: "s", Kind: engine.Modelled},
	}
	for _, s := range points {
		p := engine.Prediction{Row: s.row, Share: s.cells[law], Measured: s.cells[LocalityAccess],
			Fitted: s.row == low.row || s.row == high.row}
		p.Predicted = fit.At(p.Share)
		p.Error = models.RelativeError(p.Predicted, p.Measured)
		f.Predictions = append(f.Predictions, p)
	}
	return f, nil
}

// extremes returns the runs with the smallest and the largest share by the law. Among runs with
// the same share it returns the outermost: at G = 1, no access leaves the rank.
func extremes(points []sweepPoint, law int) (low, high sweepPoint) {
	low, high = points[0], points[0]
	for _, s := range points[1:] {
		share, group := s.cells[law], s.cells[LocalityGroup]
		if lowest := low.cells[law]; share < lowest || share == lowest && group > low.cells[LocalityGroup] {
			low = s
		}
		if highest := high.cells[law]; share > highest || share == highest && group < high.cells[LocalityGroup] {
			high = s
		}
	}
	return low, high
}
