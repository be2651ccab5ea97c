package cholesky

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// Model returns the modelled time of a factorization in s. Each step is the sum of the kernels of
// the busiest process and the broadcasts one after the other, without contention or processes ahead
// of others. With lookahead, it is the maximum of rounds 2 and 3 and the product. Model returns 0
// for a machine without costs.
func Model(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) float64 {
	l := s.Layout()
	g := scenarioGrid(s, l.N().MPI, 0)
	rows, columns := sites(m, kind, &l, &g)
	across, priced := rows.Costs()
	down, also := columns.Costs()
	if !priced || !also {
		return 0
	}
	cores := workload.CoresOf(s, m, &l)
	kernel := func(k cluster.Kernel, flops float64) cluster.Time {
		return m.ComputeTime(cluster.Work{Flops: flops, Kernel: k, Cores: cores})
	}
	cast := func(c *coll.Cost, key func(n int64) (coll.Key, error), n int64) cluster.Time {
		k, err := key(octave(n))
		if err != nil {
			return 0
		}
		return k.Predict(c, n)
	}
	memo := func(choose func(n int64) (coll.Key, error)) func(n int64) (coll.Key, error) {
		cached := map[int64]coll.Key{}
		return func(n int64) (coll.Key, error) {
			if k, ok := cached[n]; ok {
				return k, nil
			}
			k, err := choose(n)
			if err == nil {
				cached[n] = k
			}
			return k, err
		}
	}
	inRow := memo(func(n int64) (coll.Key, error) { return rows.Chosen(s, coll.OpBcast, g.ty, n) })
	inColumn := memo(func(n int64) (coll.Key, error) { return columns.Chosen(s, coll.OpBcast, g.tx, n) })
	total := kernel(cluster.Potrf, dense.PotrfFlops(g.width(g.blocks()-1)))
	every := max(g.blocks()/sampled, 1)
	for k := 0; k < g.blocks()-1; k += every {
		b, from := g.width(k), g.first(k+1)
		w, d := g.across((k+1)%g.ty, from), g.down((k+1)%g.tx, from)
		head := kernel(cluster.Potrf, dense.PotrfFlops(b)) + kernel(cluster.Trsm, dense.TrsmFlops(b, w))
		head += cast(&across, inRow, word*int64(1+b*b))
		rounds := cast(&down, inColumn, word*int64(1+b*w))
		piece := word * int64(b*g.shared((k+1)%g.both.Ranks, from))
		if s.Text("handoff") == direct && g.tx > 1 {
			rounds += 2*down.O + down.L + down.G*cluster.Time(piece)
		}
		rounds += cluster.Time(g.ty/gcd(g.tx, g.ty)) * cast(&across, inRow, piece)
		product := kernel(cluster.Dgemm, float64(b)*float64(d)*float64(w+g.nb))
		if s.Text("lookahead") == on {
			product = max(product, rounds)
		} else {
			product += rounds
		}
		total += (head + product) * cluster.Time(min(every, g.blocks()-1-k))
	}
	return total.Seconds()
}

// sampled is the approximate number of steps that the model computes. Each of them stands for the
// steps up to the next one.
const sampled = 64
