package presets

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// Scaled returns a copy of a machine with one number multiplied by factor. It returns an error if
// the number is not set, would leave its bounds, or is a count and would not be a whole number.
func Scaled(m *cluster.Machine, key string, factor float64) (cluster.Machine, error) {
	for i := range facts {
		f := &facts[i]
		if f.key != key {
			continue
		}
		next := *m
		x := math.NaN()
		fits := func(v float64) bool {
			x = v * factor
			return v != 0 && x >= f.min && x <= f.max
		}
		switch p := f.field(&next).(type) {
		case *float64:
			if fits(*p) {
				*p = x
				return next, nil
			}
		case *cluster.Time:
			if fits(p.Seconds()) {
				*p = cluster.FromSeconds(x)
				return next, nil
			}
		case *int:
			if fits(float64(*p)) && x == math.Trunc(x) {
				*p = int(x)
				return next, nil
			}
		case *int64:
			if fits(float64(*p)) && x == math.Trunc(x) {
				*p = int64(x)
				return next, nil
			}
		}
		return cluster.Machine{}, fmt.Errorf("machine %s: %s cannot be multiplied by %g", m.Name, key, factor)
	}
	return cluster.Machine{}, fmt.Errorf("machine %s: there is no number %s (hybridtop machine show %[1]s lists the numbers)", m.Name, key)
}
