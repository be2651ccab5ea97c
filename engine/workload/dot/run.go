package dot

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/upc"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, p engine.Probe) error {
	n := int(p.Int("elements"))
	v1, err := upc.NewShared[float64](r, n, 1) // shared double v1[n], v2[n]
	if err != nil {
		return err
	}
	v2, err := upc.NewShared[float64](r, n, 1)
	if err != nil {
		return err
	}
	part1, part2 := v1.Local(), v2.Local()
	for local := range part1 {
		i := v1.Index(local)
		part1[local], part2[local] = left(i), right(i)
	}

	mpi, group, err := r.Renumber()
	if err != nil {
		return err
	}
	upc, layout := r.Group(), &r.Spec().Layout
	funneled := layout.Model == cluster.NestedFunneled
	callsMPI := layout.MayCallMPI(r.ID()) || p.Text("callers") == "every"

	// The group's block of elements, and in it the elements with affinity to this thread:
	// upc_forall(i = low; i < high; i++; &v1[i]). Figures 3 and 4 use blocks of N/np elements; here
	// the lengths of blocks differ by one if np does not divide N.
	low, high := block(n, group, layout.Groups())
	from, to := ownBelow(low, upc.Rank(), upc.Size()), ownBelow(high, upc.Rank(), upc.Size())
	mine := work(float64(to - from))
	sum := []float64{0}
	ours := []float64{0}
	dot := []float64{0}
	multiply := func() {
		sum[0] = scalarProduct(part1[from:to], part2[from:to])
	}

	reduction, err := reduce.Caller(r, p, r.All(), mpi)
	if err != nil {
		return err
	}
	p = reduction
	want, part := closedForm(n), expectedPart(low, high, upc.Rank(), upc.Size(), layout.Model)
	for p.Next() {
		start := workload.BeginNow(r)
		r.Compute(mine, multiply)
		computed := r.Now()
		partial := sum
		if funneled { // figure 3: upc_all_reduceD, synchronized at entry and exit
			if err := groupSum(r, sum, ours); err != nil {
				return err
			}
			partial = ours
		}
		if callsMPI {
			if err := algorithm.Reduce(reduction, r, mpi, 0, cluster.Sum, partial, dot); err != nil {
				return err
			}
		}
		ended := workload.End(r)
		before := *r.Traffic()
		r.Account(r.ID(), 2*int64(to-from), int64(mine.Bytes))
		if wrong := wrongReads(&before, r.Traffic(), len(part1[from:to])); wrong != "" {
			p.Verify(false, fmt.Sprintf("rank %d: %s", r.ID(), wrong))
		}
		if callsMPI && p.Text("callers") == "permitted" && partial[0] != part {
			p.Verify(false, fmt.Sprintf("rank %d reduces %v with MPI, want %v", r.ID(), partial[0], part))
		}
		p.Report("dot_time", max(ended-start-2*p.Clock(), 0).Seconds())
		p.Report("compute_time", max(computed-start-p.Clock(), 0).Seconds())
		p.Report("reduce_time", max(ended-computed-p.Clock(), 0).Seconds())
		if mpi.Rank() == 0 {
			p.Report("dot", dot[0])
			if dot[0] == want {
				p.Verify(true, "the dot product equals the closed form bit for bit")
			} else {
				p.Verify(false, fmt.Sprintf("iteration %d: the dot product is %v, want %v", p.Iteration(), dot[0], want))
			}
		}
		if err := reduction.Took(max(ended-start, 0)); err != nil {
			return err
		}
	}
	return nil
}

// wrongReads describes a counter that does not have two numbers of 8 bytes per element more than
// before, or returns "".
func wrongReads(before, after *cluster.Traffic, elements int) string {
	reads := after.Ops[cluster.InRank] - before.Ops[cluster.InRank]
	bytes := after.Bytes[cluster.InRank] - before.Bytes[cluster.InRank]
	if want := 2 * int64(elements); reads != want || bytes != 8*want {
		return fmt.Sprintf("%d reads of %d B are counted, want %d of %d B", reads, bytes, want, 8*want)
	}
	return ""
}

// scalarProduct returns the scalar product of two vectors of the same length. Its four sums are
// independent: a single one would make each addition wait for the one before.
func scalarProduct(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return s0 + s1 + s2 + s3
}

// groupSum is upc_all_reduceD(…, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC) to thread 0.
func groupSum(r *cluster.Rank, sum, ours []float64) error {
	if err := r.Barrier(r.Group()); err != nil {
		return err
	}
	if err := coll.Reduce(r, r.Group(), 0, cluster.Sum, sum, ours); err != nil {
		return err
	}
	return r.Barrier(r.Group())
}

// block returns the bounds of part k if n elements are split into parts.
func block(n, k, parts int) (low, high int) {
	first := func(k int) int { return int(int64(k) * int64(n) / int64(parts)) }
	return first(k), first(k + 1)
}

// ownBelow returns the number of elements below i with affinity to thread me, in blocks of 1 over
// threads.
func ownBelow(i, me, threads int) int { return (i - me + threads - 1) / threads }

// The vectors contain small integers, so sums are exact in any order. The periods make a misplaced
// element visible.
const (
	period1 = 7
	period2 = 11
)

func left(i int) float64  { return float64(i%period1 + 1) }
func right(i int) float64 { return float64(i%period2 - 3) }

// expectedPart returns what a rank that calls MPI contributes: the sum over its elements, or under
// nested-funneled of its group's block. Like closedForm, it uses neither left nor right.
func expectedPart(low, high, me, threads int, model cluster.Model) float64 {
	if model == cluster.NestedFunneled {
		return closedForm(high) - closedForm(low)
	}
	sum := 0.0
	for i := low + ((me-low)%threads+threads)%threads; i < high; i += threads {
		sum += float64((1 + i%7) * (i%11 - 3))
	}
	return sum
}

// closedForm returns the dot product of the first n elements. A full period has each pair of 1 to 7
// and −3 to 7 once, so its sum is 28 · 22. It uses neither left nor right.
func closedForm(n int) float64 {
	const period = period1 * period2
	rest, x, y := 0.0, 1.0, -3.0
	for range n % period {
		rest += x * y
		if x++; x > 7 {
			x = 1
		}
		if y++; y > 7 {
			y = -3
		}
	}
	return float64(n/period)*28*22 + rest
}
