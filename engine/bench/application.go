package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/barneshut" // measured in this package
	"github.com/hybridtop/hybridtop/engine/workload/dense"
	_ "github.com/hybridtop/hybridtop/engine/workload/fft"
	_ "github.com/hybridtop/hybridtop/engine/workload/gemm"
	_ "github.com/hybridtop/hybridtop/engine/workload/multigrid"
)

// application is a workload's hot path, measured against a single process that does the same work.
type application struct {
	Case
	workload string
	knobs    map[string]string
}

var applications = []application{
	{Case{Name: "barneshut_walk", Doc: "forces on 256 of 16,384 bodies by one of two ranks that share the " +
		"oct-tree, θ = 1", Limit: "tree walks in one process, without counters", Target: 1.5, Ranks: 2, computes: true},
		"barneshut", map[string]string{"bodies": "16384"}},
	{Case{Name: "gemm1", Doc: "SUMMA of 512 × 512 numbers on one rank, panels of 128",
		Limit: "the local kernel on the same matrices", Target: 1.05, Ranks: 1, computes: true},
		"gemm", map[string]string{"n": "512", "block": "128"}},
	{Case{Name: "gemm4_cpu", Doc: "SUMMA of 1,024 × 1,024 numbers on four ranks, panels of 128, processor time of all",
		Limit: "the local kernel on the same matrices, processor time", Target: 1.25, Ranks: 4, cpu: true},
		"gemm", map[string]string{"n": "1024", "block": "128"}},
	{Case{Name: "fft1", Doc: "one step of NAS FT, class S, on one rank", Limit: "the sequential program's step",
		Target: 1.1, Ranks: 1, computes: true},
		"fft", map[string]string{"class": "S"}},
	{Case{Name: "multigrid1", Doc: "an F-cycle of 64³ on one rank, by bulk messages",
		Limit: "the sequential program, in one box", Target: 1 / 0.9, Ranks: 1, computes: true},
		"multigrid", map[string]string{"boxes": "2", "box": "32"}},
	{Case{Name: "multigrid2", Doc: "an F-cycle of 64³ on two ranks, by bulk messages",
		Limit: "the sequential program, in one box", Target: 1 / 1.6, Why: "1.6 times as fast, with a core for each rank",
		Ranks: 2, computes: true},
		"multigrid", map[string]string{"boxes": "2", "box": "32"}},
}

// ApplicationCases returns the hot paths of workloads, and the kernel for dense matrices.
func ApplicationCases() ([]Case, error) {
	all := []Case{kernelCase()}
	for _, a := range applications {
		k, err := a.row()
		if err != nil {
			return nil, err
		}
		if _, ok := processorTime(); ok || !k.cpu {
			all = append(all, k)
		}
	}
	return all, nil
}

// ApplicationNames returns the names of the rows.
func ApplicationNames() []string {
	names := []string{kernelCase().Name}
	for _, a := range applications {
		names = append(names, a.Name)
	}
	return names
}

func (a *application) row() (Case, error) {
	k := a.Case
	k.Unit = seconds
	k.valueOps = 1
	k.limitOps = 1
	w, err := workload.Find(a.workload)
	if err != nil {
		return k, err
	}
	s := w.Scenario([]string{"this-host"})
	knobs := maps.Clone(a.knobs)
	maps.Copy(knobs, map[string]string{"nodes": "1", "ranks-per-node": fmt.Sprint(k.Ranks), "model": string(cluster.Flat)})
	for _, knob := range slices.Sorted(maps.Keys(knobs)) {
		if err := s.Set(knob, knobs[knob]); err != nil {
			return k, err
		}
	}
	plan, err := w.Plan(&s, &workload.Site{Machine: &cluster.Machine{}})
	if err != nil {
		return k, err
	}
	k.segment = plan.Segment
	k.sides = func(r *cluster.Rank, _ *common) (value, limit side, err error) {
		path, alone, err := w.Comparison(r, workload.IdleProbe{Scenario: &s})
		return times(path), onRankZero(r, times(alone)), err
	}
	return k, nil
}

// times returns a side that runs once n times.
func times(once func() error) side {
	return func(n int) error {
		for range n {
			if err := once(); err != nil {
				return err
			}
		}
		return nil
	}
}

// kernelCase returns the case of the dense matrix product that workloads use.
func kernelCase() Case {
	const n, rows, cols, depth, ld = 512, 64, 128, 256, 136
	k := Case{Name: "gemm_kernel", Doc: "flops per second of the product of 512 × 512 numbers in one thread",
		Unit: perSecond, Limit: "gonum's product of one tile, 64 × 256 by 256 × 128",
		Target: 0.85, Ranks: 1, computes: true, valueOps: dense.GemmFlops(n, n, n),
		limitOps: dense.GemmFlops(rows, cols, depth)}
	k.sides = func(r *cluster.Rank, _ *common) (value, limit side, err error) {
		numbers := func(n, period int) []float64 {
			v := make([]float64, n)
			for i := range v { // gonum skips zeros
				v[i] = float64(i%period + 1)
			}
			return v
		}
		tiles, blasOf := new(dense.Tiles), gonum.Implementation{}
		x := numbers(n*n, 7)
		y := numbers(n*n, 5)
		z := make([]float64, n*n)
		left := numbers(rows*(depth+8), 7)
		right := numbers(depth*ld, 5)
		sum := make([]float64, rows*ld)
		check := func(a []float64, lda int, b []float64, ldb int, c []float64, deep int) error {
			want := 0.
			for i := range deep {
				want += a[lda+i] * b[i*ldb+1]
			}
			if got := c[0]; got != want {
				return fmt.Errorf("an element is %v, want %v", got, want)
			}
			return nil
		}
		value = times(func() error {
			clear(z)
			tiles.Gemm(false, n, n, n, 1, x, n, y, n, z, n)
			return check(x, n, y, n, z[n+1:], n)
		})
		limit = times(func() error {
			blasOf.Dgemm(blas.NoTrans, blas.NoTrans, rows, cols, depth, 1, left, depth+8, right, ld, 0, sum, ld)
			return check(left, depth+8, right, ld, sum[ld+1:], depth)
		})
		return value, limit, nil
	}
	return k
}

// ApplicationRows measures hot paths of workloads, each against a single process.
func ApplicationRows(ctx context.Context, o Options, progress func(name string)) ([]Row, error) {
	cases, err := ApplicationCases()
	if err != nil {
		return nil, err
	}
	t := newTable("bench applications", cases)
	t.measure = func(k *Case, ctx context.Context, o *Options) (Row, error) {
		row, err := k.measure(ctx, o)
		row.Compare = "no MPI program"
		return row, err
	}
	return t.rows(ctx, &o, progress)
}
