package pingpong

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// On a link with only latency l and bandwidth r, a message of l·r bytes reaches half of r.
func TestHalf(t *testing.T) {
	s := pingpong.Scenario([]string{"demo"})
	m := cluster.Machine{EagerLimit: 1 << 30, Emulated: true}
	m.Classes[cluster.Remote] = cluster.Link{Latency: 2 * cluster.Microsecond, Bandwidth: 10e9}
	if n, rate := halfBandwidth(&s, &m, engine.Emulated); n < 19_990 || n > 20_010 || rate < 4.99e9 || rate > 5.01e9 {
		t.Errorf("n½ = %d B at %.4g B/s, want 20000 at 5e9", n, rate)
	}
	if n, _ := halfBandwidth(&s, &m, engine.Measured); n != 0 {
		t.Errorf("n½ = %d B for measured times, which have no model", n)
	}
	m.Classes[cluster.Remote].Bandwidth = 0
	if n, _ := halfBandwidth(&s, &m, engine.Emulated); n != 0 {
		t.Errorf("n½ = %d B for a link without bandwidth", n)
	}
}
