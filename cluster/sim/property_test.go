package sim_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/cluster/upc"
)

var progresses = []cluster.Progress{cluster.ProgressCall, cluster.ProgressOffload, cluster.ProgressThread}

// anyMachine draws a machine from a seed. Its rates are multiples of 30, so that a thirtieth is an
// integer.
func anyMachine(seed uint64) cluster.Machine {
	rng := rand.New(rand.NewPCG(seed, 0x6d616368))
	span := func(most cluster.Time) cluster.Time { return 1 + cluster.Time(rng.Int64N(int64(most))) }
	per := func(least, most int64) float64 { return float64(30 * ((least + rng.Int64N(most-least)) / 30)) }
	m := cluster.Machine{
		Name: "drawn", Progress: progresses[rng.IntN(3)], EagerLimit: 512,
		Flops: per(1e9, 4e9), MemoryRate: per(2e9, 9e9), NodeRate: per(9e9, 20e9), CopyRate: per(2e9, 9e9),
		AtomicTime: span(80_000), HandlerTime: span(200_000), PollTime: 20_000 + span(30_000), LockTime: span(50_000),
		ComputeNoise: []float64{0, 0.05}[rng.IntN(2)], LinkNoise: []float64{0, 0.1}[rng.IntN(2)],
		Classes: [cluster.Classes]cluster.Link{
			cluster.InRank: {Latency: span(60_000), Bandwidth: per(5e9, 20e9)},
			cluster.InNode: {Latency: span(400_000), Overhead: span(200_000), Bandwidth: per(4e9, 9e9)},
			cluster.Remote: {Latency: span(2_000_000), Overhead: span(700_000), Gap: span(300_000), Bandwidth: per(1e9, 9e9),
				Adapters: 1 + rng.IntN(2), ThreadRate: per(1e9, 9e9)},
		},
	}
	if rng.IntN(2) == 0 {
		m.Sockets, m.Socket = 2, cluster.Link{Latency: span(200_000), Overhead: span(100_000), Bandwidth: per(5e9, 20e9)}
	}
	if rng.IntN(2) == 0 {
		m.Classes[cluster.InRank].Access = span(20_000)
		m.Classes[cluster.InNode].Access = span(200_000)
		m.Socket.Access = span(100_000)
	}
	if rng.IntN(2) == 0 {
		m.Device = cluster.Device{Count: 1, Direct: rng.IntN(3) == 0,
			Link: cluster.Link{Latency: span(900_000), Bandwidth: per(5e9, 20e9)}}
	}
	if rng.IntN(2) == 0 {
		m.Slow = []cluster.Slow{{Node: rng.IntN(3), Adapter: -1, Factor: 1 + 2*rng.Float64()},
			{Node: rng.IntN(3), Adapter: 0, Factor: 1 + 2*rng.Float64()}}
	}
	if rng.IntN(2) == 0 {
		m.Topology = cluster.Topology{Shape: cluster.Torus, Dims: []int{3, 2, 1}, LinkBandwidth: per(1e9, 9e9),
			HopLatency: span(90_000)}
	}
	if rng.IntN(3) == 0 {
		m.DetourRate, m.DetourLength = 2e4*rng.Float64(), span(10_000_000)
	}
	return m
}

// burdened draws a machine. Every other one also has the costs that few machines have.
func burdened(seed uint64) cluster.Machine {
	m := anyMachine(seed)
	if seed%2 == 0 {
		return m
	}
	rng := rand.New(rand.NewPCG(seed, 0x73657276))
	span := func(most cluster.Time) cluster.Time { return cluster.Time(rng.Int64N(int64(most))) }
	m.Server = cluster.Server{Send: span(400_000), Receive: span(400_000), Handshake: span(100_000)}
	m.Classes[cluster.Remote].ReceiveRate = float64(30 * (30_000_000 + rng.Int64N(300_000_000)))
	m.Classes[cluster.Remote].HandshakeGap = 1 + span(300_000)
	per := func() float64 { return float64(30 * (100_000_000 + rng.Int64N(300_000_000))) }
	node := &m.Classes[cluster.InNode]
	node.AccessRate = per()
	if seed%4 == 1 {
		node.Inline = cluster.Inline{Limit: 1 + rng.Int64N(64), Latency: span(300_000), Overhead: span(150_000)}
		node.EagerCopy, node.SingleCopy = per(), per()
		node.Uncached = cluster.Uncached{Limit: 1000 + rng.Int64N(3000), Copy: per()}
	}
	return m
}

// scaled returns a machine with all times multiplied by k.
func scaled(m cluster.Machine, k int64) cluster.Machine {
	for _, t := range []*cluster.Time{&m.AtomicTime, &m.HandlerTime, &m.PollTime, &m.LockTime, &m.Topology.HopLatency,
		&m.Server.Send, &m.Server.Receive, &m.Server.Handshake} {
		*t *= cluster.Time(k)
	}
	for _, r := range []*float64{&m.Flops, &m.MemoryRate, &m.NodeRate, &m.CopyRate, &m.Topology.LinkBandwidth} {
		*r /= float64(k)
	}
	links := []*cluster.Link{&m.Socket, &m.Device.Link}
	for i := range m.Classes {
		links = append(links, &m.Classes[i])
	}
	for _, l := range links {
		for _, t := range []*cluster.Time{&l.Latency, &l.Overhead, &l.Gap, &l.Access, &l.HandshakeGap, &l.Inline.Latency,
			&l.Inline.Overhead} {
			*t *= cluster.Time(k)
		}
		for _, r := range []*float64{&l.Bandwidth, &l.ThreadRate, &l.ReceiveRate, &l.EagerCopy, &l.SingleCopy,
			&l.AccessRate, &l.Uncached.Copy} {
			*r /= float64(k)
		}
	}
	return m
}

// generate draws a program of six ranks for the machine. Its ranks do not poll, do not await words,
// and receive only from named sources, so its events do not depend on rounding.
func generate(seed uint64, m *cluster.Machine) *clustertest.Program {
	const timely = clustertest.Locks | clustertest.Polls | clustertest.Wildcards | clustertest.Regions |
		clustertest.Collectives | clustertest.Signals
	return clustertest.Draw(seed, clustertest.Mix{Ranks: 6, Limit: m.EagerLimit, Ops: clustertest.AllOps &^ timely})
}

// times runs a program and returns the end of each call, by rank.
func times(t *testing.T, s cluster.Spec, p *clustertest.Program) ([][]cluster.Time, *sim.Run) {
	t.Helper()
	ends := make([][]cluster.Time, p.Ranks)
	run := p.Run(t, sim.New(), s, func(r *cluster.Rank) { ends[r.ID()] = append(ends[r.ID()], sim.Clock(r.Lib().Port())) })
	return ends, run.(*sim.Run)
}

// If every time parameter is multiplied by k, every time is k times as long, except for the
// rounding of each operation to a picosecond.
func TestScaling(t *testing.T) {
	for seed := range uint64(60) {
		m := burdened(seed)
		m.DetourRate = 0 // rounding the times of detours changes their number in a computation
		p := generate(seed, &m)
		nodes := []int{6, 3, 2}[seed%3]
		one, first := times(t, clustertest.Spec(m, nodes, 6/nodes), p)
		for _, k := range []int64{2, 3, 10} {
			many, run := times(t, clustertest.Spec(scaled(m, k), nodes, 6/nodes), p)
			if run.Events() != first.Events() {
				t.Errorf("seed %d: %d events, and %d at %d times the times", seed, first.Events(), run.Events(), k)
			}
			for r := range one {
				for i, at := range one[r] {
					if off := many[r][i] - cluster.Time(k)*at; max(off, -off) > cluster.Time(k)*cluster.Time(p.Calls) {
						t.Fatalf("seed %d: rank %d ends call %d at %d ps, and at %d ps with all times × %d: the difference is %d",
							seed, r, i, at, many[r][i], k, off)
					}
				}
			}
		}
	}
}

// An idle node changes nothing on a crossbar.
func TestIdleNode(t *testing.T) {
	for seed := range uint64(30) {
		m := burdened(seed)
		m.Topology = cluster.Topology{}
		p := clustertest.Draw(seed, clustertest.Mix{Ranks: 4, Limit: m.EagerLimit, OnlyTeam: true})
		alone, _ := times(t, clustertest.Spec(m, 4, 1), p)
		among, _ := times(t, clustertest.Spec(m, 5, 1), p)
		for r := range alone {
			if !slices.Equal(alone[r], among[r]) {
				t.Fatalf("seed %d: rank %d ends its calls at\n%v, and with an idle node at\n%v", seed, r, alone[r], among[r])
			}
		}
	}
}

// A token walks through the nodes, without contention. On a slower machine it never arrives
// earlier.
func TestSlowerIsNeverFaster(t *testing.T) {
	slower := []struct {
		name string
		make func(m *cluster.Machine)
	}{
		{"link", func(m *cluster.Machine) { m.Topology.LinkBandwidth *= 0.7 }},
		{"hop", func(m *cluster.Machine) { m.Topology.HopLatency += 777 }},
		{"adapter", func(m *cluster.Machine) { m.Classes[cluster.Remote].Bandwidth *= 0.7 }},
		{"thread", func(m *cluster.Machine) { m.Classes[cluster.Remote].ThreadRate *= 0.7 }},
		{"latency", func(m *cluster.Machine) { m.Classes[cluster.Remote].Latency += 777 }},
		{"overhead", func(m *cluster.Machine) { m.Classes[cluster.Remote].Overhead += 777 }},
		{"gap", func(m *cluster.Machine) { m.Classes[cluster.Remote].Gap += 777 }},
	}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 0x746f6b65))
		path, sizes := []int{0}, []int{}
		for range 12 {
			path = append(path, (path[len(path)-1]+1+rng.IntN(5))%6)
			sizes = append(sizes, rng.IntN(2000))
		}
		walk := func(r *cluster.Rank) error {
			for i, n := range sizes {
				if r.ID() == path[i] {
					if err := r.Send(r.World(), path[i+1], i, cluster.Of(make([]byte, n))); err != nil {
						return err
					}
				}
				if r.ID() == path[i+1] {
					if _, err := r.Recv(r.World(), path[i], i, cluster.Of(make([]byte, n))); err != nil {
						return err
					}
				}
			}
			return nil
		}
		m := anyMachine(seed)
		m.LinkNoise = 0
		if m.Topology.Shape == "" {
			m.Topology = cluster.Topology{Shape: cluster.FatTree, Dims: []int{2, 3}, Taper: []float64{0.5}, LinkBandwidth: 2e9,
				HopLatency: 50_000}
		}
		before := simulated(t, clustertest.Spec(m, 6, 1), walk).Total()
		for _, s := range slower {
			bad := m
			s.make(&bad)
			if after := simulated(t, clustertest.Spec(bad, 6, 1), walk).Total(); after < before {
				t.Errorf("seed %d: a slower %s makes %d ps of %d ps", seed, s.name, after, before)
			}
		}
	}
}

// A hundred runs have the same hash, on one processor and on two.
func TestOneHash(t *testing.T) {
	m := anyMachine(5)
	m.ComputeNoise, m.LinkNoise = 0.05, 0.1
	p := generate(5, &m)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want uint64
	for i := range 100 {
		runtime.GOMAXPROCS(1 + i%2)
		_, run := times(t, clustertest.Spec(m, 3, 2), p)
		if i == 0 {
			want = run.Hash()
		} else if run.Hash() != want {
			t.Fatalf("run %d has the hash %016x, the first one %016x", i, run.Hash(), want)
		}
	}
}

// Noise depends on the seed: equal seeds have equal runs, other seeds have other runs.
func TestNoiseIsSeeded(t *testing.T) {
	m := anyMachine(5)
	p := generate(5, &m)
	hash := func(compute, link float64, seed uint64) uint64 {
		m.ComputeNoise, m.LinkNoise = compute, link
		s := clustertest.Spec(m, 6, 1)
		s.Seed = seed
		_, run := times(t, s, p)
		return run.Hash()
	}
	for _, c := range []struct{ compute, link float64 }{{0.05, 0}, {0, 0.1}, {0.05, 0.1}} {
		a := hash(c.compute, c.link, 1)
		b := hash(c.compute, c.link, 1)
		other := hash(c.compute, c.link, 2)
		if a != b || a == other {
			t.Errorf("noise %+v: seed 1 gives %016x and %016x, seed 2 %016x", c, a, b, other)
		}
		if quiet := hash(0, 0, 1); quiet == a {
			t.Errorf("noise %+v changes nothing", c)
		}
	}
	if hash(0, 0, 1) != hash(0, 0, 2) {
		t.Errorf("the seed matters without noise")
	}
}

// TestHash compares the hashes of fixed programs with recorded ones. They are the same on every
// machine, processor, Go version and build, because the simulator uses only integers. A change of
// the cost model changes them.
//
//	hash seed=n      the total, the events and the hash of a random program
func TestHash(t *testing.T) {
	datadriven.RunTest(t, "testdata/hash/programs.txt", func(t *testing.T, d *datadriven.TestData) string {
		var seed uint64
		d.ScanArgs(t, "seed", &seed)
		m := anyMachine(seed)
		_, run := times(t, clustertest.Spec(m, 2, 3),
			clustertest.Draw(seed, clustertest.Mix{Ranks: 6, Ops: clustertest.AllOps &^ clustertest.Locks}))
		return fmt.Sprintf("%d ps, %d events, %016x\n", run.Total(), run.Events(), run.Hash())
	})
}

// On any machine programs receive the data of a sequential run.
func TestDrawnMachines(t *testing.T) {
	for seed := range uint64(60) {
		m := burdened(seed)
		times(t, clustertest.Spec(m, 3, 2),
			clustertest.Draw(seed, clustertest.Mix{Ranks: 6, Limit: m.EagerLimit, Ops: clustertest.AllOps &^ clustertest.Locks}))
	}
}

// A dot product over shared arrays is bitwise identical on both fabrics: the program determines the
// order of the partial sums.
func TestDotAsLive(t *testing.T) {
	const n = 1000
	dot := func(f cluster.Fabric, m cluster.Machine) []float64 {
		out := make([]float64, 6)
		s := clustertest.Spec(m, 3, 2)
		err := cluster.Launch(t.Context(), f, s, func(r *cluster.Rank) error {
			a, err := upc.NewShared[float64](r, n, 7)
			if err != nil {
				return err
			}
			b, err := upc.NewShared[float64](r, n, 3)
			if err != nil {
				return err
			}
			for l := range a.LocalLen() {
				a.Local()[l] = 1 / float64(a.Index(l)+1)
			}
			for l := range b.LocalLen() {
				b.Local()[l] = float64(b.Index(l)) * 0.1
			}
			if err := r.Barrier(r.All()); err != nil {
				return err
			}
			var sum float64
			for i := range n {
				if a.Owner(i) != r.ID() {
					continue
				}
				x, err := a.Get(i)
				if err != nil {
					return err
				}
				y, err := b.Get(i)
				if err != nil {
					return err
				}
				r.Compute(cluster.Work{Flops: 2, Bytes: 16}, func() { sum += x * y })
			}
			total := []float64{0}
			err = coll.Allreduce(r, r.All(), cluster.Sum, []float64{sum}, total)
			out[r.ID()] = total[0]
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		return out
	}
	got := dot(sim.New(), anyMachine(1))
	want := dot(live.New(), cluster.Machine{Name: "this-host", Progress: cluster.ProgressCall, EagerLimit: 512})
	if !slices.Equal(got, want) || got[0] == 0 {
		t.Errorf("%v, live %v", got, want)
	}
}

// A train completes at the same time as separate puts. It takes only a few events.
func TestTrainIsItsPuts(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0x747261696e))
		m := burdened(seed)
		m.LinkNoise = 0
		to := rng.IntN(6)
		n := 1 + rng.IntN(200)
		k := 2 + rng.IntN(18)
		near, far := cluster.Memory(rng.IntN(2)), cluster.Memory(rng.IntN(2))
		end := func(train bool) (whole cluster.Time, events uint64) {
			run := simulated(t, clustertest.Spec(m, 2, 3), func(r *cluster.Rank) error {
				if r.ID() != 0 {
					return nil
				}
				return r.Using(cluster.Means{Own: near, Far: far}, func() error {
					reqs := make([]cluster.Request, k)
					for i := range k {
						if train {
							break
						}
						if err := r.PutWith(&cluster.Put{To: cluster.At(to, int64(8+i*n)), Data: cluster.Of(make([]byte, n))}, &reqs[i],
							nil); err != nil {
							return err
						}
					}
					if train {
						all := cluster.Column(8, int64(n), int64(n), k)
						if err := r.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(make([]byte, k*n)), Shape: all,
							Train: true}, &reqs[0], nil); err != nil {
							return err
						}
					}
					return r.Waitall(reqs, nil)
				})
			})
			return run.Total(), run.Events()
		}
		puts, many := end(false)
		train, few := end(true)
		if train != puts {
			t.Errorf("seed %d: %d puts of %d B to rank %d from memory %d to %d take %d ps, a train of them %d ps", seed, k, n,
				to, near, far, puts, train)
		}
		if few > 6+8 || few > many {
			t.Errorf("seed %d: a train of %d puts makes %d events, the puts %d", seed, k, few, many)
		}
	}
}
