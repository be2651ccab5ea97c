package tuner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Side is one of the calls that a guideline compares.
type Side struct {
	At     coll.Tuple
	Choice coll.Choice
	Took   cluster.Time
}

// Violation is a performance guideline that a table violates: a call took longer than other calls
// that together do the same work, or more.
type Violation struct {
	Guideline string
	Call      Side
	Others    []Side
	Bound     cluster.Time // maximum time of the call
}

// Factor returns the time of the call relative to its maximum.
func (v *Violation) Factor() float64 { return float64(v.Call.Took) / float64(v.Bound) }

// guideline is a collective, and others that together do its work.
type guideline struct {
	name   string
	call   coll.Collective
	others []coll.Collective
	// size returns the size of the other calls, if the call has n bytes on p ranks.
	size func(n, p int64) int64
}

func sameSize(n, _ int64) int64    { return n }
func sizePerRank(n, p int64) int64 { return (n + p - 1) / p }
func totalSize(n, p int64) int64   { return n * p }

var guidelines = []guideline{
	{"allreduce ≤ reduce + broadcast", coll.OpAllreduce, []coll.Collective{coll.OpReduce, coll.OpBcast}, sameSize},
	{"gather ≤ allgather", coll.OpGather, []coll.Collective{coll.OpAllgather}, sameSize},
	{"reduce ≤ allreduce", coll.OpReduce, []coll.Collective{coll.OpAllreduce}, sameSize},
	{"scatter ≤ broadcast of all blocks", coll.OpScatter, []coll.Collective{coll.OpBcast}, totalSize},
	{"allgather ≤ exchange", coll.OpAllgather, []coll.Collective{coll.OpExchange}, sameSize},
	{"broadcast ≤ scatter + allgather", coll.OpBcast, []coll.Collective{coll.OpScatter, coll.OpAllgather}, sizePerRank},
}

// Tolerances of guidelines. A cliff is a cost that rises, with one more element or rank, by more
// than this factor beyond its share.
const (
	toleranceVirtual = 1.01
	toleranceReal    = 1.15
	cliff            = 1.5
)

// CheckOptions selects what to check.
type CheckOptions struct {
	Site
	Table    *coll.Table
	Ranks    []int
	PerNode  int
	Sizes    []int64
	Modes    coll.Modes
	Progress func(done, total int)
}

// Check times the table's choices and returns the violated guidelines, the worst first, and the
// number of checked ones. It checks a composition only if the table has all its collectives.
func Check(ctx context.Context, o CheckOptions) ([]Violation, int, error) {
	c := &comparisons{CheckOptions: o, sides: map[coll.Tuple]*Side{}}
	c.list()
	if len(c.needed) == 0 {
		return nil, 0, fmt.Errorf("nothing to check: want collectives in the table, teams and sizes")
	}
	var mu sync.Mutex
	done := 0
	err := each(ctx, o.workers(), len(c.needed), func(ctx context.Context, i int) error {
		s := c.needed[i]
		times, err := o.measure(ctx, s.At, []coll.Choice{s.Choice}, comparePace)
		if err != nil {
			return err
		}
		s.Took = times[0]
		mu.Lock()
		defer mu.Unlock()
		done++
		if o.Progress != nil {
			o.Progress(done, len(c.needed))
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	var bad []Violation
	for _, p := range c.promises {
		bound := cluster.Time(0)
		v := Violation{Guideline: p.name, Call: *p.call}
		for _, other := range p.others {
			v.Others = append(v.Others, *other)
			bound += other.Took
		}
		v.Bound = cluster.Time(float64(bound) * p.factor)
		if v.Call.Took > v.Bound {
			bad = append(bad, v)
		}
	}
	slices.SortStableFunc(bad, func(a, b Violation) int { return cmp.Compare(b.Factor(), a.Factor()) })
	return bad, len(c.promises), nil
}

// comparisons lists all comparisons before anything is timed.
type comparisons struct {
	CheckOptions
	sides    map[coll.Tuple]*Side
	needed   []*Side // in the order of their first use
	promises []promise
}

type promise struct {
	name   string
	call   *Side
	others []*Side
	factor float64 // of their sum
}

// side returns a call, or nil if the place cannot run it.
func (c *comparisons) side(what coll.Collective, ranks int, n int64) *Side {
	o := Options{Site: c.Site, PerNode: c.PerNode, Modes: c.Modes}
	at := o.tuple(what, ranks, n)
	if s, ok := c.sides[at]; ok {
		return s
	}
	choice, err := c.Table.Find(at)
	if err != nil || c.checkFits(at) != nil || c.data(at) > maxPayload {
		c.sides[at] = nil
		return nil
	}
	s := &Side{At: at, Choice: choice}
	c.sides[at] = s
	c.needed = append(c.needed, s)
	return s
}

func (c *comparisons) promise(name string, factor float64, call *Side, others ...*Side) {
	if call != nil && !slices.Contains(others, nil) {
		c.promises = append(c.promises, promise{name: name, call: call, others: others, factor: factor})
	}
}

func (c *comparisons) list() {
	tolerance := toleranceReal
	if c.isVirtual() {
		tolerance = toleranceVirtual
	}
	onePerNode := c.PerNode <= 1 // otherwise one more rank may need one more node
	has := map[coll.Collective]bool{}
	for _, w := range c.Table.Winners() {
		has[w.Collective] = true
	}
	ranks, sizes := slices.Clone(c.Ranks), slices.Clone(c.Sizes)
	slices.Sort(ranks)
	slices.Sort(sizes)
	for what := range coll.Collective(coll.Collectives) {
		if !has[what] {
			continue
		}
		callSizes := sizes
		if what == coll.OpBarrier {
			callSizes = []int64{0}
		}
		for i, p := range ranks {
			for j, n := range callSizes {
				call := c.side(what, p, n)
				if j > 0 {
					c.promise("no slower with fewer bytes", tolerance, c.side(what, p, callSizes[j-1]), call)
				}
				if i > 0 && onePerNode {
					c.promise("no slower on fewer ranks", tolerance, c.side(what, ranks[i-1], n), call)
				}
				if what != coll.OpBarrier {
					c.promise("no cliff at one more element", cliff, c.side(what, p, n+8), call)
				}
				if onePerNode {
					c.promise("no cliff at one more rank", cliff*float64(p+1)/float64(p), c.side(what, p+1, n), call)
				}
				for _, g := range guidelines {
					if g.call != what || slices.ContainsFunc(g.others, func(o coll.Collective) bool { return !has[o] }) {
						continue
					}
					var others []*Side
					for _, o := range g.others {
						others = append(others, c.side(o, p, g.size(n, int64(p))))
					}
					c.promise(g.name, tolerance, call, others...)
				}
			}
		}
	}
}
