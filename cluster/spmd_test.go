package cluster_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// flat is a spec of p ranks on one node of this host.
func flat(p int) cluster.Spec { return clustertest.Spec(clustertest.Host(), 1, p) }

// grouped is a spec with groups of g ranks, two ranks per node.
func grouped(model cluster.Model, groups, g int, seed uint64) cluster.Spec {
	return clustertest.Grouped(clustertest.Host(), model, groups, g, seed)
}

// emulated lets transfers pass links: nothing is done in place.
func emulated(s cluster.Spec) cluster.Spec {
	s.Machine.Name, s.Machine.Emulated = "emulated", true
	for c := range s.Machine.Classes {
		s.Machine.Classes[c] = cluster.Link{Latency: cluster.Time(1+c) * cluster.Microsecond, Bandwidth: 1e10}
	}
	s.Dilation = 1
	return s
}

// run runs a body on every rank of the live fabric; an error of any is fatal.
func run(t testing.TB, s cluster.Spec, body func(*cluster.Rank) error) {
	t.Helper()
	clustertest.Must(t, live.New(), s, body)
}

func launch(t testing.TB, s cluster.Spec, body func(*cluster.Rank) error) error {
	t.Helper()
	return clustertest.Launch(t, live.New(), s, body)
}
