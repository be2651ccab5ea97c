package collective

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A wrong byte in the result of any rank is noticed.
func TestWrongBytesAreFound(t *testing.T) {
	const ranks, n = 5, 24
	for what := range coll.Collective(coll.Collectives) {
		for me := range ranks {
			x := &call{what: what, ranks: ranks, me: me, root: 2, n: n, stamp: 7}
			var b buffers
			b.resize(what, ranks, me == x.root, n)
			right(x, &b)
			if wrong := x.check(&b); wrong != "" {
				t.Errorf("%s, rank %d: a correct result is called wrong: %s", what, me, wrong)
			}
			for i := range b.outBytes() {
				b.outBytes()[i] ^= 1
				if x.check(&b) == "" {
					t.Errorf("%s, rank %d: wrong byte %d of %d is not noticed", what, me, i, len(b.outBytes()))
				}
				b.outBytes()[i] ^= 1
			}
		}
	}
}

// right computes a collective by definition, from the data that all ranks pass.
func right(x *call, b *buffers) {
	given := func(rank int) []byte {
		of := *x
		of.me = rank
		var b buffers
		b.resize(x.what, x.ranks, rank == x.root, x.n)
		of.fill(&b)
		if x.what == coll.OpBcast {
			return b.outBytes()
		}
		return b.inBytes()
	}
	block := func(b []byte, i int) []byte { return b[int64(i)*x.n:][:x.n] }
	out := b.outBytes()
	switch x.what {
	case coll.OpBcast:
		copy(out, given(x.root))
	case coll.OpScatter:
		copy(out, block(given(x.root), x.me))
	case coll.OpGather, coll.OpAllgather:
		for r := range x.ranks {
			if len(out) > 0 {
				copy(block(out, r), given(r))
			}
		}
	case coll.OpExchange:
		for r := range x.ranks {
			copy(block(out, r), block(given(r), x.me))
		}
	case coll.OpReduce, coll.OpAllreduce, coll.OpScan, coll.OpReduceScatter:
		clear(out)
		last := x.ranks - 1
		if x.what == coll.OpScan {
			last = x.me
		}
		for r := range last + 1 {
			from := given(r)
			if x.what == coll.OpReduceScatter {
				from = block(from, x.me)
			}
			add(out, from)
		}
	}
}

// The terms of a time add up to it, and count each cost: a binomial tree of 64 ranks has 6 messages
// on its longest path, a chain 63.
func TestTermsAddUp(t *testing.T) {
	c := coll.Cost{L: 5 * cluster.Microsecond, O: cluster.Microsecond, Gap: cluster.Microsecond / 2,
		G: cluster.Nanosecond, Copy: 300, Combine: 500}
	for _, a := range coll.All() {
		for _, ranks := range []int{2, 8, 64, 100} {
			for _, n := range []int64{0, 8, 4096} {
				k, err := a.Key(coll.Parameters{Ranks: ranks})
				if err != nil {
					continue
				}
				sum := 0.0
				for _, term := range terms(&k, &c, n) {
					sum += term.Time
				}
				if want := k.Predict(&c, n).Seconds(); math.Abs(sum-want) > 0.02*want {
					t.Errorf("%s by %s, %d ranks, %d B: terms add up to %g, want %g", a.Collective, a.Name, ranks, n, sum, want)
				}
			}
		}
	}
	for name, want := range map[string]float64{"knomial": 6, "chain": 63, "flat": 1} {
		a, err := coll.Find(coll.OpBcast, name)
		if err != nil {
			t.Fatal(err)
		}
		k, err := a.Key(coll.Parameters{Ranks: 64})
		if err != nil {
			t.Fatal(err)
		}
		all := terms(&k, &c, 8)
		if i := slices.IndexFunc(all, func(t Term) bool { return t.Name == "L" }); i < 0 || all[i].Count != want {
			t.Errorf("%s among 64: %+v, want %g L", name, all, want)
		}
	}
}

// A run has the network of its partition, or the network of the whole machine.
func TestPartition(t *testing.T) {
	s := collective.Scenario([]string{"demo"})
	if err := s.Set("nodes", "12"); err != nil {
		t.Fatal(err)
	}
	m := cluster.Machine{Topology: cluster.Topology{Shape: cluster.Torus, Dims: []int{16, 16, 8}}}
	local, whole := m, m
	if workload.FitPartition(&s, &local); !slices.Equal(local.Topology.Dims, []int{3, 2, 2}) {
		t.Errorf("12 nodes, partition = own: %v", local.Topology.Dims)
	}
	if err := s.Set("partition", "machine"); err != nil {
		t.Fatal(err)
	}
	if workload.FitPartition(&s, &whole); !slices.Equal(whole.Topology.Dims, m.Topology.Dims) {
		t.Errorf("12 nodes, partition = machine: %v", whole.Topology.Dims)
	}
}

// Algorithms that the team cannot run are barred with a reason, and the knob skips them.
func TestBarredAlgorithms(t *testing.T) {
	s := collective.Scenario([]string{"demo"})
	for knob, value := range map[string]string{"collective": "allgather", "nodes": "3", "ranks-per-node": "1"} {
		if err := s.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	s = collective.WithBars(s, &workload.Site{Machine: &cluster.Machine{}, Virtual: true})
	k, err := s.Knob("algorithm")
	if err != nil {
		t.Fatal(err)
	}
	if why := k.Blocked["direct"]; !strings.Contains(why, "one node") {
		t.Errorf("loads between 3 nodes: %q, want the reason", why)
	}
	if why := k.Blocked["neighbour-exchange"]; !strings.Contains(why, "even") {
		t.Errorf("neighbour exchange among 3 ranks: %q, want the reason", why)
	}
	v := k.Default
	for range k.Choices {
		v = k.Next(v, +1)
		if k.Blocked[v] != "" {
			t.Errorf("the knob offers %s, which is barred: %s", v, k.Blocked[v])
		}
	}
	if v != k.Default && len(k.Blocked) == 0 {
		t.Error("nothing is barred")
	}
}

// If the new collective does not have the algorithm, the model chooses one. The order in which
// knobs are set does not matter.
func TestAlgorithmsGoByTheCollective(t *testing.T) {
	s := collective.Scenario([]string{"demo"})
	set := func(knob, value string) {
		t.Helper()
		if err := s.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	set("algorithm", "chain")
	set("collective", "exchange")
	if got := s.Text("algorithm"); got != algorithm.ByModel {
		t.Errorf("exchange: algorithm = %s", got)
	}
	s = collective.Scenario([]string{"demo"})
	set("algorithm", "rabenseifner")
	set("collective", "allreduce")
	if got := s.Text("algorithm"); got != "rabenseifner" {
		t.Errorf("allreduce: algorithm = %s", got)
	}
	if err := s.Set("algorithm", "nonesuch"); err == nil || strings.Contains(err.Error(), "scatter-allgather") {
		t.Errorf("unknown algorithm: %v, want a list for allreduce", err)
	}
}

// If two algorithms ran, the faster one has the cell, with its kind and the model's winner. One
// algorithm alone wins nothing, and rows of the model's or a table's choice have no algorithm.
func TestRunsWinCells(t *testing.T) {
	f := &Map{
		X: []float64{8, 64}, Y: []float64{4}, Names: []string{"chain", "flat", "knomial"}, NowX: 0, NowY: 0,
		Cells: []Winner{{Best: 1, Kind: engine.Modelled, Model: -1}, {Best: 1, Kind: engine.Modelled, Model: -1}},
	}
	row := func(series string, size, time float64) engine.Row {
		return engine.Row{Series: series + ", 4×1", Kind: engine.Simulated,
			Cells: []float64{columnSize: size, columnRanks: 4, columnTime: time, columnModel: math.NaN()}}
	}
	v := &engine.StudyView{Now: -1, Rows: []engine.Row{
		row("flat", 8, 3), row("knomial, radix 2", 8, 4), row("knomial, radix 4", 8, 2), row(algorithm.ByModel, 8, 1),
		row("chain", 64, 1),
	}}
	got := withRuns(v, f)
	if w := got.At(0, 0); w.Best != 2 || w.Kind != engine.Simulated || w.Model != 1 || w.Lead != 1.5 {
		t.Errorf("knomial took 2 s, flat 3 s: %+v", *w)
	}
	if w := got.At(1, 0); w.Best != 1 || w.Kind != engine.Modelled {
		t.Errorf("a chain ran alone: %+v", *w)
	}
	if f.Cells[0].Kind != engine.Modelled {
		t.Error("the frame of the launch was changed")
	}
}
