package models_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/models"
)

// A fit on groups of 1 and 16 predicts groups of 2, 4 and 8 (nodes of 4 ranks).
func TestFitPredictsOtherGroups(t *testing.T) {
	const ll, lr = 0.4e-6, 4e-6
	node := func(g int) float64 { return models.NodeShare(min(g, 4), g) }
	at := func(g int) float64 { return models.AverageLatency(ll, lr, node(g)) }
	fit, err := models.FitLatencies([]models.Point{{node(1), at(1), 1}, {node(16), at(16), 1}})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(models.RelativeError(fit.Local, ll)) > 1e-9 || math.Abs(models.RelativeError(fit.Remote, lr)) > 1e-9 {
		t.Errorf("l_l = %v, l_r = %v, want %v and %v", fit.Local, fit.Remote, ll, lr)
	}
	for _, g := range []int{2, 4, 8} {
		if e := models.RelativeError(fit.At(node(g)), at(g)); math.Abs(e) > 1e-9 {
			t.Errorf("group %d: predicted %v for %v", g, fit.At(node(g)), at(g))
		}
	}
}

// A fit to points on the law returns its latencies, with residuals of 0 and any weights, if the
// points determine them.
func TestFitInvertsTheLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		local, remote := rapid.Float64Range(1e-9, 1e-6).Draw(t, "local"), rapid.Float64Range(1e-7, 1e-3).Draw(t, "remote")
		var points []models.Point
		for _, g := range []int{1, 4, 16, 64} {
			share := models.NodeShare(min(g, 4), g)
			points = append(points,
				models.Point{Share: share, Latency: models.AverageLatency(local, remote, share),
					Weight: rapid.Float64Range(1, 1000).Draw(t, "weight")})
		}
		f, err := models.FitLatencies(points)
		if err != nil {
			t.Fatal(err)
		}
		slack := 1e-9 * remote
		for i, d := range []float64{f.Local - local, f.Remote - remote, f.Residuals[0], f.Residuals[3]} {
			if math.Abs(d) > slack {
				t.Fatalf("deviation %d is %v: %+v for %v and %v", i, d, f, local, remote)
			}
		}
	})
}

// A point with more weight pulls the fit closer. The residual is measured − fitted.
func TestFitWeights(t *testing.T) {
	remote := func(first, second float64) models.LatencyFit {
		f, err := models.FitLatencies([]models.Point{{1, 1, 1}, {0, 4, first}, {0, 8, second}})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, c := range []struct{ first, second, want float64 }{{1, 1, 6}, {3, 1, 5}, {1, 3, 7}} {
		f := remote(c.first, c.second)
		if math.Abs(f.Remote-c.want) > 1e-12 || math.Abs(f.Residuals[1]-(4-c.want)) > 1e-12 {
			t.Errorf("weights %v and %v: l_r = %v with residuals %v, want %v", c.first, c.second, f.Remote, f.Residuals, c.want)
		}
	}
}

func TestFitUndetermined(t *testing.T) {
	for _, c := range []struct {
		what   string
		points []models.Point
		open   bool
		says   string
	}{
		{"nothing", nil, true, "0 given for 2 unknown"},
		{"one point", []models.Point{{.5, 1, 1}}, true, "measure another group size"},
		{"equal shares", []models.Point{{.25, 1, 1}, {.25, 2, 1}, {.25, 3, 1}}, true, "two different shares"},
		{"shares equal but for rounding", []models.Point{{.25, 1, 1}, {.25 + 1e-9, 2, 1}}, true, "too alike"},
		{"NaN latency", []models.Point{{0, 1, 1}, {1, math.NaN(), 1}}, false, "point 1: latency NaN"},
		{"endless latency", []models.Point{{0, math.Inf(1), 1}, {1, 1, 1}}, false, "point 0: latency +Inf"},
		{"negative latency", []models.Point{{0, -1, 1}, {1, 1, 1}}, false, "point 0: latency -1"},
		{"NaN share", []models.Point{{math.NaN(), 1, 1}, {1, 1, 1}}, false, "point 0: share NaN"},
		{"share above 1", []models.Point{{0, 1, 1}, {1.5, 1, 1}}, false, "point 1: share 1.5"},
		{"no weight", []models.Point{{0, 1, 1}, {1, 1, 0}}, false, "point 1: weight 0"},
		{"NaN weight", []models.Point{{0, 1, math.NaN()}, {1, 1, 1}}, false, "point 0: weight NaN"},
	} {
		_, err := models.FitLatencies(c.points)
		if err == nil || errors.Is(err, models.ErrUndetermined) != c.open || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q, undetermined %v", c.what, err, c.says, c.open)
		}
	}
}
