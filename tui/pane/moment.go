package pane

import (
	"cmp"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Moment is the time that crosshairs mark, on the fabric's clock of the latest launch. All panes with an axis of time
// mark the same moment.
type Moment struct {
	Marked bool
	At     cluster.Time
}

// LatestLaunch returns the samples of the latest launch.
func LatestLaunch(all []engine.Sample) []engine.Sample {
	first := len(all)
	for first > 0 && (first == len(all) || all[first-1].Fabric <= all[first].Fabric) {
		first--
	}
	return all[first:]
}

// ClockOf converts a wall-clock time, in seconds since the start of the session, to the fabric's clock. It interpolates
// between the samples of a launch, and returns false outside of them.
func ClockOf(launch []engine.Sample, wall float64) (cluster.Time, bool) {
	i, _ := slices.BinarySearchFunc(launch, wall, func(s engine.Sample, x float64) int { return cmp.Compare(s.At.Seconds(), x) })
	if i == len(launch) || i == 0 && wall < launch[0].At.Seconds() {
		return 0, false
	}
	if i == 0 {
		return launch[0].Fabric, true
	}
	a, b := &launch[i-1], &launch[i]
	part := (wall - a.At.Seconds()) / (b.At - a.At).Seconds()
	return a.Fabric + cluster.Time(part*float64(b.Fabric-a.Fabric)), true
}

// WallOf converts a time of the fabric's clock to the wall clock. It is the inverse of ClockOf.
func WallOf(launch []engine.Sample, at cluster.Time) (float64, bool) {
	i, _ := slices.BinarySearchFunc(launch, at, func(s engine.Sample, x cluster.Time) int { return cmp.Compare(s.Fabric, x) })
	if i == len(launch) || i == 0 && at < launch[0].Fabric {
		return 0, false
	}
	if i == 0 {
		return launch[0].At.Seconds(), true
	}
	a, b := &launch[i-1], &launch[i]
	part := float64(at-a.Fabric) / float64(b.Fabric-a.Fabric)
	return a.At.Seconds() + part*(b.At-a.At).Seconds(), true
}
