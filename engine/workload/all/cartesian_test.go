package all_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// Pure MPI sends as many bytes between nodes as one process of as many threads. Pure MPI moves the
// same number of bytes again inside the node (paper 2, section 5).
func TestCartesianBytes(t *testing.T) {
	traffic := func(knobs map[string]string) cluster.Traffic {
		k := map[string]string{"nodes": "3", "size": "1000", "rounds": "1"}
		for name, v := range knobs {
			k[name] = v
		}
		return (&trial{workload: "cartesian", knobs: k, iterations: 1}).sound(t).traffic
	}
	pure := traffic(map[string]string{"ranks-per-node": "4", "threads-per-rank": "1"})
	hybrid := traffic(map[string]string{"ranks-per-node": "1", "threads-per-rank": "4"})
	// Rounds: the verified one and both timed ones, 3 nodes, 4 CPUs, 2 directions. The rest is the
	// bytes of setup.
	const rounds = 3 * 3 * 4 * 2 * 1000
	for name, b := range map[string]int64{
		"pure MPI, between nodes": pure.Bytes[cluster.Remote], "pure MPI, inside": pure.Bytes[cluster.InNode],
		"hybrid, between nodes": hybrid.Bytes[cluster.Remote],
	} {
		if b < rounds || b > rounds+2000 {
			t.Errorf("%s: %d B, want %d and at most 2000 more", name, b, rounds)
		}
	}
	if b := hybrid.Bytes[cluster.InNode]; b > 0 {
		t.Errorf("hybrid: %d B inside nodes, want none", b)
	}
}

// Sending threads share the messages and can copy them first. They need thread level MULTIPLE.
func TestCartesianSenders(t *testing.T) {
	for _, senders := range []string{"1", "2", "3", "4"} {
		for _, directions := range []string{"apart", "together"} {
			for _, copies := range []string{"none", "staged"} {
				(&trial{workload: "cartesian",
					knobs: map[string]string{"nodes": "3", "ranks-per-node": "1", "threads-per-rank": "4", "size": "1001",
						"senders": senders, "directions": directions, "copies": copies, "method": "nonblocking"}, iterations: 2}).sound(t)
			}
		}
	}
	_, _, _, _, err := (&trial{workload: "cartesian", knobs: map[string]string{"senders": "2", "threads-per-rank": "1"}, iterations: 1}).plan(t)
	wantRefusal(t, err, "a process has only 1 threads", "use fewer senders")
	_, _, _, _, err = (&trial{workload: "cartesian", knobs: map[string]string{"nodes": "1", "ranks-per-node": "1"},
		iterations: 1}).plan(t)
	wantRefusal(t, err, "no neighbour", "use more nodes")
}
