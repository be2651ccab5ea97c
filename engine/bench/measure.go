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

// Defaults of the options.
const (
	DefaultRounds = 400
	DefaultBatch  = 500 * time.Microsecond
)

// A row takes at most rowTime on a busy host, but has at least fewRounds rounds.
const (
	rowTime   = 3 * time.Second
	fewRounds = 30
)

// A row that only computes is launched computeLaunches times. Other rows are launched again, at
// most launchTries times, until their limit can be measured: ranks that were parked once often
// remain parked during the whole launch.
const (
	computeLaunches = 5
	launchTries     = 3
)

// Options select the rows and the duration of a measurement.
type Options struct {
	Fabric  cluster.Fabric  // must use this host's clock
	Machine cluster.Machine // must not be emulated
	Only    []string        // names of rows; empty: all
	Rounds  int             // turns of each side, fewer on a busy host; 0: DefaultRounds
	Batch   time.Duration   // length of a turn; 0: DefaultBatch
	Peers   string          // folder with compiled MPI programs, see runPeers; empty: none
}

// check returns an error for options that cannot be measured, and sets the defaults.
func (o *Options) check() error {
	if o.Fabric == nil {
		return errors.New("bench: no fabric to measure")
	}
	if o.Machine.Emulated {
		return fmt.Errorf("bench: machine %s is emulated; want a machine without delays (this-host)", o.Machine.Name)
	}
	if o.Rounds <= 0 {
		o.Rounds = DefaultRounds
	}
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	return nil
}

// Rows measures the rows one after another. progress, if not nil, is called with each name before
// its row starts. On an error Rows returns the rows that are complete.
func Rows(ctx context.Context, o Options, progress func(name string)) ([]Row, error) {
	return newTable("bench", Cases(), "p2p", "coll").rows(ctx, &o, progress)
}

// table is a command's table of rows.
type table[C any] struct {
	name     string // of the command
	cases    []C
	nameOf   func(*C) string
	measure  func(*C, context.Context, *Options) (Row, error)
	programs []string // kinds of MPI programs that measure the same; nil: none
}

// newTable returns a table of plain cases.
func newTable(name string, cases []Case, programs ...string) *table[Case] {
	return &table[Case]{name: name, cases: cases, nameOf: func(k *Case) string { return k.Name },
		measure: (*Case).measure, programs: programs}
}

// rows measures the cases that the options name, in the order of the options, or all of them. It
// adds the values of the MPI programs.
func (t *table[C]) rows(ctx context.Context, o *Options, progress func(name string)) ([]Row, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	byName, only := map[string]*C{}, o.Only
	var names []string
	for i := range t.cases {
		name := t.nameOf(&t.cases[i])
		names = append(names, name)
		byName[name] = &t.cases[i]
	}
	if len(only) == 0 {
		only = names
	}
	for _, n := range only {
		if byName[n] == nil {
			return nil, fmt.Errorf("%s: unknown row %q: want one of %v", t.name, n, names)
		}
	}
	var done []Row
	for _, n := range only {
		if progress != nil {
			progress(n)
		}
		row, err := t.measure(byName[n], ctx, o)
		if err != nil {
			return done, fmt.Errorf("bench %s: %w", n, err)
		}
		done = append(done, row)
	}
	if o.Peers != "" {
		if progress != nil {
			progress("peers")
		}
		runPeers(ctx, o.Peers, t.programs...).addTo(done)
	}
	return done, nil
}

// measure runs the rounds of one case.
func (k *Case) measure(ctx context.Context, o *Options) (Row, error) {
	var all rounds
	allocs := 0.0
	for launch := 0; launch == 0 || k.needsLaunch(launch, all); launch++ {
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

// needsLaunch reports whether a row needs another launch.
func (k *Case) needsLaunch(launches int, all rounds) bool {
	if k.computes {
		return launches < computeLaunches
	}
	return launches < launchTries && !k.hasLimit(all)
}

// alternate runs rounds of a case's value, alternating with a side of the other case, and counts
// the allocations per iteration.
func (k *Case) alternate(o *Options, value turner, reference *Case, other turner,
	side which) (all rounds, allocs float64, err error) {
	n, err := k.calibrate(value, playValue, o.Batch)
	if err != nil {
		return nil, 0, err
	}
	m, err := reference.calibrate(other, side, o.Batch)
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

// round is one turn of each side: seconds per iteration.
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
	*rs = append(*rs, round{value: per(v, n), limit: per(l, m)})
	return nil
}

// fewPossible: if the limit was possible in less than 1/20 of the rounds, the row has no limit.
const fewPossible = 20

// hasLimit reports whether the limit could be measured.
func (k *Case) hasLimit(all rounds) bool {
	n := len(k.possibleRounds(all))
	return n > 0 && n*fewPossible >= len(all)
}

// possibleRounds removes rounds in which the path beat its limit by more than possible. The
// goroutines of the limit were parked in them.
func (k *Case) possibleRounds(all rounds) rounds {
	if k.bound == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(r round) bool {
		return r.limit/k.limitOps > k.bound*r.value/k.valueOps
	})
}

// quietRounds returns the rounds with the least disturbance by other load. These are the rounds
// with the shortest total time of both sides, each relative to its own best time, which favours
// neither side. It returns a third of the rounds. From the sixth on, it omits rounds that are more
// than 1.5 times as noisy as the first.
func (rs rounds) quietRounds() rounds {
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

// leastBeyond is the minimum difference of a path and its limit. Two times that only differ by
// noise can have a difference of 0.
const leastBeyond = 1e-9

// figures converts rounds to the row's unit. Each list is sorted.
func (k *Case) figures(rs rounds) (values, limits, ratios []float64) {
	for _, r := range rs {
		v, l := k.figure(r.value/k.valueOps), k.figure(r.limit/k.limitOps)
		if k.beyond {
			v = max(v-l, leastBeyond)
		}
		values = append(values, v)
		limits = append(limits, l)
		ratios = append(ratios, v/l)
	}
	slices.Sort(values)
	slices.Sort(limits)
	slices.Sort(ratios)
	return values, limits, ratios
}

// figure converts the time of an operation to the row's unit.
func (k *Case) figure(t float64) float64 {
	switch k.Unit {
	case seconds:
		return t
	case bytesRate:
		return float64(k.size) / t
	}
	return 1 / t
}

// calibrateTurns is the maximum number of turns with the same number of iterations in calibrate.
const calibrateTurns = 8

// calibrate returns the number of iterations that fill a batch. Some turns are cold or disturbed. So
// it takes several turns that are long enough before it believes them.
func (k *Case) calibrate(turn turner, what which, batch time.Duration) (int, error) {
	for n := 1; ; n *= 2 {
		t := time.Duration(math.MaxInt64)
		for i := 0; i < calibrateTurns && (i < 2 || t >= batch/4); i++ {
			again, err := turn(what, n)
			if err != nil {
				return 0, err
			}
			t = min(t, again)
		}
		if t >= batch/4 || n >= 1<<30 {
			fill := int(float64(n) * batch.Seconds() / max(t.Seconds(), 1e-9))
			return max(1, k.least, fill), nil
		}
	}
}

// allocations returns the heap allocations per operation, in the whole process, to a thousandth. It
// uses the minimum of several turns, because the runtime's own allocations only add to the count.
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
