package presets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func TestScaled(t *testing.T) {
	m, err := Machine("sr8000")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key    string
		factor float64
		got    func(m *cluster.Machine) float64
	}{
		{"remote.overhead_s", 2, func(m *cluster.Machine) float64 { return m.Classes[cluster.Remote].Overhead.Seconds() }},
		{"memory_rate_per_core_bytes_per_s", 0.5, func(m *cluster.Machine) float64 { return m.MemoryRate }},
		{"eager_limit_bytes", 2, func(m *cluster.Machine) float64 { return float64(m.EagerLimit) }},
		{"remote.adapters_per_node", 2, func(m *cluster.Machine) float64 {
			return float64(m.Classes[cluster.Remote].Adapters)
		}},
	} {
		next, err := Scaled(&m, c.key, c.factor)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, want := c.got(&next), c.factor*c.got(&m); got != want || got == c.got(&m) {
			t.Errorf("%s × %g is %g, want %g", c.key, c.factor, got, want)
		}
		n := 0
		for _, p := range Pair(&m, &next) {
			switch changed := fmt.Sprint(p[0].Value) != fmt.Sprint(p[1].Value); {
			case changed && p[0].Key != c.key:
				t.Errorf("%s × %g changes %s", c.key, c.factor, p[0].Key)
			case changed:
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s × %g changes it %d times", c.key, c.factor, n)
		}
	}
	for _, c := range []struct {
		key    string
		factor float64
		want   string
	}{
		{"remote.adapters_per_node", 0.5, "remote.adapters_per_node cannot be multiplied by 0.5"},
		{"topology.shape", 2, "topology.shape cannot be multiplied by 2"},
		{"remote.latency_s", 1e9, "remote.latency_s cannot be multiplied by 1e+09"},
		{"colour", 2, "there is no number colour"},
	} {
		if _, err := Scaled(&m, c.key, c.factor); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
