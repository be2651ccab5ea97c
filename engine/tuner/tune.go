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

// Options say what to tune.
type Options struct {
	Place
	Collectives []coll.Collective
	Ranks       []int   // of the teams
	PerNode     int     // ranks a node; smaller teams are on one
	Sizes       []int64 // bytes of a block where blocks go by member, else of the whole data
	Journal     string  // the file that a killed tuning goes on from; "": none
	Exhaustive  bool    // no choice is left out by the model

	// How the program has its data and synchronizes, and the transfers that are tried;
	// none: two-sided messages.
	Modes     coll.Modes
	Transfers []coll.Transfer

	// Progress, if not nil, hears of each tuple when it is done, from one goroutine at a
	// time.
	Progress func(Progress)
}

// Progress is how far a tuning is.
type Progress struct {
	Done, Total int // tuples; those between two sizes come on top
	At          coll.Tuple
	Left        time.Duration // 0: unknown
}

// Result is what a tuning came to.
type Result struct {
	Table    *coll.Table
	Tuples   int // that were measured
	Known    int // of them, out of the journal
	Choices  int // candidates of all tuples
	Measured int // of them, those that the model left in
}

// Tuple gives the tuple of a size on a team.
func (o *Options) tuple(c coll.Collective, ranks int, bytes int64) coll.Tuple {
	return coll.Tuple{Collective: c, Ranks: int32(ranks), PerNode: int32(max(min(o.PerNode, ranks), 1)), Bytes: bytes, Modes: o.modes(c)}
}

// modes are what is asked for of a collective.
func (o *Options) modes(c coll.Collective) coll.Modes {
	if c == coll.OpBarrier {
		return coll.Modes{}
	}
	m := o.Modes
	m.Transfer = 0
	return m
}

// sizes are those to tune, with the last one that is eager and the first that is not, if
// they lie among them: times jump there.
func (o *Options) sizes() []int64 {
	all := slices.Clone(o.Sizes)
	least, most := slices.Min(all), slices.Max(all)
	for _, n := range []int64{o.Machine.EagerLimit &^ 7, o.Machine.EagerLimit&^7 + 8} {
		if n > least && n < most {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// mostTuples bounds a tuning.
const mostTuples = 100_000

// columns are the teams that are tuned, with the tuples of each.
func (o *Options) columns() ([][]coll.Tuple, error) {
	if len(o.Collectives) == 0 || len(o.Ranks) == 0 || len(o.Sizes) == 0 {
		return nil, errors.New("nothing to tune: want a collective, a team and a size")
	}
	var columns [][]coll.Tuple
	total := 0
	for _, c := range o.Collectives {
		for _, ranks := range o.Ranks {
			var column []coll.Tuple
			for _, n := range o.sizes() {
				if c == coll.OpBarrier {
					n = 0
				}
				at := o.tuple(c, ranks, n)
				err := o.fits(at)
				if err != nil && len(column) == 0 {
					return nil, err
				}
				if err == nil && !slices.Contains(column, at) {
					column = append(column, at)
				}
			}
			columns = append(columns, column)
			if total += len(column); total > mostTuples {
				return nil, fmt.Errorf("more than %d configurations (tune fewer sizes or teams)", mostTuples)
			}
		}
	}
	return columns, nil
}

// tuning is a tuning under way.
type tuning struct {
	*Options
	journal *journal
	began   time.Time

	mu     sync.Mutex
	host   *coll.Cost
	result Result
	done   int
	fresh  int // of them measured now
	total  int
	rules  []coll.Rule
}

// Tune searches for the fastest choices. When ctx ends it stops; what it has measured
// stays in the journal.
func Tune(ctx context.Context, o Options) (*Result, error) {
	columns, err := o.columns()
	if err != nil {
		return nil, err
	}
	t := &tuning{Options: &o, began: time.Now()}
	for _, c := range columns {
		t.total += len(c)
	}
	if o.Journal != "" {
		if t.journal, err = openJournal(o.Journal, o.identity()); err != nil {
			return nil, err
		}
		defer t.journal.close()
	}
	if err := each(ctx, t.workers(), len(columns), func(ctx context.Context, i int) error { return t.column(ctx, columns[i]) }); err != nil {
		return nil, err
	}
	if t.result.Table, err = coll.NewTable(t.rules); err != nil {
		return nil, err
	}
	return &t.result, nil
}

// workers is how many measurements may be under way: on a real clock they would disturb
// each other.
func (p *Place) workers() int {
	if p.virtual() {
		return runtime.GOMAXPROCS(0)
	}
	return 1
}

// each runs n jobs on some workers, and ends with the first error.
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

// found is a tuple's choices with their times, the fastest first.
type found struct {
	at      coll.Tuple
	choices []timed
}

type timed struct {
	choice coll.Choice
	time   cluster.Time
}

// Two sizes whose winners differ are divided until they are this close, as long as each
// one's winner is so much slower at the other.
const (
	closeSizes = 1.3
	closeTimes = 1.02
)

// column tunes one team: its sizes, and the sizes between those with different winners.
func (t *tuning) column(ctx context.Context, tuples []coll.Tuple) error {
	var all []found
	for _, at := range tuples {
		choices := t.Candidates(at, t.Transfers...)
		few := choices
		if !t.Exhaustive {
			cost, err := t.cost(ctx, at)
			if err != nil {
				return err
			}
			few = t.worthwhile(choices, at, cost)
		}
		t.count(len(choices), len(few))
		f, err := t.find(ctx, at, few)
		if err != nil {
			return err
		}
		all = append(all, f)
	}
	for i := 0; i+1 < len(all); {
		a, b := &all[i], &all[i+1]
		lo, hi := max(a.at.Bytes, 1), b.at.Bytes
		if a.choices[0].choice == b.choices[0].choice || float64(hi) <= closeSizes*float64(lo) ||
			a.behind(b.choices[0].choice) < closeTimes && b.behind(a.choices[0].choice) < closeTimes {
			i++
			continue
		}
		mid := between(lo, hi)
		if mid <= lo || mid >= hi {
			i++
			continue
		}
		at := a.at
		at.Bytes = mid
		t.more()
		choices := a.near(b)
		cost, err := t.cost(ctx, at)
		if err != nil {
			return err
		}
		for _, c := range prune(t.Candidates(at, t.Transfers...), at, cost, keepBetween) {
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

// equalTimes is how many times as long as the best a choice may take on a real clock to
// be as good: the next measurement may find it the best.
const equalTimes = 1.03

// settle takes, of choices that are as good, the one with the fewest segments.
func (f *found) settle() {
	best := 0
	for i, x := range f.choices {
		if float64(x.time) <= equalTimes*float64(f.choices[0].time) && x.choice.Segments < f.choices[best].choice.Segments {
			best = i
		}
	}
	first := f.choices[best]
	f.choices = slices.Insert(slices.Delete(f.choices, best, best+1), 0, first)
}

// between is the geometric mean of two sizes, a multiple of 8 from there on: elements
// have 8 bytes.
func between(lo, hi int64) int64 {
	mid := int64(math.Sqrt(float64(lo) * float64(hi)))
	if lo >= 8 {
		mid &^= 7
	}
	return mid
}

// behind is how many times as long as the best a choice takes.
func (f *found) behind(c coll.Choice) float64 {
	for _, x := range f.choices {
		if x.choice == c {
			return float64(x.time) / float64(f.choices[0].time)
		}
	}
	return math.Inf(1)
}

// nearBest is how many times as long as the best a choice may take to be tried at a
// size between two.
const nearBest = 1.4

// near lists the choices that are near the best of either of two sizes.
func (f *found) near(g *found) []coll.Choice {
	var all []coll.Choice
	for _, x := range []*found{f, g} {
		for _, c := range x.choices {
			if x.behind(c.choice) <= nearBest && !slices.Contains(all, c.choice) {
				all = append(all, c.choice)
			}
		}
	}
	return all
}

// rule keeps the best choices: the fastest of all, the fastest that any team and any
// call can take, and between them the next algorithm.
func (f *found) rule() coll.Rule {
	r := coll.Rule{Tuple: f.at, Time: f.choices[0].time}
	add := func(c coll.Choice) {
		if len(r.Choices) < coll.MostChoices && !slices.ContainsFunc(r.Choices, func(o coll.Choice) bool { return o.Algorithm == c.Algorithm }) {
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
	return t.Place.cost(ctx, at, &t.host)
}

func (t *tuning) count(all, few int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.result.Choices += all
	t.result.Measured += few
}

// more says that another tuple has come up.
func (t *tuning) more() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total++
}

// find measures a tuple, unless the journal knows it.
func (t *tuning) find(ctx context.Context, at coll.Tuple, choices []coll.Choice) (found, error) {
	times, known := t.journal.times(at, choices)
	if !known {
		var err error
		if times, err = t.measure(ctx, at, choices, searching); err != nil {
			return found{}, err
		}
		if err := t.journal.add(at, choices, times); err != nil {
			return found{}, err
		}
	}
	f := found{at: at}
	for i, c := range choices {
		f.choices = append(f.choices, timed{c, times[i]})
	}
	slices.SortStableFunc(f.choices, func(a, b timed) int { return cmp.Compare(a.time, b.time) })
	if !t.virtual() {
		f.settle()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.result.Tuples++
	if known {
		t.result.Known++
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
