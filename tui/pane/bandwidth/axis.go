package bandwidth

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// axis is the time axis of the chart since the start of the workload: the wall clock, or the virtual
// clock of a simulation. The virtual times of successive launches follow each other.
type axis struct {
	isVirtual bool
	origin    float64         // of the wall clock, in s since the start of the session
	samples   []engine.Sample // since the origin
	newest    float64         // position of the last sample, or of the present
	launches  []launch        // with a virtual clock
	rate      float64         // seconds on the axis per second of the fabric's clock, in the latest launch
}

// launch is the start of a launch on the virtual axis.
type launch struct {
	at    time.Duration // of its first sample
	begin cluster.Time  // position of its time 0
}

// updateAxis computes the axis for a snapshot.
func (p *Pane) updateAxis(snap *engine.Snapshot) {
	a := axis{launches: p.axis.launches[:0]}
	for i := range snap.Marks {
		if m := &snap.Marks[i]; m.NewWorkload {
			a.origin = m.At.Seconds()
		}
	}
	first, _ := slices.BinarySearchFunc(snap.Series, a.origin, func(s engine.Sample, x float64) int {
		return cmp.Compare(s.At.Seconds(), x)
	})
	a.samples = snap.Series[first:]
	n := len(a.samples)
	a.isVirtual = !p.wall && snap.Kind == engine.Simulated && n > 0 && a.samples[n-1].Fabric > 0
	if a.isVirtual {
		var begin, last cluster.Time
		for i := range a.samples {
			if s := &a.samples[i]; i == 0 || s.Fabric < last {
				begin += last
				a.launches = append(a.launches, launch{at: s.At, begin: begin})
			}
			last = a.samples[i].Fabric
		}
	} else {
		a.newest = max(snap.Elapsed.Seconds()-a.origin, 0)
	}
	if len(a.samples) > 0 {
		a.newest = a.position(&a.samples[len(a.samples)-1])
	}
	a.rate = 1
	if latest := pane.LatestLaunch(a.samples); !a.isVirtual && len(latest) > 1 {
		first, last := &latest[0], &latest[len(latest)-1]
		if fabric := (last.Fabric - first.Fabric).Seconds(); fabric > 0 {
			a.rate = (last.At - first.At).Seconds() / fabric
		}
	}
	p.axis = a
}

// duration returns the duration of a part of the axis on the fabric's clock.
func (a *axis) duration(x float64) cluster.Time { return cluster.FromSeconds(x / a.rate) }

// positionAt returns the position of a time on the fabric's clock of the latest launch. Before and after its samples, the
// clock has the rate of the launch.
func (a *axis) positionAt(at cluster.Time) float64 {
	if x, ok := a.positionOf(at); ok || len(a.samples) == 0 {
		return x
	}
	last := &a.samples[len(a.samples)-1]
	return a.newest + (at-last.Fabric).Seconds()*a.rate
}

// timeAt is the inverse of positionAt. It is negative before the launch.
func (a *axis) timeAt(x float64) cluster.Time {
	if at, ok := a.clock(x); ok || len(a.samples) == 0 {
		return at
	}
	last := &a.samples[len(a.samples)-1]
	return last.Fabric + a.duration(x-a.newest)
}

// position returns the position of a sample on the axis.
func (a *axis) position(s *engine.Sample) float64 {
	if !a.isVirtual {
		return s.At.Seconds() - a.origin
	}
	i := len(a.launches) - 1
	for i > 0 && s.At < a.launches[i].at {
		i--
	}
	return (a.launches[i].begin + s.Fabric).Seconds()
}

// clock returns the time of a position on the fabric's clock of the latest launch. It returns false if the position is
// in an earlier launch.
func (a *axis) clock(x float64) (cluster.Time, bool) {
	if !a.isVirtual {
		return pane.ClockOf(pane.LatestLaunch(a.samples), x+a.origin)
	}
	at := cluster.FromSeconds(x) - a.launches[len(a.launches)-1].begin
	return at, at >= 0
}

// positionOf returns the position of a time on the fabric's clock of the latest launch. It returns false if the axis
// does not have it.
func (a *axis) positionOf(at cluster.Time) (float64, bool) {
	if !a.isVirtual {
		wall, ok := pane.WallOf(pane.LatestLaunch(a.samples), at)
		return wall - a.origin, ok
	}
	x := (a.launches[len(a.launches)-1].begin + at).Seconds()
	return x, x <= a.newest
}

// search returns the index of the first sample at or after a position.
func (a *axis) search(all []engine.Sample, x float64) int {
	i, _ := slices.BinarySearchFunc(all, x, func(s engine.Sample, x float64) int {
		if a.position(&s) < x {
			return -1
		}
		return 1
	})
	return i
}

// markerPosition returns the position of a marker, or false if it is before the start of the axis.
// On a virtual clock this is the position of the first sample after the marker.
func (a *axis) markerPosition(m *engine.Mark) (float64, bool) {
	if !a.isVirtual {
		x := m.At.Seconds() - a.origin
		return x, x >= 0
	}
	i := slices.IndexFunc(a.samples, func(s engine.Sample) bool { return s.At > m.At })
	if i == 0 && m.NewWorkload {
		return 0, true
	}
	if i < 1 {
		return math.NaN(), false
	}
	return a.position(&a.samples[i]), true
}

// visible returns the samples of an interval of the axis, and the samples before and after it, so that the curves reach
// the edges of the chart.
func (p *Pane) visible(from, to float64) []engine.Sample {
	s := p.axis.samples
	i, j := p.axis.search(s, from), len(s)
	for j > i && p.axis.position(&s[j-1]) > to {
		j--
	}
	return s[max(0, i-1):min(j+1, len(s))]
}
