package panetest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

func init() {
	for _, name := range []string{"demo-access", "demo-dot"} {
		workload.Register(&workload.Workload{Name: name, Title: "for tests"})
	}
	workload.Register(&workload.Workload{
		Name: "demo-product", Title: "for tests of schemes",
		Metrics: []engine.MetricSpec{{Name: "f_comm", Unit: "1"}, {Name: "epsilon", Unit: "1"}},
	})
}

// Scheme is a sparse product on 4 nodes of a rank with n threads, m of them reserved,
// of 8 planes a rank: figure 5's example with a little less gain than the model's. The
// points of other planes, of funneled, and of m = 2 were run before.
func Scheme(m, n int) *engine.Snapshot {
	s := Demo(4, 1, 4)
	machines := slices.IndexFunc(s.Scenario.Table, func(k engine.Knob) bool { return k.Name == "machine" })
	sc := engine.NewScenario("demo-product", append([]engine.Knob{
		{Name: "local-k", Label: "local planes", Doc: "planes of a rank, n_k", Type: engine.Integer, Default: "8", Min: 1, Max: 4096, Choices: []string{"1", "2", "4", "8", "16", "32", "64"}},
		{Name: "reserved", Label: "reserved", Doc: "threads reserved for communication, m", Type: engine.Integer, Default: itoa(m), Min: 1, Max: 64, Choices: []string{"1", "2", "4"}},
	}, s.Scenario.Table[machines:]...))
	for k, v := range map[string]string{"nodes": "4", "ranks-per-node": "1", "threads-per-rank": itoa(n), "threading": "multiple", "fabric": "sim"} {
		sc.Values[k] = v
	}
	s.Scenario, s.Layout = sc, sc.Layout()
	s.Machine, s.Kind, s.Dilation, s.Fabric = "sr8000-f1", engine.Simulated, 1, 12*cluster.Millisecond
	s.Locality, s.SmallestFit, s.Replicas = nil, 0, 0
	s.Verification.Detail = "the product of every rank"
	s.Marks = []engine.Mark{{At: 24 * time.Second, Label: "threading masteronly→multiple"}}
	at := func(m float64, planes int, f float64) engine.EpsilonPoint {
		costs := models.SparseCosts{Comm: 4.31, NonOverlap: models.PaperSplit, Overlap: 1}
		x, _ := costs.Fractions(planes)
		p := engine.EpsilonPoint{
			Threading: "multiple", Reserved: m, Threads: n, Nodes: 4, Planes: planes, Kind: engine.Simulated,
			Comm: x.Comm, NonOverlap: x.NonOverlap, Overlap: x.Overlap, CommCost: 4.31, Masteronly: 11.2e-3,
		}
		e, _ := models.Epsilon(models.Reserved{M: m, N: n}, x)
		p.Model = e.Value
		p.Epsilon = 1 + (e.Value-1)*f
		p.Scheme = p.Masteronly / p.Epsilon
		return p
	}
	o := &engine.Overlap{Now: at(float64(m), 8, 0.85)}
	for planes := 2; planes <= 64; planes *= 2 {
		o.Points = append(o.Points, at(float64(m), planes, 0.85))
	}
	funneled, live := at(float64(m), 8, 0.8), at(float64(m), 16, 0.5)
	funneled.Threading, live.Kind = "funneled", engine.Emulated
	o.Points = append(o.Points, funneled, live, at(2, 4, 0.9), at(2, 8, 0.9))
	s.Overlap = o
	now := &o.Now
	s.Metrics = nil
	for _, x := range []engine.Metric{{Name: "f_comm", Value: now.Comm}, {Name: "f_non", Value: now.NonOverlap}, {Name: "f_overlap", Value: now.Overlap}, {Name: "epsilon", Value: now.Epsilon}} {
		x.Unit, x.Kind = "1", engine.Simulated
		s.Metrics = append(s.Metrics, x)
	}
	s.Metrics = append(s.Metrics, engine.Metric{Name: "epsilon_model", Value: now.Model, Unit: "1", Kind: engine.Modelled})
	s.Why = "computing rules: the reserved thread idles 43% of the time (modelled)."
	s.Change = "multiple, m = 1: 1.18× faster (11.2 ms → 9.48 ms an iteration, simulated); 1.72 ms of 3.53 ms communication now hidden"
	return s
}

// Demo makes a snapshot as a session would publish it, the same at each call.
func Demo(nodes, ranksPerNode, group int) *engine.Snapshot {
	rng := rand.New(rand.NewPCG(1, 2))
	table := append([]engine.Knob{
		{Name: "n", Label: "elements", Doc: "elements of the shared array", Type: engine.Size, Unit: "B", Default: "65536", Min: 1, Max: 1 << 40, Choices: []string{"4096", "65536", "1048576"}},
		{Name: "flops", Label: "flops/access", Doc: "floating-point operations between accesses", Type: engine.Integer, Default: "1000", Max: 1e9, Choices: []string{"0", "100", "1000"}},
	}, engine.Base...)
	for i := range table {
		if table[i].Name == "machine" {
			table[i].Choices = []string{"demo", "this-host", "xc30-edison"}
		}
	}
	sc := engine.NewScenario("demo-access", table)
	for k, v := range map[string]int{"nodes": nodes, "ranks-per-node": ranksPerNode, "group": group} {
		sc.Values[k] = itoa(v)
	}
	s := &engine.Snapshot{
		Seq: 1, Phase: engine.Running, Scenario: sc, Layout: sc.Layout(),
		Machine: "demo", Kind: engine.Emulated, Dilation: 1000,
		Elapsed: 42300 * time.Millisecond, Iteration: 1234,
		MemoryPerNode: 4 << 20, Replicas: nodes * ranksPerNode / group,
		Verification: engine.Verification{Done: true, OK: true, Checks: 1234, Detail: "checksum of every rank"},
		Why:          "Group 4 keeps every access inside a node: 1.9× faster than group 16, at 4 times the memory (4 replicas).",
		LaunchLine:   "mpirun -n 4 upcrun -shared-heap 1MB -n 4 ./randomaccess",
		SmallestFit:  2,
		Metrics: []engine.Metric{
			{Name: "rank_local_share", Value: 0.2503, Unit: "1", Kind: engine.Emulated},
			{Name: "node_local_share", Value: 1, Unit: "1", Kind: engine.Emulated},
			{Name: "access_time_mean", Value: 2.31e-7, Unit: "s", Kind: engine.Emulated},
			{Name: "accesses_per_second", Value: 4.3e6, Unit: "1/s", Kind: engine.Emulated},
			{Name: "law_access_time", Value: 2.28e-7, Unit: "s", Kind: engine.Modelled},
		},
	}
	l := &s.Layout
	for r := range l.Ranks() {
		v := engine.RankView{Node: l.NodeOf(r), Group: l.GroupOf(r), State: cluster.State(rng.IntN(cluster.States))}
		c := 0.4 + 0.4*rng.Float64()
		v.Share = [cluster.States]float64{cluster.Computing: c, cluster.Calling: 0.1, cluster.Waiting: 0.9 - c}
		s.Ranks = append(s.Ranks, v)
	}
	for i := range 840 {
		t := float64(i) / 20
		up := 1.0
		if t > 24 {
			up = 1.8
		}
		wave := 1 + 0.1*math.Sin(t) + 0.05*rng.Float64()
		s.Series = append(s.Series, engine.Sample{
			At:   time.Duration(t * float64(time.Second)),
			Rate: [cluster.Classes]float64{6.2e6 * up * wave, 1.9e7 * up * wave, 4.4e6 / up * wave},
		})
	}
	s.Marks = []engine.Mark{{At: 24 * time.Second, Label: "group 2→" + itoa(group)}}
	for c, p50 := range []float64{12e-9, 95e-9, 4.1e-6} {
		s.Latency[c] = quantiles(p50, rng)
	}
	for g := 1; g <= min(l.Ranks(), 64); g *= 2 {
		s.Locality = append(s.Locality, locality1(l, g, group))
	}
	return s
}

// Simulated is the demo on 4,096 ranks of a simulated machine.
func Simulated() *engine.Snapshot {
	s := Demo(1024, 4, 4)
	s.Machine, s.Kind, s.Dilation, s.Fabric = "xc30-edison", engine.Simulated, 1, 12*cluster.Millisecond
	s.Scenario.Values["machine"], s.Scenario.Values["fabric"] = "xc30-edison", "sim"
	for i := range s.Metrics {
		if s.Metrics[i].Kind == engine.Emulated {
			s.Metrics[i].Kind = engine.Simulated
		}
	}
	return s
}

func quantiles(p50 float64, rng *rand.Rand) engine.Quantiles {
	q := engine.Quantiles{Mean: p50 * 1.1, Min: p50 * 0.6, P50: p50, P99: p50 * 2.3, Max: p50 * 12}
	for i := range 60 {
		x := p50 * math.Pow(1.05, float64(i-12))
		d := math.Log(x/p50) / 0.25
		n := int64(20000 * math.Exp(-d*d/2) * (0.9 + 0.2*rng.Float64()))
		q.Buckets = append(q.Buckets, engine.Bucket{Upper: x, Count: n})
		q.Count += n
	}
	return q
}

func locality1(l *cluster.Layout, g, now int) engine.LocalityPoint {
	near := float64(min(g, l.RanksPerNode)) / float64(g)
	p := engine.LocalityPoint{
		Group: g, RankLocal: math.NaN(), NodeLocal: math.NaN(), Access: math.NaN(),
		LawRank: 1 / float64(g), LawNode: near, LawAccess: 12e-9 + (1-1/float64(g))*4e-6,
		Memory: 64 << 20 / int64(g) * int64(l.RanksPerNode), Replicas: l.Ranks() / g, Fits: g > 1,
	}
	if g <= now {
		p.RankLocal, p.NodeLocal, p.Access, p.Accesses = p.LawRank*0.99, near, p.LawAccess*1.03, 1e6
	}
	return p
}

func itoa(n int) string { return strconv.Itoa(n) }
