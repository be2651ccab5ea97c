package cluster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// layoutOf reads a layout from the arguments of a test's command: nodes, ranks (a
// node), threads (a rank), ranking, model, group, seed.
func layoutOf(t *testing.T, d *datadriven.TestData) cluster.Layout {
	l := cluster.Layout{Nodes: 1, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat}
	scan(t, d, "nodes", &l.Nodes)
	scan(t, d, "ranks", &l.RanksPerNode)
	scan(t, d, "threads", &l.ThreadsPerRank)
	scan(t, d, "group", &l.Group)
	scan(t, d, "seed", &l.WorldSeed)
	scan(t, d, "ranking", (*string)(&l.Ranking))
	scan(t, d, "model", (*string)(&l.Model))
	return l
}

// scan reads an argument if the command has it.
func scan(t *testing.T, d *datadriven.TestData, name string, to any) {
	if d.HasArg(name) {
		d.ScanArgs(t, name, to)
	}
}

// TestLayout runs the stories of testdata/layout.txt: where ranks are, who they
// are, and which layouts are refused.
func TestLayout(t *testing.T) {
	datadriven.RunTest(t, "testdata/layout.txt", func(t *testing.T, d *datadriven.TestData) string {
		l := layoutOf(t, d)
		switch d.Cmd {
		case "validate":
			return verdict(l.Validate())
		case "check":
			s := cluster.Spec{Layout: l, Machine: cluster.Machine{Name: "m"}}
			scan(t, d, "machine-nodes", &s.Machine.Nodes)
			scan(t, d, "memory", &s.Machine.MemoryPerNode)
			scan(t, d, "segment", &s.Segment)
			return verdict(s.Check())
		case "ids":
			var b strings.Builder
			fmt.Fprintf(&b, "N %s world %v\n", l.N(), l.World())
			for r, id := range clustertest.IDs(&l) {
				fmt.Fprintf(&b, "rank %d node %d ID %s\n", r, l.NodeOf(r), id)
			}
			return b.String()
		}
		d.Fatalf(t, "unknown command %s", d.Cmd)
		return ""
	})
}

func verdict(err error) string {
	if err == nil {
		return "ok\n"
	}
	return err.Error() + "\n"
}

var layouts = rapid.Custom(func(t *rapid.T) cluster.Layout {
	l := cluster.Layout{
		Nodes:          rapid.IntRange(1, 12).Draw(t, "nodes"),
		RanksPerNode:   rapid.IntRange(1, 12).Draw(t, "ranks per node"),
		ThreadsPerRank: 1,
		Ranking:        rapid.SampledFrom(cluster.Rankings).Draw(t, "ranking"),
		Model:          rapid.SampledFrom(cluster.Models).Draw(t, "model"),
		WorldSeed:      rapid.Uint64Range(0, 3).Draw(t, "seed"),
	}
	var divisors []int
	for g := 1; g <= l.Ranks(); g++ {
		if l.Ranks()%g == 0 {
			divisors = append(divisors, g)
		}
	}
	l.Group = rapid.SampledFrom(divisors).Draw(t, "group")
	return l
})

// Paper 1, section 3.2.2: once renumbered, idgroup = idMPI/THREADS and
// ngroup = nMPI/nUPC; section 3.1: flat, MPI and UPC ranks are equal; section
// 3.2.1: funneled, the group is the MPI rank of its one MPI process.
func TestIDsFollowThePaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := layouts.Draw(t, "layout")
		if err := l.Validate(); err != nil {
			t.Fatal(err)
		}
		ids, n := clustertest.IDs(&l), l.N()
		seen := map[cluster.Triple]bool{}
		for r, id := range ids {
			if seen[id] {
				t.Fatalf("two ranks have ID %s", id)
			}
			seen[id] = true
			if id.UPC != l.UPCOf(r) || id.Group < 0 || id.Group >= n.Group || id.MPI >= n.MPI {
				t.Fatalf("rank %d has ID %s, N is %s", r, id, n)
			}
			if id.Group != ids[r-l.UPCOf(r)].Group {
				t.Fatalf("rank %d is in group %d, its thread 0 in %d", r, id.Group, ids[r-l.UPCOf(r)].Group)
			}
			switch {
			case l.Model == cluster.Flat && (id.Group != 0 || id.MPI != id.UPC || n.UPC != n.MPI),
				l.Model == cluster.NestedMultiple && (id.Group != id.MPI/n.UPC || n.Group != n.MPI/n.UPC),
				l.Model == cluster.NestedFunneled && n.MPI != n.Group,
				l.Model == cluster.NestedFunneled && id.UPC == 0 && (id.MPI != id.Group || int(l.World()[id.MPI]) != r),
				l.Model == cluster.NestedFunneled && id.UPC != 0 && id.MPI != -1:
				t.Fatalf("%s: rank %d has ID %s, N is %s", l.Model, r, id, n)
			}
		}
	})
}

// A uniformly drawn element of an array over the group is on the local rank with probability 1/G,
// and on the local node with probability |group ∩ node|/G (paper 1, section 4.3.1).
func TestClassShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := layouts.Draw(t, "layout")
		g := l.GroupSize()
		for r := range l.Ranks() {
			var got [cluster.Classes]int
			first := l.GroupOf(r) * g
			for to := first; to < first+g; to++ {
				got[l.ClassOf(r, to)]++
			}
			if want := sharesOf(&l, r); got != want {
				t.Fatalf("rank %d of %+v: classes %v of its group, want %v", r, l, got, want)
			}
		}
	})
}

// sharesOf counts a rank's group by class in closed form.
func sharesOf(l *cluster.Layout, r int) [cluster.Classes]int {
	g := l.GroupSize()
	first := l.GroupOf(r) * g
	var onNode int
	if l.Ranking == cluster.Cubes { // no closed form: count
		for other := first; other < first+g; other++ {
			if l.NodeOf(other) == l.NodeOf(r) {
				onNode++
			}
		}
	} else if l.Ranking == cluster.RoundRobin { // members first … first+g−1 that are ≡ r mod nodes
		onNode = count(first+g, r%l.Nodes, l.Nodes) - count(first, r%l.Nodes, l.Nodes)
	} else { // the overlap of two runs
		lo := r / l.RanksPerNode * l.RanksPerNode
		onNode = min(first+g, lo+l.RanksPerNode) - max(first, lo)
	}
	return [cluster.Classes]int{1, onNode - 1, g - onNode}
}

// count returns the number of i in 0 … n−1 with i ≡ rest mod m.
func count(n, rest, m int) int { return (n - rest + m - 1) / m }

func TestClassSharesOf4x4(t *testing.T) {
	want := map[string][cluster.Classes]int{
		"sequential 2": {1, 1, 0}, "sequential 4": {1, 3, 0}, "sequential 8": {1, 3, 4}, "sequential 16": {1, 3, 12},
		"round-robin 2": {1, 0, 1}, "round-robin 4": {1, 0, 3}, "round-robin 8": {1, 1, 6}, "round-robin 16": {1, 3, 12},
	}
	got := map[string][cluster.Classes]int{}
	for _, ranking := range []cluster.Ranking{cluster.Sequential, cluster.RoundRobin} {
		for _, g := range []int{2, 4, 8, 16} {
			l := cluster.Layout{Nodes: 4, RanksPerNode: 4, ThreadsPerRank: 1, Ranking: ranking, Model: cluster.NestedMultiple,
				Group: g}
			for r := range l.Ranks() {
				var c [cluster.Classes]int
				first := l.GroupOf(r) * g
				for to := first; to < first+g; to++ {
					c[l.ClassOf(r, to)]++
				}
				key := fmt.Sprintf("%s %d", ranking, g)
				if r > 0 && got[key] != c {
					t.Errorf("%s: rank %d has %v, rank 0 %v", key, r, c, got[key])
				}
				got[key] = c
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestSpecEager(t *testing.T) {
	s := cluster.Spec{Machine: cluster.Machine{EagerLimit: 8192}}
	for set, want := range map[int64]int64{0: 0, 64: 64, -1: 8192} {
		if s.EagerLimit = set; s.Eager() != want {
			t.Errorf("eager limit %d: %d in force, want %d", set, s.Eager(), want)
		}
	}
}

func TestMachineTimes(t *testing.T) {
	m := cluster.Machine{Flops: 2e9, MemoryRate: 1e9}
	m.Classes[cluster.Remote] = cluster.Link{Latency: 4 * cluster.Microsecond, Bandwidth: 1e9}
	m.Classes[cluster.InNode] = cluster.Link{Latency: 300 * cluster.Nanosecond}
	for _, c := range []struct {
		what      string
		got, want cluster.Time
	}{
		{"an empty message over the network", m.TransferTime(cluster.Remote, 0), 4 * cluster.Microsecond},
		{"a megabyte over the network", m.TransferTime(cluster.Remote, 1e6), 1004 * cluster.Microsecond},
		{"no bandwidth: no cost a byte", m.TransferTime(cluster.InNode, 1e6), 300 * cluster.Nanosecond},
		{"bound by flops", m.ComputeTime(cluster.Work{Flops: 4e9, Bytes: 1e9}), 2 * cluster.Second},
		{"bound by memory", m.ComputeTime(cluster.Work{Flops: 4, Bytes: 3e9}), 3 * cluster.Second},
		{"unknown machine", (&cluster.Machine{}).ComputeTime(cluster.Work{Flops: 4}), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
}

func TestLaunchRefusesABadSpec(t *testing.T) {
	err := cluster.Launch(t.Context(), nil, cluster.Spec{}, func(*cluster.Rank) error { return errors.New("ran") })
	if err == nil || err.Error() != "nodes = 0: a cluster needs at least one node" {
		t.Errorf("launch of an empty spec: %v", err)
	}
}
