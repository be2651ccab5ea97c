package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Options say what to measure and how long.
type Options struct {
	Fabric  cluster.Fabric  // its clock must be this host's
	Machine cluster.Machine // not emulated
	Only    []string        // rows, by name; empty: all
	Rounds  int             // turns of each side; 0: 101
	Batch   time.Duration   // length of a turn; 0: 2 ms
	Peers   string          // folder with compiled MPI programs, see RunPeers; empty: none
}

// Rows measures the rows one after the other; progress, if not nil, hears of each
// before it starts. On an error it gives the rows that are done.
func Rows(ctx context.Context, o Options, progress func(name string)) ([]Row, error) {
	if o.Fabric == nil {
		return nil, errors.New("bench: no fabric to measure")
	}
	if o.Machine.Emulated {
		return nil, fmt.Errorf("bench measures this host: machine %s is emulated, and its delays would be added; use this-host", o.Machine.Name)
	}
	if o.Rounds <= 0 {
		o.Rounds = 101
	}
	if o.Batch <= 0 {
		o.Batch = 2 * time.Millisecond
	}
	cases, err := find(o.Only)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i := range cases {
		k := &cases[i]
		if progress != nil {
			progress(k.Name)
		}
		row, err := k.measure(ctx, &o)
		if err != nil {
			return rows, fmt.Errorf("bench %s: %w", k.Name, err)
		}
		rows = append(rows, row)
	}
	if o.Peers != "" {
		if progress != nil {
			progress("peers")
		}
		RunPeers(ctx, o.Peers).beside(rows)
	}
	return rows, nil
}

// measure plays the rounds of one case.
func (k *Case) measure(ctx context.Context, o *Options) (Row, error) {
	var values, limits, ratios []float64
	allocs := 0.0
	err := k.launch(ctx, o.Fabric, o.Machine, func(turn turner) error {
		n, err := calibrate(turn, playValue, o.Batch)
		if err != nil {
			return err
		}
		m, err := calibrate(turn, playLimit, o.Batch)
		if err != nil {
			return err
		}
		for range o.Rounds {
			v, err := turn(playValue, n)
			if err != nil {
				return err
			}
			l, err := turn(playLimit, m)
			if err != nil {
				return err
			}
			value, limit := k.figure(v, float64(n)*k.valueOps), k.figure(l, float64(m)*k.limitOps)
			values, limits, ratios = append(values, value), append(limits, limit), append(ratios, value/limit)
		}
		allocs, err = k.allocations(turn, 5*n)
		return err
	})
	if err != nil {
		return Row{}, err
	}
	for _, s := range [][]float64{values, limits, ratios} {
		slices.Sort(s)
	}
	return Row{
		Name: k.Name, Value: quantile(values, .5), Unit: k.Unit, Kind: engine.Measured,
		Limit: quantile(limits, .5), LimitName: k.Limit,
		Ratio: quantile(ratios, .5), RatioLow: quantile(ratios, .25), RatioHigh: quantile(ratios, .75),
		Target: k.Target, Want: want(k.Target, k.Unit != seconds, k.Why),
		Allocs: allocs, Ranks: k.Ranks,
		Note: k.Doc + "; " + beside(k.Ranks, runtime.GOMAXPROCS(0)),
	}, nil
}

// figure turns a time for some operations into the row's unit.
func (k *Case) figure(t time.Duration, operations float64) float64 {
	s := max(t.Seconds(), 1e-9)
	switch k.Unit {
	case seconds:
		return s / operations
	case bytesRate:
		return operations * float64(k.size) / s
	}
	return operations / s
}

// calibrate finds how many iterations fill a batch.
func calibrate(turn turner, what which, batch time.Duration) (int, error) {
	for n := 1; ; n *= 2 {
		t, err := turn(what, n)
		if err != nil {
			return 0, err
		}
		if t >= batch/4 || n >= 1<<30 {
			return max(1, int(float64(n)*batch.Seconds()/max(t.Seconds(), 1e-9))), nil
		}
	}
}

// allocations counts heap allocations an operation, in the whole process, to a
// thousandth. What the runtime allocates beside only adds, so the least of
// several turns counts.
func (k *Case) allocations(turn turner, n int) (float64, error) {
	least := 0.0
	for i := range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := turn(playValue, n); err != nil {
			return 0, err
		}
		runtime.ReadMemStats(&after)
		a := float64(after.Mallocs-before.Mallocs) / (float64(n) * k.valueOps)
		if i == 0 || a < least {
			least = a
		}
	}
	return math.Round(least*1000) / 1000, nil
}
