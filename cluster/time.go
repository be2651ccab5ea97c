package cluster

import (
	"math"
	"strconv"
)

// Time is a point in time since launch, or a duration, in picoseconds. The maximum is 106 days.
type Time int64

// Units of Time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Seconds returns t in seconds.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// FromSeconds rounds s seconds to the nearest picosecond. Values out of range saturate; NaN becomes
// 0.
func FromSeconds(s float64) Time {
	ps := math.Round(s * float64(Second))
	switch {
	case math.IsNaN(ps):
		return 0
	case ps >= math.MaxInt64:
		return math.MaxInt64
	case ps <= math.MinInt64:
		return math.MinInt64
	}
	return Time(ps)
}

// String formats t with three significant digits and its unit, as in "4.10 µs".
func (t Time) String() string {
	v, unit := float64(t), "ps"
	for _, u := range []string{"ns", "µs", "ms", "s"} {
		if math.Abs(v) < 999.5 {
			break
		}
		v, unit = v/1000, u
	}
	digits := 2
	switch a := math.Abs(v); {
	case unit == "ps" || a >= 99.95:
		digits = 0
	case a >= 9.995:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + unit
}
