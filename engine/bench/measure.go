package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// What is measured unless the options say otherwise.
const (
	DefaultRounds = 400
	DefaultBatch  = 500 * time.Microsecond
)

// A row takes no longer than rowTime on a busy host, but has fewRounds at least.
const (
	rowTime   = 3 * time.Second
	fewRounds = 30
)

// A row that only computes is launched computeLaunches times. Another one is launched
// anew until its limit can be had, launchTries times at most: ranks that were parked
// once stay so in all of a launch.
const (
	computeLaunches = 5
	launchTries     = 3
)

// Options say what to measure and how long.
type Options struct {
	Fabric  cluster.Fabric  // its clock must be this host's
	Machine cluster.Machine // not emulated
	Only    []string        // rows, by name; empty: all
	Rounds  int             // turns of each side, fewer on a busy host; 0: DefaultRounds
	Batch   time.Duration   // length of a turn; 0: DefaultBatch
	Peers   string          // folder with compiled MPI programs, see runPeers; empty: none
}

// check refuses what cannot be measured, and fills in what is not said.
func (o *Options) check() error {
	if o.Fabric == nil {
		return errors.New("bench: no fabric to measure")
	}
	if o.Machine.Emulated {
		return fmt.Errorf("bench measures this host: machine %s is emulated, and its delays would be added; use this-host", o.Machine.Name)
	}
	if o.Rounds <= 0 {
		o.Rounds = DefaultRounds
	}
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	return nil
}

// Rows measures the rows one after the other; progress, if not nil, hears of each
// before it starts. On an error it gives the rows that are done.
func Rows(ctx context.Context, o Options, progress func(name string)) ([]Row, error) {
	return rows(ctx, "bench", &o, Cases(), func(k *Case) string { return k.Name }, (*Case).measure, progress, "p2p", "coll")
}

// rows measures the cases of a table that the options name, in the options' order, or
// all of them; beside them stand the figures of the peers' programs.
func rows[C any](ctx context.Context, table string, o *Options, cases []C, name func(*C) string,
	measure func(*C, context.Context, *Options) (Row, error), progress func(name string), programs ...string) ([]Row, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	byName, only := map[string]*C{}, o.Only
	var names []string
	for i := range cases {
		names = append(names, name(&cases[i]))
		byName[name(&cases[i])] = &cases[i]
	}
	if len(only) == 0 {
		only = names
	}
	for _, n := range only {
		if byName[n] == nil {
			return nil, fmt.Errorf("%s: unknown row %q: there are %v", table, n, names)
		}
	}
	var done []Row
	for _, n := range only {
		if progress != nil {
			progress(n)
		}
		row, err := measure(byName[n], ctx, o)
		if err != nil {
			return done, fmt.Errorf("bench %s: %w", n, err)
		}
		done = append(done, row)
	}
	if o.Peers != "" {
		if progress != nil {
			progress("peers")
		}
		runPeers(ctx, o.Peers, programs...).beside(done)
	}
	return done, nil
}

// measure plays the rounds of one case.
func (k *Case) measure(ctx context.Context, o *Options) (Row, error) {
	var all rounds
	allocs := 0.0
	for launch := 0; launch == 0 || k.again(launch, all); launch++ {
		err := k.launch(ctx, o.Fabric, o.Machine, func(turn turner) error {
			some, a, err := k.alternate(o, turn, k, turn, playLimit)
			all, allocs = append(all, some...), max(allocs, a)
			return err
		})
		if err != nil {
			return Row{}, err
		}
	}
	row := k.row(all)
	row.Allocs = allocs
	if runtime.GOMAXPROCS(0) == 1 {
		row.Note += "; there is one core: instead of a cache line's way to another, the limit has a switch between goroutines"
	}
	return row, nil
}

// again says that a row needs a further launch.
func (k *Case) again(launches int, all rounds) bool {
	if k.computes {
		return launches < computeLaunches
	}
	return launches < launchTries && !k.limited(all)
}

// alternate plays rounds of a case's value and of a side of what it stands beside, in
// turn, and counts the allocations of an iteration.
func (k *Case) alternate(o *Options, value turner, beside *Case, other turner, side which) (all rounds, allocs float64, err error) {
	n, err := k.calibrate(value, playValue, o.Batch)
	if err != nil {
		return nil, 0, err
	}
	m, err := beside.calibrate(other, side, o.Batch)
	if err != nil {
		return nil, 0, err
	}
	for start := time.Now(); len(all) < o.Rounds && (len(all) < fewRounds || time.Since(start) < rowTime); {
		if err := all.play(value, other, n, m); err != nil {
			return nil, 0, err
		}
	}
	allocs, err = k.allocations(value, 5*n)
	return all, allocs, err
}

// round is one turn of each side: the time an iteration took, in seconds.
type round struct{ value, limit float64 }

type rounds []round

// play adds a round of n and m iterations.
func (rs *rounds) play(value, limit turner, n, m int) error {
	v, err := value(playValue, n)
	if err != nil {
		return err
	}
	l, err := limit(playLimit, m)
	if err != nil {
		return err
	}
	per := func(t time.Duration, n int) float64 { return max(t.Seconds(), 1e-9) / float64(n) }
	*rs = append(*rs, round{per(v, n), per(l, m)})
	return nil
}

// fewPossible: a limit that was possible in less than this part of the rounds, 1/20,
// could not be had.
const fewPossible = 20

// limited says that the limit could be had.
func (k *Case) limited(all rounds) bool {
	n := len(k.possible(all))
	return n > 0 && n*fewPossible >= len(all)
}

// possible leaves out the rounds in which the path beat its limit by more than it
// can: whoever played the limit was parked then.
func (k *Case) possible(all rounds) rounds {
	if k.bound == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(r round) bool {
		return r.limit/k.limitOps > k.bound*r.value/k.valueOps
	})
}

// quiet keeps the rounds in which the host was least busy with other things:
// where both sides together took least, each in units of its own best, which
// leans to neither side. That is a third of the rounds, or fewer if those after
// the fifth are half as noisy again as the first.
func (rs rounds) quiet() rounds {
	best := rs[0]
	for _, r := range rs {
		best.value, best.limit = min(best.value, r.value), min(best.limit, r.limit)
	}
	noise := func(r round) float64 { return r.value/best.value + r.limit/best.limit }
	sorted := slices.SortedFunc(slices.Values(rs), func(a, b round) int { return cmp.Compare(noise(a), noise(b)) })
	n := (len(sorted) + 2) / 3
	for n > 5 && noise(sorted[n-1]) > 1.5*noise(sorted[0]) {
		n--
	}
	return sorted[:n]
}

// leastBeyond is what a path takes at least: where two times are equal but for noise,
// their difference may be none.
const leastBeyond = 1e-9

// figures turns rounds into the row's unit, each list sorted.
func (k *Case) figures(rs rounds) (values, limits, ratios []float64) {
	for _, r := range rs {
		v, l := k.figure(r.value/k.valueOps), k.figure(r.limit/k.limitOps)
		if k.beyond {
			v = max(v-l, leastBeyond)
		}
		values, limits, ratios = append(values, v), append(limits, l), append(ratios, v/l)
	}
	slices.Sort(values)
	slices.Sort(limits)
	slices.Sort(ratios)
	return values, limits, ratios
}

// figure turns the time of an operation into the row's unit.
func (k *Case) figure(t float64) float64 {
	switch k.Unit {
	case seconds:
		return t
	case bytesRate:
		return float64(k.size) / t
	}
	return 1 / t
}

// calibrate finds how many iterations fill a batch. Of two turns the faster
// counts: the other one may have been cold, or disturbed.
func (k *Case) calibrate(turn turner, what which, batch time.Duration) (int, error) {
	for n := 1; ; n *= 2 {
		t, err := turn(what, n)
		if err != nil {
			return 0, err
		}
		again, err := turn(what, n)
		if err != nil {
			return 0, err
		}
		if t = min(t, again); t >= batch/4 || n >= 1<<30 {
			fill := int(float64(n) * batch.Seconds() / max(t.Seconds(), 1e-9))
			return max(1, k.least, fill), nil
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
