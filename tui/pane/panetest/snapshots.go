package panetest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Demo returns a typical snapshot of a session. It is the same for each call.
func Demo(nodes, ranksPerNode, group int) *engine.Snapshot {
	rng := rand.New(rand.NewPCG(1, 2))
	table := append([]engine.Knob{
		{Name: "n", Label: "elements", Doc: "elements of the shared array", Type: engine.Size, Unit: "B", Default: "65536",
			Min: 1, Max: 1 << 40, Choices: []string{"4096", "65536", "1048576"}},
		{Name: "flops", Label: "flops/access", Doc: "floating-point operations between accesses", Type: engine.Integer,
			Default: "1000", Max: 1e9, Choices: []string{"0", "100", "1000"}},
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
		Why: "Group 4 keeps every access inside a node: a single access is 1.9× faster than with group 16, at 4 times the memory (4 " +
			"replicas).",
		LaunchLine: "mpirun -n 4 upcrun -shared-heap 1MB -n 4 ./randomaccess",
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
	s.Studies = []engine.StudyView{groups(l, group)}
	s.Recent = traffic(l)
	return s
}

// Slower multiplies the times of a run by a factor and divides its rates by it. It changes s and
// returns it, as a baseline.
func Slower(s *engine.Snapshot, by float64) *engine.Snapshot {
	for i := range s.Series {
		for c := range s.Series[i].Rate {
			s.Series[i].Rate[c] /= by
		}
	}
	for c := range s.Latency {
		q := &s.Latency[c]
		for _, x := range []*float64{&q.Mean, &q.Min, &q.P50, &q.P99, &q.Max} {
			*x *= by
		}
		for i := range q.Buckets {
			q.Buckets[i].Upper *= by
		}
	}
	for i := range s.Metrics {
		switch m := &s.Metrics[i]; m.Unit {
		case "s":
			m.Value *= by
		case "B/s", "1/s":
			m.Value /= by
		}
	}
	for i := range s.Studies {
		v := &s.Studies[i]
		for c := range v.Columns {
			for k := range v.Rows {
				switch cells := v.Rows[k].Cells; v.Columns[c].Unit {
				case "s":
					cells[c] *= by
				case "B/s", "1/s", "%":
					cells[c] /= by
				}
			}
		}
	}
	return s
}

// traffic returns the traffic of ranks that all communicate within their groups.
func traffic(l *cluster.Layout) engine.Recent {
	rng := rand.New(rand.NewPCG(3, 4))
	blocks, shift := l.Blocks()
	r := engine.Recent{Span: cluster.Millisecond, Nodes: 1 << shift, Pairs: make([]int64, blocks*blocks)}
	for from := range l.Ranks() {
		first := l.GroupOf(from) * l.GroupSize()
		for to := first; to < first+l.GroupSize(); to++ {
			class := l.ClassOf(from, to)
			bytes := [cluster.Classes]int64{600, 600, 10}[class] * (50 + rng.Int64N(100)) / 100
			r.Class[class] += bytes
			r.Pairs[l.NodeOf(from)>>shift*blocks+l.NodeOf(to)>>shift] += bytes
		}
	}
	return r
}

// Simulated returns the demo on 4,096 ranks of a simulated machine.
func Simulated() *engine.Snapshot {
	s := Demo(1024, 4, 4)
	s.Machine = "xc30-edison"
	s.Kind = engine.Simulated
	s.Dilation = 1
	s.Fabric = 12 * cluster.Millisecond
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

func itoa(n int) string { return strconv.Itoa(n) }
