package randomaccess

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/upc"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, p engine.Probe) error {
	n := int(p.Int("elements"))
	accesses := p.Int("accesses")
	flops := int(p.Int("flops"))
	data, err := upc.NewShared[float64](r, n, 1) // shared double data[n]
	if err != nil {
		return err
	}
	if err := initialize(r, p, data); err != nil {
		return err
	}
	var value, result float64
	work := cluster.Work{Flops: float64(flops), Kernel: cluster.Chain}
	compute := func() { result = churn(value, flops) }
	rng, clock := r.Rand(), p.Clock()
	for p.Next() {
		sum, want := 0.0, 0.0
		begin := workload.BeginNow(r)
		for k := range accesses {
			if k%stepAccesses == 0 {
				p.Step(int(k), int(accesses))
			}
			i := rng.IntN(n)
			start := r.Now()
			value, err = data.Get(i)
			end := r.Now()
			if err != nil {
				return err
			}
			p.Access(data.Owner(i), element, max(end-start-clock, 0))
			r.Compute(work, compute)
			sum += result
			want += elementValue(i)
		}
		elapsed := workload.End(r) - begin - cluster.Time(2*accesses+1)*clock // without the time to read the clock
		p.Report("time_per_access", max(elapsed, 0).Seconds()/float64(accesses))
		if sum == want {
			p.Verify(true, "every rank's sum over its accesses equals the sequential sum")
		} else {
			p.Verify(false,
				fmt.Sprintf("rank %d, iteration %d: %d accesses sum to %v, want %v", r.ID(), p.Iteration(), accesses, sum, want))
		}
	}
	return nil
}

// stepAccesses is the number of accesses per reported step. A report for each access would take
// longer than the access.
const stepAccesses = 1024

// initialize fills the rank's own part of the array, which is not timed, and checks the replica of
// the group.
func initialize(r *cluster.Rank, p engine.Probe, data *upc.Shared[float64]) error {
	sum := []float64{0}
	group := r.Group()
	part, local, wrong := data.Local(), 0, -1
	want, step := group.Rank(), group.Size() // blocks of one element
	data.ForAll(func(i int) {
		if i != want && wrong < 0 {
			wrong = local
			p.Verify(false, fmt.Sprintf("rank %d: element %d of its part is data[%d], want data[%d]", r.ID(), local, i, want))
		}
		part[local] = elementValue(i)
		sum[0] += part[local]
		local, want = local+1, want+step
	})
	if err := coll.Reduce(r, group, 0, cluster.Sum, sum, sum); err != nil {
		return err
	}
	if group.Rank() == 0 {
		if want := arraySum(data.Len()); sum[0] == want {
			p.Verify(true, "the replica of each group has the right sum")
		} else {
			p.Verify(false,
				fmt.Sprintf("the replica of group %d sums to %v, want %v", r.Spec().Layout.GroupOf(r.ID()), sum[0], want))
		}
	}
	return r.Barrier(group) // no rank reads a part before it is filled
}

// values is the number of different values. It is a prime near 2²⁰, so that sums of billions of
// them are exact.
const values = 1<<20 - 3

// elementValue returns data[i]: an integer that differs between neighbours.
func elementValue(i int) float64 { return float64(i % values) }

// arraySum is Σ data[i] over n elements, in closed form.
func arraySum(n int) float64 {
	below := func(k int64) int64 { return k * (k - 1) / 2 } // 0 + 1 + … + (k − 1)
	return float64(int64(n/values)*below(values) + below(int64(n%values)))
}

// churn does flops operations on v, one after another, and returns v: each pair
// subtracts from v twice, so the result is v again. Integers stay exact, so
// the check covers the computation.
func churn(v float64, flops int) float64 {
	x := v
	for range flops / 2 {
		x = v - x // 0, and
		x = v - x // v again
	}
	if flops%2 == 1 {
		x *= 1
	}
	return x
}
