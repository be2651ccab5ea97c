package presets

import (
	"fmt"
	"path"
	"strings"
	"testing"
)

// The bounds of a number detect a wrong unit: a latency in microseconds, a bandwidth in GB/s,
// memory in GiB.
func TestBounds(t *testing.T) {
	rules := []struct {
		keys     string // a pattern; the first that fits counts
		min, max float64
	}{
		{"*_bytes_per_s", 1e3, 1e18},
		{"*flops*", 1e3, 1e18},
		{"*.latency_s", 1e-12, 1},
		{"*.access_s", 1e-12, 1},
		{"*.handshake_gap_s", 1e-12, 1},
		{"detour_rate_per_s", 0, 1e6},
		{"*_s", 0, 1},
		{"*_noise", 0, 10},
		{"kernel.*", 1e-3, 1},
		{"*.inline.limit_bytes", 1, 65536},
		{"*.uncached.limit_bytes", 1, 1e12},
		{"eager_limit_bytes", 0, 1e12},
		{"*memory*_bytes", 65536, 1e15},
		{"nodes", 1, 1e7},
		{"cores_per_node", 1, 1e5},
		{"sockets_per_node", 1, 1024},
		{"*.adapters_per_node", 1, 1024},
		{"device.per_node", 1, 1024},
		{"vcis", 1, 64},
		{"topology.dims", 1, 1e6},
		{"topology.taper", 1e-3, 100},
		{"*", 0, 0}, // words and flags
	}
	for _, f := range facts {
		for _, r := range rules {
			if fits, err := path.Match(r.keys, f.key); err != nil {
				t.Fatal(err)
			} else if fits {
				if f.min != r.min || f.max != r.max {
					t.Errorf("%s is from %v to %v, want %v to %v", f.key, f.min, f.max, r.min, r.max)
				}
				break
			}
		}
	}

	// A value equal to a bound is valid.
	for value, within := range map[string]bool{"0": false, "1": true, "10_000_000": true, "10_000_001": false} {
		text := edit(t, string(demo(t)), "[nodes]\nvalue = 64\n", fmt.Sprintf("[nodes]\nvalue = %s\n", value))
		_, err := decodeMachine("x.toml", []byte(text))
		if refused := err != nil && strings.Contains(err.Error(), "nodes.value: is "); refused == within {
			t.Errorf("%s nodes: %v", value, err)
		}
	}
}
