package coll

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// loggp is a machine with LogGP costs between and inside nodes, and eager messages.
func loggp() *cluster.Machine {
	const ns = cluster.Nanosecond
	m := &cluster.Machine{Name: "loggp", EagerLimit: 1 << 40, MemoryRate: 2e9, Flops: 1e15}
	for i := range m.Classes {
		m.Classes[i] = cluster.Link{Latency: 2500 * ns, Overhead: 1500 * ns, Gap: 1000 * ns, Bandwidth: 1e9, Adapters: 1}
	}
	return m
}

func estimatorOf(t *testing.T, m *cluster.Machine, ranks, perNode int) *Estimator {
	t.Helper()
	s := &Site{Machine: m, EagerLimit: m.EagerLimit, PerNode: perNode}
	for i := range ranks {
		s.Nodes = append(s.Nodes, int32(i/perNode))
	}
	e, err := NewEstimator(s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// estimatedKey returns the key of an algorithm with its default parameters.
func estimatedKey(t *testing.T, what Collective, name string, p Parameters) Key {
	t.Helper()
	a, err := Find(what, name)
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.Key(p)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestEstimateWithoutSharingIsLogGP compares estimates with Price, at one rank per node and with
// eager messages. The order of messages that arrive at the same time may differ.
func TestEstimateWithoutSharingIsLogGP(t *testing.T) {
	m := loggp()
	c, err := CostOf(m)
	if err != nil {
		t.Fatal(err)
	}
	const ranks = 16
	e := estimatorOf(t, m, ranks, 1)
	for _, a := range All() {
		if a.Needs&(Reach|Network) != 0 {
			continue
		}
		for _, n := range []int64{8, 4096} {
			k := estimatedKey(t, a.Collective, a.Name, Parameters{Ranks: ranks})
			blocks := k.Blocks(n, 8)
			trace, err := Price(k, 0, blocks, c)
			if err != nil {
				t.Fatal(err)
			}
			got, want := e.Estimate(k, n, 8), trace.Last()
			if off := float64(got-want) / float64(want); off > 0.05 || off < -0.05 {
				t.Errorf("%s by %s, %d B: %s, want %s", a.Collective, a.Name, n, got, want)
			}
		}
	}
}

// TestRanksOfANodeShareItsAdapter checks that 16 ranks, which each exchange with another node, take
// 16 gaps.
func TestRanksOfANodeShareItsAdapter(t *testing.T) {
	m := loggp()
	const per = 16
	m.Classes[cluster.Remote].Gap = 100 * cluster.Microsecond
	k := estimatedKey(t, OpAllreduce, "recursive-doubling", Parameters{Ranks: 2 * per})
	got := estimatorOf(t, m, 2*per, per).Estimate(k, 8, 8)
	if least := 15 * m.Classes[cluster.Remote].Gap; got < least {
		t.Errorf("one round of 16 messages per node takes %s, want at least %s", got, least)
	}
	if alone := estimatorOf(t, m, 2*per, 1).Estimate(k, 8, 8); alone > m.Classes[cluster.Remote].Gap*6 {
		t.Errorf("five rounds with one message per node take %s, want at most 6 gaps", alone)
	}
}

// TestTeamsShareAnAdapter checks that the bytes of a call take four times as long if four teams of
// each node make the same call.
func TestTeamsShareAnAdapter(t *testing.T) {
	const n = 1 << 24
	m := loggp()
	k := estimatedKey(t, OpBcast, "chain", Parameters{Ranks: 2})
	var times [2]cluster.Time
	for i, teams := range []int{1, 4} {
		e, err := NewEstimator(&Site{Machine: m, EagerLimit: m.EagerLimit, PerNode: 4, Nodes: nodesFrom0(2), Sharing: teams})
		if err != nil {
			t.Fatal(err)
		}
		times[i] = e.Estimate(k, n, 1)
	}
	if ratio := float64(times[1]) / float64(times[0]); ratio < 3.9 || ratio > 4.1 {
		t.Errorf("one team %s, four teams %s", times[0], times[1])
	}
}

// TestEstimateOfHandshakesAndServers checks the time of handshakes above the eager limit, and of
// message servers.
func TestEstimateOfHandshakesAndServers(t *testing.T) {
	m := loggp()
	k := estimatedKey(t, OpBcast, "chain", Parameters{Ranks: 3})
	eager := estimatorOf(t, m, 3, 1).Estimate(k, 4096, 1)
	m.EagerLimit = 1024
	l := m.Classes[cluster.Remote]
	if got, want := estimatorOf(t, m, 3, 1).Estimate(k, 4096, 1), eager+4*(l.Latency+l.Overhead); got != want {
		t.Errorf("two rendezvous take %s, want %s", got, want)
	}
	m.EagerLimit = 1 << 40
	m.Server = cluster.Server{Send: 5 * cluster.Microsecond, Receive: 7 * cluster.Microsecond}
	if got, want := estimatorOf(t, m, 3, 1).Estimate(k, 4096, 1), eager+2*12*cluster.Microsecond; got != want {
		t.Errorf("two messages through servers take %s, want %s", got, want)
	}
}

// TestFoldedWalk compares a walk in which one node stands for all nodes with a walk of all nodes.
func TestFoldedWalk(t *testing.T) {
	m := loggp()
	const ranks, per = 96, 8 // with 9,120 messages
	for _, c := range []struct {
		what Collective
		name string
	}{{OpAllgather, "ring"}, {OpExchange, "pairwise"}, {OpExchange, "flat"}} {
		k := estimatedKey(t, c.what, c.name, Parameters{Ranks: ranks})
		e := estimatorOf(t, m, ranks, per)
		folded := e.Estimate(k, 1024, 1)
		e.one = nil
		whole := e.Estimate(k, 1024, 1)
		if off := float64(folded-whole) / float64(whole); off > 0.1 || off < -0.1 {
			t.Errorf("%s by %s: one node %s, all nodes %s", c.what, c.name, folded, whole)
		}
	}
}

// TestEstimateDoesNotAllocate checks that a repeated estimate allocates no memory.
func TestEstimateDoesNotAllocate(t *testing.T) {
	e := estimatorOf(t, loggp(), 64, 8)
	k := estimatedKey(t, OpAllreduce, "recursive-doubling", Parameters{Ranks: 64})
	e.Estimate(k, 1024, 8)
	if n := testing.AllocsPerRun(10, func() { e.Estimate(k, 1024, 8) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkEstimate(b *testing.B) {
	e, err := NewEstimator(&Site{Machine: loggp(), EagerLimit: 1 << 40, PerNode: 1, Nodes: nodesFrom0(64)})
	if err != nil {
		b.Fatal(err)
	}
	a, err := Find(OpAllreduce, "recursive-doubling")
	if err != nil {
		b.Fatal(err)
	}
	k, err := a.Key(Parameters{Ranks: 64})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		e.Estimate(k, 1024, 8)
	}
}

func nodesFrom0(n int32) (all []int32) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// TestEstimatorIsSmall: an estimator keeps a limited number of nodes of schedules after any number of estimates.
func TestEstimatorIsSmall(t *testing.T) {
	e := estimatorOf(t, loggp(), 512, 4)
	all := 0
	for _, a := range All() {
		k, err := a.Key(Parameters{Ranks: 512})
		if err != nil || a.Needs&(Reach|Network) != 0 {
			continue
		}
		for radix := range int32(3) {
			k.Radix = radix + 2
			before := e.nodes
			e.Estimate(k, 64, 8)
			all += max(e.nodes-before, 0)
		}
		held, seen := 0, map[*Schedule]bool{}
		for _, team := range e.known {
			for _, s := range team.ranks {
				if !seen[s] {
					seen[s] = true
					held += len(s.Nodes)
				}
			}
		}
		if held > maxHeld || held > e.nodes {
			t.Fatalf("%v: %d nodes are held, %d counted: want at most %d", k, held, e.nodes, maxHeld)
		}
	}
	if all <= maxHeld {
		t.Fatalf("%d nodes in all: want more than %d", all, maxHeld)
	}
}
