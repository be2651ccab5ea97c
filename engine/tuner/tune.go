package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Options selects what to tune.
type Options struct {
	Site
	Collectives []coll.Collective
	Ranks       []int   // of the teams
	PerNode     int     // ranks per node; smaller teams are on one
	Sizes       []int64 // bytes of a block if blocks differ by member, otherwise of the whole data
	Journal     string  // file from which an interrupted tuning continues; "": none
	Memory      int64   // bytes of host memory that measurements may use; 0: the host's limit
	Exhaustive  bool    // measure all choices, without pruning by the model

	// Addresses and synchronization of the program, and the transfers to try; none: two-sided
	// messages.
	Modes     coll.Modes
	Transfers []coll.Transfer

	// Progress, if not nil, is called for each finished tuple, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is the progress of a tuning.
type Progress struct {
	Done, Total int // tuples; Total grows by those between two sizes
	At          coll.Tuple
	Left        time.Duration // 0: unknown
}

// Result is the result of a tuning.
type Result struct {
	Table       *coll.Table
	Tuples      int    // measured tuples
	FromJournal int    // of these, taken from the journal
	Choices     int    // candidates of all tuples
	Measured    int    // of these, not pruned by the model
	Skipped     []Skip // candidates that exceed the memory
}

// tuple returns the tuple of a size on a team.
func (o *Options) tuple(c coll.Collective, ranks int, bytes int64) coll.Tuple {
	return coll.Tuple{Collective: c, Ranks: int32(ranks), PerNode: int32(max(min(o.PerNode, ranks), 1)), Bytes: bytes,
		Modes: o.modes(c)}
}

// modes returns the requirements for a collective.
func (o *Options) modes(c coll.Collective) coll.Modes {
	if c == coll.OpBarrier {
		return coll.Modes{}
	}
	m := o.Modes
	m.Transfer = 0
	return m
}

// sizes returns the sizes to tune. They include the largest eager size and the next one, if these
// are within the range, because times jump there.
func (o *Options) sizes() []int64 {
	all := slices.Clone(o.Sizes)
	smallest, largest := slices.Min(all), slices.Max(all)
	for _, n := range []int64{o.Machine.EagerLimit &^ 7, o.Machine.EagerLimit&^7 + 8} {
		if n > smallest && n < largest {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxTuples is the maximum number of tuples of a tuning.
const maxTuples = 100_000

// columns returns the tuples to tune, grouped by team.
func (o *Options) columns() (columns [][]coll.Tuple, skipped []Skip, err error) {
	if len(o.Collectives) == 0 || len(o.Ranks) == 0 || len(o.Sizes) == 0 {
		return nil, nil, errors.New("nothing to tune (set a collective, a team and a size)")
	}
	total := 0
	for _, c := range o.Collectives {
		for _, ranks := range o.Ranks {
			var column []coll.Tuple
			for _, n := range o.sizes() {
				if c == coll.OpBarrier {
					n = 0
				}
				at := o.tuple(c, ranks, n)
				if err := o.checkFits(at); err != nil {
					return nil, nil, err
				}
				switch data := o.data(at); {
				case data > maxPayload:
					skipped = append(skipped, Skip{At: at, Memory: data, Limit: maxPayload})
				case !slices.Contains(column, at):
					column = append(column, at)
				}
			}
			columns = append(columns, column)
			total += len(column)
			if total > maxTuples {
				return nil, nil, fmt.Errorf("more than %d configurations (tune fewer sizes or teams)", maxTuples)
			}
		}
	}
	return columns, skipped, nil
}

// tuning is the state of a tuning.
type tuning struct {
	*Options
	journal *journal
	began   time.Time

	mu     sync.Mutex
	host   *coll.Cost
	result Result
	done   int
	fresh  int // of these, not from the journal
	total  int
	rules  []coll.Rule
}

// Tune searches for the fastest choices. It stops when ctx ends; its measurements so far remain in
// the journal.
func Tune(ctx context.Context, o Options) (*Result, error) {
	columns, skipped, err := o.columns()
	if err != nil {
		return nil, err
	}
	t := &tuning{Options: &o, began: time.Now()}
	t.skip(skipped)
	for _, c := range columns {
		t.total += len(c)
	}
	if o.Journal != "" {
		t.journal, err = openJournal(o.Journal, o.identity())
		if err != nil {
			return nil, err
		}
		defer t.journal.close()
	}
	if err := each(ctx, t.workers(), len(columns), func(ctx context.Context, i int) error {
		return t.column(ctx, columns[i])
	}); err != nil {
		return nil, err
	}
	t.result.sortSkipped()
	if len(t.rules) == 0 {
		return nil, fmt.Errorf("no candidate fits into memory: %s (use fewer ranks, or smaller sizes)", t.result.Skipped[0])
	}
	t.result.Table, err = coll.NewTable(t.rules)
	if err != nil {
		return nil, err
	}
	return &t.result, nil
}

// workers returns the number of parallel measurements: on a real clock they would disturb each
// other.
func (p *Site) workers() int {
	if p.isVirtual() {
		return runtime.GOMAXPROCS(0)
	}
	return 1
}

// each runs n jobs on some workers, and stops at the first error.
func each(ctx context.Context, workers, n int, job func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan int)
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := range next {
				if err := job(ctx, i); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	all.Wait()
	return context.Cause(ctx)
}

// timedTuple is a tuple's choices with their times, the fastest first.
type timedTuple struct {
	at      coll.Tuple
	choices []timedChoice
}

type timedChoice struct {
	choice coll.Choice
	time   cluster.Time
}

// The interval between two sizes with different winners is divided until it is this small, or each
// winner is slower by less than closeTimes at the other size.
const (
	closeSizes = 1.3
	closeTimes = 1.02
)

// column tunes one team: its sizes, and the sizes between those with different winners.
func (t *tuning) column(ctx context.Context, tuples []coll.Tuple) error {
	var all []timedTuple
	for _, at := range tuples {
		choices, skipped := t.candidates(at)
		t.skip(skipped)
		if len(choices) == 0 {
			t.dropTuple()
			continue
		}
		kept := choices
		if !t.Exhaustive {
			cost, err := t.cost(ctx, at)
			if err != nil {
				return err
			}
			kept = t.pruneByClock(choices, at, cost)
		}
		t.addChoices(len(choices), len(kept))
		f, err := t.find(ctx, at, kept)
		if err != nil {
			return err
		}
		all = append(all, f)
	}
	for i := 0; i+1 < len(all); {
		a, b := &all[i], &all[i+1]
		lo, hi := max(a.at.Bytes, 1), b.at.Bytes
		if a.choices[0].choice == b.choices[0].choice || float64(hi) <= closeSizes*float64(lo) ||
			a.slowdown(b.choices[0].choice) < closeTimes && b.slowdown(a.choices[0].choice) < closeTimes {
			i++
			continue
		}
		mid := middleSize(lo, hi)
		if mid <= lo || mid >= hi {
			i++
			continue
		}
		at := a.at
		at.Bytes = mid
		t.addTuple()
		choices := a.near(b)
		cost, err := t.cost(ctx, at)
		if err != nil {
			return err
		}
		fit, skipped := t.candidates(at)
		t.skip(skipped)
		for _, c := range prune(fit, at, cost, keepBetween) {
			if !slices.Contains(choices, c) {
				choices = append(choices, c)
			}
		}
		f, err := t.find(ctx, at, choices)
		if err != nil {
			return err
		}
		all = slices.Insert(all, i+1, f)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range all {
		t.rules = append(t.rules, f.rule())
	}
	return nil
}

// equalTimes is the time relative to the best up to which choices count as equal on a real clock:
// the next measurement may reverse their order.
const equalTimes = 1.03

// preferFewSegments selects the choice with the fewest segments among equal ones.
func (f *timedTuple) preferFewSegments() {
	best := 0
	for i, x := range f.choices {
		if float64(x.time) <= equalTimes*float64(f.choices[0].time) && x.choice.Segments < f.choices[best].choice.Segments {
			best = i
		}
	}
	first := f.choices[best]
	f.choices = slices.Insert(slices.Delete(f.choices, best, best+1), 0, first)
}

// middleSize returns the geometric mean of two sizes. From 8 on it is a multiple of 8, the bytes of
// an element.
func middleSize(lo, hi int64) int64 {
	mid := int64(math.Sqrt(float64(lo) * float64(hi)))
	if lo >= 8 {
		mid &^= 7
	}
	return mid
}

// slowdown returns the time of a choice relative to the best one.
func (f *timedTuple) slowdown(c coll.Choice) float64 {
	for _, x := range f.choices {
		if x.choice == c {
			return float64(x.time) / float64(f.choices[0].time)
		}
	}
	return math.Inf(1)
}

// nearBest is the maximum time relative to the best for a choice to be tried at a size between
// two.
const nearBest = 1.4

// near lists the choices that are near the best of either of two sizes.
func (f *timedTuple) near(g *timedTuple) []coll.Choice {
	var all []coll.Choice
	for _, x := range []*timedTuple{f, g} {
		for _, c := range x.choices {
			if x.slowdown(c.choice) <= nearBest && !slices.Contains(all, c.choice) {
				all = append(all, c.choice)
			}
		}
	}
	return all
}

// rule returns a rule with the best choices, in this order: the fastest of all, the fastest for
// any number of ranks, the fastest without any restriction, and then further algorithms.
func (f *timedTuple) rule() coll.Rule {
	r := coll.Rule{Tuple: f.at, Time: f.choices[0].time}
	add := func(c coll.Choice) {
		if len(r.Choices) < coll.MaxChoices && !slices.ContainsFunc(r.Choices, func(o coll.Choice) bool {
			return o.Algorithm == c.Algorithm
		}) {
			r.Choices = append(r.Choices, c)
		}
	}
	add(f.choices[0].choice)
	for _, x := range f.choices {
		if x.choice.Algorithm.Needs&(coll.PowerOfTwo|coll.EvenRanks) == 0 {
			add(x.choice)
			break
		}
	}
	for _, x := range f.choices {
		if x.choice.Algorithm.Needs == 0 {
			add(x.choice)
			break
		}
	}
	for _, x := range f.choices {
		add(x.choice)
	}
	return r
}

func (t *tuning) cost(ctx context.Context, at coll.Tuple) (*coll.Cost, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Site.cost(ctx, at, &t.host)
}

func (t *tuning) addChoices(all, few int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.result.Choices += all
	t.result.Measured += few
}

// addTuple counts an additional tuple.
func (t *tuning) addTuple() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total++
}

// dropTuple counts a tuple that is not measured.
func (t *tuning) dropTuple() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total--
}

// find measures a tuple, unless the journal contains it.
func (t *tuning) find(ctx context.Context, at coll.Tuple, choices []coll.Choice) (timedTuple, error) {
	times, recorded := t.journal.times(at, choices)
	if !recorded {
		var err error
		times, err = t.measure(ctx, at, choices, searchPace)
		if err != nil {
			return timedTuple{}, err
		}
		if err := t.journal.add(at, choices, times); err != nil {
			return timedTuple{}, err
		}
	}
	f := timedTuple{at: at}
	for i, c := range choices {
		f.choices = append(f.choices, timedChoice{choice: c, time: times[i]})
	}
	slices.SortStableFunc(f.choices, func(a, b timedChoice) int { return cmp.Compare(a.time, b.time) })
	if !t.isVirtual() {
		f.preferFewSegments()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.result.Tuples++
	if recorded {
		t.result.FromJournal++
	} else {
		t.fresh++
	}
	if t.Progress != nil {
		p := Progress{Done: t.done, Total: t.total, At: at}
		if t.fresh > 0 {
			p.Left = time.Since(t.began) / time.Duration(t.fresh) * time.Duration(t.total-t.done)
		}
		t.Progress(p)
	}
	return f, nil
}
