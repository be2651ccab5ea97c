package session

import (
	"slices"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Recent traffic is the traffic of the second before the latest counts. It excludes earlier
// traffic, and does not decrease when no counts follow.
func TestRecentTrafficOfLastSecond(t *testing.T) {
	l := cluster.Layout{Nodes: 2, RanksPerNode: 2, ThreadsPerRank: 1}
	counts := func(n int64) *frame { // after n iterations of 1 ms with 100 B from node 0 to node 1
		f := newFrame(2, 0)
		f.ranks, f.spent = 4, 4*cluster.Time(n)*cluster.Millisecond
		f.pairs[0][1], f.traffic.Bytes[cluster.Remote] = 100*n, 100*n
		return f
	}
	var r recent
	r.take(0, new(frame))
	if v := r.view(&l); v.Span != 0 || v.Pairs != nil || v.Nodes != 1 {
		t.Errorf("before any count: %+v", v)
	}
	r.take(50*time.Millisecond, counts(3))
	if v := r.view(&l); v.Span != 3*cluster.Millisecond || !slices.Equal(v.Pairs, []int64{0, 300, 0, 0}) {
		t.Errorf("after the first sample: %+v", v)
	}
	for i := int64(1); i <= 200; i++ { // ten seconds with ten iterations per sample
		r.take(50*time.Millisecond*time.Duration(i), counts(10*i))
	}
	for range 100 {
		r.take(time.Minute, counts(2000)) // a long iteration
	}
	want := engine.Recent{Span: 200 * cluster.Millisecond, Class: [cluster.Classes]int64{cluster.Remote: 20000},
		Nodes: 1, Pairs: []int64{0, 20000, 0, 0}}
	if v := r.view(&l); v.Span != want.Span || v.Class != want.Class || !slices.Equal(v.Pairs, want.Pairs) {
		t.Errorf("%+v, want %+v", v, want)
	}
}

// For many nodes, recent traffic lists the bytes between blocks of nodes. Their sum equals the sum
// over classes.
func TestRecentTrafficOfManyNodes(t *testing.T) {
	s := start(t,
		storyOf(t, "send", "fabric", "sim", "machine", "xc30-edison", "nodes", "100", "ranks-per-node", "1", "group", "1"),
		Options{Limits: Limits{Iterations: 3}, Fabrics: Fabrics()})
	if err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	snap := s.Load()
	v := &snap.Recent
	if v.Nodes != 2 || v.Blocks(100) != 50 || len(v.Pairs) != 50*50 || snap.NodePairs != nil {
		t.Fatalf("%d nodes a block, %d pairs, node pairs %v", v.Nodes, len(v.Pairs), snap.NodePairs != nil)
	}
	if v.Pairs[0] != 3*100 || v.Pairs[49] != 3*200 || v.Class[cluster.Remote] != 3*9900 {
		t.Errorf("rank 0 sent %d B to its own block, %d B to the last, %d B in all; want 300, 600, 29700", v.Pairs[0],
			v.Pairs[49], v.Class[cluster.Remote])
	}
}
