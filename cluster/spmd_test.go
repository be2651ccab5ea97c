package cluster_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// flat is a spec of p ranks on one node of this host, with a segment of 1 MiB.
func flat(p int) cluster.Spec {
	return cluster.Spec{
		Machine:    cluster.Machine{Name: "this-host", EagerLimit: 4096},
		Layout:     cluster.Layout{Nodes: 1, RanksPerNode: p, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat},
		Segment:    1 << 20,
		EagerLimit: -1,
		Seed:       1,
	}
}

// grouped is a spec of groups of g ranks, two ranks a node.
func grouped(model cluster.Model, groups, g int, seed uint64) cluster.Spec {
	s := flat(groups * g)
	if n := groups * g; n%2 == 0 {
		s.Layout.Nodes, s.Layout.RanksPerNode = n/2, 2
	}
	s.Layout.Model, s.Layout.Group, s.Layout.WorldSeed = model, g, seed
	return s
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
	if err := launch(t, s, body); err != nil {
		t.Fatal(err)
	}
}

func launch(t testing.TB, s cluster.Spec, body func(*cluster.Rank) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a hang is a failure
	defer cancel()
	return cluster.Launch(ctx, live.New(), s, body)
}

// both runs a body where transfers are in place, and where they are not.
func both(t *testing.T, s cluster.Spec, body func(*cluster.Rank) error) {
	t.Helper()
	t.Run("in place", func(t *testing.T) { run(t, s, body) })
	t.Run("over links", func(t *testing.T) { run(t, emulated(s), body) })
}

// refused is nil if err reads as wanted.
func refused(err error, want string) error {
	switch {
	case err == nil:
		return fmt.Errorf("not refused; want %q", want)
	case err.Error() != want:
		return fmt.Errorf("refused with\n%q, want\n%q", err, want)
	}
	return nil
}
